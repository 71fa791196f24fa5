/** Statistics of a model's training entries, before and after fold-in. */
import type { Observed } from '../../tensor/index.ts'
import type { Prior } from '../factored.ts'

interface ObservedModel {
  dims: readonly number[]
  observed?: Observed
  unobserved: readonly Uint32Array[]
  prior: Prior
}

/**
 * Per mode, the training entries of each row; where that is not known, 1 for observed rows.
 * @param now sizes with new rows
 */
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
 * Merges the statistics of old and new entries. Entries count for the rows that were solved from them. Where
 * unlisted cells are zeros, means are over all cells.
 * @param fresh statistics of the new entries
 * @param dims sizes with new rows
 * @param hasLearned whether a row was solved from the new entries
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
