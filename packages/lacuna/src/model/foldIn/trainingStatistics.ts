/** Statistics of a model's training entries, before and after fold-in. */
import type { Observed } from '../../tensor/index.ts'
import type { Prior } from '../factored.ts'

/** A model with the statistics of its training entries. */
interface ObservedModel {
  dims: readonly number[]
  observed?: Observed
  unobserved: readonly Uint32Array[]
  prior: Pick<Prior, 'kind'>
}

/**
 * Per mode, the training entries of each row; where these are not known, 1 for observed rows. New rows have
 * 0.
 * @param newDims sizes with new rows
 */
export function trainingCounts(
  { observed, unobserved, dims }: ObservedModel,
  newDims: readonly number[],
): Uint32Array[] {
  return newDims.map((dim, mode) => {
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
 * Returns the statistics of old and new entries together. An entry counts only for rows that were solved from
 * it. Where unlisted cells are zeros, means are over all cells.
 * @param fresh statistics of the new entries
 * @param newDims sizes with new rows
 * @param isSolved whether a row was solved from the new entries
 */
export function mergeObserved(
  { dims, observed: old, prior }: ObservedModel & { observed: Observed },
  fresh: Observed,
  newDims: readonly number[],
  isSolved: (mode: number, row: number) => boolean,
): Observed {
  if (fresh.entries === 0) return old
  const zeros = prior.kind === 'zeros'
  /** Number of cells of a tensor, or of one row of a mode. */
  const countCells = (sizes: readonly number[], mode?: number): number =>
    sizes.reduce((product, dim, m) => (m === mode ? product : product * dim), 1)
  const entries = old.entries + fresh.entries
  const counts = newDims.map((dim, mode) =>
    Uint32Array.from({ length: dim }, (_, p) => {
      const more = isSolved(mode, p) ? fresh.counts[mode][p] : 0
      return (old.counts[mode][p] ?? 0) + more
    }),
  )
  const means = newDims.map((_, mode) =>
    Float32Array.from(counts[mode], (count, p) => {
      const oldCount = old.counts[mode][p] ?? 0
      const sum =
        (zeros ? countCells(dims, mode) : oldCount) * (old.means[mode][p] ?? 0) +
        (count - oldCount) * fresh.means[mode][p]
      const total = zeros ? countCells(newDims, mode) : count
      return total > 0 ? sum / total : 0
    }),
  )
  const sum = (zeros ? countCells(dims) : old.entries) * old.mean + fresh.entries * fresh.mean
  return {
    entries,
    min: Math.min(old.min, fresh.min),
    max: Math.max(old.max, fresh.max),
    mean: sum / (zeros ? countCells(newDims) : entries),
    counts,
    means,
  }
}
