// How each peer is found and run. An adapter returns undefined where its program is not there.
// @ts-check
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readTensor } from '#lacuna/index.js'

/**
 * A problem: files of training and test entries in a folder for temporary files, and the rank.
 * @typedef {{ train: string, test: string, rank: number, seed: number, folder: string }} Problem
 * @typedef {{ rmse: number, seconds: number, [more: string]: unknown }} Result
 * @typedef {{ name: string, version: string, note: string, run(problem: Problem): Promise<Result> | Result }} Peer
 */

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url))
const CLI = here('../../packages/cli/dist/lacuna.js')
const PYTHON = process.env.PYTHON ?? '/usr/bin/python3'

/** Seconds of processor time that programs have taken, on all threads. */
export const used = { processorSeconds: 0 }

/**
 * Runs a program to its end and returns what it prints; its processor time is added to `used`, measured by bash, since
 * seconds on the clock mean little on a machine that does other work.
 * @param {string} program @param {string[]} args
 */
function run(program, ...args) {
  const timed = 'TIMEFORMAT="%U %S"; time "$@"'
  const { status, stdout, stderr } = spawnSync('bash', ['-c', timed, 'bash', program, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  const lines = stderr.trim().split('\n')
  if (status !== 0) throw new Error(lines.slice(0, -1).at(-1) ?? `${program} has failed.`)
  used.processorSeconds +=
    lines
      .at(-1)
      ?.split(' ')
      .reduce((sum, seconds) => sum + Number(seconds), 0) ?? 0
  return stdout
}
const lastLine = (/** @type {string} */ text) => JSON.parse(text.trim().split('\n').at(-1) ?? '')

/** Lacuna, with options. @param {string} name @param {string[]} options @returns {Peer} */
const lacuna = (name, ...options) => ({
  name,
  version: run(process.execPath, CLI, '--version').trim(),
  note: options.join(' ') || 'nothing set but the rank',
  run({ train, test, rank, seed }) {
    const start = performance.now()
    const args = [
      'complete',
      train,
      '--test',
      test,
      '--rank',
      String(rank),
      '--seed',
      String(seed),
      '--json',
      '--negative',
      'keep',
      ...options,
    ]
    const report = JSON.parse(run(process.execPath, CLI, ...args))
    return { rmse: report.test.rmse, seconds: (performance.now() - start) / 1000, solving: report.seconds }
  },
})

/** A module of Python, with its version; undefined if it cannot be imported. @param {string} module */
function pythonVersion(module) {
  try {
    return run(PYTHON, '-c', `import ${module}; print(${module}.__version__)`).trim()
  } catch {
    return undefined
  }
}

/** SPLATT's completion (splatt complete), from a build that the user gives. @param {string} folder @returns {Peer | undefined} */
function splatt(folder) {
  const program = [
    join(folder, 'bin/splatt'),
    ...['Linux-x86_64', 'Linux-aarch64'].map((kind) => join(folder, `build/${kind}/bin/splatt`)),
  ].find(existsSync)
  if (!program) return undefined
  return {
    name: 'SPLATT',
    version: run(program, '--version').split('\n')[0],
    note: 'complete -a als, test entries as its test set',
    run({ train, test, rank, seed }) {
      const start = performance.now()
      const said = run(
        program,
        'complete',
        train,
        test,
        test,
        '-a',
        'als',
        '-r',
        String(rank),
        '--seed',
        String(seed),
        '--nowrite',
      )
      const rmse = Number(
        /RMSE-te:\s*([\d.eE+-]+)/g.exec(
          said
            .split('\n')
            .filter((line) => line.includes('RMSE-te'))
            .at(-1) ?? '',
        )?.[1],
      )
      return { rmse, seconds: (performance.now() - start) / 1000 }
    },
  }
}

/** LIBMF, for matrices, from a build that the user gives. @param {string} folder @returns {Peer | undefined} */
function libmf(folder) {
  const program = join(folder, 'mf-train')
  if (!existsSync(program)) return undefined
  return {
    name: 'LIBMF',
    version: 'of the given sources',
    note: '-f 0 --nmf -t 50, defaults else; two modes only',
    async run({ train, test, rank, folder: cwd }) {
      const files = await Promise.all(
        [train, test].map((path, n) => writeTriples(path, join(cwd, `libmf-${n}.txt`))),
      )
      const [model, predicted] = [join(cwd, 'libmf.model'), join(cwd, 'libmf.out')]
      const start = performance.now()
      run(program, '-f', '0', '--nmf', '-k', String(rank), '-t', '50', '-q', files[0], model)
      run(join(folder, 'mf-predict'), files[1], model, predicted)
      const seconds = (performance.now() - start) / 1000
      const { values } = await readTensor(test)
      const found = readFileSync(predicted, 'utf8').trim().split('\n').map(Number)
      return {
        rmse: Math.sqrt(found.reduce((sum, y, e) => sum + (y - values[e]) ** 2, 0) / found.length),
        seconds,
      }
    },
  }
}

/** Writes the entries of a matrix as LIBMF reads them. @param {string} path @param {string} target */
async function writeTriples(path, target) {
  const { indices, values, dims } = await readTensor(path)
  if (dims.length !== 2) throw new Error('LIBMF completes matrices only.')
  writeFileSync(
    target,
    Array.from(values, (value, e) => `${indices[0][e]} ${indices[1][e]} ${value}\n`).join(''),
  )
  return target
}

/** Any program that takes TRAIN TEST RANK SEED and prints a line of JSON with rmse and seconds. @param {string} given NAME=PROGRAM @returns {Peer} */
function program(given) {
  const [name, path] = given.split('=')
  return {
    name,
    version: 'given',
    note: path,
    run: ({ train, test, rank, seed }) => lastLine(run(path, train, test, String(rank), String(seed))),
  }
}

/**
 * All peers that are there, Lacuna first, and the names of those that are not.
 * @param {{ splatt?: string, libmf?: string, program?: string[] }} given
 */
export function findPeers(given) {
  const numpy = pythonVersion('numpy')
  const sklearn = pythonVersion('sklearn')
  const python = (/** @type {string[]} */ ...args) => lastLine(run(PYTHON, ...args))
  /** @type {Peer[]} */
  const peers = [
    lacuna('Lacuna'),
    lacuna("Lacuna, the paper's method", '--solver', 'paper', '--lambda', '0.01', '--epochs', '100'),
  ]
  if (numpy)
    peers.push({
      name: 'ALS in NumPy',
      version: numpy,
      note: 'ridge from a grid of 4 by held-out entries',
      run: ({ train, test, rank, seed }) => python(here('als.py'), train, test, String(rank), String(seed)),
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
        run: ({ train, test }) => python(here('imputers.py'), kind, train, test),
      })
  const absent = [!numpy && 'NumPy', !sklearn && 'scikit-learn']
  for (const [name, find, folder] of /** @type {const} */ ([
    ['SPLATT', splatt, given.splatt],
    ['LIBMF', libmf, given.libmf],
  ])) {
    const peer = folder === undefined ? undefined : find(folder)
    if (folder !== undefined && !peer)
      throw new Error(`${folder} has no built program of ${name}; bench/peers/README.md has the commands.`)
    if (peer) peers.push(peer)
    else absent.push(name)
  }
  for (const text of given.program ?? []) peers.push(program(text))
  if (!given.program?.some((text) => /^partensor=/i.test(text))) absent.push('PARTENSOR')
  return { peers, absent: absent.filter(Boolean) }
}
