/** Summaries of tensors and models for the page. */
import { CpModel, describeTensor, type ErrorSummary, type SparseTensor } from 'lacuna'
import { CpEnsemble, type OutOfFold } from 'lacuna/folds'
import type { TensorModel } from 'lacuna/internal'
import type { Bin, DataSummary, ModelSummary, ModeSummary } from '../protocol.ts'

/** A mode of a tensor or a model. */
type Mode = NonNullable<SparseTensor['modes']>[number]

/** The largest number of bins of a histogram. */
const BINS = 32
/** Up to this number of rows, a mode is shown row by row. */
const FEW_ROWS = 80
/** The number of points that show the entries per row of a larger mode. */
const POINTS = 120

/** The name of a mode as the page shows it. */
export const modeTitle = (tensor: Pick<SparseTensor, 'modes'>, mode: number): string =>
  tensor.modes?.[mode]?.name ?? `mode ${mode + 1}`

/** Summarizes a tensor. @param remarks sentences about how it was read */
export function summarizeData(tensor: SparseTensor, remarks: string[]): DataSummary {
  const { entries, density, values, modes } = describeTensor(tensor)
  return {
    entries,
    density,
    remarks,
    values: { ...values, bins: histogram(tensor.values, values.min, values.max) },
    modes: tensor.dims.map((size, mode) => ({
      name: modeTitle(tensor, mode),
      size,
      labelled: tensor.labels?.[mode] !== undefined,
      ...summarizeRows(tensor.indices[mode], size),
      most: modes[mode].max,
      median: modes[mode].median,
      empty: modes[mode].empty,
    })),
  }
}

/**
 * Counts values: one bin per value if there are at most BINS different ones, else BINS bins of equal width.
 */
function histogram(values: Float32Array, min: number, max: number): Bin[] {
  const distinct = new Set<number>()
  for (let e = 0; e < values.length && distinct.size <= BINS; e++) distinct.add(values[e])
  // Ratings and small counts are shown value by value.
  if (distinct.size <= BINS) {
    const counts = new Map([...distinct].sort((a, b) => a - b).map((value) => [value, 0]))
    for (const x of values) counts.set(x, counts.get(x)! + 1)
    return Array.from(counts, ([value, entries]) => ({ from: value, to: value, entries }))
  }
  const counts = new Uint32Array(BINS)
  const width = (max - min) / BINS
  for (const x of values) counts[Math.min(BINS - 1, Math.floor((x - min) / width))]++
  return Array.from(counts, (entries, b) => ({ from: min + b * width, to: min + (b + 1) * width, entries }))
}

/**
 * The entries per row of a mode: in the order of the rows up to FEW_ROWS rows, else POINTS of them from the
 * fullest row to the emptiest.
 * @param column the row of each entry
 */
function summarizeRows(column: Uint32Array, size: number): Pick<ModeSummary, 'rows' | 'inOrder'> {
  const counts = countEntries(column, size)
  if (size <= FEW_ROWS) return { rows: Array.from(counts), inOrder: true }
  const sorted = counts.sort().reverse()
  const points = Math.min(POINTS, sorted.length)
  const rows = Array.from(
    { length: points },
    (_, p) => sorted[Math.round((p * (sorted.length - 1)) / (points - 1))],
  )
  return { rows, inOrder: false }
}

/** Entries per row; for a mode with more than 2²⁶ rows, of the rows that have any. */
function countEntries(column: Uint32Array, size: number): Uint32Array {
  if (size <= 2 ** 26) {
    const counts = new Uint32Array(size)
    for (const row of column) counts[row]++
    return counts
  }
  const counts = new Map<number, number>()
  for (const row of column) counts.set(row, (counts.get(row) ?? 0) + 1)
  return Uint32Array.from(counts.values())
}

/**
 * Summarizes a model.
 * @param extra what a run adds to the summary
 * @param extended the model with rows of the user's own
 */
export function summarizeModel(
  model: TensorModel,
  extra: Partial<ModelSummary> = {},
  extended: TensorModel = model,
): ModelSummary {
  return {
    rank: model.members[0].rank,
    models: model.members.length,
    ...readOutOfFold(model),
    ...recordedErrors(model),
    observed: false,
    hasIntervals: hasIntervals(model),
    modes: model.dims.map((size, mode) => ({
      name: modeTitle(model, mode),
      size,
      labelled: model.labels?.[mode] !== undefined,
      isTime: isTimeMode(model.modes?.[mode]),
      ...(extended.dims[mode] > size && { own: extended.dims[mode] - size }),
    })),
    range: model.range,
    ...extra,
  }
}

/** The out-of-fold error in a model's training record, checked because any program can write such a file. */
function readOutOfFold({ training }: TensorModel): Pick<ModelSummary, 'outOfFold'> {
  const { error, by, verdict, withoutNeighbours } = (training.outOfFold ?? {}) as Partial<OutOfFold>
  if (typeof error?.rmse !== 'number' || typeof by !== 'string' || typeof verdict !== 'string') return {}
  return { outOfFold: { rmse: error.rmse, by, verdict, hasNeighbours: withoutNeighbours !== undefined } }
}

/**
 * The errors in a model's training record, on the entries it was learned from and on those held out; checked because
 * any program can write such a file.
 */
export function recordedErrors({
  training,
}: Pick<TensorModel, 'training'>): Pick<ModelSummary, 'train' | 'validation'> {
  const isError = (error: unknown): error is ErrorSummary =>
    typeof (error as Partial<ErrorSummary> | undefined)?.rmse === 'number'
  const { train, validation } = training
  return { ...(isError(train) && { train }), ...(isError(validation) && { validation }) }
}

/** Words of the names of modes of time. */
const TIME =
  /^(year|quarter|month|week|day|weekday|hour|minute|second|time|timestamp|date|slot|period|when)s?$/

/** Whether a mode is one of times, by its type, its binning or the words of its name. */
export function isTimeMode(mode: Mode | undefined): boolean {
  if (!mode) return false
  if (/^(DATE|TIME)/.test(mode.type ?? '')) return true
  const words = `${mode.name} ${mode.from?.binning ?? ''}`.replaceAll(/([a-z])([A-Z])/g, '$1 $2')
  return words
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => TIME.test(word))
}

/** Whether a model has prediction intervals: an ensemble with residuals, or a model with a learned prior. */
const hasIntervals = (model: TensorModel): boolean =>
  model instanceof CpModel
    ? model.prior?.kind === 'learned' && model.observed !== undefined && !model.reshaping
    : model instanceof CpEnsemble && model.intervals !== undefined
