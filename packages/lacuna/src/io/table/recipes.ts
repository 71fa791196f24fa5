/** Recipes: fixed reading options that build a known tensor from the files of a public data set. */
import { InputError } from '../../base/inputError.ts'
import type { FoundMode, IndexPolicy } from './columns/modes.ts'
import { findColumn } from './columns/modes.ts'
import { TimeColumn } from './columns/timeColumn.ts'
import type { MergePolicy } from './readPlan.ts'
import type { Table } from './source/rows.ts'

/** A recipe, by the data set that it reads. */
export type RecipeName = 'movielens' | 'uber'
/** Every recipe. */
export const recipeNames: readonly RecipeName[] = ['movielens', 'uber']

/** The modes and the value of a data set, and how its rows are merged. */
interface Recipe {
  modes: FoundMode[]
  value?: { column: number; name: string }
  merge?: MergePolicy
  index?: IndexPolicy
}

/**
 * The functions that make a recipe for a table, by name of the recipe; each rejects if the table is not of its
 * data set.
 */
export const recipes: Readonly<Record<RecipeName, (table: Table) => Promise<Recipe>>> = { movielens, uber }

/**
 * MovieLens: user × movie × week, ids as they are, weeks counted from the first rating. ratings.dat and
 * u.data have no names of columns; in all editions they are user, movie, rating and Unix time, in this order.
 */
async function movielens(table: Table): Promise<Recipe> {
  const { columns, name } = table
  if (columns.length !== 4)
    throw new InputError(
      'table',
      `${name}: MovieLens ratings have 4 columns (user, movie, rating, timestamp), this table has ${columns.length}; name ratings.csv, ratings.dat or u.data.`,
    )
  // The first rating's time is written out, so that the mode means the same on another table.
  const first = await earliest(table, 3)
  return {
    modes: [
      { name: 'userId', column: 0 },
      { name: 'movieId', column: 1 },
      { name: `weeks(timestamp, ${first})`, column: 3, binning: 'weeks', argument: first },
    ],
    value: { column: 2, name: 'rating' },
    index: 'raw',
  }
}

/** The first time in a column, in seconds since 1970; 0 if there is none. Reads all rows if it must. */
async function earliest(table: Table, column: number): Promise<number> {
  const times = new TimeColumn(table.columns[column].name, table.columns[column].type, undefined)
  let first = (await table.earliest?.(column)) ?? Infinity
  if (first === Infinity)
    for await (const { columns, rowCount } of table.read([{ column }]))
      first = Math.min(first, times.earliest(columns[0], rowCount))
  return first < Infinity ? first / 1e6 : 0
}

/**
 * FROSTT's Uber tensor: day × hour × latitude × longitude, coordinates rounded to three decimals (about 100
 * m), pickups counted. Halves are rounded to even, as NumPy does; SQL's round would give other cells.
 */
async function uber({ columns, name }: Table): Promise<Recipe> {
  const [time, lat, lon] = ['Date/Time', 'Lat', 'Lon'].map((needed) => {
    const column = findColumn(columns, needed)
    if (column < 0)
      throw new InputError(
        'table',
        `${name}: there is no column "${needed}"; name FiveThirtyEight's files, as in uber-raw-data-apr14.csv.`,
      )
    return column
  })
  const dates = ['%m/%d/%Y %H:%M:%S']
  return {
    modes: [
      { name: 'day(Date/Time)', column: time, binning: 'day', dates },
      { name: 'hour(Date/Time)', column: time, binning: 'hour', dates },
      { name: 'round_even(Lat, 3)', column: lat, binning: 'round_even', argument: 3 },
      { name: 'round_even(Lon, 3)', column: lon, binning: 'round_even', argument: 3 },
    ],
    merge: 'count',
  }
}
