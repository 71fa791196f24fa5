/** Dense slices of a member's predictions. */
import { type Digit, digitTerm, modesAsLearned, type ReshapedModes } from '../../tensor/index.ts'
import type { Factored } from '../factored.ts'
import { meanInDataUnits } from './link.ts'

/** A factor whose row depends on a mode that is not fixed. */
interface FreeFactor {
  /** Number of the factor. */
  factor: number
  /** Per index of the mode, the offset that it adds to that of the factor's row, in values, below 2³¹. */
  starts: Int32Array
}

/** A mode that is not fixed, and the factors that depend on it. */
interface FreeMode {
  size: number
  parts: readonly FreeFactor[]
  /** The factors whose row is known as soon as the index of this mode is. */
  completes: readonly number[]
}

/**
 * Writes the predictions of a dense slice to `values`, row-major and not clipped. Free modes are nested
 * loops; a factor's row is multiplied in as soon as the indices of all of its modes are known.
 * @param fixed per mode, the index that is fixed, or null for all of its rows
 */
export function writeSlice(values: Float32Array, member: Factored, fixed: readonly (number | null)[]): void {
  const { dims, rank, factors, link } = member
  const modes = modesAsLearned(member)
  const free = freeModes(dims, fixed, modes, rank)
  const starts = modes.digits.map((digits) =>
    digits.reduce((start, digit) => {
      const index = fixed[digit.mode]
      return index === null ? start : start + rank * digitTerm(digit, index)
    }, 0),
  )
  const isOpen = (digits: readonly Digit[]): boolean => digits.some(({ mode }) => fixed[mode] === null)
  const fixedFactors = modes.digits.flatMap((digits, factor) => (isOpen(digits) ? [] : [factor]))
  let at = 0

  /** Returns a copy of the weights (R), multiplied by the current rows of these factors. */
  function multiplyRows(weights: Float64Array, factorNumbers: readonly number[]): Float64Array {
    const product = weights.slice()
    for (const k of factorNumbers) for (let r = 0; r < rank; r++) product[r] *= factors[k][starts[k] + r]
    return product
  }

  /** Writes the slice along the free modes from number `depth` on. @param weights product (R) of known rows */
  function fill(depth: number, weights: Float64Array): void {
    const mode = free[depth]
    if (!mode) {
      values[at++] = weights.reduce((sum, weight) => sum + weight, 0)
      return
    }
    // All factors are complete with the last free mode.
    if (depth === free.length - 1 && mode.parts.length === 1) {
      at = fillLast(values, at, mode, factors, starts, weights)
      return
    }
    const outerStarts = mode.parts.map(({ factor }) => starts[factor])
    for (let index = 0; index < mode.size; index++) {
      mode.parts.forEach((part, i) => {
        starts[part.factor] = outerStarts[i] + part.starts[index]
      })
      fill(depth + 1, mode.completes.length > 0 ? multiplyRows(weights, mode.completes) : weights)
    }
    mode.parts.forEach((part, i) => {
      starts[part.factor] = outerStarts[i]
    })
  }
  fill(0, multiplyRows(new Float64Array(rank).fill(1), fixedFactors))
  if (link) for (let i = 0; i < values.length; i++) values[i] = meanInDataUnits(link, values[i])
}

/**
 * Writes predictions along the last free mode, on which a single factor depends; returns the position after
 * it.
 * @param at position in `values` of the first prediction
 * @param starts offset of each factor's row without the index of this mode
 * @param weights product (R) of the rows of all other factors
 */
function fillLast(
  values: Float32Array,
  at: number,
  { size, parts: [{ factor: k, starts: steps }] }: FreeMode,
  factors: readonly Float32Array[],
  starts: readonly number[],
  weights: Float64Array,
): number {
  const factor = factors[k]
  const rank = weights.length
  const first = starts[k]
  for (let index = 0; index < size; index++) {
    const start = first + steps[index]
    let y = 0
    for (let r = 0; r < rank; r++) y += weights[r] * factor[start + r]
    values[at++] = y
  }
  return at
}

/** The modes whose fixed index is null, in order, and the factors that depend on each. */
function freeModes(
  dims: readonly number[],
  fixed: readonly (number | null)[],
  { digits }: ReshapedModes,
  rank: number,
): FreeMode[] {
  const free = fixed.flatMap((index, mode) => (index === null ? [mode] : []))
  const isLastOf = (parts: readonly Digit[], mode: number): boolean =>
    Math.max(...parts.map((part) => (fixed[part.mode] === null ? part.mode : -1))) === mode
  return free.map((mode) => ({
    size: dims[mode],
    parts: digits.flatMap((parts, factor) =>
      parts
        .filter((part) => part.mode === mode)
        .map((part) => ({
          factor,
          starts: Int32Array.from({ length: dims[mode] }, (_, index) => rank * digitTerm(part, index)),
        })),
    ),
    completes: digits.flatMap((parts, factor) => (isLastOf(parts, mode) ? [factor] : [])),
  }))
}
