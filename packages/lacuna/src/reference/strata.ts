/**
 * Stratified SGD (DSGD: Gemulla, Nijkamp, Haas, Sismanis, KDD 2011) in plain float64: what
 * kernels/solve/strata.ts must compute. The caller chooses the blocks of rows and the order of the entries
 * within a cell.
 */
import type { SparseTensor } from '../tensor/index.ts'
import type { Matrix, Vector } from './matrix.ts'

/** Parameters of stratified SGD. */
export interface StrataSettings {
  /** η */
  rate: number
  /** Lower bound of Σ‖k_m‖² in the step size. */
  least: number
  epochs: number
  /** Per mode, the block of each row, below `blockCount`. */
  blocks: readonly Uint32Array[]
  blockCount: number
  /** The entries, in the order that they have in their cells. */
  order: readonly number[]
}

/** Runs epochs from the factors U. */
export function strataSgd(tensor: SparseTensor, U: readonly Matrix[], settings: StrataSettings): Matrix[] {
  const factors = U.map((matrix) => matrix.map((row) => Float64Array.from(row)))
  const visits = orderByStrata(tensor, settings)
  for (let epoch = 0; epoch < settings.epochs; epoch++)
    for (const e of visits) moveRows(tensor, factors, e, settings)
  return factors
}

/**
 * The order of the entries by strata. A stratum consists of the cells whose blocks have the same distances
 * from that of the first mode, mode by mode; no two of these share a row, so their order does not matter.
 */
function orderByStrata({ indices }: SparseTensor, { blocks, blockCount, order }: StrataSettings): number[] {
  const stratumOf = (e: number): number => {
    const [first, ...others] = indices.map((column, mode) => blocks[mode][column[e]])
    return others.reduce((s, block) => s * blockCount + ((block - first + blockCount) % blockCount), 0)
  }
  // The sort is stable: the entries of each cell keep their order.
  const strata = new Map(order.map((e) => [e, stratumOf(e)]))
  return [...order].sort((a, b) => strata.get(a)! - strata.get(b)!)
}

/**
 * A Kaczmarz step for one entry: every mode moves by η e k_m / Σ‖k_m‖², from the values before the step, and
 * is projected to nonnegative values.
 */
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
