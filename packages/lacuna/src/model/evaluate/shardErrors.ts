/** Errors of entries that lie in several processes: the same bits as in one. */
import type { Communicator } from '../../comm/index.ts'
import { cellsOf, countEntries, type SparseTensor } from '../../tensor/index.ts'
import type { CpModel } from '../cpModel.ts'
import type { ErrorSummary } from './errorSummary.ts'
import { ErrorTally } from './errorTally.ts'
import { ExactSum } from './exactSum.ts'
import { sumOf, tallyOfMean } from './meanError.ts'

export async function errorOfShares(
  communicator: Communicator,
  model: CpModel,
  test: SparseTensor,
): Promise<ErrorSummary> {
  return addedUp(communicator, model.errorTally(test))
}

/** That of the mean of the training values, everywhere; with `zeros`, all other cells but those of the test are zeros. */
export async function meanErrorOfShares(
  communicator: Communicator,
  train: SparseTensor,
  test: SparseTensor,
  zeros = false,
): Promise<ErrorSummary> {
  const sum = new ExactSum()
  for (const text of await communicator.allGatherTexts(String(sumOf(train)))) sum.addAll(text)
  const entries = zeros
    ? cellsOf(train.dims) - (await countEntries(communicator, test))
    : await countEntries(communicator, train)
  return addedUp(communicator, tallyOfMean(sum.value / entries, test))
}

async function addedUp(communicator: Communicator, own: ErrorTally): Promise<ErrorSummary> {
  const all = new ErrorTally()
  for (const text of await communicator.allGatherTexts(String(own))) all.addAll(text)
  return all.summary
}
