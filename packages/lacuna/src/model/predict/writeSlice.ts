/** Dense slices of a member's predictions. */
import { type Digit, digitTerm, modesAsLearned, type ReshapedModes } from '../../tensor/index.ts'
import type { Factored } from '../factored.ts'

/** A factor whose row depends on a free mode. */
interface FreeFactor {
  factor: number
  /** What each index of the mode adds to the start of the factor's row, below 2³¹. */
  starts: Int32Array
}

interface FreeMode {
  size: number
  parts: readonly FreeFactor[]
  /** The factors of which a row is known once this mode's index is. */
  completes: readonly number[]
}

/**
 * Writes the predictions of a dense slice, row-major. Free modes are nested loops; a factor's row is
 * multiplied in as soon as all of its modes are fixed.
 * @param fixed per mode, the index that is fixed, or null for all of its rows
 */
export function writeSlice(values: Float32Array, member: Factored, fixed: readonly (number | null)[]): void {
  const { dims, rank, factors } = member
  const modes = modesAsLearned(member)
  const free = freeModes(dims, fixed, modes, rank)
  const starts = modes.digits.map((digits) =>
    digits.reduce((start, digit) => {
      const index = fixed[digit.mode]
      return index === null ? start : start + rank * digitTerm(digit, index)
    }, 0),
  )
  const isOpen = (digits: readonly Digit[]): boolean => digits.some(({ mode }) => fixed[mode] === null)
  const known = modes.digits.flatMap((digits, factor) => (isOpen(digits) ? [] : [factor]))
  let at = 0

  function multiplied(weights: Float64Array, completes: readonly number[]): Float64Array {
    const product = weights.slice()
    for (const k of completes) for (let r = 0; r < rank; r++) product[r] *= factors[k][starts[k] + r]
    return product
  }

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
    const before = mode.parts.map(({ factor }) => starts[factor])
    for (let index = 0; index < mode.size; index++) {
      mode.parts.forEach((part, i) => {
        starts[part.factor] = before[i] + part.starts[index]
      })
      fill(depth + 1, mode.completes.length > 0 ? multiplied(weights, mode.completes) : weights)
    }
    mode.parts.forEach((part, i) => {
      starts[part.factor] = before[i]
    })
  }
  fill(0, multiplied(new Float64Array(rank).fill(1), known))
}

/** Writes along the last free mode, on which a single factor depends; returns the position after it. */
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
