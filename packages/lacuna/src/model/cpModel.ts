import { InputError } from '../base/inputError.ts'
import {
  isReshaped,
  type ModeReshaping,
  type ReshapedModes,
  type ResolvedReshaping,
  reshapedModes,
  resolveReshaping,
  type SparseTensor,
} from '../tensor/index.ts'
import { type Component, type ComponentsOptions, componentsOf } from './answer/components.ts'
import { checkFactors, checkPrior, checkShapes } from './checkModel.ts'
import { align, alignRows, type NewEntry } from './ensemble/align.ts'
import type { Factored, Prior } from './factored.ts'
import { foldEntries } from './foldIn/foldIn.ts'
import { lambdaPrior } from './foldIn/lambdaPrior.ts'
import type { Labels } from './labelLookup.ts'
import { TensorModel, type TensorModelFields } from './tensorModel.ts'
import { type Variance, varianceOf } from './variance.ts'

export interface CpModelFields extends TensorModelFields {
  /** R */
  rank: number
  /**
   * The paper's A⁽¹⁾ … A⁽ᴺ⁾: factors[i] is (I_i × R), row-major, nonnegative. With a reshaping, those of the reshaped
   * modes.
   */
  factors: readonly Float32Array[]
  /** Which modes were learned as one, and which as several. */
  reshaping?: ModeReshaping
  /** Per factor, the rows that no training entry spoke of; none by default. */
  unobserved?: readonly Uint32Array[]
  /** What is known of a factor's row before its entries; without it, new rows are held by the λ of the training, if any. */
  prior?: Prior
}

/** How new entries are taken in. */
export interface FoldInOptions {
  /** The name of the values in the rows; by default that of the training data's, or `value`. */
  value?: string
  /** Rows that the model knows learn from the entries as well; by default only new ones do. */
  update?: boolean
}

/**
 * What is learned: X ≈ Σ_r a_r⁽¹⁾ ∘ … ∘ a_r⁽ᴺ⁾, the tensor with its gaps filled, held as its factors. Indices, labels and
 * sizes are those of the data, whatever modes were merged or split to learn from it.
 */
export class CpModel extends TensorModel implements Factored {
  readonly rank: number
  readonly factors: readonly Float32Array[]
  /** Which modes were learned as one, and which as several; undefined where none were. */
  readonly reshaping?: ResolvedReshaping
  /** The modes of the factors, as parts of the model's own; undefined where they are the same. */
  readonly reshapedModes?: ReshapedModes
  /** Per factor, the rows that no training entry spoke of: they have the mean of the others. */
  readonly unobserved: readonly Uint32Array[]
  readonly prior?: Prior

  #variance: ReturnType<typeof varianceOf> | undefined

  constructor(fields: CpModelFields) {
    const { dims, rank, factors, labels, modes, unobserved, observed, prior, training } = fields
    super({ dims, labels, modes, observed, training })
    const reshaping = resolveReshaping(fields.reshaping ?? {}, { dims, modes })
    const learned = reshapedModes(reshaping, dims)
    checkShapes(learned.dims, rank, factors)
    checkFactors(rank, factors)
    if (prior) checkPrior(learned.dims, rank, prior)
    if (isReshaped(reshaping)) {
      this.reshaping = reshaping
      this.reshapedModes = learned
    }
    this.rank = rank
    this.factors = factors
    this.unobserved = unobserved ?? factors.map(() => new Uint32Array(0))
    if (prior) this.prior = prior
  }

  /** The models of which predictions are the mean: this one. */
  get members(): readonly CpModel[] {
    return [this]
  }

  /**
   * How uncertain the prediction is: the variance of what the model expects, and of a value around that. Where a prior was
   * learned; rows of as many entries count as equally uncertain.
   */
  variance(coordinate: readonly number[] | Labels): Variance {
    this.#variance ??= varianceOf(this)
    return this.#variance(this.indicesOf(coordinate))
  }

  /** The components, that which explains most first, with the rows that are special about each. */
  components(options?: ComponentsOptions): Component[] {
    return componentsOf(this, options)
  }

  /**
   * The model with rows that it did not have: entries by label, as in `[{ user: 'eve', film: 'Solaris', stars: 5 }]`,
   * or a tensor. New rows are solved under what was learned of rows, the others stay as they are, unless they are
   * updated.
   */
  foldIn(entries: Iterable<NewEntry> | SparseTensor, options: FoldInOptions = {}): CpModel {
    const { value = this.#valueName(), update = false } = options
    if (this.reshaping)
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
    const { dims, rank, factors, reshaping, labels, modes, unobserved, observed, prior, training } = this
    return { dims, rank, factors, reshaping, labels, modes, unobserved, observed, prior, training }
  }
}
