/**
 * Guesses the roles of the columns for the page. Unlike the command line's, a guess takes coordinates for places,
 * leaves free text out, and takes times only where the rows need them to differ.
 */
import {
  type Batch,
  type ColumnSummary,
  cellText,
  isFraction,
  isNumeric,
  isRowNumber,
  isTime,
} from 'lacuna/internal'
import type { Table } from 'lacuna/tables'
import { PLACE, type PlaceChoice, type TableChoice } from '../../../understanding/index.ts'
import { cellTexts } from '../sampleTexts.ts'
import { type Dependence, findDependences } from './dependences.ts'
import { keysOfValues, timesOfEvents } from './guessKeys.ts'
import { guessMeasures, type Measures } from './guessMeasures.ts'

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

/** The guessed roles of columns, and what they were guessed by. */
export interface GuessedRoles {
  roles: Pick<TableChoice, 'modes' | 'value' | 'weight' | 'place' | 'merge'>
  /** Columns that are ignored since they depend on a mode. */
  dependences: Dependence[]
  /** Columns of which either may be the value. */
  either?: Measures['either']
}

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
): GuessedRoles {
  const found = findPlace(columns)
  const candidates = columns.filter(({ name }) => !LATITUDE.test(name) && !LONGITUDE.test(name))
  const { value, weight, either } = guessMeasures(sample, columns, candidates)
  // Events are counted on a grid; places of values have a grid of their own, unless they are very exact.
  const decimals = found && value !== undefined ? decimalsOf(sample, columns, found) : 2
  const place = found && { ...found, decimals: decimals > MOST_DECIMALS ? 2 : decimals }
  const measures = [value, either?.value, either?.weight]
  const used = candidates.filter((column) => !measures.includes(column.name) && !isRowNumber(column))
  const times = used.filter(isTime)
  const things = used.filter((column) => !isTime(column) && !isFraction(column.type))
  const ids = things.filter(({ name }) => ID.test(name))
  const useful = things.filter((column) => !isFreeText(column, columns, sample))
  let chosen = ids.length >= 2 ? ids : useful.length >= 2 || place ? useful : things
  // Rows that are events at places and times are counted there; what else they have is left out.
  if (value === undefined && place && times.length > 0) chosen = []
  const allDependences = findDependences(sample, columns, chosen)
  const isEnough = chosen.length - allDependences.length + Math.min(1, times.length) + (place ? 1 : 0) >= 2
  const dependences = isEnough ? allDependences : []
  const depends = ({ name }: ColumnSummary): boolean => dependences.some(({ column }) => column === name)
  chosen = chosen.filter((column) => !depends(column))
  const merge = value === undefined ? 'count' : 'error'
  const context = { table, sample, columns, dates }
  const fixed = [...chosen.map(({ name }) => name), ...(place ? [PLACE] : [])]
  const others = used.filter((column) => !chosen.includes(column) && !depends(column) && !isTime(column))
  const more =
    value === undefined
      ? times.length > 0
        ? timesOfEvents(context, times[0])
        : []
      : keysOfValues(
          context,
          place ? [...fixed, place.latitude, place.longitude] : fixed,
          times.at(0),
          others,
        )
  const modes = inOrder([...fixed, ...more], columns, place)
  return { roles: { modes, value, weight, merge, ...(place && { place }) }, dependences, either }
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
