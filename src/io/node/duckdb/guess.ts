/** What a table's modes and value may be, when nobody said. */
import { InputError, option, sentence } from '../../../inputError.ts'
import { names } from './modes.ts'
import { type Column, identifier } from './session.ts'

const VALUE = /^(rating|value|count|score|amount|quantity|stars|weight|total|flow|volume)s?$/i
const TIME = /^(time|timestamp|date|datetime|ts|created(_?at)?|unix_?time)$/i
/** Parts of a time that are numbers, but measure nothing. */
const CALENDAR = /^(year|month|week|day|hour|weekday|minute)$/i
/** userId, movie_id, ITEM_CODE; not paid. */
const ID = /(^|[a-z])I[dD]$|_(id|key|code)$|_(ID|KEY|CODE)$|^(user|item|movie|product|customer|station)id$/
/** Numbers the rows, and so says nothing of them. */
const ROW = /^(id|row|row_?id|row_?number|index)$/i
const NUMBER = /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL.*)$/
const FRACTION = /^(FLOAT|DOUBLE|DECIMAL.*)$/

/** A number called rating, value, count …, else the last number that is no id and no time; without one, rows are counted. */
export function guessValue(columns: readonly Column[]): string | undefined {
  const measures = columns.filter(
    ({ name, type }) =>
      NUMBER.test(type) && !ID.test(name) && !ROW.test(name) && !TIME.test(name) && !CALENDAR.test(name),
  )
  return (measures.find(({ name }) => VALUE.test(name)) ?? measures.at(-1))?.name
}

/** A column that is called a value but holds text has a word among its numbers: counting rows instead would hide it. */
export function refuseTextValue(columns: readonly Column[], value: string | undefined, where: string): void {
  if (value !== undefined) return
  const text = columns.find(({ name, type }) => VALUE.test(name) && type === 'VARCHAR')
  if (text)
    throw new InputError(
      'table',
      sentence`${where}: the column ${text.name} should be numbers, but some of it is text; correct it, or say with ${option('modes')} and ${option('value')} what is meant.`,
    )
}

/** The columns called …id if there are two, else all of text or whole numbers; and the week of each time. */
export function guessModes(columns: readonly Column[], value: string | undefined, where: string): string[] {
  const others = columns.filter(({ name }) => name !== value)
  const ids = others.filter(({ name }) => ID.test(name) && !ROW.test(name))
  const things = others.filter(
    (column) => !isTime(column) && !FRACTION.test(column.type) && !ROW.test(column.name),
  )
  const chosen = ids.length >= 2 ? ids : things
  const modes = others.flatMap((column) =>
    isTime(column)
      ? [isBinned(column) ? column.name : `week(${plain(column.name)})`]
      : chosen.includes(column)
        ? [column.name]
        : [],
  )
  if (modes.length < 2)
    throw new InputError(
      'table',
      sentence`${where}: it is not clear which columns are the modes; name at least two with ${option('modes')}, and what was observed with ${option('value')} (the columns are ${names(columns)}).`,
    )
  return modes
}

const isTime = ({ name, type }: Column): boolean =>
  /^(DATE|TIMESTAMP.*)$/.test(type) || (TIME.test(name) && !FRACTION.test(type))

/** The times of a table that was written with binned ones, as week(timestamp). */
const isBinned = ({ name }: Column): boolean => /^\w+\(.*\)$/.test(name)

const plain = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : identifier(name))
