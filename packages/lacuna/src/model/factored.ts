/** What answers stand on: factors, what was observed, and what was learned of rows. */

import type { Mode, Observed, ReshapedModes } from '../tensor/index.ts'

/** What was known of a row before its entries: a ~ N(μ, Σ), in data units. */
export interface Prior {
  /**
   * learned: by the last sweeps, which hold rows for uncertain; isotropic: by λ, which does not; zeros: cells that
   * are not listed are zeros, and nothing else holds a row.
   */
  kind: 'learned' | 'isotropic' | 'zeros'
  /** Noise has the variance σ² (c₀ + c₁ y + c₂ y²), y being what is predicted, or `least` where that is less. */
  sigma2: number
  noise: readonly [number, number, number]
  least: number
  /** Per mode, μ (R) and Σ⁻¹ (R × R). */
  means: readonly Float32Array[]
  precisions: readonly Float32Array[]
}

/** One set of factors. */
export interface Factored {
  readonly dims: readonly number[]
  readonly rank: number
  /** One per mode; where modes were merged or split to learn, one per reshaped mode. */
  readonly factors: readonly Float32Array[]
  /** The modes of the factors, as parts of the model's own; undefined where they are the same. */
  readonly reshapedModes?: ReshapedModes
}

/** Who answers questions: a model, or several whose mean it is. */
export interface Predictor {
  readonly dims: readonly number[]
  readonly labels?: readonly (readonly string[] | undefined)[]
  readonly modes?: readonly Mode[]
  readonly observed?: Observed
  /** Per mode, or reshaped mode, the rows that no training entry spoke of. */
  readonly unobserved: readonly Uint32Array[]
  readonly reshapedModes?: ReshapedModes
  /** The models of which predictions are the mean … */
  readonly members: readonly Factored[]
  /** … and what is said of a cell beyond it, if anything. */
  refine?(cell: ArrayLike<number>, y: number): number
}

/** What a mode is called. */
export const modeName = ({ modes }: Pick<Predictor, 'modes'>, mode: number): string =>
  modes?.[mode]?.name || `mode_${mode + 1}`

/** What a row is called: its label, or its index from 1. */
export const labelOf = ({ labels }: Pick<Predictor, 'labels'>, mode: number, row: number): string =>
  labels?.[mode]?.[row] ?? String(row + 1)

/** A prediction within the values that were seen, if these are known. */
export function clipped({ observed }: Pick<Predictor, 'observed'>, y: number): number {
  return observed ? Math.min(observed.max, Math.max(observed.min, y)) : y
}
