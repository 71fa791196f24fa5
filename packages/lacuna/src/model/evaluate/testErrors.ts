/**
 * Errors on held-out entries, of a model and of the mean of the training values, over all processes; bit for
 * bit those of a single process.
 */
import { type Communicator, singleProcess } from '../../comm/index.ts'
import { cellsOf, countEntries, type SparseTensor } from '../../tensor/index.ts'
import type { CpModel } from '../cpModel.ts'
import type { ErrorSummary } from './errorSummary.ts'
import { ErrorTally } from './errorTally.ts'
import { ExactSum } from './exactSum.ts'

/**
 * The error of a model on the test entries of all processes; each process must call it.
 * @param test the entries of this process
 * @param options isWeighted: whether entries count by their weights; false by default
 */
export async function testError(
  model: CpModel,
  test: SparseTensor,
  communicator: Communicator = singleProcess,
  options: { isWeighted?: boolean } = {},
): Promise<ErrorSummary> {
  return summarizeTallies(communicator, model.errorTally(test, options))
}

/**
 * The error, on the test entries of all processes, of predicting the mean of the training values everywhere;
 * each process must call it.
 * @param train @param test the entries of this process
 * @param zeros whether cells that are neither trained on nor held out are zeros, and count in the mean
 * @param others the entries of this process that are held out beside the test entries, such as those of validation
 */
export async function meanError(
  train: SparseTensor,
  test: SparseTensor,
  zeros = false,
  communicator: Communicator = singleProcess,
  others: readonly SparseTensor[] = [],
): Promise<ErrorSummary> {
  const ownSum = new ExactSum()
  for (let e = 0; e < train.values.length; e++) ownSum.add(train.values[e])
  const sum = new ExactSum()
  for (const text of await communicator.allGatherTexts(String(ownSum))) sum.addAll(text)
  let count = zeros ? cellsOf(train.dims) : await countEntries(communicator, train)
  if (zeros) for (const set of [test, ...others]) count -= await countEntries(communicator, set)
  const mean = sum.value / count
  const tally = new ErrorTally()
  for (let e = 0; e < test.values.length; e++) tally.add(test.values[e], mean)
  return summarizeTallies(communicator, tally)
}

/**
 * The error of all processes together. Sums are exact, so that it does not matter which process has which
 * entries.
 * @param ownTally the tally of this process
 */
async function summarizeTallies(communicator: Communicator, ownTally: ErrorTally): Promise<ErrorSummary> {
  const all = new ErrorTally()
  for (const text of await communicator.allGatherTexts(String(ownTally))) all.addAll(text)
  return all.summary
}
