/**
 * Tables that DuckDB delivers: Parquet, databases, the result of a query, and any file whose modes are SQL.
 */
import type { DuckDBDataChunk } from '@duckdb/node-api'
import { type Batch, type Cells, cellsOf, type Table, type Wanted } from '../../table/index.ts'
import { identifier, openSession, type TableSession } from './session.ts'
import { beyondDouble, type SqlColumn, selectColumn } from './sqlColumns.ts'
import { openSource, rangeAsSql, type SqlSource, VERBATIM } from './sqlSource.ts'
import { codedTexts, type TextCodes } from './textCodes.ts'
import { NO_ROWS, resolveSql } from './userSql.ts'

/** Rows of the sample: as many as DuckDB uses to guess types. */
const SAMPLE_ROWS = 20480

/** A table in a session of DuckDB. */
export interface SqlTable extends Table {
  session: TableSession
  /** SQL to put after FROM. */
  from: string
  close(): void
}

/** Opens a source in a session of its own. */
export async function openSqlTable(source: SqlSource): Promise<SqlTable> {
  const session = await openSession(source.name)
  try {
    const from = await openSource(session, source)
    const all = await session.columns(`SELECT * FROM ${from}`)
    const found = all.filter(({ name }) => !name.startsWith(VERBATIM))
    const typed = found.map(({ name, type }) => ({ name, sql: identifier(name), type, computed: false }))
    const expressions = source.expressions(found.map(({ name }) => ({ name })))
    if (expressions.length > 0)
      await session.run(`CREATE TEMP TABLE ${NO_ROWS} AS SELECT * FROM ${from} LIMIT 0`)
    for (const expression of expressions) {
      const { sql, type } = await resolveSql(session, expression, found, source.name)
      typed.push({ name: expression, sql, type, computed: true })
    }
    const isVerbatim = all.length > found.length
    const large = await beyondDouble(session, typed, from)
    const columns = typed.map((column, c): SqlColumn => {
      const { computed } = column
      const text = isVerbatim && !computed && { text: identifier(`${VERBATIM}${c}`) }
      return { ...selectColumn(column, large.has(c)), computed, ...text }
    })
    return tableOf(session, source, from, columns, isVerbatim)
  } catch (error) {
    session.close()
    throw error
  }
}

/** The table of a session. @param from SQL to put after FROM */
function tableOf(
  session: TableSession,
  { name, rows: range, query }: SqlSource,
  from: string,
  columns: readonly SqlColumn[],
  isVerbatim: boolean,
): SqlTable {
  async function* read(
    wanted: readonly Wanted[],
    asked: { records?: boolean; limit?: number } = {},
  ): AsyncGenerator<Batch> {
    const { limit } = asked
    // Of text, the fields are better as they stand.
    const records = (asked.records ?? false) && !isVerbatim
    const asNumbers = wanted.map(({ column, asText }) => (asText ? undefined : columns[column].number))
    const rows = limit === undefined ? rangeAsSql(range, from) : `(SELECT * FROM ${from} LIMIT ${limit})`
    // What the user typed may give something else a second time.
    const canCode = query === undefined && limit === undefined
    const codes: (TextCodes | undefined)[] = []
    for (const [w, { column, coded }] of wanted.entries())
      codes.push(
        coded && canCode && !columns[column].computed && asNumbers[w] === undefined
          ? await codedTexts(session, columns[column].text, rows, name)
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
        lines: countingFrom(first, chunk.rowCount),
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
      const parts: Batch[] = []
      for await (const batch of read(
        columns.map((_, column) => ({ column })),
        { limit: SAMPLE_ROWS },
      ))
        parts.push(batch)
      return parts[0] ?? { rowCount: 0, columns: [], file: name, lines: new Uint32Array(0) }
    },
    close: session.close,
  }
}

/** A column of a chunk as cells. */
function cellsFrom(chunk: DuckDBDataChunk, column: number, numbers: boolean, codes?: TextCodes): Cells {
  if (!numbers && !codes) return cellsOf(textsFrom(chunk, column))
  const { items } = chunk.getColumnVector(column) as unknown as { items: Float64Array | BigUint64Array }
  // The last chunk has an additional row that marks it as the last.
  return items instanceof BigUint64Array ? codes!.cells(items.subarray(0, chunk.rowCount)) : items
}

/** The numbers first, first + 1 … */
function countingFrom(first: number, count: number): Uint32Array {
  const numbers = new Uint32Array(count)
  for (let n = 0; n < count; n++) numbers[n] = first + n
  return numbers
}

/** A column of a chunk as texts. */
function textsFrom(chunk: DuckDBDataChunk, column: number): (string | null)[] {
  const vector = chunk.getColumnVector(column)
  return Array.from({ length: chunk.rowCount }, (_, row) => vector.getItem(row) as string | null)
}
