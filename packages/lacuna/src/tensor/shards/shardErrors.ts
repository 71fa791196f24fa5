/** Errors of entries that lie in several processes: the same bits as in one. */
import type { World } from '../../comm/communicator.ts'
import { ErrorTally } from '../../model/evaluate/errorTally.ts'
import { ExactSum } from '../../model/evaluate/exactSum.ts'
import { sumOf, tallyOfMean } from '../../model/evaluate/meanError.ts'
import type { CpModel, ErrorSummary } from '../../model/index.ts'
import type { SparseTensor } from '../sparseTensor.ts'
import { cellsOf } from '../split/pickCells.ts'

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

/** Of all processes. */
export async function countEntries(world: World, { values }: SparseTensor): Promise<number> {
  const counts = await world.gatherNumbers(values.length)
  return counts.flat().reduce((sum, count) => sum + count, 0)
}
