import type { SparseTensor } from '../tensor/index.ts'
import { type ErrorSummary, summarizeError } from './errorSummary.ts'

/**
 * The error of the trivial predictor: the mean of the training values, everywhere. With `zeros`, all other cells but those
 * of the test count as zeros.
 */
export function meanError(train: SparseTensor, test: SparseTensor, zeros = false): ErrorSummary {
  let sum = 0
  for (const x of train.values) sum += x
  const cells = train.dims.reduce((product, dim) => product * dim, 1)
  const mean = sum / (zeros ? cells - test.values.length : train.values.length)
  const sums = { squares: 0, absolutes: 0, norm2: 0, entries: test.values.length }
  for (const x of test.values) {
    sums.squares += (x - mean) ** 2
    sums.absolutes += Math.abs(x - mean)
    sums.norm2 += x * x
  }
  return summarizeError(sums)
}
