/**
 * Proposals of the search for the best settings: reshapings, lags and links that are worth a trial, from the
 * sizes, the values and the time axis of a tensor.
 */
import { type FoldBy, resolveReshaping, type SparseTensor } from '../../tensor/index.ts'
import { mayLearnPrior } from '../settings/checkSettings.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import type { Lags } from '../settings/sideInformation.ts'
import type { ProposedAxis } from '../time/proposeLags.ts'
import type { TrialChanges } from './trials.ts'

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
 * time axis with its lags; and the slowest mode of time split by its period, also together with a merged pair. Where the
 * options merge or split modes, others are proposed beside them. Nothing is proposed where the options give lags or
 * attributes.
 * @param by what stays together in a fold: a merged mode whose rows would lie in one fold is of no use
 * @param time the axis of time, if there is one
 * @returns changes of the options; the first one changes nothing
 */
export function proposeShapes(
  tensor: SparseTensor,
  options: RunOptions,
  by: FoldBy,
  time?: ProposedAxis,
): TrialChanges[] {
  const settings = settingsOf(options)
  if (Object.keys(settings.lags).length > 0 || options.features !== undefined) return [{}]
  const given = { mergeModes: settings.mergeModes, split: settings.split }
  const resolved = resolveReshaping(given, tensor)
  const taken = new Set([...resolved.mergeModes.flat(), ...resolved.split.map(({ mode }) => mode)])
  const isFree = (modes: readonly number[]): boolean => !modes.some((mode) => taken.has(mode))
  const axis = time && isFree(time.modes) && mayLearnPrior(settings) ? time : undefined
  const series = axis ? proposeSeries(tensor, axis).filter(({ mergeModes: [modes] }) => isFree(modes)) : []
  const pairs = proposePairs(tensor, by).filter(
    (pair) => isFree(pair) && !series.some(({ mergeModes }) => isSame(mergeModes[0], pair)),
  )
  const split = axis?.period === undefined ? undefined : [{ mode: axis.modes[0], into: axis.period }]
  const apart = pairs.filter((pair) => axis && !pair.includes(axis.modes[0]))
  const shapes: TrialChanges[] = [
    ...(axis ? [{ lags: axis.lags }] : []),
    ...series,
    ...pairs.map((pair) => ({ mergeModes: [pair] })),
    ...(split ? [{ split }, ...apart.map((pair) => ({ mergeModes: [pair], split }))] : []),
  ]
  return [{}, ...shapes.map((shape) => besideGiven(shape, given))]
}

/** A shape with the merged and split modes of the options beside its own. */
const besideGiven = (
  { mergeModes, split, ...others }: TrialChanges,
  given: Required<Pick<TrialChanges, 'mergeModes' | 'split'>>,
): TrialChanges => ({
  ...others,
  ...(mergeModes && { mergeModes: [...given.mergeModes, ...mergeModes] }),
  ...(split && { split: [...given.split, ...split] }),
})

/** Whether two pairs of modes are the same. */
const isSame = (a: readonly number[], b: readonly number[]): boolean => a.every((mode) => b.includes(mode))

/**
 * Time as one mode, with lags: the two modes of the axis merged. Where one mode was found to count time, of a
 * tensor without labels, each other mode may count its blocks.
 */
function proposeSeries(
  { dims, labels }: SparseTensor,
  { modes, lags }: ProposedAxis,
): { mergeModes: number[][]; lags: Lags }[] {
  if (dims.length < 3) return []
  if (modes.length === 2) return [{ mergeModes: [[...modes].sort((a, b) => a - b)], lags }]
  if (modes.length > 2 || labels?.some((some) => some)) return []
  const [fast] = modes
  return dims.flatMap((rows, slow) =>
    slow === fast || rows * dims[fast] > MOST_MERGED_ROWS
      ? []
      : [
          {
            mergeModes: [[Math.min(slow, fast), Math.max(slow, fast)]],
            lags: { [`${slow + 1}+${fast + 1}`]: [1, dims[fast]] },
          },
        ],
  )
}

/** Pairs of modes that can be merged: not too many rows, and rows that no fold leaves empty. */
function proposePairs({ dims, values }: SparseTensor, by: FoldBy): number[][] {
  if (dims.length < 3 || dims.length > MOST_ORDER) return []
  const pairs = dims.flatMap((_, i) => dims.slice(i + 1).map((_, j) => [i, i + 1 + j]))
  const rowsOf = ([i, j]: number[]): number => dims[i] * dims[j]
  const isLeftOutWhole = (pair: number[]): boolean => by.every(({ mode }) => pair.includes(mode))
  const mostRows = Math.min(MOST_MERGED_ROWS, values.length / LEAST_ENTRIES_PER_ROW)
  return pairs
    .filter((pair) => rowsOf(pair) <= mostRows && !isLeftOutWhole(pair))
    .sort((a, b) => rowsOf(a) - rowsOf(b))
    .slice(0, MOST_PAIRS)
}

/**
 * Proposes an autoregressive prior for time that is one mode, with lags before each period, too: a seasonal
 * autoregression. None for changes without such lags.
 */
export function proposeAutoregression({ mergeModes = [], lags = {} }: TrialChanges): TrialChanges[] {
  const [axis] = Object.keys(lags)
  if (mergeModes.length !== 1 || axis === undefined) return []
  const seasonal = lags[axis].flatMap((lag) => (lag > 1 ? [lag, lag + 1] : [lag]))
  return [{ timePrior: 'autoregressive', lags: { [axis]: seasonal } }]
}

/**
 * Proposes links beside the one of the options: the square root, where values vary much; none where the
 * options give a link, or values are negative.
 */
export function proposeLinks({ values }: SparseTensor, options: RunOptions): TrialChanges[] {
  if (settingsOf(options).link !== 'identity' || options.link !== undefined) return []
  let [sum, squares] = [0, 0]
  for (const x of values) {
    if (x < 0) return []
    sum += x
    squares += x * x
  }
  const mean = sum / values.length
  const deviation = Math.sqrt(Math.max(0, squares / values.length - mean * mean))
  return deviation >= LEAST_VARIATION * mean ? [{ link: 'sqrt' }] : []
}
