/** What kind of thing a mode is: whether its rows have an order that means something, or a place on a map. */

import { labelOf, modeName, type Predictor } from '../factored.ts'
import { asLearned } from '../learnedModes.ts'

/** Whether the rows of a mode have an order, and where they lie in it. */
export interface ModeKind {
  kind: 'ordered' | 'named'
  /** In which direction of a map, if it has one. */
  place?: 'latitude' | 'longitude'
  /** Where rows lie along the order: numbers, or milliseconds since 1970 of dates. */
  positions?: Float64Array
  isTime: boolean
}

/** Neighbours must be so much alike for rows to be in an order, where nothing else says so. */
const SMOOTH = 0.6
/** Fewer rows than this have no course to be seen. */
const FEWEST_ROWS = 5

/**
 * Of the modes as they were learned: pairs of rows are in no order. `titles`: what they are called, where the model does
 * not say it well.
 */
export function modeKinds(model: Predictor, titles?: readonly string[]): ModeKind[] {
  const learned = asLearned(model)
  const kinds = learned.units.map(
    (unit, mode): ModeKind =>
      unit.length > 1
        ? { kind: 'named', isTime: false }
        : kindOf(learned, mode, titles?.[mode] ?? modeName(learned, mode)),
  )
  const isMap = (['latitude', 'longitude'] as const).every(
    (place) => kinds.filter((kind) => kind.place === place).length === 1,
  )
  return isMap ? kinds : kinds.map(({ place, ...kind }) => kind)
}

/** Modes that are called so are in order. */
const ORDERED = /^(year|month|week|day|weekday|hour|minute|second|time|date|slot|period|age)s?$/

function kindOf(model: Predictor, mode: number, name: string): ModeKind {
  const { type, from } = model.modes?.[mode] ?? {}
  const size = model.dims[mode]
  const isTime = type === 'DATE' || type === 'TIMESTAMP' || from?.binning === 'month'
  const positions = Float64Array.from({ length: size }, (_, row) => {
    const label = labelOf(model, mode, row)
    return isTime ? Date.parse(label) : label.trim() === '' ? NaN : Number(label)
  })
  if (size < FEWEST_ROWS || !positions.every(Number.isFinite)) return { kind: 'named', isTime: false }
  const words = name.toLowerCase().split(/[^a-z]+/)
  const place = placeOf(words, positions)
  const isSaid =
    words.some((word) => ORDERED.test(word)) ||
    isTime ||
    from?.binning !== undefined ||
    type === 'DOUBLE' ||
    type?.startsWith('DECIMAL')
  if (!isSaid && !place && smoothness(model, mode) < SMOOTH) return { kind: 'named', isTime: false }
  return { kind: 'ordered', positions, isTime, ...(place && { place }) }
}

function placeOf(words: readonly string[], positions: Float64Array): ModeKind['place'] {
  const within = (most: number): boolean => positions.every((x) => Math.abs(x) <= most)
  if (words.some((word) => ['lat', 'latitude'].includes(word)) && within(90)) return 'latitude'
  if (words.some((word) => ['lon', 'lng', 'long', 'longitude'].includes(word)) && within(180))
    return 'longitude'
}

/** Neighbours are rows one apart, or, where a course comes again, as over the days of a week, so many apart. */
const LAGS = [1, 2, 5, 6, 7]

/** How much alike neighbouring rows are: the correlation of columns with themselves some rows on, at its best. */
function smoothness({ members, observed }: Predictor, mode: number): number {
  const [{ rank, factors }] = members
  const factor = factors[mode]
  const rows = factor.length / rank
  const isSeen = (row: number): boolean => observed === undefined || observed.counts[mode][row] > 0
  // Every component counts alike: its distances from its mean, relative to that.
  const centred = new Float64Array(factor.length)
  for (let r = 0; r < rank; r++) {
    let [sum, count] = [0, 0]
    for (let row = 0; row < rows; row++)
      if (isSeen(row)) {
        sum += factor[row * rank + r]
        count++
      }
    for (let row = 0; row < rows; row++)
      if (isSeen(row) && sum > 0) centred[row * rank + r] = (factor[row * rank + r] * count) / sum - 1
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
