// Kills `lacuna complete` repeatedly, resumes it each time on another number of threads, and compares the factors
// with those of an uninterrupted run:  node scripts/kills.mjs --kills 200
// The tests do the same a few times (test/cli/resume.test.ts).
// @ts-check
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MAIN = join(ROOT, 'packages/cli/dist/lacuna.js')

/**
 * @typedef {object} Outcome
 * @property {number} kills number of kills
 * @property {number} chains number of runs; each is killed and resumed until it ends
 * @property {number} resumed how often a run continued from a checkpoint and not from the beginning
 * @property {number} different number of runs whose factors differ from those of the uninterrupted run
 * @property {number} leftover number of hidden files that were left when a run had ended
 */

/**
 * Runs the command and kills it at random moments, by the signals in turn, until the number of kills is reached.
 *
 * @param {object} options
 * @param {number} options.kills
 * @param {string} options.folder folder of data.tns and of the models
 * @param {readonly string[]} options.args arguments of `complete`, without files, threads and output
 * @param {NodeJS.Signals[]} [options.signals]
 * @param {[number, number]} [options.between] shortest and longest time to the kill after the data is read, in milliseconds
 * @param {string} [options.wanted] digest of the uninterrupted run's factors, if it is known
 * @param {(line: string) => void} [options.say]
 * @returns {Promise<Outcome>}
 */
export async function killAndResume({
  kills,
  folder,
  args,
  signals = ['SIGKILL'],
  between = [0, 2000],
  wanted,
  say = () => {},
}) {
  const command = ['complete', 'data.tns', ...args, '--checkpoint-every', '0.05']
  wanted ??= await digestUninterrupted(folder, command)
  const outcome = { kills: 0, chains: 0, resumed: 0, different: 0, leftover: 0 }
  while (outcome.kills < kills) {
    const model = `model-${++outcome.chains}.npz`
    for (;;) {
      const threads = String(1 + Math.floor(4 * Math.random()))
      const signal = signals[outcome.kills % signals.length]
      const [shortest, longest] = between
      const afterMs = shortest + Math.random() * (longest - shortest)
      // Every other kill waits for a checkpoint; the others may come before the first.
      const needs = outcome.kills % 2 === 1 ? `${model}.run` : undefined
      const run = await lacuna(
        folder,
        [...command, '--threads', threads, '-o', model, '--resume'],
        outcome.kills < kills ? { signal, afterMs, needs } : undefined,
      )
      if (run.stderr.includes('Going on from')) outcome.resumed++
      if (run.code === 0) break
      if (!run.killed) throw new Error(`It ended with ${run.code}:\n${run.stderr}`)
      outcome.kills++
      say(
        `${outcome.kills} of ${kills} kills, ${outcome.resumed} times resumed, ${outcome.different} different`,
      )
    }
    if ((await digest(join(folder, model))) !== wanted) outcome.different++
    outcome.leftover += readdirSync(folder).filter((name) => name.startsWith('.')).length
  }
  return outcome
}

/** Digest of an uninterrupted run's factors. @param {string} folder @param {string[]} command @returns {Promise<string>} */
async function digestUninterrupted(folder, command) {
  const model = 'alone.npz'
  const args = [...command, '--threads', '2', '-o', model, '--checkpoint-every', '0']
  const { code, stderr } = await lacuna(folder, args)
  if (code !== 0) throw new Error(stderr)
  return digest(join(folder, model))
}

/**
 * Runs the command line, and kills it if asked to.
 * @param {string} cwd @param {string[]} args
 * @param {{ signal: NodeJS.Signals, afterMs: number, needs?: string }} [end] the signal, and the time to it after the
 *   entries have been read and the file `needs` exists
 * @returns {Promise<{ code: number | null, killed: boolean, stderr: string }>}
 */
function lacuna(cwd, args, end) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
    let stderr = ''
    let killed = false
    /** @type {NodeJS.Timeout | undefined} */
    let timer
    const watch = setInterval(() => {
      // The line with the rank is printed when the entries have been read and learning begins.
      if (!end || !stderr.includes('Rank ') || (end.needs && !existsSync(join(cwd, end.needs)))) return
      clearInterval(watch)
      timer = setTimeout(() => {
        killed = child.kill(end.signal)
      }, end.afterMs)
    }, 10)
    child.stderr.on('data', (data) => {
      stderr += data
    })
    child.on('error', reject)
    child.on('close', (code) => {
      clearInterval(watch)
      clearTimeout(timer)
      resolve({ code, killed, stderr })
    })
  })
}

/** SHA-256 of a model's factors. @param {string} path @returns {Promise<string>} */
export async function digest(path) {
  const { readModel } = await import(pathToFileURL(join(ROOT, 'packages/lacuna/dist/index.js')).href)
  const hash = createHash('sha256')
  for (const factor of (await readModel(path)).factors)
    hash.update(new Uint8Array(factor.buffer, factor.byteOffset, factor.byteLength))
  return hash.digest('hex')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { kills: { type: 'string', default: '200' } } })
  const folder = mkdtempSync(join(tmpdir(), 'lacuna-kills-'))
  try {
    const synth = '--dims 300x200x100 --entries 400000 --rank 5 --snr 10 --seed 1 -o data.tns'
    await lacuna(folder, ['synth', ...synth.split(' ')])
    const outcome = await killAndResume({
      kills: Number(values.kills),
      folder,
      args: '--rank 12 --negative keep --validation 0.05 --patience 1000 --tolerance 0 --epochs 80'.split(
        ' ',
      ),
      say: (line) => process.stderr.write(`\r${line}`),
    })
    process.stderr.write('\n')
    console.log(JSON.stringify(outcome))
    process.exitCode = outcome.different === 0 && outcome.leftover === 0 ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true })
  }
}
