// LIBMF (Chin et al.: stochastic gradient for matrices) by npm's package libmf, which brings it compiled:
//   node libmf.mjs PACKAGE TRAIN.tns TEST.tns RANK THREADS real|nonnegative default|grid
// PACKAGE is the folder of the package. `default`: λ = 0.1 and 20 iterations, as LIBMF has them. `grid`: λ and the number
// of iterations by a tenth of the training entries, then a fit of all. Tensors are unfolded: all modes but the last
// are rows. Prints one line of JSON: rmse on the test entries, and the settings.
// @ts-check
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [folder, trainPath, testPath, rank, threads, kind, tuning] = process.argv.slice(2)
const { Loss, Matrix, Model } = await import(pathToFileURL(join(folder, 'src/index.js')).href)
const train = entriesOf(trainPath)
const test = entriesOf(testPath)
const dims = train[0].slice(1, -1).map((_, mode) => largest(mode + 1))

/** The numbers of each line: indices, then the value. @param {string} path */
function entriesOf(path) {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.trim().split(/\s+/).map(Number))
}

/** The largest index of a mode. @param {number} mode */
function largest(mode) {
  let most = 0
  for (const entries of [train, test]) for (const entry of entries) most = Math.max(most, entry[mode])
  return most
}

/** Entries as LIBMF takes them. @param {number[][]} entries */
function matrixOf(entries) {
  const matrix = new Matrix()
  for (const entry of entries) {
    let row = entry[0] - 1
    for (let mode = 1; mode < entry.length - 2; mode++) row = row * dims[mode - 1] + entry[mode] - 1
    matrix.push(row, entry[entry.length - 2] - 1, entry[entry.length - 1])
  }
  return matrix
}

/** The root mean square error on other entries of a fit. @param {number[][]} fitted @param {number[][]} held @param {number} lambda @param {number} iterations */
function errorOf(fitted, held, lambda, iterations) {
  const model = new Model({
    ...{ loss: Loss.REAL_L2, factors: Number(rank), threads: Number(threads), quiet: true },
    ...{ nmf: kind === 'nonnegative', lambdaP2: lambda, lambdaQ2: lambda, iterations },
  })
  model.fit(matrixOf(fitted))
  const error = model.rmse(matrixOf(held))
  model.destroy()
  return error
}

let [lambda, iterations] = [0.1, 20]
if (tuning === 'grid') {
  // Every tenth entry in the order of a multiplicative hash, which is not that of the file.
  const isHeld = train.map((_, e) => (Math.imul(e + 1, 0x9e3779b1) >>> 0) % 10 === 0)
  const [fitted, held] = [train.filter((_, e) => !isHeld[e]), train.filter((_, e) => isHeld[e])]
  let least = Infinity
  for (const l of [0.01, 0.03, 0.1, 0.3])
    for (const i of [20, 100]) {
      const error = errorOf(fitted, held, l, i)
      if (error < least) [least, lambda, iterations] = [error, l, i]
    }
}
const rmse = errorOf(train, test, lambda, iterations)
console.log(JSON.stringify({ rmse, lambda, iterations }))
