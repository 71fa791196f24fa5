/** Rows that a program has in memory, as a table that is read by the same rules as files. */
import { InputError } from '../../base/inputError.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { type ReadRowsOptions, readRows } from './plan.ts'
import { type Batch, cellsOf, type Table, type TableColumn, type Wanted } from './source/rows.ts'

/** The properties of the rows that become the modes, the value and the weight of a tensor. */
export interface RecordsOptions
  extends Pick<ReadRowsOptions, 'merge' | 'index' | 'dates' | 'negative' | 'onRemark'> {
  /** The property of each mode, or a binning of one, as in `week(seen)`; guessed by default. */
  modes?: readonly string[]
  /** The property that was observed; guessed by default, or 1 for each record if modes are given. */
  value?: string
  /** The property with the weight of a row, from 0; all rows weigh the same by default. */
  weight?: string
}

/**
 * Properties of rows: texts, numbers, truth values and dates; where one is null, undefined or NaN, the row is
 * left out.
 */
export type Row = Readonly<Record<string, unknown>>

/** Rows per batch; the columns are the properties of the first batch. */
const SAMPLE_ROWS = 2 ** 13

/**
 * Makes a tensor from rows, also from an async iterable: `tensorFromRecords(rows, { modes: ['user', 'film'],
 * value: 'stars' })`. The distinct values of a mode, sorted, are its labels.
 */
export async function tensorFromRecords(
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: RecordsOptions = {},
): Promise<SparseTensor> {
  return readRows(await recordsTable(rows), options)
}

/** The rows as a table; its columns are the properties of the first rows. Throws if there are none. */
async function recordsTable(rows: Iterable<Row> | AsyncIterable<Row>): Promise<Table> {
  const batches = batchesOf(rows)
  const first = await batches.next()
  if (first.done) throw new InputError('empty', 'There are no rows to make a tensor of.')
  const columns = new Map<string, TableColumn>()
  for (const row of first.value.rows)
    for (const [name, value] of Object.entries(row)) {
      const column = columns.get(name) ?? { name }
      if (typeof value === 'string') column.quoted = true
      columns.set(name, column)
    }
  const list = [...columns.values()]
  const all = list.map((_, column) => ({ column }))
  return {
    name: 'The rows',
    unit: 'row',
    columns: list,
    sample: async () => batchOf(first.value, list, all),
    async *read(wanted) {
      yield batchOf(first.value, list, wanted)
      for await (const batch of batches) yield batchOf(batch, list, wanted)
    },
  }
}

/** Consecutive rows. */
interface Rows {
  /** The number of the first row, from 1. */
  from: number
  rows: readonly Row[]
}

/** Yields rows in batches; throws if one is no object. */
async function* batchesOf(source: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<Rows, undefined> {
  if (!isIterable(source))
    throw new InputError('option', 'The rows must be a list or another iterable of objects.')
  let from = 1
  let rows: Row[] = []
  for await (const row of source) {
    if (typeof row !== 'object' || row === null || Array.isArray(row))
      throw new InputError(
        'table',
        `Row ${from + rows.length} is ${row === null ? 'null' : Array.isArray(row) ? 'a list' : `the ${typeof row} ${String(row)}`}; give an object with a property for each mode.`,
      )
    rows.push(row)
    if (rows.length < SAMPLE_ROWS) continue
    yield { from, rows }
    from += rows.length
    rows = []
  }
  if (rows.length > 0) yield { from, rows }
}

/** Whether a value can be iterated. */
const isIterable = (source: unknown): boolean =>
  typeof source === 'object' &&
  source !== null &&
  (Symbol.iterator in source || Symbol.asyncIterator in source)

/** Rows as a batch of the wanted columns; a property that is missing is an empty cell. */
function batchOf({ from, rows }: Rows, columns: readonly TableColumn[], wanted: readonly Wanted[]): Batch {
  return {
    rowCount: rows.length,
    columns: wanted.map(({ column }) => {
      const { name } = columns[column]
      return cellsOf(
        rows.map((row, r) => (Object.hasOwn(row, name) ? textOfProperty(row[name], name, from + r) : null)),
      )
    }),
    file: 'The rows',
    lines: Uint32Array.from(rows, (_, r) => from + r),
  }
}

/**
 * A property as the text of a cell; null where it is missing or NaN. Throws if it is an object or the like.
 */
function textOfProperty(value: unknown, name: string, row: number): string | null {
  if (value === null || value === undefined || Number.isNaN(value)) return null
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value)
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString()
  const what =
    value instanceof Date
      ? 'a date that is none'
      : typeof value === 'object'
        ? 'an object'
        : `a ${typeof value}`
  throw new InputError(
    'table',
    `Row ${row}: ${name} is ${what}; give a text, a number, a truth value or a date.`,
  )
}
