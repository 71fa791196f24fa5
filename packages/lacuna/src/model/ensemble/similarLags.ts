/**
 * The lags along a mode at which residuals are correlated. Entries are sorted fiber by fiber in the order of
 * the mode, so that pairs within a distance are found without visiting the cells between them.
 */

/** Least correlation at which residuals count as similar, if it is significant. */
const LEAST_ALIKE = 0.02
/** Fewest rows of a mode that can be found to be ordered. */
const FEWEST_ROWS = 5
/** Most lags of a mode. */
const MOST_LAGS = 4
/** Largest lag. */
const FARTHEST = 400
/** About how many entries are compared with their neighbours. */
const MOST_JUDGED = 100_000

/**
 * The lags at which residuals are most correlated, ascending. An ordered mode always has lag 1; any other has
 * none unless residuals of consecutive rows are correlated.
 * @param groups the group of each entry; entries of the same group are not compared
 * @param isOrdered whether the mode is known to be ordered
 */
export function similarLags(
  dims: readonly number[],
  indices: readonly Uint32Array[],
  residuals: Float32Array,
  groups: Uint8Array | undefined,
  mode: number,
  isOrdered: boolean,
): number[] {
  const farthest = Math.min(dims[mode] - 1, FARTHEST)
  const products = new Float64Array(farthest + 1)
  const pairs = new Float64Array(farthest + 1)
  const { positions, entries } = sortAlongMode(dims, indices, mode)
  const every = Math.max(1, Math.floor(entries.length / MOST_JUDGED))
  let [squares, compared] = [0, 0]
  for (let i = 0; i < entries.length; i += every) {
    const e = entries[i]
    compared++
    squares += residuals[e] ** 2
    const last = positions[i] + Math.min(farthest, dims[mode] - 1 - indices[mode][e])
    for (let j = i + 1; j < entries.length && positions[j] <= last; j++) {
      const other = entries[j]
      if (groups && groups[e] === groups[other]) continue
      const lag = positions[j] - positions[i]
      products[lag] += residuals[e] * residuals[other]
      pairs[lag]++
    }
  }
  const variance = squares / Math.max(1, compared)
  const alike = Array.from(products, (sum, lag) => (pairs[lag] > 0 ? sum / pairs[lag] / variance : 0))
  const isAlike = (lag: number): boolean => alike[lag] > Math.max(LEAST_ALIKE, 4 / Math.sqrt(pairs[lag]))
  const isFound = dims[mode] >= FEWEST_ROWS && alike.some((_, lag) => lag > 0 && isAlike(lag))
  if (!isOrdered && !(isFound && (isAlike(1) || pairs[1] === 0))) return []
  return alike
    .map((correlation, lag) => ({ correlation, lag }))
    .filter(({ lag }) => lag > 1 && isAlike(lag))
    .sort((a, b) => b.correlation - a.correlation || a.lag - b.lag)
    .slice(0, MOST_LAGS - 1)
    .map(({ lag }) => lag)
    .concat(1)
    .sort((a, b) => a - b)
}

/** The entries sorted by linear position, with the mode's index fastest, and their positions, below 2⁵³. */
function sortAlongMode(
  dims: readonly number[],
  indices: readonly Uint32Array[],
  mode: number,
): { positions: Float64Array; entries: Uint32Array } {
  const others = dims.flatMap((_, m) => (m === mode ? [] : [m]))
  const positionOf = Float64Array.from(indices[mode], (index, e) => {
    let fiber = 0
    for (const m of others) fiber = fiber * dims[m] + indices[m][e]
    return fiber * dims[mode] + index
  })
  const entries = Uint32Array.from(positionOf.keys()).sort((a, b) => positionOf[a] - positionOf[b])
  return { positions: Float64Array.from(entries, (e) => positionOf[e]), entries }
}
