/**
 * Intervals of cells in rows without entries. Out-of-fold residuals do not show their errors, since there the
 * rows of an entry have other entries. Here rows that have entries count as having none (gaps.ts), get what the solver
 * gives to such rows (blankFactors.ts), and intervals are made of the residuals of their entries: as in
 * intervals.ts of quantiles of residuals relative to their size, which is fitted anew.
 *
 * Residuals in a row are alike, so that fewer of them are independent: K, their number divided by the design
 * effect (Kish 1965) of rows. A new row has a larger error than all of K others with probability 1/(K + 1)
 * (hierarchical conformal prediction; Lee, Barber and Willett 2023), by which intervals are widened.
 */
import { draw, extend } from '../../../base/random.ts'
import type { Observed, SparseTensor } from '../../../tensor/index.ts'
import { quantilesOf } from '../quantiles.ts'
import { type Curve, curveOf, type ResidualScale, sizeAt } from '../residualScale.ts'
import type { GapKind } from './blankFactors.ts'
import { distanceRange, type GapTrial, gapDistances, gapTrials } from './gaps.ts'

/** Intervals of the cells whose rows in some modes have no entries; plain data. */
export interface EmptyRowGroup extends Curve {
  /** The modes whose rows have no entries, ascending from 0. */
  modes: readonly number[]
  /** Per such mode, how its rows without entries lie; 'few': its rows have fewer entries than any in training. */
  kinds: readonly (GapKind | 'few')[]
  /**
   * Per such mode, the least and the largest distance of a row from the nearest one with entries, or number of
   * entries.
   */
  ranges: readonly (readonly number[])[]
  /** Quantiles of the relative residuals at equal steps. */
  residuals: readonly number[]
  /** K, the number of independent residuals. */
  independent: number
}

/** The models and entries from which the intervals of rows without entries are learned. */
export interface EmptyRowsInput {
  /** The entries. */
  tensor: Pick<SparseTensor, 'dims' | 'indices' | 'values'>
  /** Statistics of the entries. */
  observed: Observed
  /** The size of residuals in rows with entries. */
  scale: ResidualScale
  /** Per mode, whether its rows are ordered in time. */
  isOrdered: readonly boolean[]
  /** Per mode, whether its rows have attributes. */
  hasAttributes: readonly boolean[]
  /** Key of the random numbers by which rows and entries are drawn. */
  key: number
  /** Predicts entries, given by their numbers, as if the rows of a trial had no entries. */
  predictBlank(trials: readonly GapTrial[], entries: Uint32Array): Float32Array
}

/** Most residuals of a case, in all of its trials. */
const MOST_RESIDUALS = 20_000
/** Least number of residuals of a group. */
const LEAST_GROUP = 100
/** Least number of rows of a group, as Kish's effective number. */
const LEAST_ROWS = 8
/**
 * Most independent residuals per row that is folded in from few entries: all residuals of the row depend on
 * these entries, more than the design effect accounts for.
 */
const MOST_PER_FOLDED_ROW = 2
/** Lengths of runs of forecast rows whose errors may be alike. */
const RUNS = [1, 2, 4, 8]
/** Least number of runs from which a design effect is found. */
const LEAST_RUNS = 5
/** Most modes of a tensor for which cells with several rows without entries have intervals. */
const MOST_MODES = 4

/** A case: how the rows without entries lie in some modes. */
type Case = readonly { mode: number; kind: GapKind }[]

/** Learns the groups of all cases that occur; those with too few residuals or rows are left out. */
export function learnEmptyRows(input: EmptyRowsInput): EmptyRowGroup[] {
  return casesOf(input).flatMap((one, number) => learnCase(input, one, extend(input.key, number)))
}

/** The cases: every set of modes, with the kinds of gaps that occur in ordered ones. */
function casesOf({ observed, isOrdered, hasAttributes }: EmptyRowsInput): Case[] {
  const kinds = observed.counts.map((counts, mode): GapKind[] => {
    if (!isOrdered[mode]) return hasAttributes[mode] ? ['unknown', 'any'] : ['any']
    const gaps = gapDistances(counts)
    const found: GapKind[] = ['unknown']
    if (gaps.some((distance) => distance > 0)) found.push('between')
    if (gaps.some((distance) => distance < 0)) found.push('beyond')
    return found
  })
  let cases: Case[] = [[]]
  for (const [mode, ofMode] of kinds.entries())
    cases = cases.flatMap((before) => [before, ...ofMode.map((kind) => [...before, { mode, kind }])])
  const most = kinds.length <= MOST_MODES ? kinds.length : 1
  return cases.filter(({ length }) => length > 0 && length <= most)
}

/** Residuals of entries in rows that count as without entries. */
interface BlankResiduals {
  entries: number[]
  predictions: number[]
  /** Per residual, the range of distances of each mode of the case, as text. */
  ranges: string[]
}

/** Learns the groups of a case, one per range of distances. */
function learnCase(input: EmptyRowsInput, one: Case, key: number): EmptyRowGroup[] {
  const { observed, tensor } = input
  const ofModes = one.map(({ mode, kind }) =>
    gapTrials(mode, observed.counts[mode], kind, extend(key, mode + 1)),
  )
  const trials = Math.max(...ofModes.map(({ length }) => length))
  if (ofModes.some(({ length }) => length === 0)) return []
  const found: BlankResiduals = { entries: [], predictions: [], ranges: [] }
  for (let t = 0; t < trials; t++) {
    const trial = ofModes.map((some) => some[t % some.length])
    const entries = drawEntries(tensor, trial, Math.ceil(MOST_RESIDUALS / trials), extend(key, t))
    const predictions = input.predictBlank(trial, entries)
    entries.forEach((e, i) => {
      found.entries.push(e)
      found.predictions.push(predictions[i])
      const ranges = trial.map(({ mode, distances }) => distanceRange(distances[tensor.indices[mode][e]]))
      found.ranges.push(JSON.stringify(ranges))
    })
  }
  const modes = one.map(({ mode }) => mode)
  const kinds = one.map(({ kind }) => kind)
  return [...new Set(found.ranges)].sort().flatMap((text): EmptyRowGroup[] => {
    const members = Array.from(found.ranges.keys()).filter((i) => found.ranges[i] === text)
    const learned = learnGroup(
      input,
      { modes, kinds },
      members.map((i) => found.entries[i]),
      Float32Array.from(members, (i) => found.predictions[i]),
    )
    return learned ? [{ modes, kinds, ranges: JSON.parse(text) as number[][], ...learned }] : []
  })
}

/** The entries whose rows are all predicted in a trial, at most about `most` of them, drawn by chance. */
function drawEntries(
  { indices, values }: EmptyRowsInput['tensor'],
  trial: readonly GapTrial[],
  most: number,
  key: number,
): Uint32Array {
  const found: number[] = []
  for (let e = 0; e < values.length; e++)
    if (trial.every(({ mode, distances }) => distances[indices[mode][e]] > 0)) found.push(e)
  const chance = (2 ** 32 * most) / found.length
  return Uint32Array.from(found.filter((e) => draw(key, e) < chance))
}

/** Learns the curve and the quantiles of a group; undefined if it has too few residuals or rows. */
export function learnGroup(
  { tensor: { indices, values }, scale, observed }: EmptyRowsInput,
  { modes, kinds }: Pick<EmptyRowGroup, 'modes' | 'kinds'>,
  entries: readonly number[],
  predictions: Float32Array,
): Pick<EmptyRowGroup, 'predictions' | 'sizes' | 'residuals' | 'independent'> | undefined {
  if (entries.length < LEAST_GROUP) return undefined
  const rows = modes.map((mode) => entries.map((e) => indices[mode][e]))
  if (rows.some((column) => effectiveRows(column) < LEAST_ROWS)) return undefined
  const units = entries.map((e) => rowFactors(scale, modes, (mode) => indices[mode][e]))
  const curve = curveOf(
    predictions.map((y, i) => y + (values[entries[i]] - y) / units[i]),
    predictions,
  )
  const relative = Float64Array.from(
    entries,
    (e, i) => (values[e] - predictions[i]) / (units[i] * sizeAt(curve, predictions[i])),
  )
  const residuals = quantilesOf(relative.slice())
  const independent = Math.min(
    ...rows.map((column, at) => independentResiduals(column, kinds[at], relative)),
    ...rows.map((column, at) =>
      kinds[at] === 'few' ? MOST_PER_FOLDED_ROW * effectiveRows(column) : Infinity,
    ),
  )
  return { ...curve, residuals, independent: Math.min(independent, observed.entries) }
}

/** The product of the factors of a cell's rows in the size of residuals, without some modes. */
export const rowFactors = (
  { rows }: ResidualScale,
  without: readonly number[],
  rowOf: (mode: number) => number,
): number =>
  rows.reduce(
    (product, factors, mode) => (without.includes(mode) ? product : product * factors[rowOf(mode)]),
    1,
  )

/** Kish's effective number of rows: n²/Σ n_k², n_k residuals in row k of n. */
function effectiveRows(column: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const row of column) counts.set(row, (counts.get(row) ?? 0) + 1)
  let squares = 0
  for (const count of counts.values()) squares += count * count
  return column.length ** 2 / squares
}

/**
 * The number of independent residuals: their number divided by the design effect of rows on the fraction of
 * residuals beyond the quantiles of 5 and 95%. Forecast rows follow each other, and their errors last: there
 * also runs of 2, 4 or 8 rows count, and the effect on the mean of residuals.
 */
export function independentResiduals(
  column: readonly number[],
  kind: GapKind | 'few',
  relative: Float64Array,
): number {
  const n = column.length
  const sorted = relative.slice().sort()
  const [low, high] = [sorted[Math.floor(0.05 * n)], sorted[Math.min(n - 1, Math.ceil(0.95 * n))]]
  const isOut = relative.map((x) => Number(x < low || x > high))
  if (kind !== 'beyond') return n / designEffect(column, isOut, [1])
  const limited = relative.map((x) => Math.min(high, Math.max(low, x)))
  return n / Math.max(designEffect(column, isOut, RUNS), designEffect(column, limited, RUNS))
}

/**
 * The design effect on the mean of numbers, at least 1: by how much its variance is larger than if they were
 * independent, where those of a run of rows are alike.
 * @param runs lengths of runs, of which the one with the largest effect counts
 */
function designEffect(column: readonly number[], numbers: Float64Array, runs: readonly number[]): number {
  const n = column.length
  const mean = numbers.reduce((sum, x) => sum + x, 0) / n
  const variance = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / n
  const ranks = new Map([...new Set(column)].sort((a, b) => a - b).map((row, rank) => [row, rank]))
  let largest = 1
  for (const length of runs) {
    const sums = new Float64Array(Math.ceil(ranks.size / length))
    if (sums.length < LEAST_RUNS) break
    column.forEach((row, i) => {
      sums[Math.floor(ranks.get(row)! / length)] += numbers[i] - mean
    })
    const squares = sums.reduce((sum, x) => sum + x * x, 0)
    largest = Math.max(largest, squares / Math.max(n * variance, 1e-30))
  }
  return largest
}
