/** Parquet files, which DuckDB writes: tensors, and tables of answers. */
import { resolve } from 'node:path'
import type { DuckDBValue } from '@duckdb/node-api'
import type { SparseTensor } from '../../../tensor/index.ts'
import {
  checkLabels,
  columnNames,
  type OutputBatch,
  type OutputColumn,
  ownColumns,
  type Table,
} from '../../table/index.ts'
import { columnType, typeOfTexts } from '../../text/index.ts'
import type { Replacement } from '../files/index.ts'
import { type FilledColumn, identifier, literal, openSession, type TableSession } from './session.ts'
import type { SqlTable } from './sqlTable.ts'

/** DuckDB's vectors hold this many values. */
const BATCH = 2048

/**
 * The tensor as a Parquet file: a row per entry, labels in columns of the modes' types, value and weight as
 * FLOAT. A mode without labels is a column of indices from 1. To be written with replaceFiles.
 */
export function tensorAsParquet(path: string, tensor: SparseTensor): Replacement {
  checkLabels(tensor)
  return {
    path,
    write: (_, temporary) =>
      inSession(path, async (session) => {
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

/** Does work in a session of its own. */
async function inSession<T>(path: string, work: (session: TableSession) => Promise<T>): Promise<T> {
  const session = await openSession(path)
  try {
    return await work(session)
  } finally {
    session.close()
  }
}

/** Writes over the file that is there, so that it keeps its permissions and is the one that is synced. */
const copyTo = (session: TableSession, file: string, query: string): Promise<void> =>
  session.run(`COPY (${query}) TO ${literal(file)} (FORMAT parquet, USE_TMP_FILE false)`)

/** SQL that selects expressions under names. */
const selectAs = (selected: readonly string[], names: readonly string[], from: string): string =>
  `SELECT ${selected.map((sql, c) => `${sql} AS ${identifier(names[c])}`).join(', ')} FROM ${from}`

/** The entries of a tensor as lists of values per column, BATCH at a time. */
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

/** SQL for a column of texts in a type, if every text survives the conversion; else as text. */
async function castTexts(
  session: TableSession,
  table: string,
  column: string,
  given: string | undefined,
): Promise<string> {
  // Parquet has no numbers beyond 64 bits: they would become doubles.
  const type = given === undefined ? undefined : columnType(given)
  if (!type || type === 'VARCHAR' || type === 'HUGEINT') return column
  const cast = `TRY_CAST(${column} AS ${type})`
  const [[same]] = await session.rows(
    `SELECT bool_and(coalesce(CAST(${cast} AS VARCHAR) = ${column}, ${column} IS NULL)) FROM ${table}`,
  )
  return same === true ? cast : column
}

/** The number of distinct texts of a column that determine its type. */
const TYPED_BY = 10_000

/**
 * Writes rows as Parquet into a file that exists. Texts get their columns' types, if every one survives the
 * conversion; those that stand as in another table get the type that they have by themselves.
 * @param name the rows, as messages call them
 * @param table where the first columns come from: those that DuckDB delivers keep their types, and its
 * session must be allowed to write the file
 */
export async function writeParquetRows(
  name: string,
  file: string,
  columns: readonly OutputColumn[],
  batches: AsyncIterable<OutputBatch>,
  table?: Table | SqlTable,
): Promise<void> {
  if (table && 'session' in table) return writeBeside(file, columns, batches, table)
  await inSession(name, async (session) => {
    const types = { number: 'DOUBLE', whole: 'UINTEGER', text: 'VARCHAR' } as const
    const filled = columns.map(({ kind }, c): FilledColumn => ({ name: `c${c}`, type: types[kind] }))
    const texts = columns.map(({ verbatim }) => (verbatim ? new Set<string>() : undefined))
    await session.fill('rows', filled, columnBatches(columns.keys(), batches, texts))
    const selected: string[] = []
    for (const [c, { kind, type, verbatim }] of columns.entries()) {
      const own = texts[c]
      const given = own ? typeOfTexts(own, verbatim === 'quoted') : type
      selected.push(kind === 'text' ? await castTexts(session, 'rows', `c${c}`, given) : `c${c}`)
    }
    await session.lock({ paths: [resolve(file)] })
    const names = columns.map((column) => column.name)
    await copyTo(session, file, selectAs(selected, names, 'rows'))
  })
}

/**
 * Writes the rows of a table that DuckDB delivers, in their own types, with the numbers of the further
 * columns beside them.
 */
async function writeBeside(
  file: string,
  columns: readonly OutputColumn[],
  batches: AsyncIterable<OutputBatch>,
  table: SqlTable,
): Promise<void> {
  const { session, from } = table
  const own = ownColumns(table)
  const added = columns.slice(own.length)
  const parts: DuckDBValue[][][] = []
  for await (const part of columnBatches(
    added.map((_, c) => own.length + c),
    batches,
  ))
    parts.push(part)
  const names = own.map((column) => identifier(column.name)).join(', ')
  await session.run(`CREATE TEMP TABLE lacuna_queries AS SELECT ${names} FROM ${from}`)
  const filled = added.map(({ name }): FilledColumn => ({ name, type: 'DOUBLE' }))
  await session.fill('lacuna_predictions', filled, parts)
  await copyTo(session, file, 'SELECT * FROM lacuna_queries POSITIONAL JOIN lacuna_predictions')
}

/**
 * Rows as lists of values per column, at most BATCH at a time.
 * @param which the columns that are wanted
 * @param texts per column, receives its distinct texts, up to TYPED_BY
 */
async function* columnBatches(
  which: Iterable<number>,
  batches: AsyncIterable<OutputBatch>,
  texts: readonly (Set<string> | undefined)[] = [],
): AsyncGenerator<DuckDBValue[][]> {
  const wanted = [...which]
  for await (const { rowCount, cell } of batches)
    for (let start = 0; start < rowCount; start += BATCH)
      yield wanted.map((c) => {
        const distinct = texts[c]
        return Array.from({ length: Math.min(BATCH, rowCount - start) }, (_, r) => {
          const value = cell(start + r, c)
          if (typeof value === 'number' && Number.isNaN(value)) return null
          if (distinct && typeof value === 'string' && distinct.size < TYPED_BY) distinct.add(value)
          return value
        })
      })
}
