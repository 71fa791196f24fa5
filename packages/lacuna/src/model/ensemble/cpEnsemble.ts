/**
 * An ensemble: models of the same data, each fitted without one fold. Their mean predicts better than any of
 * them; their out-of-fold residuals give an unbiased error, the correction by neighbours and conformal
 * intervals.
 */
import { InputError, option, sentence } from '../../base/inputError.ts'
import type { ReshapedModes, SparseTensor } from '../../tensor/index.ts'
import { type Component, type ComponentsOptions, componentsOf } from '../answer/components.ts'
import { CpModel, type ForecastModelOptions } from '../cpModel.ts'
import { leadingMembers, modeName } from '../factored.ts'
import type { Labels } from '../labelLookup.ts'
import type { FoldInOptions, TensorModelFields } from '../modelFields.ts'
import { TensorModel } from '../tensorModel.ts'
import { align, alignRows, type NewEntry, valueNameOf } from './align.ts'
import { emptyRowIntervals } from './emptyRows/emptyRowInterval.ts'
import { foldIntoMembers } from './foldIntoMembers.ts'
import { type Intervals, intervalAt, intervalLimits } from './intervals.ts'
import { corrector, type Neighbours } from './neighbours/neighbours.ts'
import { type Stability, stabilityOf } from './stability.ts'

/** The fields of an ensemble. */
export interface CpEnsembleFields extends TensorModelFields {
  /** The models, at least one; those of the best candidate first. */
  members: readonly CpModel[]
  /**
   * Per member, its weight in the prediction, a sum: for models of several candidates, whose modes may be
   * merged and split in different ways. By default the prediction is the mean, and all have merged and split
   * the same modes.
   */
  weights?: readonly number[]
  /** Correction of predictions by the residuals of neighbouring cells; none by default. */
  neighbours?: Neighbours
  /** Residual quantiles of conformal intervals; without them there are no intervals. */
  intervals?: Intervals
}

/** A prediction, and an interval that contains the value with a given probability. */
export interface Interval {
  /** The prediction. */
  value: number
  /** Lower end of the interval. */
  low: number
  /** Upper end of the interval. */
  high: number
}

/** Predictions and intervals of many cells, in columns. */
export interface IntervalColumns {
  /** The prediction of each cell. */
  values: Float32Array
  /** Lower ends of the intervals. */
  low: Float32Array
  /** Upper ends of the intervals. */
  high: Float32Array
}

/** The models of cross-fits as one model, whose predictions are their mean, or a weighted sum. */
export class CpEnsemble<M extends string = string> extends TensorModel<M> {
  /**
   * The models, each fitted without one fold, or to all entries from one that was; those of the best candidate
   * first.
   */
  readonly members: readonly CpModel[]
  /** Per member, its weight in the prediction; undefined where that is the mean of the members'. */
  declare readonly weights?: readonly number[]
  /** Correction of predictions by the residuals of neighbouring cells; undefined where it does not help. */
  readonly neighbours?: Neighbours
  /** Residual quantiles of conformal intervals; undefined where the file has none. */
  readonly intervals?: Intervals
  /** The modes of the best candidate's factors in terms of the tensor's; undefined where they are the same. */
  readonly reshapedModes?: ReshapedModes
  /** Per mode of the best candidate's factors, the rows without training entries in all of its models. */
  readonly unobserved: readonly Uint32Array[]
  /**
   * Corrects the combined prediction of a cell by the residuals of its neighbours; undefined where that does
   * not help.
   */
  override refine?: (cell: ArrayLike<number>, y: number) => number

  /**
   * Combines models of the same sizes; without weights also of the same reshaping.
   * @param fields the members, and what they share
   */
  constructor(fields: CpEnsembleFields) {
    super(fields)
    const { members, weights, neighbours, intervals } = fields
    if (members.length === 0) throw new InputError('shape', 'An ensemble needs at least one model.')
    for (const { dims, reshaping } of members) {
      if (dims.join() !== this.dims.join())
        throw new InputError(
          'shape',
          `A model of ${dims.join('×')} is none of an ensemble of ${this.dims.join('×')}.`,
        )
      if (!weights && JSON.stringify(reshaping) !== JSON.stringify(members[0].reshaping))
        throw new InputError('shape', 'The models of an ensemble must have merged and split the same modes.')
    }
    if (weights) checkWeights(weights, members.length)
    this.members = members
    if (weights) this.weights = weights
    const { reshapedModes } = members[0]
    if (reshapedModes) this.reshapedModes = reshapedModes
    this.unobserved = members[0].unobserved.map((rows, mode) => {
      const others = leadingMembers({ members, weights })
        .slice(1)
        .map(({ unobserved }) => new Set(unobserved[mode]))
      return rows.filter((row) => others.every((set) => set.has(row)))
    })
    if (intervals) this.intervals = intervals
    if (!neighbours) return
    this.neighbours = neighbours
    // Made at the first prediction: a field of residuals takes memory.
    let correct: ReturnType<typeof corrector> | undefined
    this.refine = (cell, y) => {
      correct ??= corrector(this.dims, neighbours)
      return correct(cell, y)
    }
  }

  /**
   * Predicts one cell with a conformal interval. Throws where none can be given: in rows without entries of
   * which too few others are like them.
   * @param coordinate 0-based indices, or the label of each mode by the mode's name
   * @param level probability that the interval contains the value, between 0 and 1
   */
  interval(coordinate: readonly number[] | Labels<M>, level = 0.9): Interval {
    const around = this.intervalsAt(level)
    const cell = this.indicesOf(coordinate)
    const interval = around(cell, this.predict(cell))
    if (Number.isNaN(interval.low)) throw new InputError('option', this.#refusal(cell))
    return interval
  }

  /**
   * Predicts many cells with conformal intervals; their ends are NaN where none can be given.
   * @param indices one column of 0-based indices per mode
   * @param level probability that an interval contains the value, between 0 and 1
   */
  intervalMany(indices: readonly Uint32Array[], level = 0.9): IntervalColumns {
    const around = this.intervalsAt(level)
    const values = this.predictMany(indices)
    const [low, high] = [new Float32Array(values.length), new Float32Array(values.length)]
    const cell = new Uint32Array(indices.length)
    for (let e = 0; e < values.length; e++) {
      for (let mode = 0; mode < cell.length; mode++) cell[mode] = indices[mode][e]
      const ends = around(cell, values[e])
      low[e] = ends.low
      high[e] = ends.high
    }
    return { values, low, high }
  }

  /**
   * Makes a function that returns the interval of a cell, given by its indices and its prediction; an index
   * below 0 is that of a row that the model does not know. Its ends are NaN where none can be given. Throws
   * if the ensemble was saved without intervals, or the level is out of range.
   * @param level probability that an interval contains the value, between 0 and 1
   */
  intervalsAt(level: number): (cell: ArrayLike<number>, value: number) => Interval {
    const { intervals, observed } = this
    if (!intervals)
      throw new InputError('option', 'This ensemble was saved without what intervals are made of.')
    if (!(level > 0 && level < 1))
      throw new InputError('option', `The chance of the interval is ${level}; it must lie between 0 and 1.`)
    const [min, max] = intervalLimits(intervals, observed ?? { min: -Infinity, max: Infinity })
    // With missing: 'zero', rows without entries count as observed.
    const isUnknown = observed && this.training.missing !== 'zero'
    const inUnusualRows = isUnknown ? emptyRowIntervals(intervals, observed, level) : undefined
    return (cell, value) => {
      const unusual = inUnusualRows ? inUnusualRows(cell, value) : 'usual'
      const ends =
        unusual === 'usual'
          ? intervalAt(intervals, cell, value, supportOf(observed?.counts, cell), level)
          : unusual
      const [low, high] = ends ?? [NaN, NaN]
      return {
        value,
        low: Math.min(value, Math.max(min, value + low)),
        high: Math.max(value, Math.min(max, value + high)),
      }
    }
  }

  /** R, the number of components of the first member; with weights, others may have other ranks. */
  get rank(): number {
    return this.members[0].rank
  }

  /** Why cells in some rows, or groups of rows, without entries, or of fewer than in training, have no interval. */
  get reasonWithoutInterval(): string {
    const isReshaped = this.members.some(({ reshaping }) => reshaping)
    return this.intervals?.emptyRows
      ? tooFewOthers(this.intervals.lost ? 'rows or groups' : 'rows') +
          (isReshaped
            ? ', or they have few entries, which is not tried out where modes are merged or split'
            : '')
      : 'the ensemble was learned without what their intervals are made of, by an older version or within too little time'
  }

  /** The sentence that refuses an interval of a cell, with its rows without entries, or the group of rows that has none. */
  #refusal(cell: ArrayLike<number>): string {
    const describe = (modes: readonly number[]): string =>
      modes.map((mode) => `${modeName(this, mode)} ${this.label(mode, cell[mode])}`).join(' and ')
    const rows = [...this.dims.keys()].filter(
      (mode) => (this.observed?.counts[mode][cell[mode]] ?? 0) < (this.intervals?.leastEntries?.[mode] ?? 1),
    )
    const lost = this.intervals?.lost
    if (rows.length === 0 && lost)
      return `There is no interval for ${describe(lost.modes)} together, of which there are no entries: ${tooFewOthers('groups')}.`
    return `There is no interval for ${describe(rows)}, of which there are no entries, or fewer than in training: ${this.reasonWithoutInterval}.`
  }

  /** The first member as a model, with the labels and statistics of the ensemble. */
  firstModel(): CpModel<M> {
    const { labels, modes, observed } = this
    return new CpModel<M>({ ...this.members[0].fields, labels, modes, observed })
  }

  /**
   * Forecast: an ensemble whose members have more rows after the last one of a mode of time, by their learned
   * priors with lags. It has no intervals, and no correction by neighbours. Throws if a member has no lags.
   * @param horizon how many rows, those of the slowest mode of time
   */
  forecast(horizon: number, options?: ForecastModelOptions): CpEnsemble {
    const { labels, modes, observed, weights, training } = this
    const without = this.members.filter(({ prior }) => !prior?.lags?.some(({ isCyclic }) => !isCyclic)).length
    if (without > 0 && without < this.members.length)
      throw new InputError(
        'option',
        sentence`Of the ${this.members.length} models of the ensemble ${without} were learned without ${option('lags')} of a mode of time, so that nothing follows its last row; forecast from the data.`,
      )
    const members = this.members.map((member) =>
      new CpModel({ ...member.fields, labels, modes, observed }).forecast(horizon, options),
    )
    const { dims, labels: extended, observed: counted } = members[0]
    return new CpEnsemble({
      ...{ dims, labels: extended, modes, observed: counted, weights, training },
      members: members.map(
        ({ fields }) => new CpModel({ ...fields, labels: undefined, observed: undefined }),
      ),
    })
  }

  /**
   * Fold-in: an ensemble with additional rows, which every member solves from new entries while all other rows
   * stay as they are. Intervals in these rows are as in rows of as many entries. Throws if modes of a member
   * were split, or rows of merged modes are to be updated.
   * @param entries entries by label, as in `[{ user: 'eve', film: 'Solaris', stars: 5 }]`, or a tensor
   * @param options name of the value, and whether existing rows are updated, too
   */
  foldIn(entries: Iterable<NewEntry> | SparseTensor, options: FoldInOptions = {}): CpEnsemble<M> {
    const { value = valueNameOf(this), update = false } = options
    const tensor = 'indices' in entries ? align(this, entries) : alignRows(this, entries, value)
    const { modes, weights, neighbours, training } = this
    return new CpEnsemble({
      ...{ modes, weights, neighbours, training },
      ...foldIntoMembers(this, tensor, update),
    })
  }

  /** The components of the first member, and in how many members each is found. */
  components(options?: ComponentsOptions): Component[] {
    return componentsOf(this, options)
  }

  /** How far the members have the same components. */
  stability(): Stability {
    return stabilityOf(this)
  }
}

/** The reason why there is no interval: too few others of which residuals are known. */
const tooFewOthers = (what: string): string =>
  `there are too few other ${what} to try out how far off such a prediction may be`

/** Throws unless there is one weight per member, all at least 0 and finite. */
function checkWeights(weights: readonly number[], members: number): void {
  if (weights.length !== members || !weights.every((weight) => weight >= 0 && Number.isFinite(weight)))
    throw new InputError(
      'shape',
      `An ensemble of ${members} models needs as many weights, each a number from 0.`,
    )
}

/**
 * The support of a cell: the least number of training entries among its rows; 0 if counts, or a row, are not known.
 * @param counts per mode, the entries of each row
 */
export function supportOf(counts: readonly ArrayLike<number>[] | undefined, cell: ArrayLike<number>): number {
  if (!counts) return 0
  let least = Infinity
  for (let mode = 0; mode < counts.length; mode++) least = Math.min(least, counts[mode][cell[mode]] ?? 0)
  return least
}
