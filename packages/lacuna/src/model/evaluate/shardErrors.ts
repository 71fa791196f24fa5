/** Errors of entries that lie in several processes: the same bits as in one. */
import type { World } from '../../comm/communicator.ts'
import { cellsOf, countEntries, type SparseTensor } from '../../tensor/index.ts'
import type { CpModel } from '../cpModel.ts'
import type { ErrorSummary } from './errorSummary.ts'
import { ErrorTally } from './errorTally.ts'
import { ExactSum } from './exactSum.ts'
import { sumOf, tallyOfMean } from './meanError.ts'

export async function errorOfShares(world: World, model: CpModel, test: SparseTensor): Promise<ErrorSummary> {
  return addedUp(world, model.errorTally(test))
}

/** That of the mean of the training values, everywhere; with `zeros`, all other cells but those of the test are zeros. */
export async function meanErrorOfShares(
  world: World,
  train: SparseTensor,
  test: SparseTensor,
  zeros = false,
): Promise<ErrorSummary> {
  const sum = new ExactSum()
  for (const text of await world.gatherTexts(String(sumOf(train)))) sum.addAll(text)
  const entries = zeros
    ? cellsOf(train.dims) - (await countEntries(world, test))
    : await countEntries(world, train)
  return addedUp(world, tallyOfMean(sum.value / entries, test))
}

async function addedUp(world: World, own: ErrorTally): Promise<ErrorSummary> {
  const all = new ErrorTally()
  for (const text of await world.gatherTexts(String(own))) all.addAll(text)
  return all.summary
}
