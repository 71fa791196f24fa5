/** What a model's rows have seen: before new entries come, and with them. */
import type { Observed } from '../../tensor/index.ts'
import type { Prior } from '../factored.ts'

interface ObservedModel {
  dims: readonly number[]
  observed?: Observed
  unobserved: readonly Uint32Array[]
  prior: Prior
}

/** How many entries each row has had; where that is not known, those that had any are taken for known well. */
export function countsBefore(
  { observed, unobserved, dims }: ObservedModel,
  now: readonly number[],
): Uint32Array[] {
  return now.map((dim, mode) => {
    const counts = new Uint32Array(dim)
    if (observed) counts.set(observed.counts[mode])
    else {
      counts.fill(1, 0, dims[mode])
      for (const row of unobserved[mode]) counts[row] = 0
    }
    return counts
  })
}

/**
 * What was seen before and what is new; rows that did not learn from an entry have not seen it. Where cells that are not
 * listed are zeros, means are over all cells.
 */
export function mergeObserved(
  { dims: sizes, observed: old, prior }: ObservedModel & { observed: Observed },
  fresh: Observed,
  dims: readonly number[],
  hasLearned: (mode: number, row: number) => boolean,
): Observed {
  if (fresh.entries === 0) return old
  const zeros = prior.kind === 'zeros'
  const cells = (of: readonly number[], mode?: number): number =>
    of.reduce((product, dim, m) => (m === mode ? product : product * dim), 1)
  const entries = old.entries + fresh.entries
  const counts = dims.map((dim, mode) =>
    Uint32Array.from({ length: dim }, (_, p) => {
      const more = hasLearned(mode, p) ? fresh.counts[mode][p] : 0
      return (old.counts[mode][p] ?? 0) + more
    }),
  )
  const means = dims.map((_, mode) =>
    Float32Array.from(counts[mode], (count, p) => {
      const before = old.counts[mode][p] ?? 0
      const sum =
        (zeros ? cells(sizes, mode) : before) * (old.means[mode][p] ?? 0) +
        (count - before) * fresh.means[mode][p]
      const among = zeros ? cells(dims, mode) : count
      return among > 0 ? sum / among : 0
    }),
  )
  const sum = (zeros ? cells(sizes) : old.entries) * old.mean + fresh.entries * fresh.mean
  return {
    entries,
    min: Math.min(old.min, fresh.min),
    max: Math.max(old.max, fresh.max),
    mean: sum / (zeros ? cells(dims) : entries),
    counts,
    means,
  }
}
