/**
 * Several models of the same data, each of which has not seen a part of it: their mean predicts better than any of them, what
 * they predicted of entries that they had not seen tells how well, and from these residuals come corrections by neighbours and
 * intervals.
 */
import { InputError } from '../../base/inputError.ts'
import { type Component, type ComponentsOptions, componentsOf } from '../answer/components.ts'
import { CpModel } from '../cpModel.ts'
import type { Labels } from '../labelLookup.ts'
import { TensorModel, type TensorModelFields } from '../tensorModel.ts'
import { type Intervals, intervalAt } from './intervals.ts'
import { corrector, type Neighbours } from './neighbours.ts'
import { type Stability, stabilityOf } from './stability.ts'

/** What an ensemble is made of. */
export interface CpEnsembleFields extends TensorModelFields {
  members: readonly CpModel[]
  /** What the residuals of neighbours say, if that helps. */
  neighbours?: Neighbours
  intervals?: Intervals
}

/** A prediction, and the ends of an interval that holds the value with the chance that was asked for. */
export interface Interval {
  value: number
  low: number
  high: number
}

/** The same for many cells. */
export interface IntervalColumns {
  values: Float32Array
  low: Float32Array
  high: Float32Array
}

/** Models of cross-fitting, as one. */
export class CpEnsemble extends TensorModel {
  readonly members: readonly CpModel[]
  readonly neighbours?: Neighbours
  readonly intervals?: Intervals
  readonly reshapedModes: CpModel['reshapedModes']
  /** The rows that no model has seen entries of. */
  readonly unobserved: readonly Uint32Array[]
  override refine?: (cell: ArrayLike<number>, y: number) => number

  constructor(fields: CpEnsembleFields) {
    super(fields)
    const { members, neighbours, intervals } = fields
    if (members.length === 0) throw new InputError('shape', 'An ensemble needs at least one model.')
    for (const { dims, reshaping } of members) {
      if (dims.join() !== this.dims.join())
        throw new InputError(
          'shape',
          `A model of ${dims.join('×')} is none of an ensemble of ${this.dims.join('×')}.`,
        )
      if (JSON.stringify(reshaping) !== JSON.stringify(members[0].reshaping))
        throw new InputError('shape', 'The models of an ensemble must have merged and split the same modes.')
    }
    this.members = members
    this.reshapedModes = members[0].reshapedModes
    this.unobserved = members[0].unobserved.map((rows, mode) => {
      const others = members.slice(1).map(({ unobserved }) => new Set(unobserved[mode]))
      return rows.filter((row) => others.every((set) => set.has(row)))
    })
    if (intervals) this.intervals = intervals
    if (!neighbours) return
    this.neighbours = neighbours
    // Only what is asked for: a field of residuals takes memory.
    let correct: ReturnType<typeof corrector> | undefined
    this.refine = (cell, y) => {
      correct ??= corrector(this.dims, neighbours)
      return correct(cell, y)
    }
  }

  /** The prediction, and an interval that holds the value with this chance. */
  interval(coordinate: readonly number[] | Labels, level = 0.9): Interval {
    const around = this.intervalsAt(level)
    const cell = this.indicesOf(coordinate)
    return around(cell, this.predict(cell))
  }

  /** Predictions at many cells, given as one column of 0-based indices per mode, and an interval around each. */
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

  /** Tells the interval around what is predicted of a cell, by its indices. */
  intervalsAt(level: number): (cell: ArrayLike<number>, value: number) => Interval {
    const { intervals } = this
    if (!intervals)
      throw new InputError('option', 'This ensemble was saved without what intervals are made of.')
    if (!(level > 0 && level < 1))
      throw new InputError('option', `The chance of the interval is ${level}; it must lie between 0 and 1.`)
    // Values stay within those that were seen, and what is predicted is always inside.
    const { min, max } = this.observed ?? { min: -Infinity, max: Infinity }
    return (cell, value) => {
      const support = supportOf(this.observed?.counts, cell)
      const [low, high] = intervalAt(intervals, cell, value, support, level)
      return {
        value,
        low: Math.min(value, Math.max(min, value + low)),
        high: Math.max(value, Math.min(max, value + high)),
      }
    }
  }

  /** The first of the models, with the labels of all. */
  firstModel(): CpModel {
    const { labels, modes, observed } = this
    return new CpModel({ ...this.members[0].fields, labels, modes, observed })
  }

  /** The components of the first model, and in how many of the models each is found. */
  components(options?: ComponentsOptions): Component[] {
    return componentsOf(this, options)
  }

  /** How far the models have the same components. */
  stability(): Stability {
    return stabilityOf(this)
  }
}

/** The entries of that of a cell's rows that has fewest. */
export function supportOf(counts: readonly ArrayLike<number>[] | undefined, cell: ArrayLike<number>): number {
  if (!counts) return 0
  let least = Infinity
  for (let mode = 0; mode < counts.length; mode++) least = Math.min(least, counts[mode][cell[mode]])
  return least
}
