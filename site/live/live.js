/**
 * The completion on the home page: a matrix of grey values, of which most are hidden, is completed by the library while the
 * page shows every round. Bundled by scripts/site.mjs.
 */
import { Run, split, tensorFromArray, version } from 'lacuna/browser'

export { version }

/** Rows and columns of the matrix. */
export const SIZE = [72, 128]

/** A number from 0 to 1 that looks random, by a seed. */
function noise(n) {
  let x = Math.imul(n + 1, 0x9e3779b1)
  x = Math.imul(x ^ (x >>> 15), 0x85ebca6b)
  return ((x ^ (x >>> 13)) >>> 0) / 2 ** 32
}

/** The whole matrix: passengers of 72 stations on four days, in 32 slots each, with noise of 9%. */
export function wholeMatrix() {
  const [rows, columns] = SIZE
  return Array.from({ length: rows }, (_, i) =>
    Array.from({ length: columns }, (_, j) => {
      const day = 1 + Math.sin((2 * Math.PI * j) / 32 - 1.2)
      const rush = Math.exp(-(((j % 32) - 9) ** 2) / 5) + 0.8 * Math.exp(-(((j % 32) - 22) ** 2) / 7)
      const weekend = j >= 96 ? 0.45 : 1
      const centre = Math.exp(-((i - 24) ** 2) / 160)
      const homes = 0.35 + 0.6 * noise(i + 900) * (i > 36 ? 1 : 0.4)
      const value = 20 + 150 * rush * weekend * centre + 60 * day * homes
      return value * (1 + 0.3 * (noise(i * 128 + j + 5e5) - 0.5))
    }),
  )
}

/** The matrix with a fraction of its cells hidden: null. @param seed another one hides other cells */
export const hideCells = (whole, fraction, seed) =>
  whole.map((row, i) => row.map((value, j) => (noise(seed * 1e6 + i * 977 + j) < fraction ? null : value)))

/**
 * Completes a matrix.
 * @param onRound called after every round with the predictions of all cells, row by row
 * @returns the error on cells that were not given to the solver, relative to their size, seconds, and rounds
 */
export async function completeMatrix(cells, onRound) {
  const { train, validation } = split(tensorFromArray(cells), { validation: 0.1 }, 1)
  const start = performance.now()
  const run = await Run.start(train, { rank: 6, validation })
  try {
    let rounds = 0
    for await (const _ of run) {
      rounds++
      const model = await run.model()
      await onRound(model.slice([null, null]).values)
      if (rounds > 150) break
    }
    const { model, validation: error } = await run.result()
    await onRound(model.slice([null, null]).values)
    return {
      relative: error.relative,
      entries: train.values.length,
      rounds,
      seconds: (performance.now() - start) / 1000,
    }
  } finally {
    await run.close()
  }
}
