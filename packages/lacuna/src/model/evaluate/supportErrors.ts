/** Errors in groups by support, the number of training entries. */

/** The error of the entries whose support lies between two bounds; plain data. */
export interface SupportErrors {
  /** Least support of the group. */
  from: number
  /** Largest support of the group; Infinity, or null in JSON, for the last one. */
  to: number
  /** Entries in the group. */
  entries: number
  /** Root mean square error of these entries. */
  rmse: number
}

/** Least support of each group: 0, 1 to 4, 5 to 19, and so on. */
const BOUNDS = [0, 1, 5, 20, 100, 1000]

/**
 * Root mean square errors in groups by support; groups without entries are left out.
 * @param supports the support of each item, a row or an entry
 * @param squares the squared error of each item, summed over its entries
 * @param entriesOf the number of entries that an item stands for
 */
export function errorsBySupport(
  supports: ArrayLike<number>,
  squares: ArrayLike<number>,
  entriesOf: (item: number) => number,
): SupportErrors[] {
  const groups = BOUNDS.map((from, i) => ({
    from,
    to: (BOUNDS[i + 1] ?? Infinity) - 1,
    entries: 0,
    squares: 0,
  }))
  for (let item = 0; item < supports.length; item++) {
    let last = groups.length - 1
    while (supports[item] < BOUNDS[last]) last--
    const group = groups[last]
    group.entries += entriesOf(item)
    group.squares += squares[item]
  }
  return groups
    .filter(({ entries }) => entries > 0)
    .map(({ from, to, entries, squares }) => ({ from, to, entries, rmse: Math.sqrt(squares / entries) }))
}
