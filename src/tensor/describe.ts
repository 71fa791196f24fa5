import type { SparseTensor } from './sparseTensor.ts'

export interface TensorDescription {
  order: number
  dims: readonly number[]
  entries: number
  /** Entries over cells. */
  density: number
  values: { min: number; max: number; mean: number; rms: number; negative: number; zero: number }
  /** Per mode, how the entries are spread over its rows; min and median leave empty rows out. */
  modes: { rows: number; empty: number; min: number; median: number; mean: number; max: number }[]
}

export function describeTensor({ dims, indices, values }: SparseTensor): TensorDescription {
  const entries = values.length
  const cells = dims.reduce((product, dim) => product * dim, 1)
  return {
    ...{ order: dims.length, dims, entries, density: entries / cells },
    values: describeValues(values),
    modes: dims.map((rows, mode) => describeRows(indices[mode], rows)),
  }
}

function describeValues(values: Float32Array): TensorDescription['values'] {
  let [min, max, sum, squares, negative, zero] = [Infinity, -Infinity, 0, 0, 0, 0]
  for (let e = 0; e < values.length; e++) {
    const x = values[e]
    if (x < min) min = x
    if (x > max) max = x
    if (x < 0) negative++
    if (x === 0) zero++
    sum += x
    squares += x * x
  }
  return { min, max, mean: sum / values.length, rms: Math.sqrt(squares / values.length), negative, zero }
}

function describeRows(column: Uint32Array, rows: number): TensorDescription['modes'][number] {
  const counts = new Uint32Array(rows)
  for (let e = 0; e < column.length; e++) counts[column[e]]++
  counts.sort()
  const firstUsed = counts.findIndex((n) => n > 0)
  const used = counts.subarray(firstUsed)
  return {
    ...{ rows, empty: firstUsed, min: used[0], median: used[used.length >> 1], max: used[used.length - 1] },
    mean: column.length / used.length,
  }
}
