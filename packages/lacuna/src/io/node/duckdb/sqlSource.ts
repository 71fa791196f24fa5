/** Sources that DuckDB reads, as SQL: files, a query, a table of a database. */
import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { InputError } from '../../../base/inputError.ts'
import type { Dialect, TableColumn } from '../../table/index.ts'
import type { ColumnType } from '../../text/index.ts'
import { attachDatabase, tableOfDatabase } from './database.ts'
import { identifier, literal, type TableSession } from './session.ts'

/** The beginning of the names of columns that hold the fields of a text as they stand. */
export const VERBATIM = 'lacuna as it stands '

/** A source of rows for DuckDB. */
export interface SqlSource {
  /** The name that messages use. */
  name: string
  kind: 'text' | 'json' | 'parquet'
  /** Files of one kind and the same columns; or, of a database, one of its tables. */
  files: readonly string[]
  /** The dialect of a text, and the types of its columns. */
  text?: { dialect: Dialect; types: readonly ColumnType[] }
  query?: string
  database?: string
  /** Modes and value as the user typed them: SQL may name files, which are then allowed. */
  typed: readonly string[]
  /** The SQL to be computed for each row, given the columns; each becomes a column named by its text. */
  expressions(columns: readonly TableColumn[]): readonly string[]
  /** The rows of Parquet files that are read; all by default. */
  rows?: RowRange
  /** A file that is to be written from this table. */
  output?: string
  /**
   * Text is handed over as it stands, whatever type it is computed with; what is not of the type is empty to
   * SQL.
   */
  verbatim?: boolean
}

/** Some of the rows of Parquet files, file after file. */
export interface RowRange {
  /** The number of rows of all files before them. */
  before: number
  /** Rows from … to − 1 of each file. */
  files: readonly { file: string; from: number; to: number }[]
  /** The number of DuckDB's threads. */
  threads: number
}

/** Opens a source, then locks the session; returns SQL to put after FROM. */
export async function openSource(session: TableSession, source: SqlSource): Promise<string> {
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

/** A path as SQL, its special characters escaped: DuckDB would take them for a pattern of names. */
export const fileLiteral = (path: string): string => literal(path.replace(/[*?[]/g, '[$&]'))

/** Folder names such as rating=99/ are no data. */
const NO_HIVE = 'hive_partitioning = false'

/** SQL for the rows of a range; DuckDB skips the row groups that have none of them. */
export function rangeAsSql(range: RowRange | undefined, whole: string): string {
  if (!range) return whole
  if (range.files.length === 0) return `(SELECT * FROM ${whole} LIMIT 0)`
  const parts = range.files.map(
    ({ file, from, to }) =>
      `SELECT * FROM ${parquetAsSql([file])} WHERE file_row_number >= ${from} AND file_row_number < ${to}`,
  )
  return `(${parts.join(' UNION ALL ')})`
}

/** SQL for the rows of Parquet files. */
export const parquetAsSql = (files: readonly string[]): string =>
  `read_parquet([${files.map(fileLiteral).join(', ')}], ${NO_HIVE})`

/** SQL for the rows of files. */
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
      const parent = resolve(folder ?? dirname(text))
      if (existsSync(parent) && statSync(parent).isDirectory()) found.folders.push(parent)
    } else if (existsSync(text) && statSync(text).isFile()) found.files.push(text)
  }
  return found
}
