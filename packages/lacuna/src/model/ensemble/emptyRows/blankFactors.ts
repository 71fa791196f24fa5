/**
 * The factors that a model would have if some rows had no entries: these rows get what the solver gives to rows
 * without entries, and all others stay as they are. That is the mean of the rows with entries, or what their
 * attributes predict (attributes.ts); with lags, the expectation given the rows at these distances. The engine
 * has the same rules in rowMeans.ts, coupledRows.ts and autoregressiveRows.ts of engine/cpu/steps/posterior/.
 */
import { type Digit, digitTerm, modesAsLearned } from '../../../tensor/index.ts'
import type { CpModel } from '../../cpModel.ts'
import type { Factored, LearnedLags } from '../../factored.ts'
import { type Attributes, attributeMeans } from './attributes.ts'

/**
 * How a row without entries lies: anywhere ('any') in a mode without an order; in an ordered mode between rows
 * with entries, beyond the first or the last of them, or at an unknown position ('unknown'), as of a label that the
 * model does not know.
 */
export type GapKind = 'any' | 'unknown' | 'between' | 'beyond'

/** Rows of a mode of the tensor that count as without entries. */
export interface BlankRows {
  /** Mode of the tensor, from 0. */
  mode: number
  /** Their position relative to rows with entries; lags count if their position in time is known. */
  kind: GapKind
  /** 1 for each row that counts as without entries, also for those that have none anyway; else 0. */
  isBlank: Uint8Array
  /** 1 for each row that counts as not there at all for its neighbours in time; else 0. */
  isBeyond?: Uint8Array
}

/** Whether the position of blank rows in time is known. */
export const isInTime = ({ kind }: Pick<BlankRows, 'kind'>): boolean =>
  kind === 'between' || kind === 'beyond'

/** Rounds in which rows are updated from one another, if there are lags; as in the engine. */
const FILL_ROUNDS = 50

/**
 * Returns the factors of a model with its rows blanked; those without blank rows are not copied.
 * @param attributes of the rows of whole modes, if the model was learned with any
 */
export function blankRows(
  model: CpModel,
  blanks: readonly BlankRows[],
  attributes: readonly Attributes[] = [],
): Factored {
  const { dims, rank, reshapedModes, link } = model
  const { digits } = modesAsLearned(model)
  const factors = model.factors.map((factor, f) => {
    const rows = rowKinds(model, digits[f], f, blanks)
    if (!rows) return factor
    const lags = rows.isInTime ? model.prior?.lags?.find((some) => some.factor === f) : undefined
    const [{ mode }] = digits[f]
    const own = rows.isPlaced ? attributes.find((some) => some.mode === mode) : undefined
    const mean = meanOfKnown(factor, rank, rows.isKnown)
    const base = own ? attributeMeans(factor, mean, rows.isKnown, own) : () => mean
    return fillRows(factor, base, rows, lags && timeOf(model, digits[f], lags))
  })
  return { dims, rank, factors, reshapedModes, link }
}

/** The state of each row of a factor. */
interface RowKinds {
  /** 1 where the row is to be filled. */
  isBlank: Uint8Array
  /** 1 where the row is no neighbour of others. */
  isBeyond: Uint8Array
  /** 1 where the row has entries and is not blank: the mean is over these. */
  isKnown: Uint8Array
  /** Whether the position of the blank rows in time is known. */
  isInTime: boolean
  /** Whether the blank rows are rows of the model, and not of labels that it does not know. */
  isPlaced: boolean
}

/**
 * Which rows of a factor are blank: those of which all rows of a mode are. Undefined if there are none.
 * @param digits of the factor
 */
function rowKinds(
  model: CpModel,
  digits: readonly Digit[],
  f: number,
  blanks: readonly BlankRows[],
): RowKinds | undefined {
  const own = blanks.filter(({ mode }) => digits.some((digit) => digit.mode === mode))
  if (own.length === 0) return undefined
  const count = model.factors[f].length / model.rank
  const isBlank = new Uint8Array(count)
  const isBeyond = new Uint8Array(count)
  for (const { mode, isBlank: rows, isBeyond: beyond } of own) {
    const parts = digits.filter((digit) => digit.mode === mode)
    markRows(parts, rows, isBlank)
    if (beyond) markRows(parts, beyond, isBeyond)
  }
  if (!isBlank.includes(1)) return undefined
  const isKnown = isBlank.map((blank) => 1 - blank)
  for (const row of model.unobserved[f]) {
    isKnown[row] = 0
    isBlank[row] = 1
  }
  const isPlaced = own.every(({ kind }) => kind !== 'unknown')
  return { isBlank, isBeyond, isKnown, isInTime: own.some(isInTime), isPlaced }
}

/**
 * Marks the rows of a factor that lie only in marked rows of a mode of the tensor.
 * @param parts the digits of the factor that are of the mode
 */
function markRows(parts: readonly Digit[], isMarked: Uint8Array, marks: Uint8Array): void {
  /** The sum of terms of these digits, for a row of the mode. */
  const others = new Set<number>()
  for (let row = 0; row < isMarked.length; row++)
    if (!isMarked[row]) others.add(parts.reduce((sum, digit) => sum + digitTerm(digit, row), 0))
  for (let q = 0; q < marks.length; q++) if (!others.has(termsOf(parts, q))) marks[q] = 1
}

/** The terms of some digits in a row of their factor. */
const termsOf = (parts: readonly Digit[], q: number): number =>
  parts.reduce((sum, { weight, size }) => sum + (Math.floor(q / weight) % size) * weight, 0)

/** The rows of a factor in time, and their lags. */
interface FactorTime extends LearnedLags {
  /** The row at each position. */
  order: Uint32Array
}

/** The order in time of the rows of a factor with lags. @param digits of the factor */
function timeOf(model: CpModel, digits: readonly Digit[], lags: LearnedLags): FactorTime {
  const { axis, unit, factor } = lags
  const stepsOf = ({ mode, stride }: Digit): number =>
    axis.slice(axis.indexOf(mode) + 1).reduce((steps, other) => steps * model.dims[other], stride)
  const count = model.factors[factor].length / model.rank
  const order = new Uint32Array(count)
  for (let q = 0; q < count; q++) {
    let steps = 0
    for (const digit of digits) steps += (Math.floor(q / digit.weight) % digit.size) * stepsOf(digit)
    order[Math.round(steps / unit)] = q
  }
  return { ...lags, order }
}

/** The mean (R) of the known rows of a factor. */
function meanOfKnown(factor: Float32Array, rank: number, isKnown: Uint8Array): Float64Array {
  const mean = new Float64Array(rank)
  let known = 0
  for (let q = 0; q < isKnown.length; q++) {
    if (!isKnown[q]) continue
    known++
    for (let r = 0; r < rank; r++) mean[r] += factor[q * rank + r]
  }
  for (let r = 0; r < rank; r++) mean[r] /= Math.max(1, known)
  return mean
}

/** The prior mean (R) of a row of a factor without lags. */
type BaseRows = (q: number) => Float64Array

/** Returns a copy of a factor in which blank rows have what the solver gives to rows without entries. */
function fillRows(
  factor: Float32Array,
  base: BaseRows,
  { isBlank, isBeyond }: RowKinds,
  time: FactorTime | undefined,
): Float32Array {
  const filled = factor.slice()
  const rank = base(0).length
  for (let q = 0; q < isBlank.length; q++)
    if (isBlank[q])
      filled.set(
        base(q).map((x) => Math.max(0, x)),
        q * rank,
      )
  if (!time) return filled
  const { order, lags, weights, isCyclic } = time
  const positions = Array.from(order.keys()).filter((at) => !isBeyond[order[at]])
  const blanks = positions.filter((at) => isBlank[order[at]])
  if (time.isAutoregressive) {
    const end = 1 + positions.findLast((at) => !isBlank[order[at]])!
    fillInTime(filled, base, { order, lags, weights, blanks, end })
    return filled
  }
  const row = new Float64Array(rank)
  /** Adds the row at a position, which may be beyond the ends, times a weight; returns the weight. */
  const addAt = (at: number, weight: number): number => {
    const count = order.length
    const inside = isCyclic ? (at + count) % count : at
    if (inside < 0 || inside >= count || isBeyond[order[inside]]) return 0
    for (let r = 0; r < rank; r++) row[r] += weight * filled[order[inside] * rank + r]
    return weight
  }
  for (let round = 0; round < FILL_ROUNDS; round++)
    for (const at of blanks) {
      row.set(base(order[at]))
      let total = 1
      lags.forEach((lag, k) => {
        total += addAt(at - lag, weights[k]) + addAt(at + lag, weights[k])
      })
      for (let r = 0; r < rank; r++) filled[order[at] * rank + r] = Math.max(0, row[r] / total)
    }
  return filled
}

/**
 * Fills rows under an autoregressive prior: those before `end` in rounds with their expectation given all
 * others, later ones by forecasts from those before them.
 */
function fillInTime(
  filled: Float32Array,
  base: BaseRows,
  {
    order,
    lags,
    weights,
    blanks,
    end,
  }: {
    order: Uint32Array
    lags: readonly number[]
    weights: readonly number[]
    blanks: readonly number[]
    end: number
  },
): void {
  const rank = base(0).length
  const longest = Math.max(...lags)
  /** The deviation from the base at a position. */
  const deviation = (at: number, r: number): number => filled[order[at] * rank + r] - base(order[at])[r]
  /** The autoregressive forecast of the deviation at a position; 0 at positions before the longest lag. */
  const forecast = (at: number, r: number): number => {
    if (at < longest) return 0
    let sum = 0
    for (let k = 0; k < lags.length; k++) sum += weights[k] * deviation(at - lags[k], r)
    return sum
  }
  const write = (at: number, r: number, x: number): void => {
    filled[order[at] * rank + r] = Math.max(0, base(order[at])[r] + x)
  }
  const inner = blanks.filter((at) => at < end)
  for (let round = 0; round < FILL_ROUNDS; round++)
    for (const at of inner)
      for (let r = 0; r < rank; r++) {
        const now = deviation(at, r)
        let sum = forecast(at, r)
        let total = 1
        lags.forEach((lag, k) => {
          const after = at + lag
          if (after >= end || after < longest) return
          sum += weights[k] * (deviation(after, r) - forecast(after, r) + weights[k] * now)
          total += weights[k] ** 2
        })
        write(at, r, sum / total)
      }
  for (const at of blanks) if (at >= end) for (let r = 0; r < rank; r++) write(at, r, forecast(at, r))
}
