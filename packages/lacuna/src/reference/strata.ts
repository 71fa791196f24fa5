/**
 * SGD in strata in plain float64: what kernels/solve/strata.ts must compute. Which blocks rows are in, and in which order a cell's
 * entries stand, is the engine's to choose; the strata and the moves are here.
 */
import type { SparseTensor } from '../tensor/index.ts'
import type { Matrix, Vector } from './matrix.ts'

export interface StrataSettings {
  /** η */
  rate: number
  /** The least that Σ‖k_m‖² is taken for. */
  least: number
  epochs: number
  /** Per mode, the block of each row, of `blockCount`. */
  blocks: readonly Uint32Array[]
  blockCount: number
  /** The entries, in the order in which they stand in their cells. */
  order: readonly number[]
}

/** Epochs from U. */
export function strataSgd(tensor: SparseTensor, U: readonly Matrix[], settings: StrataSettings): Matrix[] {
  const factors = U.map((matrix) => matrix.map((row) => Float64Array.from(row)))
  const visits = inStrata(tensor, settings)
  for (let epoch = 0; epoch < settings.epochs; epoch++)
    for (const e of visits) moveRows(tensor, factors, e, settings)
  return factors
}

/**
 * Stratum by stratum: cells whose blocks lie as far from that of the first mode, mode by mode. Of these cells no two share a
 * row, and it does not matter which comes first.
 */
function inStrata({ indices }: SparseTensor, { blocks, blockCount, order }: StrataSettings): number[] {
  const stratumOf = (e: number): number => {
    const [first, ...others] = indices.map((column, mode) => blocks[mode][column[e]])
    return others.reduce((s, block) => s * blockCount + ((block - first + blockCount) % blockCount), 0)
  }
  // The sort is stable: within a stratum entries stay in their order, and so do those of each cell.
  const strata = new Map(order.map((e) => [e, stratumOf(e)]))
  return [...order].sort((a, b) => strata.get(a)! - strata.get(b)!)
}

/** Every mode moves by η e k_m / Σ‖k_m‖², all from where they were, and stays nonnegative. */
function moveRows(
  { indices, values }: SparseTensor,
  factors: readonly Matrix[],
  e: number,
  { rate, least }: Pick<StrataSettings, 'rate' | 'least'>,
): void {
  const rows = indices.map((column, mode) => factors[mode][column[e]])
  const K = rows.map((_, mode) => productOf(rows.filter((_, other) => other !== mode)))
  const residual = values[e] - productOf(rows).reduce((sum, y) => sum + y, 0)
  const squares = K.reduce((sum, k) => sum + k.reduce((own, u) => own + u * u, 0), 0)
  const step = (rate * residual) / Math.max(squares, least)
  rows.forEach((row, mode) => {
    factors[mode][indices[mode][e]] = row.map((u, r) => Math.max(0, u + step * K[mode][r]))
  })
}

const productOf = ([first, ...others]: readonly Vector[]): Vector =>
  first.map((u, r) => others.reduce((product, row) => product * row[r], u))
