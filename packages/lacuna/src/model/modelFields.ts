/** The fields that a CP model is made of, and their checks. */
import { InputError } from '../base/inputError.ts'
import {
  checkDims,
  isReshaped,
  type Mode,
  type ModeReshaping,
  type Observed,
  type ReshapedModes,
  type ResolvedReshaping,
  reshapedModes,
  resolveReshaping,
} from '../tensor/index.ts'
import { checkFactors, checkLabels, checkLink, checkObserved, checkPrior, checkShapes } from './checkModel.ts'
import type { Prior } from './factored.ts'
import type { Link } from './predict/link.ts'

/** How a model was trained: solver, rank, lambda, sample, seed, epochs, errors … as plain JSON. */
export interface TrainingRecord {
  /** A setting or result by name. */
  [key: string]: unknown
}

/** The fields that models and ensembles share. */
export interface TensorModelFields {
  /** I_1 … I_N, the sizes of the modes. */
  dims: readonly number[]
  /** Per mode, the labels of its rows; rows of a mode without labels are called by their index from 1. */
  labels?: readonly (readonly string[] | undefined)[]
  /** Names and sources of the modes; unknown by default. */
  modes?: readonly Mode[]
  /**
   * Statistics of the training entries, by the rows of the modes as they are without a reshaping; unknown by
   * default.
   */
  observed?: Observed
  /** How the model was trained; empty by default. */
  training?: TrainingRecord
}

/** Throws if the sizes are invalid or labels, names or statistics do not fit them. */
export function checkTensorFields({ dims, labels, modes, observed }: TensorModelFields): void {
  checkDims(dims, 'model')
  if (labels) checkLabels(dims, labels)
  if (modes && modes.length !== dims.length)
    throw new InputError('shape', `The model has ${dims.length} modes but names for ${modes.length}.`)
  if (observed) checkObserved(dims, observed)
}
/** The fields of a CP model. */
export interface CpModelFields extends TensorModelFields {
  /** R, the number of components. */
  rank: number
  /**
   * The paper's A⁽¹⁾ … A⁽ᴺ⁾: factors[i] is (I_i × R), row-major, nonnegative. With a reshaping, those of the
   * reshaped modes.
   */
  factors: readonly Float32Array[]
  /** Modes that were merged or split for learning; none by default. */
  reshaping?: ModeReshaping
  /** Per factor, the rows without training entries; none by default. */
  unobserved?: readonly Uint32Array[]
  /**
   * Prior of the rows, for fold-in; by default an isotropic one from the λ of the training record, if any.
   */
  prior?: Prior
  /** Link, if the model was learned on √x or log(1 + x); none by default. */
  link?: Link
}

/** Options of `CpModel.foldIn`. */
export interface FoldInOptions {
  /**
   * Property that holds the value of a new entry; by default the name of the training data's values, or
   * `value`.
   */
  value?: string
  /**
   * Whether existing rows are updated by the new entries, too, not only new rows solved; false by default.
   */
  update?: boolean
}

/**
 * Checks the factors, the prior and the link of a model; throws if they do not fit its sizes.
 * @returns the reshaping, and the modes of the factors; both undefined where no modes were merged or split
 */
export function checkFields(fields: CpModelFields): {
  reshaping?: ResolvedReshaping
  reshapedModes?: ReshapedModes
} {
  const { dims, rank, factors, modes, prior, link } = fields
  const reshaping = resolveReshaping(fields.reshaping ?? {}, { dims, modes })
  const learned = reshapedModes(reshaping, dims)
  checkShapes(learned.dims, rank, factors)
  checkFactors(rank, factors)
  if (prior) checkPrior(learned.dims, rank, prior)
  if (link) checkLink(link)
  return isReshaped(reshaping) ? { reshaping, reshapedModes: learned } : {}
}
