/** Parquet files, which DuckDB writes: tensors, and tables with predictions. */
import { resolve } from 'node:path'
import type { DuckDBValue } from '@duckdb/node-api'
import type { SparseTensor } from '../../../tensor/index.ts'
import {
  type AnswerColumn,
  type AnswerRow,
  type Cells,
  cellText,
  checkLabels,
  columnNames,
  ownColumns,
  type PredictedRows,
  type Table,
} from '../../table/index.ts'
import { columnType, typeOfTexts } from '../../text/index.ts'
import type { Replacement } from '../files/writeFileWhole.ts'
import { type FilledColumn, identifier, literal, openSession, type TableSession } from './session.ts'
import type { SqlTable } from './sqlTable.ts'

/** DuckDB's vectors hold this many values. */
const BATCH = 2048

/**
 * The tensor as a Parquet file: a row per entry, labels in columns of the modes' types, value and weight as FLOAT. A
 * mode without labels is a column of indices from 1. To be written with replaceFiles.
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
          selected.unshift(await typed(session, 'entries', name, labels?.[mode] && modes?.[mode].type))
        await session.lock({ paths: [resolve(temporary)] })
        await copyTo(session, temporary, selectAs(selected, names, 'entries'))
      }),
  }
}

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

const selectAs = (selected: readonly string[], names: readonly string[], from: string): string =>
  `SELECT ${selected.map((sql, c) => `${sql} AS ${identifier(names[c])}`).join(', ')} FROM ${from}`

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

/** The texts in the type that they are the text of, if every one survives that. */
async function typed(
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

/**
 * Writes rows with predictions into a file that is there, as Parquet. Rows that DuckDB delivered keep their
 * types, and its session must be allowed to write the file.
 */
export async function writePredictedParquet(
  file: string,
  rows: AsyncIterable<PredictedRows>,
  table: Table | SqlTable,
  names: readonly string[],
): Promise<void> {
  const columns = ownColumns(table)
  return 'session' in table ? withTheirTypes(table) : inSession(table.name, withTexts)

  async function withTheirTypes({ session, from }: SqlTable): Promise<void> {
    const parts: DuckDBValue[][][] = []
    for await (const { rowCount, answers } of rows)
      for (let start = 0; start < rowCount; start += BATCH)
        parts.push(answers.map((column) => numbers(column, start, Math.min(rowCount, start + BATCH))))
    const own = columns.map((column) => identifier(column.name)).join(', ')
    await session.run(`CREATE TEMP TABLE lacuna_queries AS SELECT ${own} FROM ${from}`)
    const filled = names.map((name): FilledColumn => ({ name, type: 'DOUBLE' }))
    await session.fill('lacuna_predictions', filled, parts)
    await copyTo(session, file, 'SELECT * FROM lacuna_queries POSITIONAL JOIN lacuna_predictions')
  }

  async function withTexts(session: TableSession): Promise<void> {
    const filled = columns.map((_, c): FilledColumn => ({ name: `c${c}`, type: 'VARCHAR' }))
    const seen = columns.map(() => new Set<string>())
    const said = names.map((_, a): FilledColumn => ({ name: `y${a}`, type: 'DOUBLE' }))
    await session.fill('rows', [...filled, ...said], batches(seen))
    const selected: string[] = []
    for (const [c, { quoted }] of columns.entries())
      selected.push(await typed(session, 'rows', `c${c}`, typeOfTexts(seen[c], quoted)))
    await session.lock({ paths: [resolve(file)] })
    const all = [...columns.map((column) => column.name), ...names]
    await copyTo(session, file, selectAs([...selected, ...said.map(({ name }) => name)], all, 'rows'))
  }

  async function* batches(seen: readonly Set<string>[]): AsyncGenerator<DuckDBValue[][]> {
    for await (const { rowCount, fields, answers } of rows)
      for (let start = 0; start < rowCount; start += BATCH) {
        const end = Math.min(rowCount, start + BATCH)
        const texts = fields.map((cells, c) => textsOf(cells, start, end, seen[c]))
        yield [...texts, ...answers.map((column) => numbers(column, start, end))]
      }
  }
}

const numbers = (column: Float64Array, start: number, end: number): (number | null)[] =>
  Array.from(column.subarray(start, end), (y) => (Number.isNaN(y) ? null : y))

/** What tells a column's type; of many texts, some. */
const SEEN = 10_000

function textsOf(cells: Cells, start: number, end: number, seen: Set<string>): (string | null)[] {
  return Array.from({ length: end - start }, (_, r) => {
    const text = cells instanceof Float64Array ? String(cells[start + r]) : cellText(cells, start + r)
    if (text !== null && seen.size < SEEN) seen.add(text)
    return text
  })
}

/** Answers into a file that is there, as Parquet: labels in their types, if every one survives that. */
export async function writeAnswerParquet(
  path: string,
  file: string,
  columns: readonly AnswerColumn[],
  batches: AsyncIterable<readonly AnswerRow[]> | Iterable<readonly AnswerRow[]>,
): Promise<void> {
  await inSession(path, async (session) => {
    const types = { number: 'DOUBLE', whole: 'UINTEGER', text: 'VARCHAR' } as const
    const filled = columns.map(({ kind }, c): FilledColumn => ({ name: `c${c}`, type: types[kind] }))
    await session.fill('answers', filled, columnsOf(columns.length, batches))
    const selected: string[] = []
    for (const [c, { kind, type }] of columns.entries())
      selected.push(kind === 'text' ? await typed(session, 'answers', `c${c}`, type) : `c${c}`)
    await session.lock({ paths: [resolve(file)] })
    const names = columns.map(({ name }) => name)
    await copyTo(session, file, selectAs(selected, names, 'answers'))
  })
}

async function* columnsOf(
  count: number,
  batches: AsyncIterable<readonly AnswerRow[]> | Iterable<readonly AnswerRow[]>,
): AsyncGenerator<DuckDBValue[][]> {
  for await (const rows of batches)
    for (let start = 0; start < rows.length; start += BATCH) {
      const some = rows.slice(start, start + BATCH)
      yield Array.from({ length: count }, (_, c) =>
        some.map((row) => (typeof row[c] === 'number' && Number.isNaN(row[c]) ? null : row[c])),
      )
    }
}
