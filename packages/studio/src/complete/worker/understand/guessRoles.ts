/**
 * Guesses the roles of the columns for the page. Unlike the command line's, a guess takes coordinates for places,
 * leaves free text out, and takes times only where the rows need them to differ.
 */
import {
  type Batch,
  binnings,
  type ColumnSummary,
  cellText,
  guessValue,
  isFraction,
  isNumeric,
  isRowNumber,
  isTime,
  TimeColumn,
} from 'lacuna/internal'
import type { Table } from 'lacuna/tables'
import { PLACE, type PlaceChoice, type TableChoice } from '../../understanding/index.ts'
import { cellTexts, hasFewLabels } from './sampleTexts.ts'

/** Names of latitudes and longitudes. */
const LATITUDE = /^(.*[_\s.])?lat(itude)?$/i
const LONGITUDE = /^(.*[_\s.])?(lon|lng|long|longitude)$/i
/** Names of identifiers. */
const ID = /(^|[a-z])I[dD]$|_(id|key|code)$|_(ID|KEY|CODE)$|^(user|item|movie|product|customer|station)id$/
/** Largest fraction of distinct values of a mode; a column of texts with more is free text. */
const FREE_TEXT = 0.9
/** Fewest rows by which free text is recognized. */
const FREE_TEXT_ROWS = 50
/** Coordinates with more decimals than this are not those of a grid. */
const MOST_DECIMALS = 4
/** A time is a mode if at most this fraction of the rows that else repeat still do. */
const STILL_REPEATED = 0.5
/** A coarser binning is taken where it leaves at most this fraction of all rows more repeated than the times themselves. */
const NEARLY_AS_FINE = 0.01
/** Columns that are no modes by their names and types are taken if at most this fraction of the rows that else repeat still do. */
const FEW_REPEATED = 0.1
/** The most columns that are tried as further modes. */
const MOST_CANDIDATES = 6
/** Microseconds per day. */
const DAY = 86_400e6

/** The guessed roles of columns. */
export type RoleGuess = Pick<TableChoice, 'modes' | 'value' | 'place' | 'merge'>

/**
 * Guesses modes and value.
 * @param columns as the format of the choice makes them; a column with a unit that is removed is one of numbers
 * @param dates formats of dates
 */
export function guessRoles(
  table: Table,
  sample: Batch,
  columns: readonly ColumnSummary[],
  dates: readonly string[] | undefined,
): RoleGuess {
  const found = findPlace(columns)
  const candidates = columns.filter(({ name }) => !LATITUDE.test(name) && !LONGITUDE.test(name))
  const value = guessValue(candidates)?.name
  // Events are counted on a grid; places of values have a grid of their own, unless they are very exact.
  const decimals = found && value !== undefined ? decimalsOf(sample, columns, found) : 2
  const place = found && { ...found, decimals: decimals > MOST_DECIMALS ? 2 : decimals }
  const used = candidates.filter((column) => column.name !== value && !isRowNumber(column))
  const times = used.filter(isTime)
  const things = used.filter((column) => !isTime(column) && !isFraction(column.type))
  const ids = things.filter(({ name }) => ID.test(name))
  const useful = things.filter((column) => !isFreeText(column, columns, sample))
  let chosen = ids.length >= 2 ? ids : useful.length >= 2 || place ? useful : things
  // Rows that are events at places and times are counted there; what else they have is left out.
  if (value === undefined && place && times.length > 0) chosen = []
  const merge = value === undefined ? 'count' : 'error'
  const context = { table, sample, columns, dates }
  const fixed = [...chosen.map(({ name }) => name), ...(place ? [PLACE] : [])]
  const others = used.filter((column) => !chosen.includes(column) && !isTime(column))
  const more =
    value === undefined
      ? times.length > 0
        ? timesOfEvents(context, times[0])
        : []
      : keysOfValues(
          context,
          place ? [...fixed, place.latitude, place.longitude] : fixed,
          times.at(0),
          others.filter((column) => hasFewLabels(sample, columns.indexOf(column))),
        )
  const modes = inOrder([...fixed, ...more], columns, place)
  return { modes, value, merge, ...(place && { place }) }
}

/** The most decimals that the coordinates of the sample have. */
function decimalsOf(sample: Batch, columns: readonly ColumnSummary[], place: PlaceChoice): number {
  const texts = [place.latitude, place.longitude].flatMap((name) =>
    cellTexts(
      sample,
      columns.findIndex((column) => column.name === name),
    ),
  )
  return Math.max(1, ...texts.map((text) => /[.,](\d+?)0*$/.exec(text?.trim() ?? '')?.[1].length ?? 0))
}

/** The rows by which times are judged. */
interface Context {
  table: Table
  sample: Batch
  columns: readonly ColumnSummary[]
  dates: readonly string[] | undefined
}

/** The latitude and the longitude, if there is one of each. */
function findPlace(columns: readonly ColumnSummary[]): PlaceChoice | undefined {
  const find = (name: RegExp): string[] =>
    columns.filter((column) => name.test(column.name) && isNumeric(column.type)).map((column) => column.name)
  const [latitudes, longitudes] = [find(LATITUDE), find(LONGITUDE)]
  if (latitudes.length !== 1 || longitudes.length !== 1) return undefined
  return { latitude: latitudes[0], longitude: longitudes[0], decimals: 2 }
}

/** Whether nearly every row of a column of text has a text of its own. */
function isFreeText(column: ColumnSummary, columns: readonly ColumnSummary[], sample: Batch): boolean {
  if (column.type !== 'VARCHAR' || ID.test(column.name)) return false
  const cells = sample.columns[columns.indexOf(column)]
  if (cells === undefined || cells instanceof Float64Array) return false
  const texts = new Set<string>()
  let filled = 0
  for (let row = 0; row < sample.rowCount; row++) {
    const text = cellText(cells, row)
    if (text === null) continue
    texts.add(text)
    filled++
  }
  return filled >= FREE_TEXT_ROWS && texts.size > FREE_TEXT * filled
}

/** The binnings of the time of events: days, or months of many years, and hours if there are clock times. */
function timesOfEvents(context: Context, { name }: ColumnSummary): string[] {
  const times = timesOf(context, name).filter((time) => !Number.isNaN(time))
  if (times.length === 0) return []
  const [first, last] = times.reduce(
    ([low, high], time) => [Math.min(low, time), Math.max(high, time)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )
  const hasClock = times.some((time) => time % DAY !== 0)
  const isLong = last - first > 3 * 365 * DAY
  return [`${isLong ? 'month' : 'day'}(${name})`, ...(hasClock ? [`hour(${name})`] : [])]
}

/** Modes beside others, and the number of rows of the sample that then have the coordinates of an earlier one. */
interface Keys {
  modes: string[]
  repeats: number
}

/**
 * The modes to add in a table of values, so that rows differ: the time, and of the columns that are no modes by their
 * names and types, such as doses of 2.5 and 5, the fewest that make rows differ.
 * @param fixed the other modes
 * @param candidates columns with few labels
 */
function keysOfValues(
  context: Context,
  fixed: readonly string[],
  time: ColumnSummary | undefined,
  candidates: readonly ColumnSummary[],
): string[] {
  const keysWith = (names: readonly string[]): Keys => {
    const all = [...fixed, ...names]
    const found = time ? timesOfValues(context, all, time) : { modes: [], repeats: repeatsOf(context, all) }
    return { modes: [...names, ...found.modes], repeats: found.repeats }
  }
  const plain = keysWith([])
  if (plain.repeats === 0) return plain.modes
  const names = candidates.slice(0, MOST_CANDIDATES).map(({ name }) => name)
  const tried = [...names.map((name) => [name]), ...(names.length > 1 ? [names] : [])].map(keysWith)
  const best = tried.reduce((least, one) => (one.repeats < least.repeats ? one : least), plain)
  return best.repeats <= FEW_REPEATED * plain.repeats ? best.modes : plain.modes
}

/** The number of rows of the sample that have the labels of an earlier one. @param more further labels of the rows */
function repeatsOf(
  { sample, columns }: Context,
  modes: readonly string[],
  more?: readonly unknown[],
): number {
  const keys = modes.flatMap((mode) => {
    const column = columns.findIndex((one) => one.name === mode)
    return column < 0 ? [] : [cellTexts(sample, column)]
  })
  const seen = new Set<string>()
  for (let row = 0; row < sample.rowCount; row++)
    seen.add(JSON.stringify([...keys.map((texts) => texts[row]), more?.[row]]))
  return sample.rowCount - seen.size
}

/**
 * The modes to make of a time in a table of values: the coarsest binning with which no two rows have equal labels; none
 * if the other modes alone do that. Where some rows are repeated by mistake, the coarsest binning that leaves about as few
 * as the times themselves.
 */
function timesOfValues(context: Context, fixed: readonly string[], { name }: ColumnSummary): Keys {
  const { sample, columns } = context
  const withoutTime = repeatsOf(context, fixed)
  if (fixed.length >= 2 && withoutTime === 0) return { modes: [], repeats: 0 }
  const times = timesOf(context, name)
  const texts = cellTexts(
    sample,
    columns.findIndex((one) => one.name === name),
  )
  const options = [
    ...(['week', 'day'] as const).map((bin) => ({
      mode: `${bin}(${name})`,
      labels: Array.from(times, (time) => binnings[bin].bin(time, 0)),
    })),
    { mode: name, labels: texts },
  ].map(({ mode, labels }): Keys => ({ modes: [mode], repeats: repeatsOf(context, fixed, labels) }))
  const fewest = options.at(-1)!.repeats
  // The time hardly makes rows differ: it is needed only where there is no other second mode.
  if (fewest > 0 && fewest > STILL_REPEATED * withoutTime)
    return fixed.length >= 2 ? { modes: [], repeats: withoutTime } : options[1]
  const enough = fewest === 0 ? 0 : fewest + NEARLY_AS_FINE * sample.rowCount
  return options.find(({ repeats }) => repeats <= enough)!
}

/** The times of a column in the sample, in microseconds since 1970. */
function timesOf({ table, sample, columns, dates }: Context, name: string): Float64Array {
  const column = columns.findIndex((one) => one.name === name)
  return new TimeColumn(name, table.columns[column].type, dates).times(
    sample.columns[column],
    sample.rowCount,
  )
}

/** Modes in the order of their columns. */
function inOrder(
  modes: readonly string[],
  columns: readonly ColumnSummary[],
  place: PlaceChoice | undefined,
): string[] {
  const position = (mode: string): number => {
    const name = mode === PLACE && place ? place.latitude : mode
    const plain = columns.findIndex((column) => column.name === name)
    return plain >= 0 ? plain : columns.findIndex((column) => mode.endsWith(`(${column.name})`))
  }
  return [...modes].sort((a, b) => position(a) - position(b))
}
