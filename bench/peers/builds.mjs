// Peers from builds that the user gives: SPLATT, LIBMF from its sources, and any program with the convention of
// bench/peers/README.md. They were not run for this repository's own measurements: their command lines are
// those of their sources, and only the reading of their output is tested.
// @ts-check
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTensor } from '#lacuna/index.js'
import { lastLine, run } from './launch.mjs'

/** @typedef {import('./launch.mjs').Peer} Peer */

/** The error that `splatt complete` prints for its third file, that of its best model. @param {string} printed */
export function splattError(printed) {
  const rmse = Number(/^TEST RMSE:\s*([\d.eE+-]+)/m.exec(printed)?.[1])
  if (!Number.isFinite(rmse)) throw new Error('SPLATT has printed no line TEST RMSE.')
  return rmse
}

/** SPLATT's completion (Smith et al. 2016). @param {string} folder of its build @returns {Peer | undefined} */
export function splatt(folder) {
  const program = [
    join(folder, 'bin/splatt'),
    ...['Linux-x86_64', 'Linux-aarch64'].map((kind) => join(folder, `build/${kind}/bin/splatt`)),
  ].find(existsSync)
  if (!program) return undefined
  return {
    name: 'SPLATT',
    version: 'of the given build',
    note: 'complete -a als, a tenth of the training entries for validation',
    run({ train, test, rank, seed, threads, folder: cwd }) {
      const [fitted, held] = [join(cwd, 'splatt-train.tns'), join(cwd, 'splatt-held.tns')]
      const lines = readFileSync(train, 'utf8')
        .split('\n')
        .filter((line) => /^\s*\d/.test(line))
      const isHeld = (/** @type {number} */ e) => (Math.imul(e + 1, 0x9e3779b1) >>> 0) % 10 === 0
      writeFileSync(fitted, `${lines.filter((_, e) => !isHeld(e)).join('\n')}\n`)
      writeFileSync(held, `${lines.filter((_, e) => isHeld(e)).join('\n')}\n`)
      const options = [
        '-a',
        'als',
        '-r',
        String(rank),
        '-t',
        String(threads),
        '--seed',
        String(seed),
        '--nowrite',
      ]
      return { rmse: splattError(run(program, 'complete', fitted, held, test, ...options)) }
    },
  }
}

/** The root mean square error of LIBMF's predictions, one per line. @param {string} printed @param {ArrayLike<number>} values */
export function libmfError(printed, values) {
  const predicted = printed.trim().split(/\s+/).map(Number)
  if (predicted.length !== values.length || predicted.some(Number.isNaN))
    throw new Error(`LIBMF has written ${predicted.length} predictions for ${values.length} entries.`)
  return Math.sqrt(predicted.reduce((sum, y, e) => sum + (y - values[e]) ** 2, 0) / predicted.length)
}

/** LIBMF's own programs, for matrices. @param {string} folder of its sources, after make @returns {Peer | undefined} */
export function libmfBuild(folder) {
  const program = join(folder, 'mf-train')
  if (!existsSync(program)) return undefined
  return {
    name: 'LIBMF (given build)',
    version: 'of the given sources',
    note: '--nmf, its own λ and iterations; two modes only',
    async run({ train, test, rank, threads, folder: cwd }) {
      const files = await Promise.all(
        [train, test].map((path, n) => writeTriples(path, join(cwd, `libmf-${n}.txt`))),
      )
      const [model, predicted] = [join(cwd, 'libmf.model'), join(cwd, 'libmf.out')]
      const options = ['--nmf', '--quiet', '-k', String(rank), '-s', String(threads)]
      run(program, ...options, files[0], model)
      run(join(folder, 'mf-predict'), files[1], model, predicted)
      return { rmse: libmfError(readFileSync(predicted, 'utf8'), (await readTensor(test)).values) }
    },
  }
}

/** Writes the entries of a matrix as LIBMF reads them. @param {string} path @param {string} target */
async function writeTriples(path, target) {
  const { indices, values, dims } = await readTensor(path)
  if (dims.length !== 2) throw new Error('LIBMF completes matrices only.')
  const lines = Array.from(values, (value, e) => `${indices[0][e]} ${indices[1][e]} ${value}\n`)
  writeFileSync(target, lines.join(''))
  return target
}

/** Any program that takes TRAIN TEST RANK SEED and prints a line of JSON with rmse. @param {string} given NAME=PROGRAM @returns {Peer} */
export function program(given) {
  const [name, path] = given.split('=')
  return {
    name,
    version: 'given',
    note: path,
    run: ({ train, test, rank, seed }) => lastLine(run(path, train, test, String(rank), String(seed))),
  }
}
