import { cellsOf, type SparseTensor } from '../../tensor/index.ts'
import type { ErrorSummary } from './errorSummary.ts'
import { ErrorTally } from './errorTally.ts'
import { ExactSum } from './exactSum.ts'

/**
 * The error of the trivial predictor: the mean of the training values, everywhere. With `zeros`, all other cells but those
 * of the test count as zeros.
 */
export function meanError(train: SparseTensor, test: SparseTensor, zeros = false): ErrorSummary {
  const count = zeros ? cellsOf(train.dims) - test.values.length : train.values.length
  return tallyOfMean(sumOf(train).value / count, test).summary
}

export function sumOf({ values }: SparseTensor): ExactSum {
  const sum = new ExactSum()
  for (let e = 0; e < values.length; e++) sum.add(values[e])
  return sum
}

export function tallyOfMean(mean: number, { values }: SparseTensor): ErrorTally {
  const tally = new ErrorTally()
  for (let e = 0; e < values.length; e++) tally.add(values[e], mean)
  return tally
}
