/**
 * Lags along the axis of time that are worth a trial: a step, the periods of the calendar where labels are
 * times, and periods found from the entries.
 */
import { modeName } from '../../model/index.ts'
import { type SparseTensor, timeStep } from '../../tensor/index.ts'
import type { Lags } from '../settings/sideInformation.ts'
import { type Autocorrelation, autocorrelation } from './autocorrelation.ts'
import { DAY, timeAxis } from './timeAxis.ts'

/** Largest period in steps that is looked for: a week of quarters of an hour, with some room. */
const LARGEST_PERIOD = 1000
/** Least correlation of entries a period apart. */
const LEAST_CORRELATION = 0.1
/** Least amount by which a multiple of a period must be more correlated to be a period, too. */
const LEAST_GAIN = 0.02

/** The modes that count time, and the distances at which their rows may be similar. */
export interface ProposedAxis {
  /** The modes by number, from the slowest to the fastest. */
  modes: number[]
  /** Lags along the axis: a step and its periods. */
  lags: Lags
  /** Rows of the slowest mode in the shortest period that has several of them; undefined if there is none. */
  period?: number
}

/**
 * The tensor's axis of time with its lags and period; undefined if it has no such axis, or one of two steps.
 * @param modes the axis, if it is known; found by default
 */
export function proposeAxis(tensor: SparseTensor, modes = timeAxis(tensor)): ProposedAxis | undefined {
  const steps = modes?.reduce((product, mode) => product * tensor.dims[mode], 1) ?? 0
  if (!modes || steps < 3) return undefined
  const periods = findPeriods(tensor, modes)
  const lags = { [axisName(tensor, modes)]: [1, ...periods] }
  const perRow = steps / tensor.dims[modes[0]]
  const period = periods.map((length) => length / perRow).find((rows) => rows > 1 && Number.isInteger(rows))
  return { modes, lags, ...(period !== undefined && { period }) }
}

/** Lags for the tensor's axis of time, by the name of the axis; none if it has no such axis. */
export const proposeLags = (tensor: SparseTensor): Lags => proposeAxis(tensor)?.lags ?? {}

/** The axis as `lags` name it: modes joined by +, by their numbers where a name is missing or has a +. */
export function axisName(tensor: Pick<SparseTensor, 'modes'>, axis: readonly number[]): string {
  const isNamed = tensor.modes && !axis.some((mode) => modeName(tensor, mode).includes('+'))
  return axis.map((mode) => (isNamed ? modeName(tensor, mode) : mode + 1)).join('+')
}

/**
 * Periods along an axis of time in steps, ascending; at least two of each fit into the axis. Where the axis is
 * several modes, periods are multiples of the rows of the faster ones.
 * @param axis the modes of the axis by number, from the slowest to the fastest
 */
export function findPeriods(tensor: SparseTensor, axis: readonly number[]): number[] {
  const steps = axis.reduce((product, mode) => product * tensor.dims[mode], 1)
  const perBlock = steps / tensor.dims[axis[0]]
  const largest = Math.floor(steps / 2)
  const calendar = calendarPeriods(tensor, axis).filter((period) => period > 1 && period <= largest)
  const multiple = axis.length > 1 ? perBlock : calendar[0]
  const found = autocorrelation(tensor, axis, Math.min(largest, Math.max(LARGEST_PERIOD, 14 * perBlock)))
  const first = multiple ?? firstPeriod(found)
  const measured = first === undefined ? [] : [first, ...longerPeriod(found, first)]
  const periods = new Set([...calendar, ...measured.filter((period) => period > 1 && period <= largest)])
  return [...periods].sort((a, b) => a - b)
}

/** A day and a week, a year of weeks or months in steps of the axis, where labels or binnings show its step. */
function calendarPeriods(tensor: SparseTensor, axis: readonly number[]): number[] {
  const { dims, modes, labels } = tensor
  const perBlock = axis.slice(1).reduce((product, mode) => product * dims[mode], 1)
  const binning = modes?.[axis[0]].from?.binning
  const step = timeStep(labels?.[axis[0]])
  if (axis.length > 1) return step === DAY ? [perBlock, 7 * perBlock] : [perBlock]
  if (binning === 'month') return [12]
  if (!step) return []
  if (step >= 7 * DAY) return step === 7 * DAY ? [52] : []
  return [DAY / step, (7 * DAY) / step].filter((period) => Number.isInteger(period))
}

/** The least correlation over a number of pairs that counts. */
const significance = (pairs: number): number => Math.max(LEAST_CORRELATION, 4 / Math.sqrt(pairs))

/** Whether entries at a lag are correlated, and more than at all lags near it. */
function isPeak({ correlations, pairs }: Autocorrelation, lag: number): boolean {
  const r = correlations[lag]
  if (!(r > significance(pairs[lag]))) return false
  const reach = Math.max(2, Math.floor(lag / 10))
  for (let other = Math.max(1, lag - reach); other <= lag + reach; other++)
    if (other !== lag && other < correlations.length && correlations[other] >= r) return false
  return lag + 1 < correlations.length
}

/** The least peak of the autocorrelation with at least 0.8 of the largest one; undefined if there is none. */
function firstPeriod(found: Autocorrelation): number | undefined {
  const peaks = Array.from(found.correlations.keys()).filter((lag) => lag > 1 && isPeak(found, lag))
  const most = Math.max(...peaks.map((lag) => found.correlations[lag]))
  return peaks.find((lag) => found.correlations[lag] >= 0.8 * most)
}

/**
 * The least multiple of a period at which entries are correlated about as much as at any, if that is more
 * than at the period.
 */
function longerPeriod({ correlations, pairs }: Autocorrelation, period: number): number[] {
  const multiples: number[] = []
  for (let lag = 2 * period; lag < correlations.length; lag += period)
    if (correlations[lag] > significance(pairs[lag])) multiples.push(lag)
  const most = Math.max(...multiples.map((lag) => correlations[lag]))
  return most >= correlations[period] + LEAST_GAIN
    ? [multiples.find((lag) => correlations[lag] >= most - LEAST_GAIN / 2)!]
    : []
}
