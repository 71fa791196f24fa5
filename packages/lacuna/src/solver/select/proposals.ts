/**
 * Proposals of the search for the best settings: reshapings, lags and links that are worth a trial, from the
 * sizes, the values and the time axis of a tensor.
 */
import type { FoldBy, SparseTensor } from '../../tensor/index.ts'
import { mayLearnPrior } from '../settings/checkSettings.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import type { Lags } from '../settings/sideInformation.ts'
import type { TrialChanges } from './trials.ts'

/** The modes that count time, and the distances at which their rows are similar. */
export interface TimeAxis {
  /** Modes from the slowest to the fastest. */
  modes: readonly number[]
  /** Lags along the axis. */
  lags: Lags
  /** Rows of a period, where one mode counts time and spans several periods. */
  period?: number
}

/** The most modes of a tensor whose pairs are tried. */
const MOST_ORDER = 5
/** The most pairs of modes that are tried, those with the fewest rows first. */
const MOST_PAIRS = 6
/** The least number of entries per row of a merged mode, on average. */
const LEAST_ENTRIES_PER_ROW = 2
/** The most rows of a merged mode. */
const MOST_MERGED_ROWS = 50_000
/** Links are tried where the standard deviation of the values is at least this fraction of their mean. */
const LEAST_VARIATION = 0.5

/**
 * Proposes reshapings and lags: none; lags along the time axis; each pair of modes merged, the modes of the
 * time axis with its lags; and time split by its period, also together with a merged pair. Nothing is
 * proposed where the options give lags or a reshaping themselves.
 * @param by what stays together in a fold: a merged mode whose rows would lie in one fold is of no use
 * @returns changes of the options; the first one changes nothing
 */
export function proposeShapes(
  tensor: SparseTensor,
  options: RunOptions,
  by: FoldBy,
  time: TimeAxis | undefined = undefined,
): TrialChanges[] {
  const settings = settingsOf(options)
  const isGiven =
    settings.mergeModes.length + settings.split.length > 0 ||
    Object.keys(settings.lags).length > 0 ||
    options.features !== undefined
  if (isGiven) return [{}]
  const lagsAllowed = time !== undefined && mayLearnPrior(settings)
  const pairs = proposePairs(tensor, by, lagsAllowed ? time : undefined)
  const split = time?.period !== undefined ? [{ mode: time.modes[0], into: time.period }] : undefined
  const proposals: TrialChanges[] = [{}]
  if (lagsAllowed) proposals.push({ lags: time.lags })
  for (const pair of pairs) {
    const isTime = time?.modes.length === 2 && time.modes.every((mode) => pair.includes(mode))
    proposals.push({ mergeModes: [pair], ...(isTime && { lags: time.lags }) })
  }
  if (split) {
    proposals.push({ split })
    for (const pair of pairs)
      if (!pair.includes(time!.modes[0])) proposals.push({ mergeModes: [pair], split })
  }
  return proposals
}

/**
 * Pairs of modes that can be merged: not too many rows, and rows that are not empty where a fold is left out,
 * except along a time axis, where lags fill them.
 */
function proposePairs({ dims, values }: SparseTensor, by: FoldBy, time: TimeAxis | undefined): number[][] {
  if (dims.length < 3 || dims.length > MOST_ORDER) return []
  const pairs = dims.flatMap((_, i) => dims.slice(i + 1).map((_, j) => [i, i + 1 + j]))
  const rowsOf = ([i, j]: number[]): number => dims[i] * dims[j]
  const isTime = (pair: number[]): boolean =>
    time?.modes.length === 2 && time.modes.every((mode) => pair.includes(mode))
  const isLeftOutWhole = (pair: number[]): boolean => by.every(({ mode }) => pair.includes(mode))
  const mostRows = Math.min(MOST_MERGED_ROWS, values.length / LEAST_ENTRIES_PER_ROW)
  return pairs
    .filter((pair) => rowsOf(pair) <= mostRows && (isTime(pair) || !isLeftOutWhole(pair)))
    .sort((a, b) => rowsOf(a) - rowsOf(b))
    .slice(0, MOST_PAIRS)
}

/**
 * Proposes links beside the one of the options: the square root, where values vary much; none where the
 * options give a link.
 */
export function proposeLinks({ values }: SparseTensor, options: RunOptions): TrialChanges[] {
  if (settingsOf(options).link !== 'identity' || options.link !== undefined) return []
  let [sum, squares] = [0, 0]
  for (const x of values) {
    sum += x
    squares += x * x
  }
  const mean = sum / values.length
  const deviation = Math.sqrt(Math.max(0, squares / values.length - mean * mean))
  return deviation >= LEAST_VARIATION * mean ? [{ link: 'sqrt' }] : []
}
