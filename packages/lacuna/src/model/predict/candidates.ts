/** Selects the rows that can be ranked: those with enough training entries. */

/**
 * Makes a predicate: whether a row has at least `minEntries` training entries. Where counts are not known, it
 * is true of all rows but the unobserved ones, or of all if `minEntries` is 0.
 * @param counts entries of each row, if known
 * @param unobserved returns the rows without entries; called only where counts are not known
 */
export function candidateFilter(
  counts: ArrayLike<number> | undefined,
  unobserved: () => Uint32Array,
  minEntries = 1,
): (row: number) => boolean {
  if (counts) return (row) => counts[row] >= minEntries
  const unseen = new Set(minEntries > 0 ? unobserved() : [])
  return (row) => !unseen.has(row)
}
