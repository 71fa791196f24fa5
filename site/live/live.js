/**
 * The completion on the home page: a matrix of grey values, of which most are hidden, is completed by the library while the
 * page shows every round. Bundled by scripts/site.mjs.
 */
import { Run, split, tensorFromArray, version } from 'lacuna/browser'

export { colourOf, hideCells, SIZE, wholeMatrix } from './matrix.js'
export { version }

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
