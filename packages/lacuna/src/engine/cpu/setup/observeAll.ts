/** Statistics of the training entries of all processes. */
import type { Communicator } from '../../../comm/index.ts'
import {
  extremesOf,
  type Observed,
  observedOf,
  type RowTotals,
  type SparseTensor,
  unitOf,
} from '../../../tensor/index.ts'
import type { ProblemWorkers } from '../threads/workers.ts'
import { rowTotalsByThreads } from './rowTotals.ts'

/**
 * Statistics of the entries of all processes by row; the bits do not depend on which process has which
 * entries. All processes call it together.
 * @param workers the threads and processes, and a padded rank whose kernel is compiled already
 * @param tensor the entries of this process
 */
export async function observeAll(
  workers: Pick<ProblemWorkers, 'pool' | 'members' | 'communicator'> & { padded: number },
  tensor: SparseTensor,
): Promise<Observed> {
  const { communicator } = workers
  const own = extremesOf(tensor)
  const all = await communicator.allGatherNumbers(own.min, own.max)
  const extremes = { min: Math.min(...all.map(([min]) => min)), max: Math.max(...all.map(([, max]) => max)) }
  const unit = unitOf(extremes)
  const totals = await rowTotalsByThreads(workers, tensor, unit)
  return observedOf(
    extremes,
    communicator.size > 1 ? await allReduceTotals(communicator, totals) : totals,
    unit,
  )
}

/**
 * Sums the totals of all processes, on each of them. They are whole numbers: the order of the additions does
 * not matter.
 */
async function allReduceTotals(communicator: Communicator, { counts, sums }: RowTotals): Promise<RowTotals> {
  const total: RowTotals = {
    counts: counts.map(({ length }) => new Uint32Array(length)),
    sums: sums.map(({ length }) => new Float64Array(length)),
  }
  for (let mode = 0; mode < counts.length; mode++) {
    for (const others of await communicator.allGather(counts[mode]))
      for (let p = 0; p < others.length; p++) total.counts[mode][p] += others[p]
    for (const words of await communicator.allGather(new Uint32Array(sums[mode].buffer))) {
      const others = new Float64Array(words.slice().buffer)
      for (let p = 0; p < others.length; p++) total.sums[mode][p] += others[p]
    }
  }
  return total
}
