/** A nonnegative CP model: factors that predict every cell of a tensor. */
import type { ReshapedModes, ResolvedReshaping, SparseTensor } from '../tensor/index.ts'
import { type Component, type ComponentsOptions, componentsOf } from './answer/components.ts'
import type { NewEntry } from './ensemble/align.ts'
import type { Factored, Prior } from './factored.ts'
import { foldInto } from './foldIn/foldInto.ts'
import { checkHorizon, futureLabels } from './forecast/extendTime.ts'
import { forecastFactors, timeModeOf } from './forecast/forecastFactors.ts'
import type { Labels } from './labelLookup.ts'
import { type CpModelFields, checkFields, type FoldInOptions } from './modelFields.ts'
import type { Link } from './predict/link.ts'
import { TensorModel } from './tensorModel.ts'
import { type Variance, varianceOf } from './variance.ts'

/** Options of `forecast`. */
export interface ForecastModelOptions {
  /** Name of the mode that is extended; by default the one with lags. */
  time?: string
  /**
   * The step from one label to the next: 'hour', 'day', '15 minutes', 'month' … or a number; by default that of
   * the labels.
   */
  step?: string
}

/**
 * A nonnegative CP (PARAFAC) model X ≈ Σ_r a_r⁽¹⁾ ∘ … ∘ a_r⁽ᴺ⁾, which predicts every cell of the tensor.
 * Indices, labels and sizes are those of the data, even if modes were merged or split for learning; with a
 * link the factors are of √x or log(1 + x), and predictions in data units.
 */
export class CpModel<M extends string = string> extends TensorModel<M> implements Factored {
  /** R, the number of components. */
  readonly rank: number
  /** Factor matrices, one per mode, or per reshaped mode: factors[i] is (I_i × R), row-major, nonnegative. */
  readonly factors: readonly Float32Array[]
  /** Modes that were merged or split for learning; undefined where none were. */
  readonly reshaping?: ResolvedReshaping
  /** The modes of the factors in terms of the tensor's modes; undefined where they are the same. */
  readonly reshapedModes?: ReshapedModes
  /** Per factor, the rows without training entries: they have the mean of the others. */
  readonly unobserved: readonly Uint32Array[]
  /** Prior of the rows, from which fold-in and variances are computed; undefined in models without one. */
  readonly prior?: Prior
  /** The link: products of factors are of √x or log(1 + x); undefined where they are of the values. */
  readonly link?: Link

  /** Returns the variance at a cell; made by the first call of `variance`. */
  #variance: ReturnType<typeof varianceOf> | undefined

  /**
   * Makes a model of factors; checks their shapes and that they are finite and nonnegative.
   * @param fields sizes, rank and factors; the others are optional
   */
  constructor(fields: CpModelFields) {
    const { dims, rank, factors, labels, modes, unobserved, observed, prior, link, training } = fields
    super({ dims, labels, modes, observed, training })
    const { reshaping, reshapedModes } = checkFields(fields)
    if (reshaping) this.reshaping = reshaping
    if (reshapedModes) this.reshapedModes = reshapedModes
    this.rank = rank
    this.factors = factors
    this.unobserved = unobserved ?? factors.map(() => new Uint32Array(0))
    if (prior) this.prior = prior
    if (link) this.link = link
  }

  /** The models whose mean the predictions are: this one alone. */
  get members(): readonly CpModel<M>[] {
    return [this]
  }

  /**
   * The variance of a prediction: of the expected value, and of a value around it. Rows with equally many
   * entries count as equally uncertain. Throws unless the model has a learned prior and statistics of its
   * entries, and no modes were merged or split.
   * @param coordinate 0-based indices, or the label of each mode by the mode's name
   */
  variance(coordinate: readonly number[] | Labels<M>): Variance {
    this.#variance ??= varianceOf(this)
    return this.#variance(this.indicesOf(coordinate))
  }

  /** The components, the one that explains most first, each with the rows that are most specific to it. */
  components(options?: ComponentsOptions): Component[] {
    return componentsOf(this, options)
  }

  /**
   * Fold-in: a model with additional rows, solved from new entries under the prior while all other rows stay
   * as they are. Where modes were merged, pairs without entries are solved. Throws if a mode was split, or
   * existing rows of merged modes are to be updated.
   * @param entries entries by label, as in `[{ user: 'eve', film: 'Solaris', stars: 5 }]`, or a tensor
   * @param options name of the value, and whether existing rows are updated, too
   */
  foldIn(entries: Iterable<NewEntry> | SparseTensor, options: FoldInOptions = {}): CpModel<M> {
    return new CpModel<M>(foldInto(this.fields, entries, options))
  }

  /**
   * Forecast: a model with more rows after the last one of a mode of time, which follow from the rows before them
   * by the learned prior with lags. Throws if the model has none.
   * @param horizon how many rows, those of the slowest mode of time
   */
  forecast(horizon: number, { time, step }: ForecastModelOptions = {}): CpModel {
    checkHorizon(horizon)
    const mode = timeModeOf(this, time === undefined ? undefined : this.lookup.mode(time))
    const future = futureLabels(this, mode, horizon, step)
    const labels = future && this.labels?.with(mode, [...this.labels[mode]!, ...future])
    return new CpModel({ ...this.fields, ...forecastFactors(this, mode, horizon), ...(labels && { labels }) })
  }

  /** The fields from which an equal model can be made. */
  get fields(): CpModelFields & Pick<CpModel, 'unobserved' | 'training'> {
    const { dims, rank, factors, reshaping, labels, modes, unobserved, observed, prior, link, training } =
      this
    return { dims, rank, factors, reshaping, labels, modes, unobserved, observed, prior, link, training }
  }
}
