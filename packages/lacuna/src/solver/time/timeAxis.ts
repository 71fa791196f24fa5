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

/** Rows of a mode of hours per day. */
const HOURS_OF_DAY = 24
/** Least amount by which rows a day apart are more correlated than those half a day apart, where rows are hours. */
const LEAST_DAILY = 0.3
/** Least rank correlation of rows with their means from which they count as sorted. */
const SORTED = 0.97

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
  if (areClockTimes(labels?.[mode])) return 'clock'
  const step = timeStep(labels?.[mode])
  if (step === undefined) return undefined
  return labels![mode]!.every((label) => label.length === 10) ? (step === 7 * DAY ? 'week' : 'date') : 'time'
}

/** Whether labels are times of a day, as in 08:30 or 8:30:00, in ascending order. */
function areClockTimes(labels: readonly string[] | undefined): boolean {
  if (!labels || labels.length < 2) return false
  let last = -1
  return labels.every((label) => {
    const [, hour, minute, second = '0'] = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(label) ?? []
    const seconds = 3600 * Number(hour) + 60 * Number(minute) + Number(second)
    const isLater = seconds > last
    last = seconds
    return isLater
  })
}

/** Words in the names of modes, and the scales that they mean: in English, German, French and Spanish. */
const WORDS: readonly (readonly [Scale, RegExp])[] = [
  ['weekday', /^(weekdays?|dow|dayofweek|wochentage?|jourdelasemaine)$/],
  ['clock', /^((hour|minute|slot|interval|clock|timeofday|heure|hora)s?|stunden?|uhrzeit(en)?)$/],
  ['date', /^((day|date|jour|dia|fecha)s?|tage|datum)$/],
  ['week', /^((week|semaine|semana)s?|wochen?)$/],
  [
    'time',
    /^((time|timestamp|datetime|month|year|quarter|period)s?|zeit(en)?|zeitpunkte?|monate?|jahre?|mois|annees?|mes|meses|anos?)$/,
  ],
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
    rows < FEWEST_ROWS || isSortedBySize(tensor, mode)
      ? new Float64Array(9)
      : autocorrelation(tensor, [mode], HOURS_OF_DAY + 1).correlations,
  )
  const modesWhere = (is: (r: Float64Array) => boolean): number[] =>
    correlations.flatMap((r, mode) => (is(r) ? [mode] : []))
  const smooth = modesWhere((r) => r[1] >= LEAST_SMOOTHNESS && r[1] > r[2])
  const weekly = modesWhere((r) => r[7] >= LEAST_WEEKLY + Math.max(r[6], r[8]))
  const hourly = modesWhere(isHourly)
  const [fast] = smooth.length > 0 ? smooth : hourly
  if (smooth.length > 1 || fast === undefined || weekly.length > 1) return undefined
  if (smooth.length === 0 && hourly.length > 1) return undefined
  return weekly.length === 1 && weekly[0] !== fast ? [weekly[0], fast] : [fast]
}

/** Whether rows are alike a day apart, as hours are, more than an hour less or more and half a day apart. */
const isHourly = (r: Float64Array): boolean =>
  r[1] > r[2] &&
  r[HOURS_OF_DAY] >= LEAST_DAILY + r[HOURS_OF_DAY / 2] &&
  r[HOURS_OF_DAY] > Math.max(r[HOURS_OF_DAY - 1], r[HOURS_OF_DAY + 1])

/** Whether the rows of a mode are in the order of their means, as places by their size: neighbours are alike, but not in time. */
function isSortedBySize({ dims, indices, values }: SparseTensor, mode: number): boolean {
  const sums = new Float64Array(dims[mode])
  const entries = new Float64Array(dims[mode])
  values.forEach((x, e) => {
    sums[indices[mode][e]] += x
    entries[indices[mode][e]]++
  })
  const rows = Array.from(sums.keys()).filter((row) => entries[row] > 0)
  const order = rows.toSorted((a, b) => sums[a] / entries[a] - sums[b] / entries[b])
  // Spearman's rank correlation of the rows with their means.
  const rankOf = new Map(order.map((row, rank) => [row, rank]))
  const n = rows.length
  const squares = rows.reduce((sum, row, at) => sum + (rankOf.get(row)! - at) ** 2, 0)
  return n > 2 && Math.abs(1 - (6 * squares) / (n * (n * n - 1))) >= SORTED
}
