/**
 * Opens tables that DuckDB reads: Parquet, databases, the result of a query, and any file whose modes are
 * SQL.
 */
import type { DuckDBDataChunk } from '@duckdb/node-api'
import { type Batch, type Cells, cellsOf, type Table, type Wanted } from '../../table/index.ts'
import { identifier, openSession, type TableSession } from './session.ts'
import { findLargeIntegers, type SqlColumn, selectColumn } from './sqlColumns.ts'
import { openSource, rangeAsSql, type SqlSource, VERBATIM_PREFIX } from './sqlSource.ts'
import { codeTexts, type TextCodes } from './textCodes.ts'
import { NO_ROWS, resolveSql } from './userSql.ts'

/** Rows that are asked for as a sample, as many as DuckDB uses to guess types; the first chunk is used. */
const SAMPLE_ROWS = 20480

/** A table in its own session of DuckDB. */
export interface SqlTable extends Table {
  session: TableSession
  /** SQL for all rows, to put after FROM. */
  from: string
  /** Closes the session. */
  close(): void
}

/** Opens a source in a session of its own, which is locked; the caller must close the table. */
export async function openSqlTable(source: SqlSource): Promise<SqlTable> {
  const session = await openSession(source.name)
  try {
    const from = await openSource(session, source)
    const selectable = await session.columns(`SELECT * FROM ${from}`)
    const sourceColumns = selectable.filter(({ name }) => !name.startsWith(VERBATIM_PREFIX))
    const typed = sourceColumns.map(({ name, type }) => ({
      name,
      sql: identifier(name),
      type,
      computed: false,
    }))
    const expressions = source.expressions(sourceColumns.map(({ name }) => ({ name })))
    if (expressions.length > 0)
      await session.run(`CREATE TEMP TABLE ${NO_ROWS} AS SELECT * FROM ${from} LIMIT 0`)
    for (const expression of expressions) {
      const { sql, type } = await resolveSql(session, expression, sourceColumns, source.name)
      typed.push({ name: expression, sql, type, computed: true })
    }
    const verbatim = new Set(
      selectable.map(({ name }) => name).filter((name) => name.startsWith(VERBATIM_PREFIX)),
    )
    const isVerbatim = verbatim.size > 0 && verbatim.size === sourceColumns.length
    const large = await findLargeIntegers(session, typed, from)
    const columns = typed.map((column, c): SqlColumn => {
      const { computed } = column
      const name = `${VERBATIM_PREFIX}${c}`
      const text = verbatim.has(name) && !computed && { text: identifier(name) }
      // Times with zones are read as text, which keeps their zones.
      const isZoned = text && source.text?.types[c] === 'TIMESTAMPTZ'
      return {
        ...selectColumn(column, large.has(c)),
        ...{ computed, ...text },
        ...(isZoned && { type: undefined, number: undefined }),
      }
    })
    return makeTable(session, source, from, columns, isVerbatim)
  } catch (error) {
    session.close()
    throw error
  }
}

/**
 * Makes the table of an open session.
 * @param from SQL for all rows, to put after FROM
 * @param isVerbatim whether the texts of the columns are the fields of a file as they stand there
 */
function makeTable(
  session: TableSession,
  { name, rows: range, query }: SqlSource,
  from: string,
  columns: readonly SqlColumn[],
  isVerbatim: boolean,
): SqlTable {
  /** Yields the rows of the range, or only the first `limit` of all rows, in batches. */
  async function* read(
    wanted: readonly Wanted[],
    options: { records?: boolean; limit?: number } = {},
  ): AsyncGenerator<Batch> {
    const { limit } = options
    // Fields of a text that are read verbatim are written as they were, not as JSON made by DuckDB.
    const records = (options.records ?? false) && !isVerbatim
    const asNumbers = wanted.map(({ column, asText }) => (asText ? undefined : columns[column].number))
    const rows = limit === undefined ? rangeAsSql(range, from) : `(SELECT * FROM ${from} LIMIT ${limit})`
    // Coding reads the column twice, and a query may give another result the second time.
    const canCode = query === undefined && limit === undefined
    const codes: (TextCodes | undefined)[] = []
    for (const [w, { column, coded }] of wanted.entries())
      codes.push(
        coded && canCode && !columns[column].computed && asNumbers[w] === undefined
          ? await codeTexts(session, columns[column].text, rows, name)
          : undefined,
      )
    const selected = wanted.map(({ column }, w) => {
      const number = asNumbers[w]
      if (number !== undefined) return `coalesce(${number}, CAST('nan' AS DOUBLE))`
      return codes[w]?.sql ?? columns[column].text
    })
    if (records) selected.push('CAST(to_json(lacuna_row) AS VARCHAR)')
    let row = limit === undefined ? (range?.before ?? 0) : 0
    for await (const chunk of session.stream(
      `SELECT ${selected.join(', ') || '1'} FROM ${rows} AS lacuna_row`,
    )) {
      const first = row + 1
      row += chunk.rowCount
      yield {
        rowCount: chunk.rowCount,
        columns: wanted.map((_, w) => cellsFrom(chunk, w, asNumbers[w] !== undefined, codes[w])),
        file: name,
        lines: countFrom(first, chunk.rowCount),
        records: records ? textsFrom(chunk, wanted.length).map(String) : undefined,
      }
    }
  }
  return {
    name,
    unit: 'row',
    columns,
    session,
    from,
    read,
    async sample() {
      const batches: Batch[] = []
      for await (const batch of read(
        columns.map((_, column) => ({ column })),
        { limit: SAMPLE_ROWS },
      ))
        batches.push(batch)
      return batches[0] ?? { rowCount: 0, columns: [], file: name, lines: new Uint32Array(0) }
    },
    close: session.close,
  }
}

/**
 * Returns a column of a chunk as cells.
 * @param isNumber whether the column is DOUBLE @param codes given if it has hashes of texts
 */
function cellsFrom(chunk: DuckDBDataChunk, column: number, isNumber: boolean, codes?: TextCodes): Cells {
  if (!isNumber && !codes) return cellsOf(textsFrom(chunk, column))
  const { items } = chunk.getColumnVector(column) as unknown as { items: Float64Array | BigUint64Array }
  // The last chunk has an additional row that marks it as the last.
  return items instanceof BigUint64Array ? codes!.cells(items.subarray(0, chunk.rowCount)) : items
}

/** Returns the `count` numbers first, first + 1 … */
function countFrom(first: number, count: number): Uint32Array {
  const numbers = new Uint32Array(count)
  for (let n = 0; n < count; n++) numbers[n] = first + n
  return numbers
}

/** Returns a VARCHAR column of a chunk as texts; null where NULL. */
function textsFrom(chunk: DuckDBDataChunk, column: number): (string | null)[] {
  const vector = chunk.getColumnVector(column)
  return Array.from({ length: chunk.rowCount }, (_, row) => vector.getItem(row) as string | null)
}
