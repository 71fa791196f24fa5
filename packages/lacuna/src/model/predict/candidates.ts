/**
 * Whether a row may be an answer: one that nothing was seen of is only guessed at. `counts`: how many entries rows have had,
 * if that is known; else `unobserved` are those of none.
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
