/** The views of a problem: which entries each is made of, and which sets are measured on them. */
import type { Communicator } from '../../../comm/index.ts'
import type { SparseTensor } from '../../../tensor/index.ts'
import type { Problem } from '../../engine.ts'
import { toSharedTensor } from '../memory/sharedTensor.ts'
import type { NamedSource, View } from './count/countViews.ts'

/** The number of entries of each set, over all processes. */
export async function countSets(
  { tensor, sets = {} }: Problem,
  communicator: Communicator,
): Promise<Map<string, number>> {
  const named = { train: tensor, ...sets }
  const counted = await communicator.allGatherNumbers(
    ...Object.values(named).map(({ values }) => values.length),
  )
  return new Map(
    Object.keys(named).map((name, i) => [name, counted.reduce((sum, counts) => sum + counts[i], 0)]),
  )
}

/**
 * The sources of all views: the training entries by every mode, then the other sets and the probe by the
 * first mode. A probe of all entries has no view of its own.
 * @param train the training entries of this process
 * @param total number of training entries of all processes
 * @param probe approximate number of entries in the probe, if there is one
 */
export function sourcesOf(
  train: SparseTensor,
  total: number,
  probe: number | undefined,
  { sets = {} }: Problem,
  meanWeights: ReadonlyMap<string, number>,
): NamedSource[] {
  const meanWeight = meanWeights.get('train')
  const sources: NamedSource[] = train.dims.map((_, mode) => ({
    name: 'entries',
    source: { tensor: train, mode, meanWeight },
  }))
  for (const [name, set] of Object.entries(sets))
    sources.push({
      name,
      source: { tensor: toSharedTensor(set), mode: 0, meanWeight: meanWeights.get(name) },
    })
  if (probe !== undefined && probe < total)
    sources.push({
      name: 'probe',
      source: { tensor: train, mode: 0, meanWeight, below: Math.ceil((probe / total) * 2 ** 32) },
    })
  return sources
}

/** The number of entries of a view in all partitions. */
export function entriesOf({ slices }: View): number {
  return slices.reduce((sum, { entries }) => sum + entries, 0)
}

/**
 * The number of the view on which the errors of each set are measured, by the name of the set. The first `order`
 * views are the training entries by each mode; a probe of all entries is measured on the first of them.
 */
export function viewsBySet(
  sources: readonly NamedSource[],
  order: number,
  hasProbe: boolean,
): Map<string, number> {
  const viewOf = new Map<string, number>([['train', 0]])
  sources.forEach(({ name }, v) => {
    if (v >= order) viewOf.set(name, v)
  })
  if (hasProbe && !viewOf.has('probe')) viewOf.set('probe', 0)
  return viewOf
}
