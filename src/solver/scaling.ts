import type { SparseTensor } from '../tensor/index.ts'

/**
 * Data of any size, 10⁻³⁰ or 10³⁰, is solved near 1, where float32 neither overflows nor vanishes. With values
 * divided by s = 2^(Nj) and factors by 2^j, the problem stays the same if λ is divided by s^(2 − 2/N); as all
 * three are powers of two, not one bit of the solution changes.
 */
export interface Scaling {
  /** Multiplies values on the way in. */
  values: number
  /** Multiplies factors on the way in, divides them on the way out. */
  factors: number
  /** Multiplies λ. */
  lambda: number
}

export function scalingFor({ dims, values }: SparseTensor): Scaling {
  let squares = 0
  for (let e = 0; e < values.length; e++) squares += values[e] * values[e]
  const rms = Math.sqrt(squares / values.length)
  const N = dims.length
  const j = rms > 0 ? Math.round(Math.log2(rms) / N) : 0
  return { values: 2 ** (-N * j), factors: 2 ** -j, lambda: 2 ** (2 * j * (1 - N)) }
}

export function scaled(factor: Float32Array, by: number): Float32Array {
  return by === 1 ? factor : factor.map((u) => u * by)
}
