/** The rows of a mode with side information, and what is learned of their prior. */

/**
 * The rows of a mode: factor (count × R) and moments (count × R × R), padded; or V of groups of rows, and the
 * group of each row. Rows of length 0 have no entries.
 */
export interface ModeRows {
  /** Number of rows. */
  count: number
  /** Number of rows with entries. */
  observed: number
  rank: number
  padded: number
  /** Entries of each row. */
  lengths: Uint32Array
  factor: Float32Array
  moments: Float32Array
  groups?: Uint32Array
}

/** The prior means of a mode's rows, and what was learned with them. */
export interface LearnedMeans {
  /** (count × R), padded. */
  means: Float64Array
  /** (count) t of each row: its prior precision is t Σ⁻¹. */
  couplingWeights: Float64Array
  /** w of each lag, or θ under an autoregressive prior. */
  weights: Float64Array
  /** Σ (R × R), on and above the diagonal; if it was requested. */
  covariance?: Float64Array
  /** The numbers of the rows without entries. */
  emptyRows: number[]
  /** (count × R), padded: all rows, in which those without entries have their prior means, at least 0. */
  rows: Float64Array
}
