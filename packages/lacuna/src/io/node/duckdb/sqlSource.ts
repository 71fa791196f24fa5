/** Opens the sources that DuckDB reads (files, a query, a table of a database) and expresses them as SQL. */

import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { InputError } from '../../../base/inputError.ts'
import type { ColumnType } from '../../../labels/index.ts'
import type { Dialect, TableColumn } from '../../table/index.ts'
import { attachDatabase, findDatabaseTable } from './database.ts'
import { fileLiteral, identifier, literal, type TableSession } from './session.ts'

/** The prefix of the names of columns that hold the fields of a text verbatim. */
export const VERBATIM_PREFIX = 'lacuna as it stands '

/** A source of rows for DuckDB. */
export interface SqlSource {
  /** The name that messages use. */
  name: string
  kind: 'text' | 'json' | 'parquet'
  /** Paths of files of one kind and the same columns; with a database and no query, the name of one table. */
  files: readonly string[]
  /** The dialect of a text, and the types of its columns; undefined for other kinds. */
  text?: { dialect: Dialect; types: readonly ColumnType[] }
  /** SQL whose result is read instead of the files, which are its table `data`. */
  query?: string
  /** A database file or address, whose tables are read. */
  database?: string
  /** Modes, value and weight as the user typed them: files in their quotes are allowed to be read. */
  typed: readonly string[]
  /** Returns the SQL to compute for each row, given the columns; each becomes a column named by its text. */
  expressions(columns: readonly TableColumn[]): readonly string[]
  /** The rows of Parquet files that are read; all by default. */
  rows?: RowRange
  /** A file that the locked session is allowed to write. */
  output?: string
  /**
   * Whether fields of a text are also read verbatim, in columns named VERBATIM_PREFIX0, 1 …; SQL sees them in
   * the types of `text`, and NULL where a field is not of the type. Times with zones are verbatim in any case, so
   * that they stay as they are written. The result of a query has no verbatim columns.
   */
  verbatim?: boolean
}

/** Some of the rows of Parquet files, file after file. */
export interface RowRange {
  /** The number of rows of all files that precede the range. */
  before: number
  /** Rows from … to − 1 of each file, counted from 0. */
  files: readonly { file: string; from: number; to: number }[]
  /** The number of DuckDB's threads. */
  threads: number
}

/**
 * Opens a source in a session, then locks the session to the source's files; returns SQL to put after FROM.
 * Throws if there is neither a file nor a query.
 */
export async function openSource(session: TableSession, source: SqlSource): Promise<string> {
  const { files, query, database } = source
  const quoted = pathsInLiterals([query ?? '', ...source.typed].join('\n'))
  const paths = [...quoted.files, ...(source.output === undefined ? [] : [source.output])]
  if (database !== undefined) await attachDatabase(session, database)
  const ownFiles = database !== undefined && query === undefined ? [] : files
  paths.push(...ownFiles)
  let table = ownFiles.length > 0 ? filesAsSql(source) : undefined
  if (source.rows) await session.run(`SET threads = ${source.rows.threads}`)
  await session.lock({ paths: paths.map((path) => resolve(path)), folders: quoted.folders })
  if (database !== undefined && query === undefined) return findDatabaseTable(session, files, database)
  if (table !== undefined && source.kind === 'json') table = await jsonAsSql(session, table)
  if (query === undefined) {
    if (table === undefined) throw new InputError('empty', 'There is nothing to read; name a file.')
    return table
  }
  if (table !== undefined) await session.run(`CREATE TEMP VIEW data AS SELECT * FROM ${table}`)
  return `(${query.trim().replace(/;$/, '')})`
}

/**
 * Returns SQL, to put after FROM, for the rows of JSON files. Where a property is a string in some rows and
 * another value in others, DuckDB has the strings in quotes; they become texts.
 * @param table SQL for the rows as DuckDB has them
 */
async function jsonAsSql(session: TableSession, table: string): Promise<string> {
  const columns = await session.rows(`DESCRIBE SELECT * FROM ${table}`)
  const texts = columns.flatMap(([name, type]) =>
    type === 'JSON' ? [`${identifier(String(name))} ->> '$' AS ${identifier(String(name))}`] : [],
  )
  return texts.length > 0 ? `(SELECT * REPLACE (${texts.join(', ')}) FROM ${table})` : table
}

/** An option of DuckDB's readers: folder names such as rating=99/ do not become columns. */
const NO_HIVE = 'hive_partitioning = false'

/**
 * Returns SQL, to put after FROM, for the rows of a range; DuckDB skips the row groups that have none of
 * them.
 * @param range undefined for all rows @param allRows SQL for all rows
 */
export function rangeAsSql(range: RowRange | undefined, allRows: string): string {
  if (!range) return allRows
  if (range.files.length === 0) return `(SELECT * FROM ${allRows} LIMIT 0)`
  const selections = range.files.map(
    ({ file, from, to }) =>
      `SELECT * FROM ${parquetAsSql([file])} WHERE file_row_number >= ${from} AND file_row_number < ${to}`,
  )
  return `(${selections.join(' UNION ALL ')})`
}

/** Returns SQL, to put after FROM, for the rows of Parquet files. */
export const parquetAsSql = (files: readonly string[]): string =>
  `read_parquet([${files.map(fileLiteral).join(', ')}], ${NO_HIVE})`

/** The type as which DuckDB reads the fields of a column: it ignores the zone of a TIMESTAMP. */
const typeWithZone = (type: ColumnType): string => (type === 'TIMESTAMP' ? 'TIMESTAMPTZ' : type)

/** The type that a column has in SQL, where all times are UTC. */
const typeInUtc = (type: ColumnType): ColumnType => (type === 'TIMESTAMPTZ' ? 'TIMESTAMP' : type)

/** Returns SQL, to put after FROM, for the rows of a source's files. */
function filesAsSql({ kind, files, text, verbatim: isWanted = false, query }: SqlSource): string {
  if (kind === 'parquet') return parquetAsSql(files)
  const list = `[${files.map(fileLiteral).join(', ')}]`
  // ISO formats are prescribed, since DuckDB would read 01-02-2024 as the first of February.
  if (kind === 'json') return `read_json(${list}, dateformat = 'iso', timestampformat = 'iso', ${NO_HIVE})`
  const { dialect } = text!
  const types = text!.types.map(typeInUtc)
  const verbatim = isWanted && query === undefined
  /** Whether a column is of times with zones, whose fields are also wanted verbatim. */
  const isZoned = (c: number): boolean => text!.types[c] === 'TIMESTAMPTZ' && query === undefined
  const { delimiter, header, names, quoted, decimal } = dialect
  const columns = names
    .map(
      (name, c) =>
        `${literal(name)}: ${literal(verbatim || isZoned(c) ? 'VARCHAR' : typeWithZone(types[c]))}`,
    )
    .join(', ')
  const options = [
    `delim = ${literal(delimiter)}, header = ${header}, quote = '"', escape = '"', comment = '', skip = 0`,
    `auto_detect = false, columns = {${columns}}, decimal_separator = ${literal(decimal)}, ${NO_HIVE}`,
    // Without a date format DuckDB drops a time of day behind a date silently.
    ...(types.includes('DATE') && !verbatim ? ["dateformat = '%Y-%m-%d'"] : []),
    // "" is an empty text, not NULL, in files that quote texts alone.
    ...(quoted.length > 0 ? ['allow_quoted_nulls = false'] : []),
  ]
  const rows = `read_csv(${list}, ${options.join(', ')})`
  const texts = names.map((name, c) => `${identifier(name)} AS ${identifier(`${VERBATIM_PREFIX}${c}`)}`)
  if (!verbatim) {
    const inUtc = names.flatMap((name, c) => {
      const time = identifier(name)
      if (isZoned(c)) return [`TRY_CAST(${time} AS TIMESTAMPTZ)::TIMESTAMP AS ${time}`]
      return types[c] === 'TIMESTAMP' ? [`${time}::TIMESTAMP AS ${time}`] : []
    })
    const zoned = texts.filter((_, c) => isZoned(c))
    if (inUtc.length === 0) return rows
    return `(SELECT ${[`* REPLACE (${inUtc.join(', ')})`, ...zoned].join(', ')} FROM ${rows})`
  }
  const typed = names.map(
    (name, c) =>
      `TRY_CAST(${identifier(name)} AS ${typeWithZone(types[c])})::${types[c]} AS ${identifier(name)}`,
  )
  return `(SELECT ${[...typed, ...texts].join(', ')} FROM ${rows})`
}

/**
 * Returns the existing files that SQL names in single quotes, as in JOIN 'movies.csv', and the existing
 * folders of patterns like 'parts/*.csv'.
 */
function pathsInLiterals(sql: string): { files: string[]; folders: string[] } {
  const texts = Array.from(sql.matchAll(/'((?:[^']|'')*)'/g), ([, text]) => text.replaceAll("''", "'"))
  const paths = { files: [] as string[], folders: [] as string[] }
  for (const text of texts) {
    const [folder] = /^[^*?[]*(?=\/[^/]*[*?[])|^(?=[^/]*[*?[])/.exec(text) ?? []
    if (/[*?[]/.test(text)) {
      const parent = resolve(folder ?? dirname(text))
      if (existsSync(parent) && statSync(parent).isDirectory()) paths.folders.push(parent)
    } else if (existsSync(text) && statSync(text).isFile()) paths.files.push(text)
  }
  return paths
}
