/**
 * Stratified SGD (DSGD: Gemulla, Nijkamp, Haas, Sismanis, KDD 2011) in plain float64: what
 * kernels/solve/strata.ts must compute. The caller chooses the blocks of rows and the order of the entries
 * within a cell.
 */
import type { SparseTensor } from '../tensor/index.ts'
import type { Matrix, Vector } from './matrix.ts'

/** Parameters of stratified SGD. */
export interface StrataSettings {
  /** η, the fraction of an entry's residual that its step corrects, to first order. */
  rate: number
  /** Lower bound of Σ‖k_m‖² in the step size. */
  minSquares: number
  epochs: number
  /** Per mode, the block of each row, below `blockCount`. */
  blocks: readonly Uint32Array[]
  blockCount: number
  /** All entries; those of each cell are visited in this order. */
  order: readonly number[]
}

/**
 * Runs epochs of stratified SGD and returns the factors; U is not changed. A Kaczmarz step per entry,
 * projected to nonnegative values, moves the rows of all modes; the entries are visited stratum by stratum.
 */
export function strataSgd(tensor: SparseTensor, U: readonly Matrix[], settings: StrataSettings): Matrix[] {
  const factors = U.map((matrix) => matrix.map((row) => Float64Array.from(row)))
  const visits = orderByStrata(tensor, settings)
  for (let epoch = 0; epoch < settings.epochs; epoch++)
    for (const e of visits) moveRows(tensor, factors, e, settings)
  return factors
}

/**
 * Returns the entries in the order in which they are visited, by strata. A stratum consists of the cells
 * whose blocks have the same distances from that of the first mode, mode by mode; no two of these share a
 * row, so their order does not matter.
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
 * Takes a Kaczmarz step for entry e, in place: the row of every mode m moves by η d k_m / max(Σ‖k_m‖²,
 * minSquares), from the values before the step, with the residual d = value − prediction and k_m the product
 * of the other modes' rows; it is then projected to nonnegative values.
 */
function moveRows(
  { indices, values }: SparseTensor,
  factors: readonly Matrix[],
  e: number,
  { rate, minSquares }: Pick<StrataSettings, 'rate' | 'minSquares'>,
): void {
  const rows = indices.map((column, mode) => factors[mode][column[e]])
  const K = rows.map((_, mode) => productOf(rows.filter((_, other) => other !== mode)))
  const residual = values[e] - productOf(rows).reduce((sum, y) => sum + y, 0)
  const squares = K.reduce((sum, k) => sum + k.reduce((own, u) => own + u * u, 0), 0)
  const step = (rate * residual) / Math.max(squares, minSquares)
  rows.forEach((row, mode) => {
    factors[mode][indices[mode][e]] = row.map((u, r) => Math.max(0, u + step * K[mode][r]))
  })
}

/** The elementwise product of rows. */
const productOf = ([first, ...others]: readonly Vector[]): Vector =>
  first.map((u, r) => others.reduce((product, row) => product * row[r], u))
