/**
 * Guesses which columns of a table are modes and which is the value: by the names of the columns first, then
 * by the type of most of their cells. A few cells of another type do not change the guess.
 */

import { InputError, option, type Sentence, sentence } from '../../base/inputError.ts'
import {
  type ColumnType,
  isFraction,
  isNumeric,
  isTemporal,
  likelyFormats,
  typeOfTexts,
} from '../../labels/index.ts'
import { MAX_ORDER } from '../../tensor/index.ts'
import { abbreviate, doubleQuote } from '../text/index.ts'
import { TimeColumn } from './columns/timeColumn.ts'
import { isPlace, placeAdvice } from './places.ts'
import { isMissingMark } from './source/cells.ts'
import { adviseNumber, findThousands, type NumberStyle, plainNumber } from './source/numberStyle.ts'
import { type Batch, type Cells, cellText, columnList, locateRow, type Table } from './source/rows.ts'
import { meltAdvice } from './wide.ts'

/** Names of columns that hold the value. */
const VALUE = /^(rating|value|count|score|amount|quantity|stars|weight|total|flow|volume)s?$/i
/** Names of columns that hold times. */
const TIME = /^(time|timestamp|date|datetime|ts|created(_?at)?|unix_?time)$/i
/** Names of parts of a time: numbers, but no measurements. */
const CALENDAR = /^(year|month|week|day|hour|weekday|minute)$/i
/** Names of identifiers: userId, movie_id, ITEM_CODE; not paid. */
const ID = /(^|[a-z])I[dD]$|_(id|key|code)$|_(ID|KEY|CODE)$|^(user|item|movie|product|customer|station)id$/
/** Names of columns that number the rows and carry no information; pandas writes one without a name. */
const ROW = /^(id|row|row_?id|row_?number|index|unnamed: 0)$/i
/** A column of text is one of numbers, or of times, if more than this fraction of its cells are. */
const BULK = 0.9
/** The fraction, in place of BULK, for a column whose name is that of a value. */
const NAMED_BULK = 0.5

/** A column, as the first rows of a table show it. */
export interface ColumnSummary {
  /** Name of the column. */
  name: string
  /** The type of most cells. */
  type: ColumnType
  /** The first few values. */
  examples: string[]
  /** Whether the column has no name and numbers the rows. */
  numbersRows: boolean
  /** Whether a cell of the sample occurs again: a column called row or id is a mode then, and numbers no rows. */
  hasRepeats: boolean
  /**
   * The first of a few cells that are not of the type, its file and line, and how many such cells there are.
   */
  spoilt?: { text: string; where: string; count: number }
  /** Formats that fit all cells, if they are times but not written as ISO 8601 has it. */
  foreign?: string[]
  /** A cell, if all of them are numbers with units or with thousands separators, and what to do about that. */
  measure?: { text: string; advice: Sentence }
  /** The first cell of text, if most of the other cells are numbers with fractions. */
  mixed?: string
}

/** Summarizes the columns of a table by its first rows, `sample`. @param dates formats that the user gave */
export function summarizeColumns(table: Table, sample: Batch, dates?: readonly string[]): ColumnSummary[] {
  const named = !table.columns.every(({ name }) => /^column\d+$/.test(name))
  return table.columns.map(({ name, type, quoted }, c) => {
    const cells = sample.columns[c]
    const numbersRows = c === 0 && named && /^(column0+|unnamed: 0)$/i.test(name) && countsUp(sample)
    const hasRepeats = repeats(cells, sample.rowCount)
    if (type !== undefined && type !== 'VARCHAR') return { name, type, examples: [], numbersRows, hasRepeats }
    if (cells === undefined || cells instanceof Float64Array)
      return { name, type: type ?? 'VARCHAR', examples: [], numbersRows, hasRepeats }
    const texts: { text: string; row: number }[] = []
    for (let row = 0; row < sample.rowCount; row++) {
      const text = cellText(cells, row)
      if (text !== null) texts.push({ text, row })
    }
    const examples = [...new Set(texts.slice(0, 50).map(({ text }) => abbreviate(text)))].slice(0, 4)
    const filled = texts.filter(({ text }) => !isMissingMark(text))
    const numberOf = (text: string): string => plainNumber(text, table)
    const filledTexts = filled.map(({ text }) => text)
    const all = typeOfTexts(filledTexts.map(numberOf), quoted)
    const foreign = all === 'VARCHAR' || all === 'BIGINT' ? foreignFormats(filled, all) : []
    const times = dates ? countTimes(new TimeColumn(name, undefined, dates), cells, sample.rowCount) : 0
    if (times > BULK * filled.length && all === 'VARCHAR')
      return { name, type: 'TIMESTAMP', examples, numbersRows, hasRepeats }
    const summary = {
      name,
      type: all,
      examples,
      numbersRows,
      hasRepeats,
      foreign: foreign.length > 0 && !dates ? foreign : undefined,
      measure: all === 'VARCHAR' && foreign.length === 0 ? measureAmong(filledTexts, name, table) : undefined,
    }
    if (all !== 'VARCHAR' || quoted) return summary
    const isNumber = ({ text }: { text: string }): boolean => isNumeric(typeOfTexts([numberOf(text)]))
    const spoilt = filled.filter((cell) => !isNumber(cell))
    const fraction = 1 - spoilt.length / filled.length
    if (filled.length === 0 || fraction <= (VALUE.test(name) ? NAMED_BULK : BULK) || fraction === 1) {
      const hasFractions = filled.some((cell) => isNumber(cell) && !/^\s*[-+]?\d+\s*$/.test(cell.text))
      return fraction > NAMED_BULK && fraction < 1 && hasFractions
        ? { ...summary, mixed: spoilt[0].text }
        : summary
    }
    const good = filled.filter(isNumber).map(({ text }) => numberOf(text))
    const { text, row } = spoilt[0]
    return {
      ...summary,
      type: typeOfTexts(good),
      spoilt: { text, where: locateRow(sample, row, table.unit), count: spoilt.length },
    }
  })

  /** Whether the cells of the first column are n, n + 1, n + 2 … */
  function countsUp(batch: Batch): boolean {
    const cells = batch.columns[0]
    if (!cells || cells instanceof Float64Array) return false
    const first = Number(cellText(cells, 0) || NaN)
    for (let row = 0; row < batch.rowCount; row++)
      if (Number(cellText(cells, row) || NaN) !== first + row) return false
    return batch.rowCount > 0
  }
}

/** Whether a cell of a column occurs again in the sample. */
function repeats(cells: Cells | undefined, rowCount: number): boolean {
  const seen = new Set<string | number>()
  for (let row = 0; row < rowCount && cells !== undefined; row++) {
    const cell = cells instanceof Float64Array ? cells[row] : cellText(cells, row)
    if (cell === null || Number.isNaN(cell)) continue
    if (seen.has(cell)) return true
    seen.add(cell)
  }
  return false
}

/** Whether a column numbers the rows, by its cells or by its name. */
export const isRowNumber = ({ name, numbersRows, hasRepeats }: ColumnSummary): boolean =>
  numbersRows || (ROW.test(name) && !hasRepeats)

/** The number of cells of a column that are times. */
const countTimes = (column: TimeColumn, cells: Cells, rowCount: number): number =>
  column.times(cells, rowCount).filter((time) => !Number.isNaN(time)).length

/**
 * The formats of dates that fit all texts and are not ISO 8601; whole numbers are dates only if all look like
 * 20140401.
 */
function foreignFormats(filled: readonly { text: string }[], type: ColumnType): string[] {
  const texts = [...new Set(filled.map(({ text }) => text))].slice(0, 1000)
  if (type === 'BIGINT' && !texts.every((text) => /^(19|20)\d{6}$/.test(text))) return []
  return likelyFormats(texts)
}

/**
 * Guesses the column of values: a number called rating, value, count …, else the last number that is no id,
 * time or coordinate. Undefined if there is none: rows are counted then.
 */
export function guessValue(columns: readonly ColumnSummary[]): ColumnSummary | undefined {
  const measures = columns.filter(
    ({ name, type, numbersRows }) =>
      isNumeric(type) &&
      !numbersRows &&
      !isPlace(name) &&
      ![ID, ROW, TIME, CALENDAR].some((kind) => kind.test(name)),
  )
  return measures.find(({ name }) => VALUE.test(name)) ?? measures.at(-1)
}

/**
 * A number with a unit or with thousands separators, and the advice, if all texts are such; else undefined.
 * @param name the column, for the advice
 */
function measureAmong(texts: readonly string[], name: string, style: NumberStyle): ColumnSummary['measure'] {
  const advice = texts.length < 2 ? undefined : adviseNumber(texts, name, style)
  if (!advice) return undefined
  return { text: texts.find((text) => findThousands([text]) !== undefined) ?? texts[0], advice }
}

/**
 * Throws if a column has the name of a value but holds text, or if all of its cells are numbers with units or
 * thousands separators: counting rows would hide the mistake.
 */
export function refuseTextValue(columns: readonly ColumnSummary[], where: string): void {
  const measured = columns.findLast(({ measure }) => measure !== undefined)
  if (measured?.measure) {
    const { text, advice } = measured.measure
    throw new InputError(
      'table',
      sentence`${where}: the column ${measured.name} has numbers that are written as "${abbreviate(text)}"; ${advice}.`,
    )
  }
  const half = columns.findLast(({ mixed }) => mixed !== undefined)
  if (half)
    throw new InputError(
      'table',
      sentence`${where}: the column ${half.name} has numbers, but also "${abbreviate(half.mixed!)}"; correct such cells, or say with ${option('modes')} and ${option('value')} what is meant.`,
    )
  const text = columns.find(({ name, type }) => VALUE.test(name) && type === 'VARCHAR')
  if (text)
    throw new InputError(
      'table',
      sentence`${where}: the column ${text.name} should be numbers, but it is text${exampleOf(text)}; correct it, or say with ${option('modes')} and ${option('value')} what is meant.`,
    )
}

/** A clause with the first example of a column, for messages; empty if there is none. */
const exampleOf = ({ examples }: ColumnSummary): string =>
  examples.length > 0 ? `, such as "${examples[0]}"` : ''

/**
 * Guesses the modes: the columns called …id if there are two, else all of text or whole numbers; and the week
 * of each time. Throws if there are fewer than two or more than MAX_ORDER, or dates are not in ISO 8601.
 * @param value the column of values, which is no mode, or SQL, whose columns are no modes
 */
export function guessModes(
  columns: readonly ColumnSummary[],
  value: string | undefined,
  where: string,
): string[] {
  const others = columns.filter(
    (column) => column.name !== value && !isPartOf(column.name, value) && !isRowNumber(column),
  )
  const ids = others.filter(({ name }) => ID.test(name))
  const things = others.filter((column) => !isTime(column) && !isFraction(column.type))
  const chosen = new Set(ids.length >= 2 ? ids : things)
  const places = countsOfPlaces(columns, value)
  const modes = others.flatMap((column) => {
    if (isTime(column) && column.foreign) throw foreignDatesError(column, where, places)
    if (isTime(column)) return [isBinned(column) ? column.name : `week(${column.name})`]
    return chosen.has(column) ? [column.name] : []
  })
  if (modes.length < 2)
    throw new InputError(
      'table',
      sentence`${where}: it is not clear which columns are the modes; name at least two with ${option('modes')}, and what was observed with ${option('value')} (the columns are ${columnList(columns)})${meltAdvice(columns, isTime)}${places}.`,
    )
  if (modes.length > MAX_ORDER)
    throw new InputError(
      'table',
      sentence`${where}: ${modes.length} of the columns look like modes, but a tensor has at most ${MAX_ORDER}; name them with ${option('modes')}, or make rows of the columns with ${option('melt')}.`,
    )
  return modes
}

/** The advice how rows are counted by place, to follow a semicolon; empty for tables with values or without places. */
export const countsOfPlaces = (columns: readonly ColumnSummary[], value: string | undefined): Sentence =>
  value !== undefined
    ? []
    : placeAdvice(
        columns.map(({ name }) => name),
        columns.filter(isTime).map(({ name }) => name),
      )

/** Whether a column is used in the SQL of the value. */
const isPartOf = (column: string, value: string | undefined): boolean =>
  value?.includes('(') === true &&
  (value.includes(doubleQuote(column)) || value.split(/[^\p{L}\p{N}_]+/u).includes(column))

/** Whether a column holds times: by its type, by its name, or by a format other than ISO 8601. */
export const isTime = ({ name, type, foreign }: ColumnSummary): boolean =>
  isTemporal(type) || (TIME.test(name) && !isFraction(type)) || (foreign !== undefined && type === 'VARCHAR')

/** Whether a column holds times that are binned already, by its name: week(timestamp). */
const isBinned = ({ name }: ColumnSummary): boolean => /^\w+\(.*\)$/.test(name)

/** The error for a column of dates in other formats than ISO 8601. @param places advice to add */
function foreignDatesError(
  { name, examples, foreign = [] }: ColumnSummary,
  where: string,
  places: Sentence,
): InputError {
  const several = foreign.length > 1 ? ', and may be read in more than one way' : ''
  const forms: Sentence = [option('dates', ...foreign.slice(0, 3))]
  return new InputError(
    'table',
    sentence`${where}: the dates in ${name} ("${examples[0]}") are not written as ISO writes them (2014-04-01)${several}; say how to read them with ${forms}, or name the ${option('modes')} yourself${places}.`,
  )
}

/**
 * A message, without its period, about cells of a column that are no numbers; undefined if there are none.
 */
export function describeSpoilt({ name, spoilt }: ColumnSummary): string | undefined {
  if (!spoilt) return undefined
  const { count, where, text } = spoilt
  const others = count > 1 ? ` and ${count - 1} more of the first cells` : ''
  return `${where}: ${name} is "${abbreviate(text)}"${others}, which is no number; mend it or leave it empty`
}

/**
 * The reasons of a guess, in clauses: why a column is the value, which columns are modes and why, and which are
 * left out.
 * @param modes as they were guessed
 * @param value the column of values, if any
 */
export function explainGuess(
  columns: readonly ColumnSummary[],
  modes: readonly string[],
  value: string | undefined,
): string[] {
  const timeOf = (mode: string): string | undefined =>
    columns.find((column) => isTime(column) && (mode === column.name || mode.endsWith(`(${column.name})`)))
      ?.name
  const reasons: string[] = []
  if (value === undefined) reasons.push('no column is a measurement, so that rows are counted')
  else if (!columns.some(({ name }) => name === value)) reasons.push('the value is the SQL that was given')
  else if (VALUE.test(value)) reasons.push(`${value} is called like a value`)
  else reasons.push(`${value} is the last column of numbers that is neither an id nor a time`)
  const things = modes.filter((mode) => timeOf(mode) === undefined)
  const verb = things.length === 1 ? 'is' : 'are'
  if (things.length > 0)
    reasons.push(
      things.every((name) => ID.test(name))
        ? `${things.join(' and ')} ${verb} called like ids`
        : `${things.join(' and ')} ${verb} text or whole numbers`,
    )
  for (const mode of modes) {
    const time = timeOf(mode)
    if (time === undefined) continue
    const [, binning] = /^(\w+)\(/.exec(mode) ?? []
    if (binning === 'week') reasons.push(`${time} is a time, of which weeks are taken`)
    else if (binning === 'day')
      reasons.push(`${time} is a time, of which days are taken, since rows repeat by weeks`)
    else reasons.push(`${time} is a time, taken as it is, since rows repeat by days`)
  }
  const used = new Set([value, ...modes, ...modes.map(timeOf)])
  const others = columns.filter(({ name }) => !used.has(name)).map(({ name }) => name)
  if (others.length > 0) reasons.push(`${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} left out`)
  return reasons
}
