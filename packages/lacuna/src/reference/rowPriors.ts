/** Side information of rows, and the priors that it gives them. */
import type { Matrix, Vector } from './matrix.ts'

/** Side information of a mode: what is known of its rows beside their entries. */
export interface SideInformation {
  /** Distances, in rows, of the rows to which each row is coupled. */
  lags?: readonly number[]
  /** Whether the last row is next to the first. */
  isCyclic?: boolean
  /** The rows in the order in which distances count; their own order by default. */
  order?: ArrayLike<number>
  /** Whether each row is regressed on those before it at the lags, which ascend. */
  isAutoregressive?: boolean
  /** Per row, its attributes. */
  features?: Matrix
}

/** The priors of the rows of a mode, and what was learned with them. */
export interface RowPriors {
  /** (rows × R) The prior mean of each row. */
  means: Matrix
  /** (rows) The prior precision of each row in units of Σ⁻¹. */
  couplingWeights: Vector
  /** The weight of each lag. */
  weights: Vector
  /** Σ (R × R) */
  covariance: Matrix
  /** The rows without entries, with their values: the prior mean, projected to nonnegative values. */
  filled: Map<number, Vector>
}
