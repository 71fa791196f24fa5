/** How well-known tables become the tensors that others have made of them. */
import { InputError } from '../../../inputError.ts'
import type { RecipeName, TableOptions } from './options.ts'
import { type Column, identifier, type TableSession } from './session.ts'

export interface Prepared {
  /** SQL to put after FROM instead of the table. */
  table: string
  options: Pick<TableOptions, 'modes' | 'value' | 'merge' | 'index'>
}

const WEEK_SECONDS = 604_800

export function prepare(
  recipe: RecipeName,
  session: TableSession,
  table: string,
  columns: readonly Column[],
  where: string,
): Promise<Prepared> {
  return { movielens, uber }[recipe](session, table, columns, where)
}

/**
 * User × movie × week, ids as they are, weeks counted from the first rating. ratings.dat and u.data have no names of
 * columns; in all editions they are user, movie, rating and Unix time, in this order.
 */
async function movielens(
  session: TableSession,
  table: string,
  columns: readonly Column[],
  where: string,
): Promise<Prepared> {
  if (columns.length !== 4)
    throw new InputError(
      'table',
      `${where}: MovieLens ratings have 4 columns (user, movie, rating, timestamp), this table has ${columns.length}; name ratings.csv, ratings.dat or u.data.`,
    )
  const named = ['userId', 'movieId', 'rating', 'timestamp'].map(
    (name, c) => `${identifier(columns[c].name)} AS ${name}`,
  )
  const ratings = `(SELECT ${named.join(', ')} FROM ${table})`
  const [[first]] = await session.rows(`SELECT CAST(min("timestamp") AS DOUBLE) FROM ${ratings}`)
  return {
    table: ratings,
    options: {
      // The first rating's time is written out, so that the mode means the same on another table.
      modes: ['userId', 'movieId', `(timestamp - ${first ?? 0}) // ${WEEK_SECONDS} + 1`],
      ...{ value: 'rating', index: 'raw' },
    },
  }
}

/**
 * Day × hour × latitude × longitude, coordinates rounded to three decimals (about 100 m), pickups counted: FROSTT's.
 * Halves are rounded to even, as NumPy does; SQL's round would give other cells.
 */
async function uber(
  _session: TableSession,
  table: string,
  columns: readonly Column[],
  where: string,
): Promise<Prepared> {
  for (const needed of ['Date/Time', 'Lat', 'Lon'])
    if (!columns.some(({ name }) => name === needed))
      throw new InputError(
        'table',
        `${where}: there is no column "${needed}"; name FiveThirtyEight's files, as in uber-raw-data-apr14.csv.`,
      )
  const time = `strptime("Date/Time", '%m/%d/%Y %H:%M:%S')`
  const places = ['Lat', 'Lon'].map((degrees) => `round_even(${degrees} * 1000, 0) / 1000`)
  return { table, options: { modes: [`day(${time})`, `hour(${time})`, ...places], merge: 'count' } }
}
