import { type Digit, digitTerm, modesAsLearned, type ReshapedModes } from '../../tensor/index.ts'
import type { Factored } from '../factored.ts'

/** A factor that a free mode has a part in: what each index of the mode adds to where the row begins, below 2³¹. */
interface Part {
  factor: number
  starts: Int32Array
}

interface FreeMode {
  size: number
  parts: readonly Part[]
  /** The factors of which a row is known once this mode's index is. */
  completes: readonly number[]
}

/**
 * Writes a dense part of the tensor, row-major: a number fixes that mode's index, null takes the whole mode. Modes are gone
 * through one in another, and a row is multiplied in as soon as it is known.
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
    // Whatever has a part in the last free mode is known with it.
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

/** Along the last free mode, which a single factor knows. Returns where it ends. */
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
