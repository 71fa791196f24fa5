/**
 * Rows without entries, by how they lie: in a mode without an order any of them, in an ordered mode between rows
 * with entries, or beyond the first or the last of them; and trials, in which other rows count as without
 * entries in the same way.
 */
import { below, draw, extend } from '../../../base/random.ts'
import type { BlankRows, GapKind } from './blankFactors.ts'

/** A trial: rows of a mode that count as without entries, and those of them that are predicted. */
export interface GapTrial extends BlankRows {
  /** Per row that is predicted, its distance from the nearest row with entries (1 in a mode without order); else 0. */
  distances: Uint32Array
}

/** Trials of a mode without an order: each leaves out this fraction of the rows, as in five folds. */
export const TRIALS = 5
/** Most trials of an ordered mode. */
const MOST_TRIALS = 20
/** Before this fraction of the rows with entries none is forecast: rows at lags would be too few. */
const FIRST_ORIGIN = 1 / 3

/**
 * The distance of each row without entries from the nearest row with entries: positive between rows with
 * entries, negative beyond the first or the last; 0 for rows with entries.
 * @param counts the entries of each row
 */
export function gapDistances(counts: ArrayLike<number>): Int32Array {
  const distances = new Int32Array(counts.length)
  let [first, last] = [-1, -1]
  for (let row = 0; row < counts.length; row++)
    if (counts[row] > 0) {
      if (first < 0) first = row
      last = row
    }
  if (first < 0) return distances
  let before = 0
  for (let row = 0; row < counts.length; row++) {
    before = counts[row] > 0 ? 0 : before + 1
    distances[row] = row < first ? row - first : row > last ? last - row : before
  }
  let after = 0
  for (let row = last; row >= first; row--) {
    after = counts[row] > 0 ? 0 : after + 1
    distances[row] = Math.min(distances[row], after)
  }
  return distances
}

/** The group of a distance: 1, 2, 3 to 4, 5 to 8, 9 to 16 … Returns its least and its largest distance. */
export function distanceRange(distance: number): [number, number] {
  const to = 2 ** Math.ceil(Math.log2(distance))
  return [Math.floor(to / 2) + 1, to]
}

/**
 * The trials of a kind of gap in a mode.
 * @param counts the entries of each row
 * @param key of the random numbers
 */
export function gapTrials(mode: number, counts: Uint32Array, kind: GapKind, key: number): GapTrial[] {
  if (kind === 'any' || kind === 'unknown') return trialsByChance(mode, counts, kind, key)
  return kind === 'between' ? shiftedTrials(mode, counts, key) : forecastTrials(mode, counts)
}

/** Rows in TRIALS groups by chance, each of which is left out once. */
function trialsByChance(mode: number, counts: Uint32Array, kind: GapKind, key: number): GapTrial[] {
  const observed = Array.from(counts.keys()).filter((row) => counts[row] > 0)
  // A permutation by chance: groups are equally large, however few rows there are.
  const keys = observed.map((row) => draw(key, row))
  const order = Array.from(observed.keys()).sort((a, b) => keys[a] - keys[b] || a - b)
  return Array.from({ length: Math.min(TRIALS, observed.length) }, (_, trial) => {
    const isBlank = Uint8Array.from(counts, (count) => Number(count === 0))
    const distances = new Uint32Array(counts.length)
    for (let at = trial; at < order.length; at += TRIALS) {
      isBlank[observed[order[at]]] = 1
      distances[observed[order[at]]] = 1
    }
    return { mode, kind, isBlank, distances }
  })
}

/** The gaps between rows with entries, moved along the mode. */
function shiftedTrials(mode: number, counts: Uint32Array, key: number): GapTrial[] {
  const rows = counts.length
  const gaps = gapDistances(counts)
  const lengths = gapLengths(gaps)
  const shifts = new Set<number>()
  for (let n = 0; shifts.size < Math.min(MOST_TRIALS, rows - 1); n++)
    shifts.add(1 + below(draw(extend(key, 1), n), rows - 1))
  return Array.from(shifts, (shift) => {
    const isBlank = Uint8Array.from(counts, (count, row) =>
      Number(count === 0 || gaps[(row + shift) % rows] > 0),
    )
    const now = gapDistances(isBlank.map((blank) => 1 - blank))
    const lengthsNow = gapLengths(now)
    // A moved gap that meets another one is longer than any that there is.
    const distances = Uint32Array.from(counts, (count, row) =>
      count > 0 && lengthsNow[row] === lengths[(row + shift) % rows] ? Math.max(0, now[row]) : 0,
    )
    return { mode, kind: 'between', isBlank, distances }
  })
}

/** The length of the gap that each row lies in; 0 for rows outside. @param distances as of gapDistances */
function gapLengths(distances: Int32Array): Uint32Array {
  const lengths = new Uint32Array(distances.length)
  let start = 0
  for (let row = 0; row <= distances.length; row++) {
    if (distances[row] > 0) continue
    lengths.fill(row - start, start, row)
    start = row + 1
  }
  return lengths
}

/**
 * Trials of forecasts: each blanks, after an origin within the mode, as many rows as lack entries at its end or
 * its beginning.
 */
function forecastTrials(mode: number, counts: Uint32Array): GapTrial[] {
  const gaps = gapDistances(counts)
  const ahead = -Math.min(...gaps)
  const observed = Array.from(counts.keys()).filter((row) => counts[row] > 0)
  const first = Math.floor(FIRST_ORIGIN * observed.length)
  const origins = observed.slice(first, -1)
  const trials = Math.min(MOST_TRIALS, origins.length)
  return Array.from({ length: trials }, (_, trial) => {
    const origin = origins[Math.floor(((trial + 0.5) * origins.length) / trials)]
    const isAhead = (row: number): boolean => row > origin && row <= origin + ahead
    return {
      mode,
      kind: 'beyond',
      isBlank: Uint8Array.from(counts, (count, row) => Number(count === 0 || isAhead(row))),
      isBeyond: Uint8Array.from(counts, (_, row) => Number(row > origin + ahead)),
      distances: Uint32Array.from(counts, (count, row) => (count > 0 && isAhead(row) ? row - origin : 0)),
    }
  })
}
