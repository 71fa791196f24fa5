/**
 * Which modes of a tensor are its axis of time: those whose labels are times, a date and an hour of the day, a
 * week and a weekday; by their names if there are no such labels; or else by the autocorrelation of the entries.
 */
import { type SparseTensor, timeStep } from '../../tensor/index.ts'
import { autocorrelation } from './autocorrelation.ts'

/** Milliseconds per day. */
export const DAY = 24 * 3600 * 1000
/** Fewest rows of a mode that is found to be time by its entries. */
const FEWEST_ROWS = 15
/** Least correlation of consecutive rows of a mode that is found to be time by its entries. */
const LEAST_SMOOTHNESS = 0.6
/** Least amount by which rows a week apart are more correlated than those a day less or more. */
const LEAST_WEEKLY = 0.15

/** The part of time that the rows of a mode are. */
type Scale = 'time' | 'date' | 'week' | 'weekday' | 'clock'

/**
 * The modes of the tensor that are one axis of time, by number from the slowest to the fastest; undefined if
 * there is none, or several could be.
 */
export function timeAxis(tensor: SparseTensor): number[] | undefined {
  const scales = tensor.dims.map((_, mode) => scaleOfLabels(tensor, mode) ?? scaleOfName(tensor, mode))
  return axisOfScales(scales) ?? (scales.every((scale) => !scale) ? axisOfEntries(tensor) : undefined)
}

/** The modes of an axis from the scales of all modes; undefined if they are no axis, or not one alone. */
function axisOfScales(scales: readonly (Scale | undefined)[]): number[] | undefined {
  const isKnown = (scale: Scale): boolean => scales.filter((other) => other === scale).length === 1
  const kinds = scales
    .filter((scale) => scale !== undefined)
    .sort()
    .join()
  const axes: Record<string, readonly Scale[]> = {
    time: ['time'],
    date: ['date'],
    week: ['week'],
    clock: ['clock'],
    'clock,date': ['date', 'clock'],
    'week,weekday': ['week', 'weekday'],
    'clock,week,weekday': ['week', 'weekday', 'clock'],
    // The weekday follows from the date, so that it is no part of the axis beside one.
    'date,weekday': ['date'],
    'clock,date,weekday': ['date', 'clock'],
  }
  const axis = axes[kinds]
  return axis?.every(isKnown) ? axis.map((scale) => scales.indexOf(scale)) : undefined
}

/** The scale of a mode by its type, its binning and its labels; undefined if they do not show it. */
function scaleOfLabels({ modes, labels }: SparseTensor, mode: number): Scale | undefined {
  const binning = modes?.[mode].from?.binning
  if (binning === 'week' || binning === 'weekday') return binning
  if (binning === 'hour') return 'clock'
  if (binning === 'day') return 'date'
  if (binning === 'year' || binning === 'month' || binning === 'weeks') return 'time'
  const step = timeStep(labels?.[mode])
  if (step === undefined) return undefined
  return labels![mode]!.every((label) => label.length === 10) ? (step === 7 * DAY ? 'week' : 'date') : 'time'
}

/** Words in the names of modes, and the scales that they mean. */
const WORDS: readonly (readonly [Scale, RegExp])[] = [
  ['weekday', /^(weekday|dow|dayofweek)$/],
  ['clock', /^(hour|minute|slot|interval|clock|timeofday)s?$/],
  ['date', /^(day|date)s?$/],
  ['week', /^weeks?$/],
  ['time', /^(time|timestamp|datetime|month|year|quarter|period)s?$/],
]

/**
 * The scale of a mode by the words of its name; undefined if there are none, or its labels are neither numbers
 * in ascending order nor missing.
 */
function scaleOfName({ modes, labels }: SparseTensor, mode: number): Scale | undefined {
  const numbers = labels?.[mode]?.map((label) => (label.trim() === '' ? NaN : Number(label)))
  if (numbers && !numbers.every((x, row) => (row === 0 ? !Number.isNaN(x) : x > numbers[row - 1]))) return
  const words = modes?.[mode].name.toLowerCase().split(/[^a-z]+/) ?? []
  return WORDS.find(([, pattern]) => words.some((word) => pattern.test(word)))?.[0]
}

/**
 * The axis by autocorrelation, for modes without names and labels: the one mode whose consecutive rows are alike,
 * after a mode whose rows are alike a week apart, if there is one.
 */
function axisOfEntries(tensor: SparseTensor): number[] | undefined {
  if (tensor.labels?.some((labels) => labels)) return undefined
  const correlations = tensor.dims.map((rows, mode) =>
    rows < FEWEST_ROWS ? new Float64Array(9) : autocorrelation(tensor, [mode], 8).correlations,
  )
  const modesWhere = (is: (r: Float64Array) => boolean): number[] =>
    correlations.flatMap((r, mode) => (is(r) ? [mode] : []))
  const smooth = modesWhere((r) => r[1] >= LEAST_SMOOTHNESS && r[1] > r[2])
  const weekly = modesWhere((r) => r[7] >= LEAST_WEEKLY + Math.max(r[6], r[8]))
  const [fast] = smooth
  if (smooth.length !== 1 || weekly.length > 1) return undefined
  return weekly.length === 1 && weekly[0] !== fast ? [weekly[0], fast] : [fast]
}
