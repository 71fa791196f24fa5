// Compares Lacuna with other software on the same training and test entries, side by side, in turns. `npm run peers -- --help`
// prints the options. Prints a table; -o writes results.json and a page with machine and versions.
// @ts-check
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir, totalmem, type } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments, refuse } from '../../scripts/commandLine.mjs'
import { fetchPackages, findPeers } from './adapters.mjs'
import { used } from './launch.mjs'

const USAGE = `npm run peers -- [--train A.tns --test B.tns] [options]

  --train FILE, --test FILE  .tns files, not compressed; without them the problem is synthetic
  --rank R                   5 by default
  --rounds N                 runs of each program, in turns; 3 by default
  --threads N                all cores by default
  --fetch                    get LIBMF from npm first
  --splatt DIR               the build of SPLATT
  --libmf DIR                the build of LIBMF, or its npm package
  --program NAME=PATH        a program of yours; may be repeated
  --only PART_OF_A_NAME      these programs alone; may be repeated
  -o, --output FOLDER        write the table and all raw figures there`

const { values: given } = readArguments(
  USAGE,
  {
    options: {
      ...{
        train: { type: 'string' },
        test: { type: 'string' },
        rank: { type: 'string' },
        rounds: { type: 'string' },
        threads: { type: 'string' },
      },
      fetch: { type: 'boolean' },
      ...{
        splatt: { type: 'string' },
        libmf: { type: 'string' },
        program: { type: 'string', multiple: true },
      },
      only: { type: 'string', multiple: true },
      output: { type: 'string', short: 'o' },
    },
  },
  ['rank', 'rounds', 'threads'],
)
if (!given.train !== !given.test)
  refuse(`--train and --test belong together: give --${given.train ? 'test' : 'train'}, too.`)
for (const name of /** @type {const} */ (['train', 'test'])) {
  const path = given[name]
  if (path && !existsSync(path)) refuse(`--${name}: there is no file ${path}.`)
}
const folder = mkdtempSync(join(tmpdir(), 'lacuna-peers-'))
const rank = Number(given.rank ?? 5)
const rounds = Number(given.rounds ?? 3)
const threads = Number(given.threads ?? availableParallelism())
if (given.fetch) fetchPackages()
const [train, test] = given.train && given.test ? [resolve(given.train), resolve(given.test)] : synthesize()
const { peers: found, absent } = findGiven()
const peers = found.filter(({ name }) => given.only?.some((part) => name.includes(part)) ?? true)

/** @type {Map<string, import('./launch.mjs').Result[]>} */
const results = new Map(peers.map(({ name }) => [name, []]))
/** @type {Record<string, string>} */
const failures = {}
for (let seed = 1; seed <= rounds; seed++)
  for (const { name, run } of peers)
    try {
      if (failures[name]) continue
      const before = used.processorSeconds
      const start = performance.now()
      const result = await run({ train, test, rank, seed, threads, folder })
      const seconds = (performance.now() - start) / 1000
      results.get(name)?.push({ ...result, seconds, processorSeconds: used.processorSeconds - before })
    } catch (error) {
      failures[name] =
        String(/** @type {Error} */ (error).message)
          .trim()
          .split('\n')
          .at(-1) ?? ''
    }
rmSync(folder, { recursive: true })

const load = loadavg()[0]

const median = (/** @type {number[]} */ numbers) =>
  numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
const rows = peers
  .filter(({ name }) => results.get(name)?.length)
  .map(({ name, version, note }) => {
    const own = results.get(name) ?? []
    return {
      peer: name,
      version,
      RMSE: median(own.map(({ rmse }) => rmse)),
      seconds: median(own.map(({ seconds }) => Number(seconds))),
      processorSeconds: median(own.map(({ processorSeconds }) => Number(processorSeconds))),
      note,
    }
  })
const machine = {
  processor: cpus()[0]?.model,
  cores: cpus().length,
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  system: type(),
  node: process.version,
  load: Number(load.toFixed(1)),
}
const problem = { train: basename(train), test: basename(test), rank, rounds, threads }
const page = [
  '# Side by side',
  '',
  `${machine.processor}, ${machine.cores} cores, ${machine.memory}, ${machine.system}, Node ${machine.node}; load ${machine.load} at the end.`,
  `${problem.train} and ${problem.test}, rank ${rank}, ${threads} threads, ${rounds === 1 ? 'one round' : `medians of ${rounds} rounds in turns`}, times with start and reading.`,
  '',
  '| software | version | test RMSE | seconds | of processors | settings |',
  '| --- | --- | --- | --- | --- | --- |',
  ...rows.map(
    ({ peer, version, RMSE, seconds, processorSeconds, note }) =>
      `| ${peer} | ${version} | ${RMSE.toPrecision(4)} | ${seconds.toFixed(2)} | ${processorSeconds.toFixed(2)} | ${note} |`,
  ),
  '',
  ...Object.entries(failures).map(([name, why]) => `${name} failed: ${why}`),
  `Not found here: ${absent.join(', ') || 'none'}. Raw figures: results.json; script: bench/peers/peers.mjs.`,
  '',
].join('\n')
process.stdout.write(page)
if (given.output) {
  mkdirSync(given.output, { recursive: true })
  writeFileSync(join(given.output, 'README.md'), page)
  writeFileSync(
    join(given.output, 'results.json'),
    `${JSON.stringify({ machine, problem, rows, failures, absent, raw: Object.fromEntries(results) }, null, 2)}\n`,
  )
}

/** The programs that are installed or given. */
function findGiven() {
  try {
    return findPeers(given)
  } catch (error) {
    rmSync(folder, { recursive: true })
    return refuse(/** @type {Error} */ (error).message)
  }
}

/** A synthetic problem with noise: 9,000 training and 2,000 test entries of 40 × 30 × 20. */
function synthesize() {
  const paths = ['train.tns', 'test.tns'].map((name) => join(folder, name))
  const cli = fileURLToPath(new URL('../../packages/cli/dist/lacuna.js', import.meta.url))
  execFileSync(process.execPath, [
    cli,
    ...'synth --dims 40x30x20 --entries 9000 --rank 5 --snr 15 --seed 1 -o'.split(' '),
    paths[0],
    '--test-entries',
    '2000',
    '--test',
    paths[1],
  ])
  return paths
}
