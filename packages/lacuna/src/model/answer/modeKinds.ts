/** Kinds of modes: whether rows are ordered, in time, or positions on a map. */

import { type ColumnType, isTemporal } from '../../labels/index.ts'
import { labelOf, modeName, type Predictor } from '../factored.ts'
import { factorView, rowsOfUnit } from '../factorView.ts'

/** Whether the rows of a mode are ordered, and their positions in that order. */
export interface ModeKind {
  /** 'ordered' where the order of rows means something, else 'named'. */
  kind: 'ordered' | 'named'
  /**
   * Coordinate on a map that the rows are: 'point' where a row is a pair of both (merged modes, or labels such as
   * `40.75, -73.98`); 'latitude' and 'longitude' only where one mode is the one and one the other.
   */
  place?: 'latitude' | 'longitude' | 'point'
  /** Degrees north and east of each row of a mode of points. */
  points?: { latitudes: Float64Array; longitudes: Float64Array }
  /** Positions of ordered rows: the numbers in their labels, or milliseconds since 1970 for dates. */
  positions?: Float64Array
  /** Whether positions are times. */
  isTime: boolean
}

/**
 * Autocorrelation of the factor's columns from which rows count as ordered, if neither name nor type shows
 * it.
 */
const LEAST_SMOOTHNESS = 0.6
/** Modes with fewer rows than this are not ordered. */
const FEWEST_ROWS = 5

/**
 * The kind of each unit of a model (factorView.ts); merged modes are not ordered.
 * @param titles names of the units, in place of the model's
 */
export function modeKinds(model: Predictor, titles?: readonly string[]): ModeKind[] {
  const learned = factorView(model)
  const kinds = learned.units.map((unit, mode): ModeKind => {
    const points = unit.length > 1 ? mergedPoints(model, unit) : labelledPoints(learned, mode)
    if (points) return { kind: 'named', isTime: false, place: 'point', points }
    return unit.length > 1
      ? { kind: 'named', isTime: false }
      : kindOf(learned, mode, titles?.[mode] ?? modeName(learned, mode))
  })
  const isMap = (['latitude', 'longitude'] as const).every(
    (place) => kinds.filter((kind) => kind.place === place).length === 1,
  )
  return kinds.map(({ place, ...kind }) => ({
    ...kind,
    ...(place && (isMap || place === 'point') && { place }),
  }))
}

/** The positions of the rows of a unit that a latitude and a longitude were merged to; else undefined. */
function mergedPoints(model: Predictor, unit: readonly number[]): ModeKind['points'] {
  if (unit.length !== 2) return undefined
  const coordinates = unit.map((mode) => {
    const positions = Float64Array.from({ length: model.dims[mode] }, (_, row) =>
      Number(labelOf(model, mode, row)),
    )
    return { place: mapCoordinate(wordsOf(modeName(model, mode)), positions), positions }
  })
  const latitude = coordinates.findIndex(({ place }) => place === 'latitude')
  const longitude = coordinates.findIndex(({ place }) => place === 'longitude')
  if (latitude < 0 || longitude < 0) return undefined
  const size = model.dims[unit[0]] * model.dims[unit[1]]
  const rows = Array.from({ length: size }, (_, row) => rowsOfUnit(model, unit, row))
  return {
    latitudes: Float64Array.from(rows, (pair) => coordinates[latitude].positions[pair[latitude]]),
    longitudes: Float64Array.from(rows, (pair) => coordinates[longitude].positions[pair[longitude]]),
  }
}

/** A label that is a latitude and a longitude: `40.75, -73.98`. */
const PAIR = /^\s*\(?\s*([-+]?\d{1,2}(?:\.\d+)?)\s*[,;\s]\s*([-+]?\d{1,3}(?:\.\d+)?)\s*\)?\s*$/

/** The positions of the rows of a mode whose labels are pairs of degrees; undefined if one is not. */
function labelledPoints(model: Predictor, mode: number): ModeKind['points'] {
  const labels = model.labels?.[mode]
  // Pairs of whole numbers are more likely anything else.
  if (!labels || labels.length < FEWEST_ROWS || !labels.some((label) => /\.\d/.test(label))) return undefined
  const latitudes = new Float64Array(labels.length)
  const longitudes = new Float64Array(labels.length)
  for (const [row, label] of labels.entries()) {
    const [, latitude, longitude] = PAIR.exec(label) ?? []
    latitudes[row] = Number(latitude)
    longitudes[row] = Number(longitude)
    if (!(Math.abs(latitudes[row]) <= 90 && Math.abs(longitudes[row]) <= 180)) return undefined
  }
  return { latitudes, longitudes }
}

/** The words of a mode's name, in lower case. */
const wordsOf = (name: string): string[] => name.toLowerCase().split(/[^a-z]+/)

/** Words in the names of ordered modes. */
const ORDERED = /^(year|month|week|day|weekday|hour|minute|second|time|date|slot|period|age)s?$/

/**
 * The kind of a mode. It is ordered if it has five rows or more, all labels are numbers or dates, and its
 * name, its type, its binning or the smoothness of its factor shows an order.
 * @param name in which words such as `week` or `latitude` are looked for
 */
function kindOf(model: Predictor, mode: number, name: string): ModeKind {
  const { type, from } = model.modes?.[mode] ?? {}
  const size = model.dims[mode]
  const isTime = isTemporal((type ?? 'VARCHAR') as ColumnType) || from?.binning === 'month'
  const positions = Float64Array.from({ length: size }, (_, row) => {
    const label = labelOf(model, mode, row)
    return isTime ? Date.parse(label) : label.trim() === '' ? NaN : Number(label)
  })
  if (size < FEWEST_ROWS || !positions.every(Number.isFinite)) return { kind: 'named', isTime: false }
  const words = wordsOf(name)
  const place = mapCoordinate(words, positions)
  const isDeclared =
    words.some((word) => ORDERED.test(word)) ||
    isTime ||
    from?.binning !== undefined ||
    type === 'DOUBLE' ||
    type?.startsWith('DECIMAL')
  if (!isDeclared && !place && smoothness(model, mode) < LEAST_SMOOTHNESS)
    return { kind: 'named', isTime: false }
  return { kind: 'ordered', positions, isTime, ...(place && { place }) }
}

/**
 * The map coordinate that words of a mode's name denote, if the positions are possible degrees; else
 * undefined.
 */
function mapCoordinate(
  words: readonly string[],
  positions: Float64Array,
): 'latitude' | 'longitude' | undefined {
  const areWithin = (most: number): boolean => positions.every((x) => Math.abs(x) <= most)
  if (words.some((word) => ['lat', 'latitude'].includes(word)) && areWithin(90)) return 'latitude'
  if (words.some((word) => ['lon', 'lng', 'long', 'longitude'].includes(word)) && areWithin(180))
    return 'longitude'
}

/**
 * Distances, in rows, at which rows may be similar: next to each other, or after a period such as the days of
 * a week.
 */
const LAGS = [1, 2, 5, 6, 7]

/** The largest autocorrelation, over LAGS, of the columns of the first member's factor; at least 0. */
function smoothness({ members, observed }: Predictor, mode: number): number {
  const [{ rank, factors }] = members
  const factor = factors[mode]
  const rows = factor.length / rank
  const isObserved = (row: number): boolean => observed === undefined || observed.counts[mode][row] > 0
  // Every component has equal weight: its deviations from its mean, relative to the mean.
  const centred = new Float64Array(factor.length)
  for (let r = 0; r < rank; r++) {
    let [sum, count] = [0, 0]
    for (let row = 0; row < rows; row++)
      if (isObserved(row)) {
        sum += factor[row * rank + r]
        count++
      }
    for (let row = 0; row < rows; row++)
      if (isObserved(row) && sum > 0) centred[row * rank + r] = (factor[row * rank + r] * count) / sum - 1
  }
  const correlations = LAGS.filter((lag) => 3 * lag <= rows).map((lag) => {
    let [together, before, after] = [0, 0, 0]
    for (let at = 0; at + lag * rank < centred.length; at++) {
      together += centred[at] * centred[at + lag * rank]
      before += centred[at] ** 2
      after += centred[at + lag * rank] ** 2
    }
    return before * after > 0 ? together / Math.sqrt(before * after) : 0
  })
  return Math.max(0, ...correlations)
}
