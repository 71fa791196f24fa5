import { InputError } from '../inputError.ts'
import {
  type ArrangedModes,
  type Arrangement,
  arrangedModes,
  type FixedArrangement,
  fixArrangement,
  isArranged,
} from '../tensor/arrangement.ts'
import type { Observed } from '../tensor/observed.ts'
import type { Mode, SparseTensor } from '../tensor/sparseTensor.ts'
import { align, alignRows, type NewEntry } from './align.ts'
import { checkDims, checkFactors, checkLabels, checkObserved, checkPrior, checkShapes } from './checkModel.ts'
import { type Component, type ComponentsOptions, componentsOf } from './components.ts'
import type { ErrorSummary } from './errorSummary.ts'
import { ErrorTally } from './errorTally.ts'
import { type Answerer, clipped, type Factored, labelOf, type Prior } from './factored.ts'
import { foldEntries } from './foldIn.ts'
import { type Label, LabelLookup, type Labels, suggestLabels } from './labelLookup.ts'
import { lambdaPrior } from './lambdaPrior.ts'
import { forEachPrediction, predictCell } from './products.ts'
import { type Similar, type SimilarOptions, similarRows } from './similar.ts'
import { type Ranked, type TopOptions, topRows } from './top.ts'
import { type Variance, varianceOf } from './variance.ts'
import { writeSlice } from './writeSlice.ts'

/** How a model was trained: solver, rank, lambda, sample, seed, epochs, errors … as plain JSON. */
export interface TrainingRecord {
  [key: string]: unknown
}

export interface CpModelFields {
  /** I_1 … I_N */
  dims: readonly number[]
  /** R */
  rank: number
  /**
   * The paper's A⁽¹⁾ … A⁽ᴺ⁾: factors[i] is (I_i × R), row-major, nonnegative. With an arrangement, those of the arranged
   * modes.
   */
  factors: readonly Float32Array[]
  /** Which modes were learned as one, and which as several. */
  arrangement?: Arrangement
  labels?: readonly (readonly string[] | undefined)[]
  modes?: readonly Mode[]
  /** Per factor, the rows that no training entry spoke of; none by default. */
  unobserved?: readonly Uint32Array[]
  /** What the training entries were like, row by row of the modes as they are without an arrangement. */
  observed?: Observed
  /** What is known of a factor's row before its entries; without it, new rows are held by the λ of the training, if any. */
  prior?: Prior
  training?: TrainingRecord
}

/** How predictions are given. */
export interface PredictOptions {
  /** They stay within the values that were seen, which is the default; false: as the factors have them. */
  clip?: boolean
}

/** How new entries are taken in. */
export interface FoldInOptions {
  /** The name of the values in the rows; by default that of the training data's, or `value`. */
  value?: string
  /** Rows that the model knows learn from the entries as well; by default only new ones do. */
  update?: boolean
}

/** A slice is refused beyond this many values: 1 GiB of float32. */
const MAX_SLICE = 2 ** 28

/**
 * What is learned: X ≈ Σ_r a_r⁽¹⁾ ∘ … ∘ a_r⁽ᴺ⁾, the tensor with its gaps filled, held as its factors. Indices, labels and
 * sizes are those of the data, whatever modes were merged or split to learn from it.
 */
export class CpModel implements Answerer, Factored {
  readonly dims: readonly number[]
  readonly rank: number
  readonly factors: readonly Float32Array[]
  /** Which modes were learned as one, and which as several; undefined where none were. */
  readonly arrangement?: FixedArrangement
  /** The modes of the factors, as parts of the model's own; undefined where they are the same. */
  readonly arrangedModes?: ArrangedModes
  readonly labels?: readonly (readonly string[] | undefined)[]
  /** What the modes stand for, if known. */
  readonly modes?: readonly Mode[]
  /** Per factor, the rows that no training entry spoke of: they have the mean of the others. */
  readonly unobserved: readonly Uint32Array[]
  /** What the training entries were like, row by row; files of older versions do not say. */
  readonly observed?: Observed
  readonly prior?: Prior
  readonly training: TrainingRecord

  #lookup: LabelLookup | undefined
  #variance: ReturnType<typeof varianceOf> | undefined

  constructor(fields: CpModelFields) {
    const { dims, rank, factors, labels, modes, unobserved, observed, prior, training } = fields
    checkDims(dims)
    if (labels) checkLabels(dims, labels)
    if (modes && modes.length !== dims.length)
      throw new InputError('shape', `The model has ${dims.length} modes but names for ${modes.length}.`)
    const arrangement = fixArrangement(fields.arrangement ?? {}, { dims, modes })
    const learned = arrangedModes(arrangement, dims)
    checkShapes(learned.dims, rank, factors)
    checkFactors(rank, factors)
    if (observed) checkObserved(dims, observed)
    if (prior) checkPrior(learned.dims, rank, prior)
    if (isArranged(arrangement)) {
      this.arrangement = arrangement
      this.arrangedModes = learned
    }
    this.dims = dims
    this.rank = rank
    this.factors = factors
    if (labels) this.labels = labels
    if (modes) this.modes = modes
    this.unobserved = unobserved ?? factors.map(() => new Uint32Array(0))
    if (observed) this.observed = observed
    if (prior) this.prior = prior
    this.training = training ?? {}
  }

  /** The models of which predictions are the mean: this one. */
  get members(): readonly CpModel[] {
    return [this]
  }

  /** The smallest and the largest value that was seen, if that is known. */
  get range(): readonly [number, number] | undefined {
    return this.observed && [this.observed.min, this.observed.max]
  }

  /**
   * The value at a coordinate: 0-based indices, or the label of each mode by the mode's name, as in
   * `{ user: 'a', film: 'x' }`. In a mode without labels, whose values are its indices, that is the index from 1.
   */
  predict(coordinate: readonly number[] | Labels, { clip = true }: PredictOptions = {}): number {
    const y = predictCell(this, this.#indicesOf(coordinate))
    return clip ? clipped(this, y) : y
  }

  /**
   * How uncertain the prediction is: the variance of what the model expects, and of a value around that. Where a prior was
   * learned; rows of as many entries count as equally uncertain.
   */
  variance(coordinate: readonly number[] | Labels): Variance {
    this.#variance ??= varianceOf(this)
    return this.#variance(this.#indicesOf(coordinate))
  }

  #indicesOf(coordinate: readonly number[] | Labels): readonly number[] {
    const indices = isIndices(coordinate) ? coordinate : this.lookup.rows(coordinate)
    this.#checkOrder(indices.length, 'The coordinate')
    indices.forEach((index, mode) => {
      this.#checkIndex(index, mode, 'The coordinate')
    })
    return indices
  }

  /** Which rows names and labels stand for. */
  get lookup(): LabelLookup {
    this.#lookup ??= new LabelLookup(this)
    return this.#lookup
  }

  /** What a row is called: its label, or its index from 1. */
  label(mode: number, row: number): string {
    return labelOf(this, mode, row)
  }

  /** Labels of a mode that begin with or contain a text. */
  suggest(mode: number, text: string, most?: number): string[] {
    return suggestLabels(this.labels?.[mode], text, most)
  }

  /** The best rows along a mode: `top({ for: { user: 'ann' }, of: 'film' })`. */
  top(options: TopOptions): Ranked[] {
    return topRows(this, options)
  }

  /** The components, that which explains most first, with the rows that are special about each. */
  components(options?: ComponentsOptions): Component[] {
    return componentsOf(this, options)
  }

  /** The rows of a mode that are most like one of them. */
  similar(mode: string, label: Label, options?: SimilarOptions): Similar[] {
    return similarRows(this, mode, label, options)
  }

  /**
   * The model with rows that it did not have: entries by label, as in `[{ user: 'eve', film: 'Solaris', stars: 5 }]`,
   * or a tensor. New rows are solved under what was learned of rows, the others stay as they are, unless they are
   * updated.
   */
  foldIn(entries: Iterable<NewEntry> | SparseTensor, options: FoldInOptions = {}): CpModel {
    const { value = this.#valueName(), update = false } = options
    if (this.arrangement)
      throw new InputError(
        'option',
        'This model was learned with modes merged or split, and such a model takes in no new entries; learn it anew with them.',
      )
    const tensor = 'indices' in entries ? align(this, entries) : alignRows(this, entries, value)
    const prior = this.prior ?? lambdaPrior(this)
    const folded = foldEntries({ model: { ...this.fields, prior }, entries: tensor, update })
    const { dims, factors, unobserved, observed } = folded
    return new CpModel({
      ...this.fields,
      ...{ dims, factors, unobserved, labels: tensor.labels, ...(observed && { observed }) },
    })
  }

  #valueName(): string {
    return typeof this.training.value === 'string' ? this.training.value : 'value'
  }

  /** What it is made of. */
  get fields(): CpModelFields & Pick<CpModel, 'unobserved' | 'training'> {
    const { dims, rank, factors, arrangement, labels, modes, unobserved, observed, prior, training } = this
    return { dims, rank, factors, arrangement, labels, modes, unobserved, observed, prior, training }
  }

  /** The values at many coordinates, given as one column of 0-based indices per mode. */
  predictMany(indices: readonly Uint32Array[], { clip = true }: PredictOptions = {}): Float32Array {
    this.#checkColumns(indices)
    const predictions = new Float32Array(indices[0].length)
    forEachPrediction(this, indices, (entry, y) => {
      predictions[entry] = clip ? clipped(this, y) : y
    })
    return predictions
  }

  /** A dense part of the tensor, row-major: a number fixes that mode's index, null takes the whole mode. */
  slice(
    fixed: readonly (number | null)[],
    { clip = true }: PredictOptions = {},
  ): { dims: number[]; values: Float32Array } {
    this.#checkOrder(fixed.length, 'The slice')
    fixed.forEach((index, mode) => {
      if (index !== null) this.#checkIndex(index, mode, 'The slice')
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
    writeSlice(values, this, fixed)
    if (clip && this.observed) for (let at = 0; at < size; at++) values[at] = clipped(this, values[at])
    return { dims, values }
  }

  /** How far the model is from observed entries. */
  error(tensor: SparseTensor, options?: PredictOptions): ErrorSummary {
    return this.errorTally(tensor, options).summary
  }

  /** The same, to be added to those of other entries. */
  errorTally(tensor: SparseTensor, { clip = true }: PredictOptions = {}): ErrorTally {
    this.#checkColumns(tensor.indices)
    const x = tensor.values
    if (tensor.indices[0].length !== x.length)
      throw new InputError(
        'shape',
        `The tensor has ${tensor.indices[0].length} coordinates for ${x.length} values.`,
      )
    const tally = new ErrorTally()
    forEachPrediction(this, tensor.indices, (entry, y) => tally.add(x[entry], clip ? clipped(this, y) : y))
    return tally
  }

  #checkOrder(found: number, what: string): void {
    if (found !== this.dims.length)
      throw new InputError(
        'shape',
        `${what} has ${found} indices, but the model has ${this.dims.length} modes.`,
      )
  }

  #checkIndex(index: number, mode: number, what: string): void {
    if (!Number.isInteger(index) || index < 0 || index >= this.dims[mode])
      throw new InputError(
        'index',
        `${what} has index ${index} in mode ${mode + 1}; it must be a whole number from 0 to ${this.dims[mode] - 1}.`,
      )
  }

  #checkColumns(indices: readonly Uint32Array[]): void {
    this.#checkOrder(indices.length, 'A coordinate')
    indices.forEach((column, mode) => {
      if (column.length !== indices[0].length)
        throw new InputError(
          'shape',
          `Mode ${mode + 1} has ${column.length} indices, but mode 1 has ${indices[0].length}; they must be equal in number.`,
        )
      const dim = this.dims[mode]
      for (let e = 0; e < column.length; e++)
        if (column[e] >= dim) this.#checkIndex(column[e], mode, `Entry ${e}`)
    })
  }
}

const isIndices = (coordinate: readonly number[] | Labels): coordinate is readonly number[] =>
  Array.isArray(coordinate)
