/**
 * Tables that DuckDB delivers: Parquet, databases, the result of a query, and any file whose modes are SQL.
 */
import { existsSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { DuckDBDataChunk } from '@duckdb/node-api'
import { InputError, option, sentence } from '../../../inputError.ts'
import {
  type Batch,
  type Cells,
  cellsOf,
  type Dialect,
  type Table,
  type TableColumn,
  type Wanted,
} from '../../table/index.ts'
import { type ColumnType, columnType } from '../../text/types.ts'
import { explainFileError } from '../files/fileError.ts'
import { identifier, literal, openSession, type TableSession } from './session.ts'
import { NO_ROWS, resolveSql } from './userSql.ts'

/** As many as DuckDB looks at to guess types. */
const SAMPLE_ROWS = 20480
/** What the columns are called that hold the fields of a text as they stand. */
const VERBATIM = 'lacuna as it stands '

export interface SqlSource {
  /** As messages call it. */
  name: string
  kind: 'text' | 'json' | 'parquet'
  /** Files of one kind and the same columns; or, of a database, one of its tables. */
  files: readonly string[]
  /** How text is written, and what its columns are. */
  text?: { dialect: Dialect; types: readonly ColumnType[] }
  query?: string
  database?: string
  /** What the user typed for modes and value: SQL may name files. */
  typed: readonly string[]
  /**
   * Which SQL is to be computed for each row, when the columns are known; each becomes a column called by its
   * text.
   */
  expressions(columns: readonly TableColumn[]): readonly string[]
  /** Of Parquet files, the rows that are read; all by default. */
  rows?: RowRange
  /** A file that is to be written from this table. */
  output?: string
  /**
   * Text is handed over as it stands, whatever type it is computed with; what is not of the type is empty to
   * SQL.
   */
  verbatim?: boolean
}

/** Some of the rows of Parquet files, of those that have any, one after the other. */
export interface RowRange {
  /** How many come before them in all files. */
  before: number
  /** Rows from … to − 1 of each file. */
  files: readonly { file: string; from: number; to: number }[]
  /** DuckDB's threads, where others read, too. */
  threads: number
}

export interface SqlTable extends Table {
  session: TableSession
  /** SQL to put after FROM. */
  from: string
  close(): void
}

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
      return { ...delivered(column, large.has(c)), computed, ...text }
    })
    return tableOf(session, source, from, columns, isVerbatim)
  } catch (error) {
    session.close()
    throw error
  }
}

/** A column, or what is computed like one. */
interface TypedSql {
  name: string
  sql: string
  /** As DuckDB calls it. */
  type: string
}

interface SqlColumn extends TableColumn {
  type: ColumnType
  /** SQL for the column as a DOUBLE, if it is delivered as numbers. */
  number?: string
  /** SQL for it as text. */
  text: string
}

/** How a column comes over: as numbers where they tell its values apart, else as text. */
function delivered({ name, sql, type }: TypedSql, isLarge: boolean): SqlColumn {
  const own = columnType(type) ?? 'VARCHAR'
  const [, width] = /^DECIMAL\((\d+)/.exec(type) ?? []
  const text = `CAST(${sql} AS VARCHAR)`
  const column = (type: ColumnType, number?: string): SqlColumn => ({
    name,
    type,
    text,
    ...(number && { number }),
  })
  if (Number(width) > 15) return column('VARCHAR')
  switch (own) {
    case 'BIGINT':
      return isLarge ? column('HUGEINT') : column('BIGINT', `CAST(${sql} AS DOUBLE)`)
    case 'DATE':
      return column('DATE', `CASE WHEN isfinite(${sql}) THEN CAST(${sql} - DATE '1970-01-01' AS DOUBLE) END`)
    case 'TIMESTAMP':
      return column(
        'TIMESTAMP',
        `CASE WHEN isfinite(CAST(${sql} AS TIMESTAMP)) THEN CAST(epoch_us(CAST(${sql} AS TIMESTAMP)) AS DOUBLE) END`,
      )
    case 'DOUBLE':
      // As a float is written, not as the double that it is.
      return column('DOUBLE', type === 'FLOAT' ? `CAST(${text} AS DOUBLE)` : sql)
    case 'BOOLEAN':
      return column('BOOLEAN', `CAST(CAST(${sql} AS INTEGER) AS DOUBLE)`)
    case 'HUGEINT':
    case 'VARCHAR':
      return column(own)
    default:
      return column(own, `CAST(${sql} AS DOUBLE)`)
  }
}

/** The columns, by number, that hold whole numbers which a double does not: beyond 2⁵³. */
async function beyondDouble(
  session: TableSession,
  columns: readonly TypedSql[],
  from: string,
): Promise<Set<number>> {
  const wide = columns.flatMap(({ type }, c) => (type === 'BIGINT' ? [c] : []))
  if (wide.length === 0) return new Set()
  // One pass over the table for all of them.
  const bounds = wide.map((c) => `min(${columns[c].sql}), max(${columns[c].sql})`).join(', ')
  const [found] = await session.rows(`SELECT ${bounds} FROM ${from}`)
  const isBeyond = (x: unknown): boolean => x !== null && Math.abs(Number(x)) > Number.MAX_SAFE_INTEGER
  return new Set(wide.filter((_, w) => isBeyond(found[2 * w]) || isBeyond(found[2 * w + 1])))
}

function tableOf(
  session: TableSession,
  { name, rows: range }: SqlSource,
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
    const selected = wanted.map(({ column }, w) => {
      const number = asNumbers[w]
      return number === undefined ? columns[column].text : `coalesce(${number}, CAST('nan' AS DOUBLE))`
    })
    if (records) selected.push('CAST(to_json(lacuna_row) AS VARCHAR)')
    const rows = limit === undefined ? rangeAsSql(range, from) : `(SELECT * FROM ${from} LIMIT ${limit})`
    let row = limit === undefined ? (range?.before ?? 0) : 0
    for await (const chunk of session.stream(
      `SELECT ${selected.join(', ') || '1'} FROM ${rows} AS lacuna_row`,
    )) {
      const first = row + 1
      row += chunk.rowCount
      yield {
        rowCount: chunk.rowCount,
        columns: wanted.map((_, w) => cellsFrom(chunk, w, asNumbers[w] !== undefined)),
        file: name,
        lines: Uint32Array.from({ length: chunk.rowCount }, (_, r) => first + r),
        ...(records && { records: textsFrom(chunk, wanted.length).map(String) }),
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

function cellsFrom(chunk: DuckDBDataChunk, column: number, numbers: boolean): Cells {
  if (!numbers) return cellsOf(textsFrom(chunk, column))
  return (chunk.getColumnVector(column) as unknown as { items: Float64Array }).items
}

function textsFrom(chunk: DuckDBDataChunk, column: number): (string | null)[] {
  const vector = chunk.getColumnVector(column)
  return Array.from({ length: chunk.rowCount }, (_, row) => vector.getItem(row) as string | null)
}

/** Opens what the user named, then locks the session; SQL to put after FROM. */
async function openSource(session: TableSession, source: SqlSource): Promise<string> {
  const { files, query, database } = source
  const typed = literalsIn([query ?? '', ...source.typed].join('\n'))
  const paths = [...typed.files, ...(source.output === undefined ? [] : [source.output])]
  if (database !== undefined) await attachDatabase(session, database)
  const own = database !== undefined && query === undefined ? [] : files
  paths.push(...own)
  const table = own.length > 0 ? filesAsSql(source) : undefined
  if (source.rows) await session.run(`SET threads = ${source.rows.threads}`)
  await session.lock({ paths: paths.map((path) => resolve(path)), folders: typed.folders })
  if (database !== undefined && query === undefined) return tableOfDatabase(session, files, database)
  if (query === undefined) {
    if (table === undefined) throw new InputError('empty', 'There is nothing to read; name a file.')
    return table
  }
  if (table !== undefined) await session.run(`CREATE TEMP VIEW data AS SELECT * FROM ${table}`)
  return `(${query.trim().replace(/;$/, '')})`
}

/** A path as it is: DuckDB would take some of its characters for a pattern of names. */
export const fileLiteral = (path: string): string => literal(path.replace(/[*?[]/g, '[$&]'))

/** Names of folders are no data: a file in rating=99/ has the ratings that stand in it. */
const NO_HIVE = 'hive_partitioning = false'

/** The rows of a range; DuckDB passes over the row groups that have none of them. */
function rangeAsSql(range: RowRange | undefined, whole: string): string {
  if (!range) return whole
  if (range.files.length === 0) return `(SELECT * FROM ${whole} LIMIT 0)`
  const parts = range.files.map(
    ({ file, from, to }) =>
      `SELECT * FROM ${parquetAsSql([file])} WHERE file_row_number >= ${from} AND file_row_number < ${to}`,
  )
  return `(${parts.join(' UNION ALL ')})`
}

export const parquetAsSql = (files: readonly string[]): string =>
  `read_parquet([${files.map(fileLiteral).join(', ')}], ${NO_HIVE})`

function filesAsSql({ kind, files, text, verbatim }: SqlSource): string {
  if (kind === 'parquet') return parquetAsSql(files)
  const list = `[${files.map(fileLiteral).join(', ')}]`
  // Else 01-02-2024 would be the first of February.
  if (kind === 'json') return `read_json(${list}, dateformat = 'iso', timestampformat = 'iso', ${NO_HIVE})`
  const { dialect, types } = text!
  const { delimiter, header, names, quoted, decimal } = dialect
  const columns = names
    .map((name, c) => `${literal(name)}: ${literal(verbatim ? 'VARCHAR' : types[c])}`)
    .join(', ')
  const options = [
    `delim = ${literal(delimiter)}, header = ${header}, quote = '"', escape = '"', comment = '', skip = 0`,
    `auto_detect = false, columns = {${columns}}, decimal_separator = ${literal(decimal)}, ${NO_HIVE}`,
    // Where quotes are used for text alone, "" is a text.
    ...(quoted.length > 0 ? ['allow_quoted_nulls = false'] : []),
  ]
  const rows = `read_csv(${list}, ${options.join(', ')})`
  if (!verbatim) return rows
  const typed = names.map((name, c) => `TRY_CAST(${identifier(name)} AS ${types[c]}) AS ${identifier(name)}`)
  const texts = names.map((name, c) => `${identifier(name)} AS ${identifier(`${VERBATIM}${c}`)}`)
  return `(SELECT ${[...typed, ...texts].join(', ')} FROM ${rows})`
}

/**
 * Files that SQL names in quotes, as in JOIN 'movies.csv', and the folders of patterns like 'parts/*.csv'.
 */
function literalsIn(sql: string): { files: string[]; folders: string[] } {
  const texts = Array.from(sql.matchAll(/'((?:[^']|'')*)'/g), ([, text]) => text.replaceAll("''", "'"))
  const found = { files: [] as string[], folders: [] as string[] }
  for (const text of texts) {
    const [folder] = /^[^*?[]*(?=\/[^/]*[*?[])|^(?=[^/]*[*?[])/.exec(text) ?? []
    if (/[*?[]/.test(text)) {
      const place = resolve(folder ?? dirname(text))
      if (existsSync(place) && statSync(place).isDirectory()) found.folders.push(place)
    } else if (existsSync(text) && statSync(text).isFile()) found.files.push(text)
  }
  return found
}

const EXTENSIONS: Record<string, string> = { postgres: 'postgres', mysql: 'mysql', sqlite: 'sqlite' }

/** Makes the tables of a database known by their names. It is only read. */
async function attachDatabase(session: TableSession, database: string): Promise<void> {
  const type = await typeOfDatabase(database)
  if (type) {
    // The one thing that may be fetched: who names such a database asks for it.
    await session.run(`INSTALL ${EXTENSIONS[type]}`)
    await session.run(`LOAD ${EXTENSIONS[type]}`)
  }
  await session.run(`ATTACH ${literal(database)} AS lacuna_database (READ_ONLY${type && `, TYPE ${type}`})`)
  await session.run('USE lacuna_database')
}

/** What DuckDB calls it; nothing for its own. */
async function typeOfDatabase(database: string): Promise<string> {
  const [, scheme] = /^(\w+):\/\//.exec(database) ?? []
  if (scheme === undefined) return typeOfFile(database)
  if (/^postgres(ql)?$/.test(scheme)) return 'postgres'
  if (scheme === 'mysql') return 'mysql'
  throw new InputError(
    'option',
    `${database}: a database is a file, or an address that begins with postgres://.`,
  )
}

/** By its first bytes, since both kinds end in .db. */
async function typeOfFile(path: string): Promise<string> {
  try {
    const file = await open(path)
    try {
      const { buffer } = await file.read(Buffer.alloc(16), 0, 16, 0)
      return buffer.toString('latin1').startsWith('SQLite format 3') ? 'sqlite' : ''
    } finally {
      await file.close()
    }
  } catch (error) {
    throw explainFileError(error, path, 'read')
  }
}

/** SQL for the one table named; if there is none of that name, says which there are. */
async function tableOfDatabase(
  session: TableSession,
  [name, ...more]: readonly string[],
  database: string,
): Promise<string> {
  const rows = await session.rows(
    `SELECT table_name FROM information_schema.tables WHERE table_catalog = 'lacuna_database' ORDER BY 1`,
  )
  const tables = rows.map(([table]) => String(table))
  if (name === undefined || more.length > 0 || !tables.includes(name))
    throw new InputError(
      'table',
      sentence`${database}: name one of its tables or give a ${option('query')}; the tables are ${tables.join(', ')}.`,
    )
  return identifier(name)
}
