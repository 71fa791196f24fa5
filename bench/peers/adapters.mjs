// How each peer is found and run.
// @ts-check
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { libmfBuild, program, splatt } from './builds.mjs'
import { here, lastLine, run, tryRun } from './launch.mjs'

/** @typedef {import('./launch.mjs').Peer} Peer */

const CLI = here('../../packages/cli/dist/lacuna.js')
const PYTHON = process.env.PYTHON ?? '/usr/bin/python3'
/** Where --fetch puts npm's packages; nothing of the repository depends on them. */
const FETCHED = here('../../node_modules/.cache/lacuna/peers')

/** Lacuna, with options. @param {string} name @param {string[]} options @returns {Peer} */
const lacuna = (name, ...options) => ({
  name,
  version: run(process.execPath, CLI, '--version').trim(),
  note: options.join(' ') || 'nothing set but the rank',
  run({ train, test, rank, seed, threads }) {
    const settings = ['--rank', rank, '--seed', seed, '--threads', threads].map(String)
    const flags = ['--json', '--negative', 'keep', ...options]
    const report = JSON.parse(
      run(process.execPath, CLI, 'complete', train, '--test', test, ...settings, ...flags),
    )
    return { rmse: report.test.rmse, solving: report.seconds }
  },
})

/** Peers in Python: NumPy and scikit-learn, where they can be imported. @returns {Peer[]} */
function pythonPeers() {
  const versionOf = (/** @type {string} */ module) =>
    tryRun(PYTHON, '-c', `import ${module}; print(${module}.__version__)`)
  const python = (/** @type {number} */ threads, /** @type {string[]} */ ...args) =>
    lastLine(run('env', `OPENBLAS_NUM_THREADS=${threads}`, `OMP_NUM_THREADS=${threads}`, PYTHON, ...args))
  const [numpy, sklearn] = [versionOf('numpy'), versionOf('sklearn')]
  /** @type {Peer[]} */
  const peers = []
  if (numpy)
    peers.push({
      name: 'ALS in NumPy',
      version: numpy,
      note: 'ridge from a grid of 4 by held-out entries',
      run: ({ train, test, rank, seed, threads }) =>
        python(threads, here('als.py'), train, test, String(rank), String(seed)),
    })
  if (sklearn)
    for (const [kind, title] of [
      ['knn', 'KNNImputer'],
      ['iterative', 'IterativeImputer'],
    ])
      peers.push({
        name: `scikit-learn ${title}`,
        version: sklearn,
        note: 'on the tensor unfolded along its last mode',
        run: ({ train, test, threads }) => python(threads, here('imputers.py'), kind, train, test),
      })
  return peers
}

/** R's package NMF, where it is installed. @returns {Peer[]} */
function peersInR() {
  const version = tryRun('Rscript', '-e', 'cat(as.character(packageVersion("NMF")))')
  if (!version) return []
  return [
    {
      name: 'NMF in R',
      version,
      note: 'ls-nmf with weights, on the tensor unfolded along its last mode',
      run: ({ train, test, rank, seed }) =>
        lastLine(run('Rscript', here('nmf.R'), train, test, String(rank), String(seed))),
    },
  ]
}

/** LIBMF by npm's package. @param {string} folder of the package, or one in which it is installed @returns {Peer[]} */
function libmfPackage(folder) {
  const home = [folder, join(folder, 'node_modules/libmf')].find((path) =>
    existsSync(join(path, 'vendor/COPYRIGHT')),
  )
  if (!home) return []
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  return /** @type {const} */ ([
    ['LIBMF, nonnegative', 'nonnegative', 'default', 'its own λ = 0.1 and 20 iterations'],
    [
      'LIBMF, nonnegative, tuned',
      'nonnegative',
      'grid',
      'λ and iterations from a grid of 8 by held-out entries',
    ],
    ['LIBMF, of any sign, tuned', 'real', 'grid', 'λ and iterations from a grid of 8 by held-out entries'],
  ]).map(([name, kind, tuning, note]) => ({
    name,
    version: `npm ${version}`,
    note,
    run: ({ train, test, rank, threads }) =>
      lastLine(
        run(
          process.execPath,
          ...[here('libmf.mjs'), home, train, test, String(rank), String(threads), kind, tuning],
        ),
      ),
  }))
}

/** Installs npm's libmf outside of the repository's dependencies. */
export function fetchPackages() {
  mkdirSync(FETCHED, { recursive: true })
  const args = ['install', '--no-save', '--ignore-scripts', '--prefix', FETCHED, 'libmf@0.2.0']
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' })
}

/**
 * All peers that are there, Lacuna first, and the names of those that are not.
 * @param {{ splatt?: string, libmf?: string, program?: string[] }} given
 */
export function findPeers(given) {
  /** @type {Peer[]} */
  const peers = [
    lacuna('Lacuna'),
    lacuna("Lacuna, the paper's method", '--solver', 'paper', '--lambda', '0.01', '--epochs', '100'),
    ...pythonPeers(),
    ...peersInR(),
  ]
  /** Adds what a folder holds. @param {string} name @param {string} folder @param {(Peer | undefined)[]} found */
  const add = (name, folder, found) => {
    const there = found.filter((peer) => peer !== undefined)
    if (there.length === 0)
      throw new Error(`${folder} has no built program of ${name}; bench/peers/README.md has the commands.`)
    peers.push(...there)
  }
  if (given.splatt !== undefined) add('SPLATT', given.splatt, [splatt(given.splatt)])
  if (given.libmf !== undefined)
    add('LIBMF', given.libmf, [libmfBuild(given.libmf), ...libmfPackage(given.libmf)])
  else peers.push(...libmfPackage(FETCHED))
  for (const text of given.program ?? []) peers.push(program(text))
  const known = ['NumPy', 'scikit-learn', 'NMF in R', 'SPLATT', 'LIBMF', 'PARTENSOR']
  const isThere = (/** @type {string} */ part) =>
    peers.some(({ name }) => name.toLowerCase().includes(part.toLowerCase()))
  return { peers, absent: known.filter((name) => !isThere(name)) }
}
