/**
 * The interfaces that predictions are computed from: factors, statistics of the entries, and the prior of
 * rows.
 */

import type { Mode, Observed, ReshapedModes } from '../tensor/index.ts'
import type { Link } from './predict/link.ts'

/** The prior of rows, a ~ N(μ, Σ) per mode, in data units, or in those of the model's link. */
export interface Prior {
  /**
   * 'learned' by variational EM, with posterior covariances of the rows; 'isotropic' from λ, without them;
   * 'zeros' where unlisted cells are zeros and there is no other regularization.
   */
  kind: 'learned' | 'isotropic' | 'zeros'
  /** σ² in the variance of the noise, σ² (c₀ + c₁ y + c₂ y²), where y is the prediction, at least `least`. */
  sigma2: number
  /** c₀, c₁ and c₂ in the variance of the noise. */
  noise: readonly [number, number, number]
  /** Smallest prediction y in the variance of the noise; smaller ones count as this. */
  least: number
  /** μ (R) per mode. */
  means: readonly Float32Array[]
  /** Σ⁻¹ (R × R) per mode. */
  precisions: readonly Float32Array[]
  /** The learned weights of lags between rows; undefined if there are no lags. */
  lags?: readonly LearnedLags[]
}

/** Lags of the rows of a factor, with their learned weights. */
export interface LearnedLags {
  /** The factor, from 0. */
  factor: number
  /** The modes of the tensor, from 0, that are one axis of time, from the slowest to the fastest. */
  axis: readonly number[]
  /** Steps of the axis from one row of the factor, in the order of time, to the next. */
  unit: number
  /** Distances between rows of the factor in the order of time. */
  lags: readonly number[]
  /** Per lag, the weight w of coupled rows, or θ of an autoregressive prior. */
  weights: readonly number[]
  /** Whether the last row is next to the first. */
  isCyclic: boolean
  /** Whether rows are regressed on earlier ones, with innovations of covariance Σ. */
  isAutoregressive: boolean
}

/** A set of factors: a member of a model. */
export interface Factored {
  /** I_1 … I_N, the sizes of the modes. */
  readonly dims: readonly number[]
  /** R, the number of components. */
  readonly rank: number
  /** Factor matrices (I_i × R), one per mode, or per reshaped mode. */
  readonly factors: readonly Float32Array[]
  /** The modes of the factors in terms of the tensor's modes; undefined where they are the same. */
  readonly reshapedModes?: ReshapedModes
  /** The link: products of factors are of √x or log(1 + x); undefined where they are of the values. */
  readonly link?: Link
}

/** A source of predictions: a model, or an ensemble of several. */
export interface Predictor {
  /** I_1 … I_N, the sizes of the modes. */
  readonly dims: readonly number[]
  /** Per mode, the labels of its rows; undefined where rows are called by their index from 1. */
  readonly labels?: readonly (readonly string[] | undefined)[]
  /** Names and sources of the modes, if known. */
  readonly modes?: readonly Mode[]
  /** Statistics of the training entries, if known. */
  readonly observed?: Observed
  /** Per mode, or reshaped mode, the rows without training entries. */
  readonly unobserved: readonly Uint32Array[]
  /** The modes of the factors in terms of the tensor's modes; undefined where they are the same. */
  readonly reshapedModes?: ReshapedModes
  /** The models whose mean, or weighted sum, the predictions are; those of the best candidate first. */
  readonly members: readonly Factored[]
  /** Per member, its weight in the sum that predictions are; undefined where they are the mean. */
  readonly weights?: readonly number[]
  /** Corrects the members' mean y at a cell, given by its indices; undefined where it is the prediction. */
  refine?(cell: ArrayLike<number>, y: number): number
}

/** The members of a model and their weights in a prediction. */
export type Combined = Pick<Predictor, 'members' | 'weights'>

/** The weight of member k in a prediction. */
export const memberWeight = ({ members, weights }: Combined, k: number): number =>
  weights ? weights[k] : 1 / members.length

/**
 * The members whose components can be compared: where several candidates are combined, those with the
 * reshaping, rank and link of the first one; else all.
 */
export function leadingMembers<T extends Factored>({
  members,
  weights,
}: {
  members: readonly T[]
  weights?: readonly number[]
}): readonly T[] {
  if (!weights) return members
  const [{ rank, link, reshapedModes }] = members
  const shape = JSON.stringify(reshapedModes?.digits)
  return members.filter(
    (member) =>
      member.rank === rank &&
      member.link?.name === link?.name &&
      JSON.stringify(member.reshapedModes?.digits) === shape,
  )
}

/** The name of a mode, or `mode_1` … where it has none. */
export const modeName = ({ modes }: Pick<Predictor, 'modes'>, mode: number): string =>
  modes?.[mode]?.name || `mode_${mode + 1}`

/** The label of a row, or its index from 1 in a mode without labels. */
export const labelOf = ({ labels }: Pick<Predictor, 'labels'>, mode: number, row: number): string =>
  labels?.[mode]?.[row] ?? String(row + 1)

/** Returns the prediction y limited to the range of the training values; y itself if that is not known. */
export function clipToRange({ observed }: Pick<Predictor, 'observed'>, y: number): number {
  return observed ? Math.min(observed.max, Math.max(observed.min, y)) : y
}
