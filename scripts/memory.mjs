/**
 * Compares the planned memory of `lacuna complete` with the measured: makes data, runs each case in a process
 * of its own, and prints a Markdown table (docs/memory.md). Linux alone tells a process's peak (VmHWM).
 *
 *   npm run memory                  all cases (about half an hour on two cores, 2 GB of disk)
 *   npm run memory -- folds csv     the cases whose names match one of these regular expressions
 *
 * The data stay in LACUNA_MEMORY_DATA, if that is set, for the next run.
 */
import { execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../packages/cli/dist/lacuna.js', import.meta.url))
const kept = process.env.LACUNA_MEMORY_DATA
const folder = kept ?? mkdtempSync(join(tmpdir(), 'lacuna-memory-'))
mkdirSync(folder, { recursive: true })

/** Runs a command, with arguments between spaces. @param {string} args */
const lacuna = (args) =>
  execFileSync(process.execPath, [MAIN, ...args.split(' ')], { cwd: folder, stdio: 'pipe' })
/** Makes random entries. @param {string} dims @param {number} entries */
const synth = (dims, entries) => (/** @type {string} */ file) =>
  lacuna(`synth --dims ${dims} --entries ${entries} --rank 5 --snr 20 -o ${file}`)
/** Converts another file. @param {string} from */
const convert = (from) => (/** @type {string} */ file) => lacuna(`convert ${from} ${file}`)

/**
 * Writes a table of random rows.
 * @param {string} file
 * @param {string} head
 * @param {number} rows
 * @param {(i: number) => string} cells of row i, as text
 */
function writeRows(file, head, rows, cells) {
  const out = openSync(join(folder, file), 'w')
  let text = `${head}\n`
  for (let i = 0; i < rows; i++) {
    text += `${cells(i)}\n`
    if (text.length > 2 ** 20 || i === rows - 1) {
      writeSync(out, text)
      text = ''
    }
  }
  closeSync(out)
}

/**
 * A whole number from 0 below n, by a hash of i.
 * @param {number} i
 * @param {number} salt
 * @param {number} n
 */
function pick(i, salt, n) {
  let h = Math.imul(i ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0) % n
}

/** How each file of data is made, in an order in which those that it is made of come first. @type {Record<string, (file: string) => void>} */
const data = {
  't.tns': synth('8000x4000x300', 100_000),
  's.tns': synth('8000x4000x300', 300_000),
  's.csv.gz': convert('s.tns'),
  'm.tns': synth('20000x10000x500', 1_000_000),
  'wide.tns': synth('500000x300000x52', 1_000_000),
  'four.tns': synth('3000x2000x400x50', 1_000_000),
  'dense.npy': (file) => {
    lacuna('synth --dims 150x120x100 --entries 400000 --rank 5 -o d.tns')
    lacuna('complete d.tns --rank 5 --epochs 1 --prior isotropic -o d.npz')
    lacuna(`convert d.npz ${file}`)
  },
  'large.tns': synth('50000x20000x1000', 10_000_000),
  'large.csv': convert('large.tns'),
  ...Object.fromEntries(
    ['tns.gz', 'csv', 'tsv', 'csv.gz', 'npz', 'ndjson', 'json', 'parquet'].map((e) => [
      `m.${e}`,
      convert('m.tns'),
    ]),
  ),
  'labels.csv': (file) =>
    writeRows(file, 'user,item,value', 1_000_000, (i) => {
      const user = `customer-${pick(i, 1, 500_000)}@a-rather-long-domain.example`
      return `${user},item number ${pick(i, 2, 300_000)} of the catalogue,${(pick(i, 3, 1000) / 100).toFixed(2)}`
    }),
  'weights.csv': (file) =>
    writeRows(
      file,
      'a,b,c,weight,value',
      1_000_000,
      (i) => `${pick(i, 1, 20_000)},${pick(i, 2, 10_000)},${pick(i, 3, 500)},${1 + (i % 3)},${i % 100}`,
    ),
}

const ISOTROPIC = '--prior isotropic --epochs 2'
/** Short runs save a checkpoint, too: a long one does, and that is planned. */
const SAVED = '-o MODEL --checkpoint-every 0.01'
const TABLE = '--modes mode_1 mode_2 mode_3 --value value'

/** The arguments of `lacuna complete` by the name of the case; MODEL is a path. @type {Record<string, string>} */
const cases = {
  '1 M .tns': `m.tns ${ISOTROPIC} ${SAVED}`,
  '1 M .tns, not saved': `m.tns ${ISOTROPIC}`,
  '1 M .tns.gz': `m.tns.gz ${ISOTROPIC} ${SAVED}`,
  '1 M .npz': `m.npz ${ISOTROPIC} ${SAVED}`,
  '1 M .csv': `m.csv ${ISOTROPIC} ${SAVED}`,
  '1 M .tsv': `m.tsv ${ISOTROPIC} ${SAVED}`,
  '1 M .csv.gz': `m.csv.gz ${ISOTROPIC} ${SAVED}`,
  '1 M .ndjson': `m.ndjson ${ISOTROPIC} ${SAVED}`,
  '1 M .json': `m.json ${ISOTROPIC} ${SAVED}`,
  '1 M .parquet': `m.parquet ${TABLE} ${ISOTROPIC} ${SAVED}`,
  '1 M .csv --query': `m.csv --query |SELECT * FROM data WHERE mode_1 > 0| ${TABLE} ${ISOTROPIC} ${SAVED}`,
  '1 M .csv, bins': `m.csv --modes mode_1 mode_2 bins(mode_3,10) --value value --duplicates mean ${ISOTROPIC} ${SAVED}`,
  '1.8 M .npy, dense': `dense.npy ${ISOTROPIC} ${SAVED}`,
  '1 M .csv, weights': `weights.csv --modes a b c --value value --weight weight --duplicates mean ${ISOTROPIC} ${SAVED}`,
  '1 M .tns, 4 modes': `four.tns ${ISOTROPIC} ${SAVED}`,
  '1 M .tns --test': `m.tns --test 0.1 ${ISOTROPIC} ${SAVED}`,
  '1 M .csv --test --validation': `m.csv --test 0.1 --validation 0.1 ${ISOTROPIC} ${SAVED}`,
  '1 M .parquet --test': `m.parquet ${TABLE} --test 0.1 ${ISOTROPIC} ${SAVED}`,
  '1 M .tns, rank 2': `m.tns --rank 2 ${ISOTROPIC} ${SAVED}`,
  '1 M .tns, rank 50': `m.tns --rank 50 ${ISOTROPIC} ${SAVED}`,
  '1 M .tns, rank 100': `m.tns --rank 100 --prior isotropic --epochs 1 ${SAVED}`,
  '1 M .tns, one thread': `m.tns --threads 1 ${ISOTROPIC} ${SAVED}`,
  '1 M .tns, eight threads': `m.tns --threads 8 ${ISOTROPIC} ${SAVED}`,
  '1 M .tns, merged modes': `m.tns --merge-modes 2,3 ${ISOTROPIC} ${SAVED}`,
  '1 M .tns --missing zero': `m.tns --missing zero --epochs 2 ${SAVED}`,
  '1 M .tns --solver paper': `m.tns --solver paper --epochs 1 ${SAVED}`,
  '1 M .tns, 800,000 rows': `wide.tns ${ISOTROPIC} ${SAVED}`,
  '1 M .tns, 800,000 rows, rank 50': `wide.tns --rank 50 --prior isotropic --epochs 1 ${SAVED}`,
  '1 M .tns, 800,000 rows, rank 50, not saved': `wide.tns --rank 50 --prior isotropic --epochs 1`,
  '1 M .csv, long labels': `labels.csv --duplicates mean ${ISOTROPIC} ${SAVED}`,
  '1 M .csv, long labels, rank 30': `labels.csv --duplicates mean --rank 30 ${ISOTROPIC} ${SAVED}`,
  '100,000 .tns, learned prior': `t.tns --epochs 40 ${SAVED}`,
  '100,000 .tns, learned prior, rank 30': `t.tns --rank 30 --epochs 40 ${SAVED}`,
  '100,000 .tns --loss huber': `t.tns --loss huber --epochs 40 ${SAVED}`,
  '300,000 .tns --folds 2': `s.tns --folds 2 ${ISOTROPIC} ${SAVED}`,
  '300,000 .tns --folds 5': `s.tns --folds 5 ${ISOTROPIC} ${SAVED}`,
  '300,000 .csv.gz --folds 5': `s.csv.gz --folds 5 ${ISOTROPIC} ${SAVED}`,
  '1 M .tns --folds 5': `m.tns --folds 5 ${ISOTROPIC} ${SAVED}`,
  '1 M .tns --folds 5, not saved': `m.tns --folds 5 ${ISOTROPIC}`,
  '1 M .tns, 800,000 rows, --folds 3': `wide.tns --folds 3 ${ISOTROPIC} ${SAVED}`,
  '100,000 .tns --best': `t.tns --best ${ISOTROPIC} ${SAVED}`,
  '100,000 .tns --rank auto': `t.tns --rank auto ${ISOTROPIC} ${SAVED}`,
  '10 M .tns': `large.tns --epochs 1 ${SAVED}`,
  '10 M .csv --test': `large.csv --test 0.1 --epochs 1 ${SAVED}`,
}

/** Splits arguments at spaces, but not between two |. @param {string} line @returns {string[]} */
const wordsOf = (line) =>
  line.split('|').flatMap((part, i) => (i % 2 ? [part] : part.split(' ').filter(Boolean)))

/** Makes the files of a case that do not exist, and those that they are made of. @param {string[]} words */
function makeData(words) {
  for (const file of words.filter((word) => word in data)) {
    const whole = file.replace(/\..*/, '.tns')
    for (const needed of [whole, file])
      if (needed in data && !existsSync(join(folder, needed))) data[needed](needed)
  }
}

/**
 * Runs a case; returns the planned and the largest resident bytes, or throws if it fails.
 * @param {string[]} words
 * @returns {Promise<{ planned: number, peak: number }>}
 */
function measure(words) {
  return new Promise((resolve, reject) => {
    const args = [MAIN, 'complete', ...words, '--negative', 'clip', '--json']
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    let [peak, stdout, stderr] = [0, '', '']
    const timer = setInterval(() => {
      try {
        const status = readFileSync(`/proc/${child.pid}/status`, 'latin1')
        peak = Math.max(peak, 1024 * Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0))
      } catch {
        // The process has ended.
      }
    }, 10)
    child.stdout.on('data', (text) => {
      stdout += text
    })
    child.stderr.on('data', (text) => {
      stderr += text
    })
    child.on('close', (code) => {
      clearInterval(timer)
      if (code !== 0) reject(new Error(`${words.join(' ')}: ${stderr.split('\n').slice(-3).join('\n')}`))
      else resolve({ planned: JSON.parse(stdout).plannedMemory, peak })
    })
  })
}

/** @param {number} bytes */
const inMiB = (bytes) => String(Math.round(bytes / 2 ** 20))
const patterns = process.argv.slice(2).map((text) => new RegExp(text))
/** @type {number[]} */
const ratios = []
console.log('| data and options | planned MiB | peak MiB | peak / planned |\n| --- | ---: | ---: | ---: |')
for (const [name, line] of Object.entries(cases)) {
  if (patterns.length > 0 && !patterns.some((pattern) => pattern.test(name))) continue
  const words = wordsOf(line.replace('MODEL', `model-${process.pid}.npz`))
  makeData(words)
  const { planned, peak } = await measure(words)
  ratios.push(peak / planned)
  console.log(`| ${name} | ${inMiB(planned)} | ${inMiB(peak)} | ${(peak / planned).toFixed(2)} |`)
}
const near = ratios.filter((ratio) => ratio >= 0.8 && ratio <= 1.2).length
console.error(
  `${near} of ${ratios.length} within 20%; from ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
)
if (!kept) rmSync(folder, { recursive: true })
