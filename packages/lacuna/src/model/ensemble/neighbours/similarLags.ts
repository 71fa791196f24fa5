/**
 * The lags along a mode at which residuals are correlated. Entries are sorted fiber by fiber in the order of
 * the mode, so that pairs within a distance are found without visiting the cells between them.
 */
import { orderByModes, pickNumbers } from '../../../tensor/index.ts'
import { useKernel } from '../../foldKernel.ts'

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

/** Entries sorted fiber by fiber along a mode. */
export interface SortedAlongMode {
  /** The entries by number. */
  entries: Uint32Array
  /** The positions of their cells, with the mode's index varying fastest; below 2⁵³. */
  positions: Float64Array
}

/**
 * The lags at which residuals are most correlated, ascending, at most MOST_LAGS. A mode that is known to be
 * ordered always has lag 1; any other has none unless residuals of consecutive rows are correlated.
 * @param sorted the entries along the mode
 * @param groups the group of each entry; entries of the same group are not compared
 * @param isOrdered whether the mode is known to be ordered
 */
export function similarLags(
  dims: readonly number[],
  sorted: SortedAlongMode,
  residuals: Float32Array,
  groups: Uint8Array | undefined,
  mode: number,
  isOrdered: boolean,
): number[] {
  const largestLag = Math.min(dims[mode] - 1, LARGEST_LAG)
  const { correlations, pairs } = correlationsAlong(dims[mode], sorted, residuals, groups, largestLag)
  const isSimilar = (lag: number): boolean =>
    correlations[lag] > Math.max(LEAST_CORRELATION, 4 / Math.sqrt(pairs[lag]))
  const hasSimilarLag = dims[mode] >= FEWEST_ROWS && correlations.some((_, lag) => lag > 0 && isSimilar(lag))
  if (!isOrdered && !(hasSimilarLag && (isSimilar(1) || pairs[1] === 0))) return []
  return Array.from(correlations, (correlation, lag) => ({ correlation, lag }))
    .filter(({ lag }) => lag > 1 && isSimilar(lag))
    .sort((a, b) => b.correlation - a.correlation || a.lag - b.lag)
    .slice(0, MOST_LAGS - 1)
    .map(({ lag }) => lag)
    .concat(1)
    .sort((a, b) => a - b)
}

/**
 * The autocorrelation of residuals along a mode by lag, from 0 to the largest one, and how many pairs of
 * entries each is the mean over; 0 where there are none.
 * @param size the number of rows of the mode
 * @param groups the group of each entry; entries of the same group are not compared
 * @param mostCompared about how many entries, evenly spaced, are compared with those after them
 */
export function correlationsAlong(
  size: number,
  { entries, positions }: SortedAlongMode,
  residuals: Float32Array,
  groups: Uint8Array | undefined,
  largestLag: number,
  mostCompared = MOST_COMPARED,
): { correlations: Float64Array; pairs: Float64Array } {
  const stride = Math.max(1, Math.floor(entries.length / mostCompared))
  const compared = Math.ceil(entries.length / stride)
  const { squares, products, pairs } = useKernel((kernel) => {
    const [products, pairs] = [0, 1].map(() => kernel.allocate(8 * (largestLag + 1)))
    const squares = kernel.run.sumLags(
      kernel.put(positions),
      kernel.put(pickNumbers(residuals, entries, new Float32Array(entries.length))),
      groups ? kernel.put(pickNumbers(groups, entries, new Uint8Array(entries.length))) : 0,
      ...([entries.length, size, largestLag, stride, products, pairs] as const),
    )
    return {
      squares,
      products: kernel.doubles(products, largestLag + 1).slice(),
      pairs: kernel.doubles(pairs, largestLag + 1).slice(),
    }
  })
  const variance = squares / Math.max(1, compared)
  const correlations = products.map((sum, lag) => (pairs[lag] > 0 ? sum / pairs[lag] / variance : 0))
  return { correlations, pairs }
}

/** Sorts entries by the position of their cells, with the mode's index varying fastest. */
export function sortAlongMode(
  dims: readonly number[],
  indices: readonly Uint32Array[],
  mode: number,
): SortedAlongMode {
  const modes = [...dims.flatMap((_, m) => (m === mode ? [] : [m])), mode]
  const entries = orderByModes({ dims, indices }, modes)
  const positions = new Float64Array(entries.length)
  for (const m of modes) {
    const [dim, column] = [dims[m], indices[m]]
    for (let i = 0; i < positions.length; i++) positions[i] = positions[i] * dim + column[entries[i]]
  }
  return { positions, entries }
}
