/**
 * The lags along a mode at which residuals are correlated. Entries are sorted fiber by fiber in the order of
 * the mode, so that pairs within a distance are found without visiting the cells between them.
 */

/** Least correlation at which the residuals at a lag count as similar; it must also be significant. */
const LEAST_CORRELATION = 0.02
/** Fewest rows of a mode that can be found to be ordered. */
const FEWEST_ROWS = 5
/** Most lags of a mode. */
const MOST_LAGS = 4
/** Largest lag, in rows. */
const LARGEST_LAG = 400
/** About how many entries, evenly spaced, are compared with their neighbours. */
const MOST_COMPARED = 100_000

/**
 * The lags at which residuals are most correlated, ascending, at most MOST_LAGS. A mode that is known to be
 * ordered always has lag 1; any other has none unless residuals of consecutive rows are correlated.
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
  const largestLag = Math.min(dims[mode] - 1, LARGEST_LAG)
  const products = new Float64Array(largestLag + 1)
  const pairs = new Float64Array(largestLag + 1)
  const { positions, entries } = sortAlongMode(dims, indices, mode)
  const stride = Math.max(1, Math.floor(entries.length / MOST_COMPARED))
  let [squares, compared] = [0, 0]
  for (let i = 0; i < entries.length; i += stride) {
    const e = entries[i]
    compared++
    squares += residuals[e] ** 2
    const last = positions[i] + Math.min(largestLag, dims[mode] - 1 - indices[mode][e])
    for (let j = i + 1; j < entries.length && positions[j] <= last; j++) {
      const other = entries[j]
      if (groups && groups[e] === groups[other]) continue
      const lag = positions[j] - positions[i]
      products[lag] += residuals[e] * residuals[other]
      pairs[lag]++
    }
  }
  const variance = squares / Math.max(1, compared)
  const correlations = Array.from(products, (sum, lag) => (pairs[lag] > 0 ? sum / pairs[lag] / variance : 0))
  const isSimilar = (lag: number): boolean =>
    correlations[lag] > Math.max(LEAST_CORRELATION, 4 / Math.sqrt(pairs[lag]))
  const hasSimilarLag = dims[mode] >= FEWEST_ROWS && correlations.some((_, lag) => lag > 0 && isSimilar(lag))
  if (!isOrdered && !(hasSimilarLag && (isSimilar(1) || pairs[1] === 0))) return []
  return correlations
    .map((correlation, lag) => ({ correlation, lag }))
    .filter(({ lag }) => lag > 1 && isSimilar(lag))
    .sort((a, b) => b.correlation - a.correlation || a.lag - b.lag)
    .slice(0, MOST_LAGS - 1)
    .map(({ lag }) => lag)
    .concat(1)
    .sort((a, b) => a - b)
}

/**
 * The entries sorted by the position of their cells, with the mode's index varying fastest, and these
 * positions, below 2⁵³.
 */
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
