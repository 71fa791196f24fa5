/** Small random problems for tests, and the bridge between the engine's float32 arrays and the reference's matrices. */
import { draw, hashIndex, mix, stream, unit } from '#lacuna/base/random.js'
import type { Matrix } from '#lacuna/reference/matrix.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'

export interface Shape {
  dims: number[]
  /** Entries wanted; duplicates are dropped. */
  entries: number
  seed: number
}

/** A tensor with distinct random coordinates; row 0 of every mode gets about half of them, the last row none. */
export function randomTensor({ dims, entries, seed }: Shape): SparseTensor {
  const key = stream(seed, 99)
  const seen = new Set<number>()
  const columns: number[][] = dims.map(() => [])
  const values: number[] = []
  for (let e = 0; e < entries; e++) {
    const at = dims.map((dim, i) => {
      const u = unit(draw(key, e * 20 + i))
      const usable = Math.max(1, dim - 1)
      return u < 0.25 ? 0 : Math.floor(((u - 0.25) / 0.75) * usable)
    })
    const cell = at.reduce((cell, index, i) => cell * dims[i] + index, 0)
    if (seen.has(cell)) continue
    seen.add(cell)
    at.forEach((index, i) => void columns[i].push(index))
    values.push(3 * unit(draw(key, e * 20 + 19)))
  }
  return {
    dims,
    indices: columns.map((column) => Uint32Array.from(column)),
    values: Float32Array.from(values),
  }
}

/** The same with weights from 0.1 to 3.1, of which each goes with its coordinates and value. */
export function weighted(tensor: SparseTensor): SparseTensor {
  const weights = tensor.values.map((x, e) => {
    const place = tensor.indices.reduce((hash, column) => hashIndex(hash, column[e]), Math.round(1000 * x))
    return 0.1 + 3 * unit(mix(place))
  })
  return { ...tensor, weights }
}

/** Positive factors (I_i × R), row-major. */
export function randomFactors(dims: readonly number[], rank: number, seed: number): Float32Array[] {
  return dims.map((rows, i) => {
    const key = stream(seed, 98, i)
    return new Float32Array(rows * rank).map((_, at) => unit(draw(key, at)))
  })
}

export const toMatrix = (factor: Float32Array, rank: number): Matrix =>
  Array.from({ length: factor.length / rank }, (_, p) =>
    Float64Array.from(factor.subarray(p * rank, (p + 1) * rank)),
  )

/** The largest difference between factors, relative to the largest number in the reference's. */
export function distance(factors: readonly Float32Array[], reference: readonly Matrix[]): number {
  let largest = 0
  let difference = 0
  reference.forEach((matrix, i) => {
    const rank = matrix[0].length
    matrix.forEach((row, p) => {
      row.forEach((u, r) => {
        largest = Math.max(largest, Math.abs(u))
        difference = Math.max(difference, Math.abs(u - factors[i][p * rank + r]))
      })
    })
  })
  return difference / largest
}
