/** What a table's modes and value may be, by the rules of the command line. */
import type { CsvColumn } from 'lacuna'
import type { TableChoice } from './protocol.ts'

const VALUE = /^(rating|value|count|score|amount|quantity|stars|weight|total|flow|volume)s?$/i
const TIME = /^(time|timestamp|date|datetime|ts|created(_?at)?|unix_?time)$/i
/** Parts of a time that are numbers, but measure nothing. */
const CALENDAR = /^(year|month|week|day|hour|weekday|minute)$/i
/** userId, movie_id, ITEM_CODE; not paid. */
const ID = /(^|[a-z])I[dD]$|_(id|key|code)$|_(ID|KEY|CODE)$|^(user|item|movie|product|customer|station)id$/
/** Numbers the rows, and so says nothing of them. */
const ROW = /^(id|row|row_?id|row_?number|index)$/i

export const isNumber = ({ type }: CsvColumn): boolean => type === 'BIGINT' || type === 'DOUBLE'
export const isTime = ({ name, type }: CsvColumn): boolean =>
  type === 'DATE' || type === 'TIMESTAMP' || (TIME.test(name) && type !== 'DOUBLE')

export function guessChoice(columns: readonly CsvColumn[]): TableChoice {
  const measures = columns.filter(
    (column) => isNumber(column) && ![ID, ROW, TIME, CALENDAR].some((kind) => kind.test(column.name)),
  )
  const value = (measures.find(({ name }) => VALUE.test(name)) ?? measures.at(-1))?.name
  const others = columns.filter(({ name }) => name !== value && !ROW.test(name))
  const ids = others.filter(({ name }) => ID.test(name))
  const things = others.filter((column) => !isTime(column) && column.type !== 'DOUBLE')
  const chosen = ids.length >= 2 ? ids : things
  const modes = others.flatMap((column) =>
    isTime(column) ? [`week(${column.name})`] : chosen.includes(column) ? [column.name] : [],
  )
  return { modes, ...(value !== undefined && { value }), merge: value === undefined ? 'count' : 'error' }
}
