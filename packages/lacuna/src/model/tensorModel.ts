/** The base class of models and ensembles: sizes, labels, and predictions that combine the members'. */
import { InputError } from '../base/inputError.ts'
import type { Mode, Observed, ReshapedModes, SparseTensor } from '../tensor/index.ts'
import type { Component, ComponentsOptions } from './answer/components.ts'
import { type Similar, type SimilarOptions, similarRows } from './answer/similar.ts'
import { type Ranked, type TopOptions, topRows } from './answer/top.ts'
import type { ErrorSummary } from './evaluate/errorSummary.ts'
import { ErrorTally } from './evaluate/errorTally.ts'
import { clipToRange, type Factored, labelOf, type Predictor } from './factored.ts'
import { type Label, type LabelLookup, type Labels, lookupOf, suggestLabels } from './labelLookup.ts'
import { checkTensorFields, type TensorModelFields, type TrainingRecord } from './modelFields.ts'
import { checkColumns, checkCoordinate, checkIndex, checkOrder } from './predict/checkCells.ts'
import { forEachPrediction, predictCell } from './predict/products.ts'
import { writeSlice } from './predict/writeSlice.ts'

/** Options of predictions. */
export interface PredictOptions {
  /** Whether predictions are limited to the range of the training values; true by default. */
  clip?: boolean
}

/** Most values of a slice: 1 GiB of float32. Larger slices are refused. */
const MAX_SLICE = 2 ** 28

/**
 * A model or an ensemble of several, which predicts every cell of a tensor. M are the names of the modes: with
 * `complete<'user' | 'film'>` a misspelt mode does not compile.
 */
export abstract class TensorModel<M extends string = string> implements Predictor {
  /** I_1 … I_N, the sizes of the modes. */
  readonly dims: readonly number[]
  /** Per mode, the labels of its rows; undefined where rows are called by their index from 1. */
  readonly labels?: readonly (readonly string[] | undefined)[]
  /** Names and sources of the modes, if known. */
  readonly modes?: readonly Mode[]
  /** Statistics of the training entries by row; undefined in models from files of older versions. */
  readonly observed?: Observed
  /** How the model was trained. */
  readonly training: TrainingRecord
  /** Per mode, or reshaped mode, the rows without training entries. */
  abstract readonly unobserved: readonly Uint32Array[]
  /** The models whose mean, or weighted sum, the predictions are. */
  abstract readonly members: readonly Factored[]
  /** Per member, its weight in the sum that predictions are; undefined where they are the mean. */
  readonly weights?: readonly number[]
  /** The modes of the factors in terms of the tensor's modes; undefined where they are the same. */
  abstract readonly reshapedModes?: ReshapedModes

  /** Throws if the sizes are invalid or labels, names or statistics do not fit them. */
  constructor({ dims, labels, modes, observed, training }: TensorModelFields) {
    checkTensorFields({ dims, labels, modes, observed })
    this.dims = dims
    if (labels) this.labels = labels
    if (modes) this.modes = modes
    if (observed) this.observed = observed
    this.training = training ?? {}
  }

  /** The components, the one that explains most first, each with the rows that are most specific to it. */
  abstract components(options?: ComponentsOptions): Component[]

  /** Corrects the combined prediction y of a cell, given by its indices; undefined where it is the prediction. */
  refine?(cell: ArrayLike<number>, y: number): number

  /** The smallest and the largest training value; undefined if not known. */
  get range(): readonly [number, number] | undefined {
    return this.observed && [this.observed.min, this.observed.max]
  }

  /**
   * Predicts one cell.
   * @param coordinate 0-based indices, or the label of each mode by the mode's name, as in `{ user: 'a',
   * film: 'x' }`; in a mode without labels the index from 1
   */
  predict(coordinate: readonly number[] | Labels<M>, { clip = true }: PredictOptions = {}): number {
    const y = predictCell(this, this.indicesOf(coordinate))
    return clip ? clipToRange(this, y) : y
  }

  /**
   * The 0-based indices of a cell, from indices or labels; throws if one is missing, unknown or out of range.
   */
  protected indicesOf(coordinate: readonly number[] | Labels<M>): readonly number[] {
    const indices = isIndices(coordinate) ? coordinate : this.lookup.rows(coordinate)
    checkCoordinate(this.dims, indices)
    return indices
  }

  /** Finds modes by name and rows by label. */
  get lookup(): LabelLookup {
    return lookupOf(this)
  }

  /** The label of a row, or its index from 1 in a mode without labels. */
  label(mode: number, row: number): string {
    return labelOf(this, mode, row)
  }

  /**
   * Labels of a mode that begin with or contain a text, ignoring case; those that begin with it first.
   * @param most how many at most; 30 by default
   */
  suggest(mode: number, text: string, most?: number): string[] {
    return suggestLabels(this.labels?.[mode], text, most)
  }

  /** The rows of a mode with the largest predictions: `top({ for: { user: 'ann' }, of: 'film' })`. */
  top(options: TopOptions<M>): Ranked[] {
    return topRows(this, options)
  }

  /** The rows of a mode that are most similar to the one with this label. */
  similar(mode: M, label: Label, options?: SimilarOptions): Similar[] {
    return similarRows(this, mode, label, options)
  }

  /** Predicts many cells, given as one column of 0-based indices per mode. */
  predictMany(indices: readonly Uint32Array[], { clip = true }: PredictOptions = {}): Float32Array {
    checkColumns(this.dims, indices)
    const predictions = new Float32Array(indices[0].length)
    forEachPrediction(this, indices, (entry, y) => {
      predictions[entry] = clip ? clipToRange(this, y) : y
    })
    return predictions
  }

  /**
   * Predicts a dense slice of the tensor, row-major; throws if it would have more than 2²⁸ values.
   * @param fixed per mode, the index that is fixed, or null for all of its rows
   */
  slice(
    fixed: readonly (number | null)[],
    { clip = true }: PredictOptions = {},
  ): { dims: number[]; values: Float32Array } {
    checkOrder(this.dims, fixed.length, 'The slice')
    fixed.forEach((index, mode) => {
      if (index !== null) checkIndex(this.dims, index, mode, 'The slice')
    })
    const free = fixed.flatMap((index, mode) => (index === null ? [mode] : []))
    const dims = free.map((mode) => this.dims[mode])
    const size = dims.reduce((product, dim) => product * dim, 1)
    if (size > MAX_SLICE)
      throw new InputError(
        'memory',
        `The slice would hold ${dims.join(' × ')} = ${size} values, more than ${MAX_SLICE}; fix the index of another mode.`,
      )
    const values = new Float32Array(size)
    this.#fillSlice(values, fixed, dims)
    if (clip && this.observed) for (let at = 0; at < size; at++) values[at] = clipToRange(this, values[at])
    return { dims, values }
  }

  /**
   * Writes the predictions of a slice, row-major and not clipped: the members' combined, corrected by
   * `refine`.
   * @param dims sizes of the modes that are not fixed
   */
  #fillSlice(values: Float32Array, fixed: readonly (number | null)[], dims: readonly number[]): void {
    const { members, weights } = this
    writeSlice(values, members[0], fixed)
    if (weights) for (let at = 0; at < values.length; at++) values[at] *= weights[0]
    if (members.length > 1) {
      const memberValues = new Float32Array(values.length)
      for (const [k, member] of members.entries()) {
        if (k === 0) continue
        const weight = weights ? weights[k] : 1
        writeSlice(memberValues, member, fixed)
        for (let at = 0; at < values.length; at++) values[at] += weight * memberValues[at]
      }
      if (!weights) for (let at = 0; at < values.length; at++) values[at] /= members.length
    }
    if (!this.refine) return
    const free = fixed.flatMap((index, mode) => (index === null ? [mode] : []))
    const cell = fixed.map((index) => index ?? 0)
    for (let at = 0; at < values.length; at++) {
      let rest = at
      for (let f = free.length - 1; f >= 0; f--) {
        cell[free[f]] = rest % dims[f]
        rest = Math.floor(rest / dims[f])
      }
      values[at] = this.refine(cell, values[at])
    }
  }

  /** The error of the predictions at the cells of observed entries. */
  error(tensor: SparseTensor, options?: PredictOptions): ErrorSummary {
    return this.errorTally(tensor, options).summary
  }

  /**
   * The error of the predictions at the cells of observed entries, as a tally that can be merged with those
   * of other entries.
   * @param options isWeighted: whether entries count by their weights; false by default
   */
  errorTally(
    tensor: SparseTensor,
    { clip = true, isWeighted = false }: PredictOptions & { isWeighted?: boolean } = {},
  ): ErrorTally {
    checkColumns(this.dims, tensor.indices)
    const x = tensor.values
    if (tensor.indices[0].length !== x.length)
      throw new InputError(
        'shape',
        `The tensor has ${tensor.indices[0].length} coordinates for ${x.length} values.`,
      )
    const weights = isWeighted ? tensor.weights : undefined
    const tally = new ErrorTally()
    forEachPrediction(this, tensor.indices, (entry, y) =>
      tally.add(x[entry], clip ? clipToRange(this, y) : y, weights?.[entry]),
    )
    return tally
  }
}

const isIndices = <M extends string>(
  coordinate: readonly number[] | Labels<M>,
): coordinate is readonly number[] => Array.isArray(coordinate)
