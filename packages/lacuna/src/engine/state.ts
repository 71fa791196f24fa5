/**
 * The state of a problem on an engine, which a checkpoint saves: factors, momentum and, under a learned prior, its
 * covariances.
 */
import { GROUPS } from '../kernels/solve/layout.ts'

/** The complete state of a problem: arrays per mode, scaled. */
export interface EngineState {
  /** (I_i × R) */
  factors: Float32Array[]
  /** (I_i × R), if the problem has momentum factors. */
  momentumFactors?: Float32Array[]
  /** (R) The mean rows towards which λ shrinks. */
  means: Float32Array[]
  /** (R) v of the gradient step. */
  scales: Float32Array[]
  /** (I_i × R) The factors of the last snapshot, if any. */
  snapshot?: Float32Array[]
  /**
   * Under a learned prior, the second moments E[a aᵀ] of every row (I_i × R × R); or V of each group of rows
   * and the mean of a aᵀ over the entries (GROUP_MATRICES × R × R).
   */
  moments?: Float32Array[]
  /** (R × R) Under a learned prior, Σ⁻¹. */
  precisions?: Float32Array[]
  /** (I_i) Under a learned prior, the leverages of the rows. */
  leverages?: Float32Array[]
  /** One array, for all modes: numbers of the learned prior, such as σ². */
  shared?: Float32Array[]
  /** (I_i × R) Under a learned prior, the prior mean of every row. */
  rowMeans?: Float32Array[]
  /** (I_i) Under a learned prior, t of every row, 1 + Σ w if it is coupled: its prior precision is t Σ⁻¹. */
  couplingWeights?: Float32Array[]
  /** (I_i) Under a learned prior, the noise variance of every row's entries, in units of σ². */
  variances?: Float32Array[]
  /** Under a learned prior, the weight w, or under an autoregressive prior θ, of each lag of the mode. */
  lagWeights?: Float32Array[]
}

/**
 * A learned prior: rows a ~ N(μ, Σ) per mode, and noise of variance σ² (c₀ + c₁ y + c₂ y²) at the prediction
 * y; all scaled.
 */
export interface LearnedPrior {
  /** σ² */
  sigma2: number
  /** c₀, c₁, c₂ */
  noise: readonly [number, number, number]
  /** Per mode, μ (R). */
  means: Float32Array[]
  /** Per mode, Σ⁻¹ (R × R). */
  precisions: Float32Array[]
  /** Per mode, the weight w or θ of each of its lags; undefined if there is no side information. */
  lagWeights?: Float32Array[]
}

/**
 * The posterior covariances that sweeps of variational EM work with: those of every row, R² numbers each, or
 * means over groups of rows with about as many entries (kernels/solve/rows/groups.ts).
 */
export type Covariances = 'rows' | 'groups'

/** The matrices (R × R) of a mode in a state with covariances of groups: V of each group, and the mean of a aᵀ. */
export const GROUP_MATRICES = GROUPS + 1
