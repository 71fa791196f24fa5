/** Which rows can be ranked: those with enough training entries. */

/**
 * Makes a predicate of rows with at least `minEntries` training entries.
 * @param counts entries of each row, if known
 * @param unobserved the rows without entries, used where counts are not known
 */
export function candidates(
  counts: ArrayLike<number> | undefined,
  unobserved: () => Uint32Array,
  minEntries = 1,
): (row: number) => boolean {
  if (counts) return (row) => counts[row] >= minEntries
  const unseen = new Set(minEntries > 0 ? unobserved() : [])
  return (row) => !unseen.has(row)
}
