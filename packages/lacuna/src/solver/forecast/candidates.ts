/** Settings that are tried for a forecast: reshaping, rank, prior of rows in time, and link. */
import { option } from '../../base/inputError.ts'
import { modeName } from '../../model/index.ts'
import { type ModeSplit, type SparseTensor, timeStep } from '../../tensor/index.ts'
import type { RunOptions } from '../settings/options.ts'
import { lagsText } from '../settings/sideInformation.ts'
import { axisModes } from '../time/axis.ts'
import { axisName, proposeAxis } from '../time/proposeLags.ts'

/** Most rows of a merged mode. */
const MOST_MERGED = 500_000
/** Fewest seasons in a mode of time that is split by one, or has lags of several. */
const MANY_SEASONS = 3

/** The mode of time of a forecast, and the distances at which its rows may be similar. */
export interface ForecastAxis {
  /** The modes that count time, by number, from the slowest to the fastest; the slowest is forecast. */
  modes: number[]
  /** Lags of the model. */
  lags: NonNullable<RunOptions['lags']>
  /** Distances in rows of the slowest mode, from 1. */
  distances: number[]
}

/**
 * The axis of time of a tensor with lags: as given, or found from labels, names and entries. Undefined if none is
 * found.
 * @param tensor without future rows
 * @param time the modes of time, as in 'day+slot'; found by default
 * @param given lags as given; proposed by default
 */
export function forecastAxis(
  tensor: SparseTensor,
  time: string | undefined,
  given: RunOptions['lags'],
): ForecastAxis | undefined {
  const name = time ?? Object.keys(given ?? {})[0]
  const what = time === undefined ? option('lags') : option('time')
  const modes = name === undefined ? undefined : axisModes(tensor, name, what)
  if (given && modes) {
    const perRow = modes.slice(1).reduce((steps, mode) => steps * tensor.dims[mode], 1)
    const own = Object.entries(given).find(([key]) => axisModes(tensor, key)[0] === modes[0])?.[1] ?? []
    const distances = own.filter((lag) => lag % perRow === 0).map((lag) => lag / perRow)
    return { modes, lags: given, distances: [...new Set([1, ...distances])] }
  }
  const proposed = proposeAxis(tensor, modes)
  if (!proposed) return undefined
  const [slowest, ...faster] = proposed.modes
  const perRow = faster.reduce((steps, mode) => steps * tensor.dims[mode], 1)
  const steps = Object.values(proposed.lags).flat()
  const distances = [1, ...steps.filter((lag) => lag % perRow === 0).map((lag) => lag / perRow)]
  const unique = [...new Set(distances)].sort((a, b) => a - b)
  // Lags of the slowest mode alone: it can then be learned beside any merging of the others.
  return { modes: proposed.modes, lags: { [axisName(tensor, [slowest])]: unique }, distances: unique }
}

/** The settings that are tried, in a fixed order; what is given stays. */
export function forecastCandidates(
  tensor: SparseTensor,
  { modes, lags, distances }: ForecastAxis,
  given: RunOptions,
): RunOptions[] {
  const [slowest] = modes
  const isProposed = given.lags === undefined
  const merged = tensor.dims.flatMap((_, mode) =>
    mode === slowest || (!isProposed && modes.includes(mode)) ? [] : [mode],
  )
  const isReshapingGiven = given.mergeModes !== undefined || given.split !== undefined
  const rows = merged.reduce((product, mode) => product * tensor.dims[mode], 1)
  const isMerged =
    !isReshapingGiven && merged.length > 1 && rows <= Math.min(MOST_MERGED, tensor.values.length)
  const shape: RunOptions = isMerged ? { mergeModes: [merged] } : {}
  const root: RunOptions = tensor.values.some((value) => value < 0) ? {} : { link: 'sqrt' }
  const name = axisName(tensor, [slowest])
  const season = distances.find((distance) => distance > 1)
  const seasons: RunOptions = {
    lags: isProposed ? { [name]: severalSeasons(tensor, slowest, distances) } : lags,
  }
  // The first is used where nothing is tried: it was the best single one on most data.
  const candidates: RunOptions[] = [
    { ...shape, rank: 5, ...root },
    { ...shape, rank: 5 },
    { ...shape, rank: 10 },
    ...(isMerged ? [{ rank: 10 }, { rank: 10, ...root }] : []),
    { ...shape, rank: 5, ...root, ...seasons },
    { ...shape, rank: 5, ...seasons, timePrior: 'autoregressive' },
    { ...shape, rank: 5, ...root, ...seasons, timePrior: 'autoregressive' },
    ...(season !== undefined && isProposed && !isReshapingGiven && mayBeSplit(tensor, slowest, season)
      ? [{ ...shape, rank: 5, ...root, split: [{ mode: slowest, into: season }], lags: { [name]: [season] } }]
      : []),
  ]
  const stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const settings = candidates.map((candidate): RunOptions => ({ lags, ...candidate, ...stated }))
  const names = settings.map((one) => candidateName(one, tensor))
  return settings.filter((_, at) => names.indexOf(names[at]) === at)
}

/** Distances, and two and three times the largest where rows are many: the mean over several seasons. */
function severalSeasons(tensor: SparseTensor, mode: number, distances: readonly number[]): number[] {
  const largest = Math.max(...distances)
  const more = largest > 1 ? [2 * largest, 3 * largest] : []
  return [...distances, ...more.filter((distance) => distance < tensor.dims[mode] / MANY_SEASONS)]
}

/** Whether a mode can be split by a season: it has several, and equal steps of time. */
const mayBeSplit = ({ dims, labels }: SparseTensor, mode: number, season: number): boolean =>
  dims[mode] >= MANY_SEASONS * season && (labels?.[mode] === undefined || (timeStep(labels[mode]) ?? 0) > 0)

/** A split as typed, with the name of the mode in place of its number. */
const splitName = ({ mode, into, offset = 0 }: ModeSplit, nameOf: (mode: number) => string): string =>
  `${typeof mode === 'number' ? nameOf(mode) : mode}:${[into].flat().join('x')}${offset > 0 ? `+${offset}` : ''}`

/**
 * The settings of a candidate in words: `rank 5, shop,product merged, sqrt, autoregressive, day=1,7`.
 * @param tensor whose modes are named; by their numbers where they have no names
 */
export function candidateName(
  { rank = 10, mergeModes, split, link, timePrior, lags }: RunOptions,
  tensor: Pick<SparseTensor, 'modes'>,
): string {
  const nameOf = (mode: number): string => (tensor.modes ? modeName(tensor, mode) : String(mode + 1))
  const merged = (mergeModes ?? []).map((group) => {
    const names = group.map((mode) => (typeof mode === 'number' ? nameOf(mode) : mode)).join()
    return `${tensor.modes ? '' : 'modes '}${names} merged`
  })
  const isLinked = link !== undefined && link !== 'identity'
  return [
    `rank ${rank}`,
    ...merged,
    ...(split ?? []).map((one) => `split ${splitName(one, nameOf)}`),
    ...(isLinked ? [link] : []),
    timePrior === 'autoregressive' ? 'autoregressive' : 'coupled',
    lagsText(lags),
  ].join(', ')
}
