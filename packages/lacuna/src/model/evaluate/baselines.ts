/** Baselines: predictions without a model, fitted to the same entries. */
import type { SparseTensor } from '../../tensor/index.ts'
import { modeName } from '../factored.ts'
import { FoldKernel, shardsOf } from '../foldKernel.ts'

/** A prediction without a model. */
export interface Baseline {
  /** Name in reports. */
  name: string
  /** A prediction is the sum of this constant and of one number for the entry's row in each of some modes. */
  constant: number
  rows: { mode: number; numbers: Float64Array }[]
}

/** Ridge of the biases: each row is treated as if it had this many more entries at the mean of all. */
const RIDGE = 5
/** Sweeps of coordinate descent for the biases. */
const SWEEPS = 10

/** Training entries in the memory of a kernel, or some of them where they are very many. */
interface Shard {
  kernel: FoldKernel
  count: number
  /** Addresses of the columns of indices, of the values, and of residuals (float64). */
  columns: number[]
  values: number
  residuals: number
  /** Per mode, addresses of three tables by row (float64). */
  tables: { sums: number; biases: number; steps: number }[]
}

/**
 * The baselines of training entries: the mean, the mean of each row per mode, and additive biases of all
 * modes by ridge regression.
 * @param parts the shards in which entries are passed to the kernel; the result does not depend on them
 */
export function baselinesOf(train: SparseTensor, parts = shardsOf(train.values.length)): Baseline[] {
  const { dims, values } = train
  const shards = parts.map(({ from, to }) => loadShard(train, from, to))
  let mean = 0
  for (const { kernel, values: at, count } of shards)
    mean = kernel.run.addParts(at, count, values.length, mean)
  const rows = dims.map((dim, mode) => sumRows(shards, mode, dim))
  const biases = learnBiases(shards, dims, mean, rows)
  return [
    { name: 'the mean', constant: mean, rows: [] },
    ...rows.map(({ counts, sums }, mode) => ({
      name: `the mean of each ${modeName(train, mode)}`,
      constant: 0,
      rows: [{ mode, numbers: sums.map((sum, p) => (counts[p] > 0 ? sum / counts[p] : mean)) }],
    })),
    {
      name: 'biases of all modes',
      constant: mean,
      rows: biases.map((numbers, mode) => ({ mode, numbers })),
    },
  ]
}

/** Predicts entries by a baseline. */
export function predictByBaseline(
  { constant, rows }: Baseline,
  { indices, values }: Pick<SparseTensor, 'indices' | 'values'>,
): Float64Array {
  const predictions = new Float64Array(values.length).fill(constant)
  for (const { mode, numbers } of rows) {
    const column = indices[mode]
    for (let e = 0; e < predictions.length; e++) predictions[e] += numbers[column[e]]
  }
  return predictions
}

/** Copies some entries to the memory of a kernel. */
function loadShard({ dims, indices, values }: SparseTensor, from: number, to: number): Shard {
  const kernel = new FoldKernel()
  return {
    kernel,
    count: to - from,
    columns: indices.map((column) => kernel.put(column.subarray(from, to))),
    values: kernel.put(values.subarray(from, to)),
    residuals: kernel.allocate(8 * (to - from)),
    tables: dims.map((dim) => {
      const [sums, biases, steps] = [0, 1, 2].map(() => kernel.allocate(8 * dim))
      return { sums, biases, steps }
    }),
  }
}

/** Counts the entries and sums the values of each row of a mode. */
function sumRows(
  shards: readonly Shard[],
  mode: number,
  dim: number,
): { counts: Uint32Array; sums: Float64Array } {
  const total = { counts: new Uint32Array(dim), sums: new Float64Array(dim) }
  for (const { kernel, count, columns, values } of shards) {
    const at = { counts: kernel.put(total.counts), sums: kernel.put(total.sums) }
    kernel.run.sumRows(columns[mode], values, count, at.counts, at.sums)
    total.counts.set(kernel.words(at.counts, dim))
    total.sums.set(kernel.doubles(at.sums, dim))
  }
  return total
}

/**
 * Additive biases per mode and row: a ridge regression of values − mean, by block coordinate descent.
 * @param rows per mode, the entries of each row
 */
function learnBiases(
  shards: readonly Shard[],
  dims: readonly number[],
  mean: number,
  rows: readonly { counts: Uint32Array }[],
): Float64Array[] {
  const biases = dims.map((dim) => new Float64Array(dim))
  for (const { kernel, values, count, residuals } of shards)
    kernel.run.subtract(values, count, mean, residuals)
  // The step of the mode before is taken in the pass that sums for the next one.
  let before = { mode: 0, steps: new Float64Array(dims[0]) }
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    biases.forEach((bias, mode) => {
      const sums = new Float64Array(bias.length)
      for (const { kernel, count, columns, residuals, tables } of shards) {
        const at = { ...tables[mode], steps: tables[before.mode].steps }
        kernel.doubles(at.steps, before.steps.length).set(before.steps)
        kernel.doubles(at.biases, bias.length).set(bias)
        kernel.doubles(at.sums, sums.length).set(sums)
        const [last, next] = [columns[before.mode], columns[mode]]
        kernel.run.descend(residuals, count, last, at.steps, next, at.biases, at.sums)
        sums.set(kernel.doubles(at.sums, sums.length))
      }
      const steps = sums
      for (let p = 0; p < steps.length; p++) {
        steps[p] = sums[p] / (rows[mode].counts[p] + RIDGE) - bias[p]
        bias[p] += steps[p]
      }
      before = { mode, steps }
    })
  return biases
}
