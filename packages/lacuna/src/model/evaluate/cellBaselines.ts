/**
 * Baselines where cells that are not listed are zeros: means over all cells but those held out, listed or not. Sums are
 * over the listed entries alone, so that the cost does not depend on the number of cells.
 */
import { cellsOf, type SparseTensor } from '../../tensor/index.ts'
import { modeName } from '../factored.ts'
import { ErrorTally } from './errorTally.ts'
import type { BaselineError } from './verdict.ts'

/** A baseline: its name, and its prediction for an entry of the test set. */
interface CellBaseline {
  name: string
  predict(entry: number): number
}

/**
 * The errors on test entries of the mean, of the mean of each row per mode, and of the product of the means of all modes
 * (as if the modes were independent).
 * @param train the listed entries, without those that are held out; all other cells are zeros
 * @param test entries, zeros among them, that are unknown to the baselines
 * @param others other sets of entries that are held out, zeros among them, such as that of validation
 */
export function baselinesOnCells(
  train: SparseTensor,
  test: SparseTensor,
  others: readonly SparseTensor[] = [],
): BaselineError[] {
  const { dims, values } = train
  const cells = cellsOf(dims)
  const heldOut = [test, ...others]
  const mean = sumOf(values) / heldOut.reduce((count, set) => count - set.values.length, cells)
  const means = dims.map((dim, mode) => {
    const sums = new Float64Array(dim)
    const known = new Float64Array(dim).fill(cells / dim)
    train.indices[mode].forEach((row, e) => {
      sums[row] += values[e]
    })
    for (const { indices } of heldOut) for (const row of indices[mode]) known[row]--
    return sums.map((sum, row) => (known[row] > 0 ? sum / known[row] : mean))
  })
  const meanOfRow = (mode: number, entry: number): number => means[mode][test.indices[mode][entry]]
  const product = (entry: number): number =>
    mean > 0 ? dims.reduce((y, _, mode) => (y * meanOfRow(mode, entry)) / mean, mean) : 0
  const baselines: CellBaseline[] = [
    { name: 'the mean', predict: () => mean },
    ...dims.map((_, mode) => ({
      name: `the mean of each ${modeName(train, mode)}`,
      predict: (entry: number) => meanOfRow(mode, entry),
    })),
    { name: 'the product of the means of all modes', predict: product },
  ]
  return baselines.map(({ name, predict }) => {
    const tally = new ErrorTally()
    for (let entry = 0; entry < test.values.length; entry++) tally.add(test.values[entry], predict(entry))
    return { name, error: tally.summary }
  })
}

/** The sum of some values. */
function sumOf(values: ArrayLike<number>): number {
  let sum = 0
  for (let e = 0; e < values.length; e++) sum += values[e]
  return sum
}
