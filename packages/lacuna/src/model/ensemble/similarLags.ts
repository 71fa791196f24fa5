/**
 * The distances along a mode at which residuals are alike. Entries lie in the order of the mode, fiber by fiber, so that those
 * within a distance of one another are found without a look at the cells between them that nobody has seen.
 */

/** Residuals are alike from this correlation on, if it is not by chance. */
const LEAST_ALIKE = 0.02
/** Of fewer rows nobody can say whether they are ordered. */
const FEWEST_ROWS = 5
const MOST_LAGS = 4
const FARTHEST = 400
/** Entries by which distances are judged. */
const MOST_JUDGED = 100_000

/**
 * The distances at which residuals are most alike, nearest first. A mode that is known to be ordered has always the next one;
 * any other has none, unless residuals of rows that follow one another are alike. `groups`: entries of the same one are not
 * compared.
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
  const { places, entries } = alongMode(dims, indices, mode)
  const every = Math.max(1, Math.floor(entries.length / MOST_JUDGED))
  let [squares, looked] = [0, 0]
  for (let i = 0; i < entries.length; i += every) {
    const e = entries[i]
    looked++
    squares += residuals[e] ** 2
    const last = places[i] + Math.min(farthest, dims[mode] - 1 - indices[mode][e])
    for (let j = i + 1; j < entries.length && places[j] <= last; j++) {
      const other = entries[j]
      if (groups && groups[e] === groups[other]) continue
      const lag = places[j] - places[i]
      products[lag] += residuals[e] * residuals[other]
      pairs[lag]++
    }
  }
  const variance = squares / Math.max(1, looked)
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

/** The entries in the order of their places when the mode's index runs fastest. Places are below 2⁵³. */
function alongMode(
  dims: readonly number[],
  indices: readonly Uint32Array[],
  mode: number,
): { places: Float64Array; entries: Uint32Array } {
  const others = dims.flatMap((_, m) => (m === mode ? [] : [m]))
  const placeOf = Float64Array.from(indices[mode], (index, e) => {
    let fiber = 0
    for (const m of others) fiber = fiber * dims[m] + indices[m][e]
    return fiber * dims[mode] + index
  })
  const entries = Uint32Array.from(placeOf.keys()).sort((a, b) => placeOf[a] - placeOf[b])
  return { places: Float64Array.from(entries, (e) => placeOf[e]), entries }
}
