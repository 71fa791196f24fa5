/** Rows after the last one of a mode of time: their labels, and tensors with such rows, which have no entries. */
import { InputError, option, sentence } from '../../base/inputError.ts'
import { type ColumnType, labelFinder, toLabel } from '../../labels/index.ts'
import { MAX_INDEX, type Mode, type SparseTensor } from '../../tensor/index.ts'
import { modeName } from '../factored.ts'
import { type TimeGrid, timeGrid } from './timeGrid.ts'

/** Most rows that are inserted into gaps, per row that there is; with more the labels are no series. */
const MOST_INSERTED = 2
/** Most rows that are added up to a label, per row that there is and at all: with more the label is a typing error. */
const MOST_ADDED = { perRow: 10, always: 1000 } as const

/** A tensor with rows after the last one of a mode of time. */
export interface ExtendedTime {
  /** The tensor, whose entries have the rows of the new labels. */
  tensor: SparseTensor
  /** The first row after those of the given tensor. */
  first: number
  /** Labels that were inserted between others, because steps were missing. */
  inserted: readonly string[]
}

/** Throws unless the horizon is a whole number from 1. */
export function checkHorizon(horizon: number): void {
  if (!Number.isSafeInteger(horizon) || horizon < 1)
    throw new InputError(
      'option',
      sentence`${option('horizon')} is ${horizon}; it must be a whole number from 1, of steps ahead.`,
    )
}

/**
 * The labels after the last one of a mode; undefined where rows are called by their index.
 * @param mode from 0
 * @param step as `timeGrid` takes it
 */
export function futureLabels(
  { labels, modes }: Pick<SparseTensor, 'labels' | 'modes'>,
  mode: number,
  horizon: number,
  step?: string,
): string[] | undefined {
  const own = labels?.[mode]
  if (!own) return undefined
  const grid = timeGrid(own, modes?.[mode] ?? { name: modeName({ modes }, mode) }, step)
  if (step !== undefined) refuseLongStep(grid, modeName({ modes }, mode), step)
  const last = grid.positions[grid.positions.length - 1]
  const future = Array.from({ length: horizon }, (_, k) => grid.labelAt(last + (k + 1) * grid.step))
  if (step !== undefined && new Set([own[own.length - 1], ...future]).size <= future.length)
    throw new InputError(
      'option',
      sentence`${option('step')} is ${step}, but labels of ${modeName({ modes }, mode)}, as ${own[own.length - 1]}, do not tell such steps apart; give a longer one, or leave it out.`,
    )
  return future
}

/**
 * Adds rows without entries after the last one of a mode of time, and where steps are missing between its labels:
 * rows are then equally far apart, so that distances between them are times.
 * @param mode from 0
 * @param horizon how many rows, from 0
 * @param step as `timeGrid` takes it
 */
export function extendTime(tensor: SparseTensor, mode: number, horizon: number, step?: string): ExtendedTime {
  const { dims, labels, modes, indices } = tensor
  const own = labels?.[mode]
  const resize = (rows: number): number[] => dims.with(mode, rows)
  if (!own)
    return { tensor: { ...tensor, dims: resize(dims[mode] + horizon) }, first: dims[mode], inserted: [] }
  const grid = timeGrid(own, modes?.[mode] ?? { name: modeName({ modes }, mode) }, step)
  const [begin] = grid.positions
  const rows = grid.positions.map((position) => (position - begin) / grid.step)
  const rounded = rows.map(Math.round)
  const isOnGrid =
    rows.every(
      (row, at) => Math.abs(row - rounded[at]) < 1e-6 && (at === 0 || rounded[at] > rounded[at - 1]),
    ) && rounded[rounded.length - 1] < (1 + MOST_INSERTED) * rounded.length
  const future = futureLabels(tensor, mode, horizon, step)!
  if (!isOnGrid || rounded[rounded.length - 1] === rounded.length - 1)
    return {
      tensor: {
        ...tensor,
        dims: resize(dims[mode] + horizon),
        labels: labels.with(mode, [...own, ...future]),
      },
      first: dims[mode],
      inserted: [],
    }
  const count = rounded[rounded.length - 1] + 1
  const all: string[] = []
  const inserted: string[] = []
  for (let row = 0, at = 0; row < count; row++) {
    if (rounded[at] === row) all.push(own[at++])
    else {
      all.push(grid.labelAt(begin + row * grid.step))
      inserted.push(all[row])
    }
  }
  const moved = Uint32Array.from(indices[mode], (row) => rounded[row])
  return {
    tensor: {
      ...tensor,
      dims: resize(count + horizon),
      labels: labels.with(mode, [...all, ...future]),
      indices: indices.with(mode, moved),
    },
    first: count,
    inserted,
  }
}

/** Throws if most rows follow one another by less than the step that was given. */
function refuseLongStep(grid: TimeGrid, name: string, step: string): void {
  const distances = grid.positions.slice(1).map((position, at) => (position - grid.positions[at]) / grid.step)
  const closer = distances.filter((distance) => distance < 1 - 1e-6)
  if (2 * closer.length <= distances.length) return
  const perStep = Math.round(1 / closer.toSorted((a, b) => a - b)[Math.floor(closer.length / 2)])
  throw new InputError(
    'option',
    sentence`${option('step')} is ${step}, but ${name} has about ${perStep} rows in each; leave it out and give ${option('horizon')} in rows, or bin the times, as in the mode day(${name}).`,
  )
}

/**
 * Adds rows without entries after the last one of a mode, up to the one with a label, which may be written in any
 * form; a number of rows in a mode without labels. Throws unless the label lies whole steps after the last one, and not
 * far beyond the rows that there are.
 * @param mode from 0
 */
export function extendTo(tensor: SparseTensor, mode: number, label: string): SparseTensor {
  const { dims, labels, modes } = tensor
  const about = modes?.[mode] ?? { name: modeName({ modes }, mode) }
  const own = labels?.[mode]
  const last = own ? own[own.length - 1] : String(dims[mode])
  const refuse = (): InputError =>
    new InputError(
      'option',
      sentence`${option('extend')}: ${about.name} ${label} is no whole number of steps after ${last}, the last row; give one that is.`,
    )
  if (!own) {
    const rows = Number(label)
    if (!Number.isSafeInteger(rows) || rows <= dims[mode] || rows > MAX_INDEX) throw refuse()
    return { ...tensor, dims: dims.with(mode, rows) }
  }
  const wanted = toLabel(label, about)
  if (labelFinder(own, (about.type ?? 'VARCHAR') as ColumnType)(wanted) !== undefined) throw refuse()
  const { step, positions } = timeGrid(own, about)
  const steps = (positionAfter(own, wanted, about) - positions[positions.length - 1]) / step
  const count = Math.round(steps)
  // Of a label that is no time, as 2024-02-31, steps are NaN.
  if (!(count >= 1 && count <= MAX_INDEX - dims[mode] && Math.abs(steps - count) <= 1e-6)) throw refuse()
  if (count > Math.max(MOST_ADDED.always, MOST_ADDED.perRow * own.length))
    throw new InputError(
      'option',
      sentence`${option('extend')}: ${about.name} ${label} is ${count} steps after ${last}, and there are ${own.length} rows; give one that is nearer.`,
    )
  return addLabels(tensor, mode, futureLabels(tensor, mode, count)!)
}

/** The position of a label on the grid of those before it; NaN if it does not come after them. */
function positionAfter(labels: readonly string[], label: string, mode: Mode): number {
  try {
    return timeGrid([...labels, label], mode).positions[labels.length]
  } catch (error) {
    if (error instanceof InputError) return NaN
    throw error
  }
}

/** Adds rows without entries at the end of a mode. @param added their labels */
export const addLabels = (tensor: SparseTensor, mode: number, added: readonly string[]): SparseTensor => ({
  ...tensor,
  dims: tensor.dims.with(mode, tensor.dims[mode] + added.length),
  labels: tensor.labels?.with(mode, [...tensor.labels[mode]!, ...added]),
})
