/** Descriptions of a model's components: a sentence, the rows that are special, and courses to draw. */
import type { Component } from 'lacuna/answers'
import {
  componentShares,
  type FactorView,
  factorView,
  joinLabels,
  type ModeKind,
  modeKinds,
  modeName,
  rowsOfUnit,
  type TensorModel,
} from 'lacuna/internal'

/** Description of a whole model. */
export interface ModelDescription {
  /** The modes as they were learned, after reshaping. */
  modes: { name: string; title: string; kind: ModeKind }[]
  /** Components in order of their shares, the largest first. */
  components: ComponentDescription[]
  /** Mean prediction of each row relative to the mean over all rows, per mode. */
  meanCourses: Float64Array[]
}

/** Description of one component. */
export interface ComponentDescription {
  /** Number by share, from 1. */
  number: number
  /** Column of the factors. */
  column: number
  /** Fraction of all predictions that is due to it. */
  share: number
  /** Number of models of an ensemble that contain it. */
  found?: Component['found']
  /** Rows that are special about it, in words. */
  sentence: string
  /** Per mode, the strongest rows; for ordered modes also the course: its column divided by its mean (P). */
  modes: { rows: RowDescription[]; course?: Float64Array }[]
}

/** A row that is special about a component, as in the library's Component. */
export interface RowDescription {
  row: number
  label: string
  /** The row's displayed name, or else its label. */
  name: string
  weight: number
  lift: number
  entries?: number
}

/** Options of describeComponents. */
export interface DescribeOptions {
  /** Number of rows per mode. */
  strongest: number
  /** Rows with fewer training entries are not named (default: 1). */
  minEntries?: number
  /** Titles of the modes, instead of their names in the model. */
  titles?: readonly string[]
}

/** Returns the name of a row: from another table, or its label. */
export type RowNamer = (mode: number, row: number) => string

/** Names of the weekdays, in the order of weekday(x): 1 is Monday. */
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** Describes the components of a model; those of the first member if it is an ensemble. */
export function describeComponents(
  model: TensorModel,
  nameOf: RowNamer,
  options: DescribeOptions,
): ModelDescription {
  const learned = factorView(model)
  const { units, counts } = learned
  const titles =
    options.titles && units.map((unit) => joinLabels(unit.map((mode) => options.titles![mode] ?? '')))
  const kinds = modeKinds(model, titles)
  const { means } = componentShares(learned)
  const modes = units.map((unit, mode) => ({
    name: modeName(learned, mode),
    title: titles?.[mode] ?? joinLabels(unit.map((original) => modeTitle(model, original))),
    kind: kinds[mode],
  }))
  const inWords: RowNamer = (mode, row) =>
    joinLabels(
      rowsOfUnit(model, units[mode], row).map(
        (original, i) => weekdayOf(model, units[mode][i], original) ?? nameOf(units[mode][i], original),
      ),
    )
  const meanCourses = units.map((_, mode) => meanCourse(learned, mode, means))
  const components = model.components(options).map((component): ComponentDescription => {
    const described = component.modes.map(({ strongest, profile }, mode) => ({
      rows: strongest.map((row) => ({ ...row, name: inWords(mode, row.row) })),
      course: kinds[mode].kind === 'ordered' ? divideByMean(profile, counts[mode]) : undefined,
    }))
    const { number, column, share, found } = component
    return {
      number,
      column,
      share,
      found,
      modes: described,
      sentence: describeInWords(component, described, modes, meanCourses, inWords),
    }
  })
  return { modes, components, meanCourses }
}

/**
 * The displayed title of a mode: a binned mode by its binning (hour for hour(Date/Time)), or by its column where
 * the binning is by numbers (lat for round(lat, 2)); any other mode by its name.
 */
function modeTitle(model: TensorModel, mode: number): string {
  const { name, from } = model.modes?.[mode] ?? { name: `mode ${mode + 1}` }
  if (!from?.binning || name !== model.modes?.[mode]?.name || !name.includes('(')) return name
  return /^(bins|round|round_even)$/.test(from.binning) ? from.column : from.binning
}

/** Name of the weekday of a row, if the mode is made by weekday(x); else undefined. */
function weekdayOf(model: TensorModel, mode: number, row: number): string | undefined {
  const { from } = model.modes?.[mode] ?? {}
  return from?.binning === 'weekday' ? WEEKDAYS[Number(model.label(mode, row)) - 1] : undefined
}

/**
 * Prediction of each row of a mode, averaged over the other modes and divided by the mean over the rows that
 * have entries (P).
 * @param means mean row of each factor (R), per mode
 */
function meanCourse(
  { members: [{ rank, factors }], dims, counts }: FactorView,
  mode: number,
  means: readonly Float64Array[],
): Float64Array {
  const others = Array.from({ length: rank }, (_, r) =>
    means.reduce((product, mean, m) => (m === mode ? product : product * mean[r]), 1),
  )
  const sums = Float64Array.from({ length: dims[mode] }, (_, row) => {
    let sum = 0
    for (let r = 0; r < rank; r++) sum += factors[mode][row * rank + r] * others[r]
    return sum
  })
  return divideByMean(sums, counts[mode])
}

/** Divides values by their mean over the rows that have entries; zeros if that is not positive. */
function divideByMean(values: ArrayLike<number>, counts: Uint32Array | undefined): Float64Array {
  let [sum, rows] = [0, 0]
  for (let row = 0; row < values.length; row++)
    if (!counts || counts[row] > 0) {
      sum += values[row]
      rows++
    }
  return Float64Array.from(values, (x) => (sum > 0 ? (x * rows) / sum : 0))
}

/** Describes the rows that are special about a component, in one sentence with a phrase per mode. */
function describeInWords(
  component: Component,
  described: ComponentDescription['modes'],
  modes: ModelDescription['modes'],
  meanCourses: readonly Float64Array[],
  nameOf: RowNamer,
): string {
  // If rows of any mode have words as names, modes whose rows are mere numbers are left out.
  const hasWords = described.map(({ rows }) => rows.some((row) => /\p{L}/u.test(row.name)))
  const isNamed = hasWords.map((has) => has || !hasWords.includes(true))
  const phrases = modes.flatMap(({ title, kind }, mode) => {
    const { course, rows } = described[mode]
    if (kind.place === 'longitude') return []
    if (kind.place === 'point') {
      const { latitudes, longitudes } = kind.points!
      const peak = peakRow(component, mode)
      return [`around ${latitudes[peak]}, ${longitudes[peak]}`]
    }
    if (kind.place === 'latitude') {
      const other = modes.findIndex((each) => each.kind.place === 'longitude')
      return [`around ${nameOf(mode, peakRow(component, mode))}, ${nameOf(other, peakRow(component, other))}`]
    }
    if (course)
      return (
        weekdaysInWords(kind, course, meanCourses[mode]) ??
        courseInWords(title, course, meanCourses[mode], (row) => nameOf(mode, row))
      )
    if (rows.length === 0 || !isNamed[mode]) return []
    return [
      `${title} ${rows
        .slice(0, 3)
        .map((row) => row.name)
        .join(', ')}`,
    ]
  })
  return phrases.length > 0 ? `${phrases.join('; ')}.` : 'As usual everywhere.'
}

/** Row of a mode at which a component is largest. */
const peakRow = ({ modes }: Component, mode: number): number => {
  const { profile } = modes[mode]
  let peak = 0
  for (let row = 1; row < profile.length; row++) if (profile[row] > profile[peak]) peak = row
  return peak
}

/** Least ratio of a course to the mean course that is mentioned. */
const MIN_LIFT = 1.25

/**
 * Describes where a course lies most above the mean course, as in `hour 7 to 9 (×2.1)`: the row with the
 * largest score, course · log(course / mean course), and neighbours with at least half its score. Empty if
 * the ratio at the peak is below MIN_LIFT.
 */
function courseInWords(
  title: string,
  course: Float64Array,
  meanCourse: Float64Array,
  nameOf: (row: number) => string,
): string[] {
  const lift = course.map((x, row) => (meanCourse[row] > 0 ? x / meanCourse[row] : 0))
  const score = course.map((x, row) => (lift[row] > 1 ? x * Math.log(lift[row]) : 0))
  let peak = 0
  for (let row = 1; row < score.length; row++) if (score[row] > score[peak]) peak = row
  if (!(lift[peak] >= MIN_LIFT)) return []
  const isSpecial = (row: number): boolean => score[row] >= score[peak] / 2
  let [from, to] = [peak, peak]
  while (from > 0 && isSpecial(from - 1)) from--
  while (to + 1 < score.length && isSpecial(to + 1)) to++
  const span = from === to ? nameOf(from) : `${nameOf(from)} to ${nameOf(to)}`
  return [`${title} ${span} (×${lift[peak].toFixed(1)})`]
}

/** Milliseconds of a day. */
const DAY_MS = 86_400_000

/**
 * Describes the weekdays on which a course is at least MIN_LIFT times the mean course, as in
 * `Saturdays (×1.4), Sundays (×1.6)`. Undefined if there are none, or if the rows of the mode are not days.
 */
function weekdaysInWords(
  { positions, isTime }: ModeKind,
  course: Float64Array,
  meanCourse: Float64Array,
): string[] | undefined {
  if (!isTime || !positions || positions.length < 21) return undefined
  const span = (Math.max(...positions) - Math.min(...positions)) / DAY_MS
  if (span > 2 * positions.length) return undefined // weeks, or months
  const sums = WEEKDAYS.map(() => ({ component: 0, mean: 0 }))
  positions.forEach((time, row) => {
    // 1 January 1970 was a Thursday.
    const sum = sums[(Math.floor(time / DAY_MS) + 3) % 7]
    sum.component += course[row]
    sum.mean += meanCourse[row]
  })
  const lifts = sums.map(({ component, mean }) => (mean > 0 ? component / mean : 0))
  const special = WEEKDAYS.flatMap((day, d) =>
    lifts[d] >= MIN_LIFT ? [`${day}s (×${lifts[d].toFixed(1)})`] : [],
  )
  return special.length > 0 ? [special.join(', ')] : undefined
}
