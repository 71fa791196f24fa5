/** Writes Parquet files through DuckDB: tensors, and tables of answers. */

import { resolve } from 'node:path'
import type { DuckDBValue } from '@duckdb/node-api'
import { columnType, typeOfTexts } from '../../../labels/index.ts'
import type { SparseTensor } from '../../../tensor/index.ts'
import {
  checkLabels,
  columnNames,
  type OutputBatch,
  type OutputColumn,
  ownColumns,
  type Table,
} from '../../table/index.ts'
import type { Replacement } from '../files/index.ts'
import { type FilledColumn, identifier, literal, openSession, type TableSession } from './session.ts'
import type { SqlTable } from './sqlTable.ts'

/** The most values per column and batch: those of one of DuckDB's vectors. */
const BATCH = 2048

/**
 * Returns the Replacement that writes a tensor as a Parquet file: a row per entry, labels in columns of the
 * modes' types, value and weight as FLOAT. A mode without labels is a column of indices from 1. Throws if
 * labels are invalid.
 */
export function tensorAsParquet(path: string, tensor: SparseTensor): Replacement {
  checkLabels(tensor)
  return {
    path,
    write: (_, temporary) =>
      withSession(path, async (session) => {
        const { dims, labels, modes, weights } = tensor
        const numbers: FilledColumn[] = (weights ? ['v', 'w'] : ['v']).map((name) => ({
          name,
          type: 'FLOAT',
        }))
        const columns = dims.map(
          (_, mode): FilledColumn => ({ name: `m${mode}`, type: labels?.[mode] ? 'VARCHAR' : 'UINTEGER' }),
        )
        await session.fill('entries', [...columns, ...numbers], entryBatches(tensor))
        const names = columnNames(tensor)
        const selected = numbers.map(({ name }) => name)
        for (const [mode, { name }] of [...columns.entries()].reverse())
          selected.unshift(await castTexts(session, 'entries', name, labels?.[mode] && modes?.[mode].type))
        await session.lock({ paths: [resolve(temporary)] })
        await copyTo(session, temporary, selectAs(selected, names, 'entries'))
      }),
  }
}

/** Opens a session, calls `work` with it, closes it and returns the result. @param path for messages */
async function withSession<T>(path: string, work: (session: TableSession) => Promise<T>): Promise<T> {
  const session = await openSession(path)
  try {
    return await work(session)
  } finally {
    session.close()
  }
}

/**
 * Writes the result of a query as Parquet into an existing file, which stays the same file (inode). If that
 * fails for the disk, throws an error with a code and syscall, as those of Node's file functions.
 */
async function copyTo(session: TableSession, file: string, query: string): Promise<void> {
  try {
    await session.run(`COPY (${query}) TO ${literal(file)} (FORMAT parquet, USE_TMP_FILE false)`)
  } catch (error) {
    const { message } = ((error as Error).cause ?? error) as Error
    const fault = DISK_FAULTS.find(({ words }) => message.includes(words))
    throw fault ? Object.assign(new Error(message), { code: fault.code, syscall: 'write' }) : error
  }
}

/** The system's words, in DuckDB's messages, for a disk that takes no more. */
const DISK_FAULTS = [
  { words: 'No space left on device', code: 'ENOSPC' },
  { words: 'Disk quota exceeded', code: 'EDQUOT' },
  { words: 'File too large', code: 'EFBIG' },
  { words: 'Input/output error', code: 'EIO' },
]

/** Returns SQL that selects SQL expressions under column names. @param from SQL to put after FROM */
const selectAs = (selected: readonly string[], names: readonly string[], from: string): string =>
  `SELECT ${selected.map((sql, c) => `${sql} AS ${identifier(names[c])}`).join(', ')} FROM ${from}`

/** Yields the entries of a tensor in order, at most BATCH at a time, as one list of values per column. */
function* entryBatches({ indices, values, weights, labels }: SparseTensor): Generator<DuckDBValue[][]> {
  for (let start = 0; start < values.length; start += BATCH) {
    const end = Math.min(values.length, start + BATCH)
    const columns = indices.map((column, mode) => {
      const names = labels?.[mode]
      return Array.from(column.subarray(start, end), (index) => names?.[index] ?? index + 1)
    })
    const numbers = weights ? [values, weights] : [values]
    yield [...columns, ...numbers.map((array) => Array.from(array.subarray(start, end)))]
  }
}

/**
 * Returns SQL for a column of texts in a type, if every text is the same after the conversion and back; else
 * for the texts themselves.
 * @param wantedType undefined, unknown, VARCHAR and HUGEINT mean text
 */
async function castTexts(
  session: TableSession,
  table: string,
  column: string,
  wantedType: string | undefined,
): Promise<string> {
  // Parquet has no numbers beyond 64 bits: they would become doubles.
  const type = wantedType === undefined ? undefined : columnType(wantedType)
  if (!type || type === 'VARCHAR' || type === 'HUGEINT') return column
  const cast = `TRY_CAST(${column} AS ${type})`
  const [[isLossless]] = await session.rows(
    `SELECT bool_and(coalesce(CAST(${cast} AS VARCHAR) = ${column}, ${column} IS NULL)) FROM ${table}`,
  )
  return isLossless === true ? cast : column
}

/** At most this many distinct texts of a column are examined to infer its type. */
const MAX_TYPE_SAMPLES = 10_000

/**
 * Writes rows as Parquet into an existing file. Texts get their column's type, if every one is the same after
 * the conversion and back; texts copied verbatim from an input table get the type inferred from the texts
 * themselves.
 * @param name the rows, for messages
 * @param table the input table whose columns come first in `columns`: if DuckDB reads it, they keep their
 * types, and its session must be allowed to write the file
 */
export async function writeParquetRows(
  name: string,
  file: string,
  columns: readonly OutputColumn[],
  batches: AsyncIterable<OutputBatch>,
  table?: Table | SqlTable,
): Promise<void> {
  if (table && 'session' in table) return writeWithAddedColumns(file, columns, batches, table)
  await withSession(name, async (session) => {
    const types = { number: 'DOUBLE', whole: 'UINTEGER', text: 'VARCHAR' } as const
    const filled = columns.map(({ kind }, c): FilledColumn => ({ name: `c${c}`, type: types[kind] }))
    const distinctTexts = columns.map(({ verbatim }) => (verbatim ? new Set<string>() : undefined))
    await session.fill('rows', filled, columnBatches([...columns.keys()], batches, distinctTexts))
    const selected: string[] = []
    for (const [c, { kind, type, verbatim }] of columns.entries()) {
      const samples = distinctTexts[c]
      const wantedType = samples ? typeOfTexts(samples, verbatim === 'quoted') : type
      selected.push(kind === 'text' ? await castTexts(session, 'rows', `c${c}`, wantedType) : `c${c}`)
    }
    await session.lock({ paths: [resolve(file)] })
    const names = columns.map((column) => column.name)
    await copyTo(session, file, selectAs(selected, names, 'rows'))
  })
}

/**
 * Writes the rows of a table that DuckDB reads, in their types, with further columns of numbers behind the
 * table's own ones, as Parquet.
 * @param columns the table's own columns, then the added ones
 */
async function writeWithAddedColumns(
  file: string,
  columns: readonly OutputColumn[],
  batches: AsyncIterable<OutputBatch>,
  table: SqlTable,
): Promise<void> {
  const { session, from } = table
  const tableColumns = ownColumns(table)
  const added = columns.slice(tableColumns.length)
  const addedBatches: DuckDBValue[][][] = []
  for await (const batch of columnBatches(
    added.map((_, c) => tableColumns.length + c),
    batches,
  ))
    addedBatches.push(batch)
  const names = tableColumns.map((column) => identifier(column.name)).join(', ')
  await session.run(`CREATE TEMP TABLE lacuna_queries AS SELECT ${names} FROM ${from}`)
  const filled = added.map(({ name }): FilledColumn => ({ name, type: 'DOUBLE' }))
  await session.fill('lacuna_predictions', filled, addedBatches)
  await copyTo(session, file, 'SELECT * FROM lacuna_queries POSITIONAL JOIN lacuna_predictions')
}

/**
 * Yields rows, at most BATCH at a time, as one list of values per wanted column; NaN becomes null.
 * @param wanted the positions of the columns to yield
 * @param distinctTexts per column, a set that receives its distinct texts, at most MAX_TYPE_SAMPLES of them
 */
async function* columnBatches(
  wanted: readonly number[],
  batches: AsyncIterable<OutputBatch>,
  distinctTexts: readonly (Set<string> | undefined)[] = [],
): AsyncGenerator<DuckDBValue[][]> {
  for await (const { rowCount, cell } of batches)
    for (let start = 0; start < rowCount; start += BATCH)
      yield wanted.map((c) => {
        const samples = distinctTexts[c]
        return Array.from({ length: Math.min(BATCH, rowCount - start) }, (_, r) => {
          const value = cell(start + r, c)
          if (typeof value === 'number' && Number.isNaN(value)) return null
          if (samples && typeof value === 'string' && samples.size < MAX_TYPE_SAMPLES) samples.add(value)
          return value
        })
      })
}
