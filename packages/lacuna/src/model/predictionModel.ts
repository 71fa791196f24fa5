/**
 * A model for predictions alone: predict, top and fold-in. It is a small part of CpModel, for places where code must be
 * small; its answers are the same.
 */
import type { Mode, Observed, ReshapedModes, SparseTensor } from '../tensor/index.ts'
import { type Ranked, type TopOptions, topRows } from './answer/top.ts'
import type { NewEntry } from './ensemble/align.ts'
import { clipToRange, type Factored, type Predictor } from './factored.ts'
import { foldInto } from './foldIn/foldInto.ts'
import { type Labels, lookupOf } from './labelLookup.ts'
import { type CpModelFields, checkFields, checkTensorFields, type FoldInOptions } from './modelFields.ts'
import { checkColumns, checkCoordinate } from './predict/checkCells.ts'
import type { Link } from './predict/link.ts'
import { forEachPrediction, predictCell } from './predict/products.ts'

/** A model for predictions: predict, top and fold-in, with the answers of `CpModel`. */
export class PredictionModel implements Predictor, Factored {
  /** I_1 … I_N, the sizes of the modes. */
  readonly dims: readonly number[]
  /** R, the number of components. */
  readonly rank: number
  /** Factor matrices (I_i × R), row-major, one per mode, or per reshaped mode. */
  readonly factors: readonly Float32Array[]
  /** Per mode, the labels of its rows; undefined where rows are called by their index from 1. */
  readonly labels?: readonly (readonly string[] | undefined)[]
  /** Names and sources of the modes, if known. */
  readonly modes?: readonly Mode[]
  /** Statistics of the training entries, if known. */
  readonly observed?: Observed
  /** Per factor, the rows without training entries. */
  readonly unobserved: readonly Uint32Array[]
  /** The modes of the factors in terms of the tensor's modes; undefined where they are the same. */
  readonly reshapedModes?: ReshapedModes
  /** The link: products of factors are of √x or log(1 + x); undefined where they are of the values. */
  readonly link?: Link
  /** The fields that the model was made of. */
  readonly #fields: CpModelFields

  /** Makes a model of factors; checks their shapes and that they are finite and nonnegative. */
  constructor(fields: CpModelFields) {
    checkTensorFields(fields)
    const { reshapedModes } = checkFields(fields)
    this.#fields = fields
    this.dims = fields.dims
    this.rank = fields.rank
    this.factors = fields.factors
    this.labels = fields.labels
    this.modes = fields.modes
    this.observed = fields.observed
    this.unobserved = fields.unobserved ?? fields.factors.map(() => new Uint32Array(0))
    this.reshapedModes = reshapedModes
    this.link = fields.link
  }

  /** The models whose mean the predictions are: this one alone. */
  get members(): readonly Factored[] {
    return [this]
  }

  /**
   * Predicts one cell.
   * @param coordinate 0-based indices, or the label of each mode by the mode's name
   * @param options clip: whether the prediction is limited to the range of the training values; true by default
   */
  predict(coordinate: readonly number[] | Labels, { clip = true }: { clip?: boolean } = {}): number {
    const indices = isIndices(coordinate) ? coordinate : lookupOf(this).rows(coordinate)
    checkCoordinate(this.dims, indices)
    const y = predictCell(this, indices)
    return clip ? clipToRange(this, y) : y
  }

  /**
   * Predicts many cells, given as one column of 0-based indices per mode.
   * @param options clip: whether predictions are limited to the range of the training values; true by default
   */
  predictMany(indices: readonly Uint32Array[], { clip = true }: { clip?: boolean } = {}): Float32Array {
    checkColumns(this.dims, indices)
    const predictions = new Float32Array(indices[0].length)
    forEachPrediction(this, indices, (entry, y) => {
      predictions[entry] = clip ? clipToRange(this, y) : y
    })
    return predictions
  }

  /** The rows of a mode with the largest predictions: `top({ for: { user: 'ann' }, of: 'film' })`. */
  top(options: TopOptions): Ranked[] {
    return topRows(this, options)
  }

  /**
   * Fold-in: a model with additional rows, solved from new entries while all other rows stay as they are.
   * @param entries entries by label, as in `[{ user: 'eve', film: 'Solaris', stars: 5 }]`, or a tensor
   * @param options name of the value, and whether existing rows are updated, too
   */
  foldIn(entries: Iterable<NewEntry> | SparseTensor, options: FoldInOptions = {}): PredictionModel {
    const { training = {} } = this.#fields
    const fields = { ...this.#fields, training, unobserved: this.unobserved }
    const reshaping = this.reshapedModes && this.#fields.reshaping
    return new PredictionModel(foldInto({ ...fields, reshaping }, entries, options))
  }
}

/** Whether a coordinate is given by indices. */
const isIndices = (coordinate: readonly number[] | Labels): coordinate is readonly number[] =>
  Array.isArray(coordinate)
