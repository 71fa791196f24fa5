/**
 * Sessions of a DuckDB in memory, which reads Parquet, databases and SQL, and writes Parquet. DuckDB is
 * loaded only when needed.
 *
 * Only what the user types is run as SQL. Texts of files never are: names are quoted, and types come from a
 * closed list. Once the user's sources are open the session is locked: whatever the SQL is, it can read or
 * write only the files that were allowed, load nothing and fetch nothing.
 */

import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBDataChunk, DuckDBType, DuckDBValue } from '@duckdb/node-api'
import { InputError } from '../../../base/inputError.ts'
import { explainMissingPackage } from '../../../base/missingPackage.ts'
import { nameWait } from '../../../base/waits.ts'
import { doubleQuote } from '../../text/index.ts'
import { nameBeside, removeAtExit, removeLeftovers } from '../files/index.ts'
import { binningMacros } from './macros.ts'

/** A column of a query's result. */
export interface Column {
  name: string
  /** The SQL type: BIGINT, VARCHAR, DECIMAL(4,1). */
  type: string
}

/** A connection to a DuckDB in memory. */
export interface TableSession {
  /** Runs a statement without returning its result. */
  run(sql: string): Promise<void>
  /** Returns all rows of a small result. */
  rows(sql: string): Promise<DuckDBValue[][]>
  /** Returns the names and types of the columns of a query's result, without running it. */
  columns(query: string): Promise<Column[]>
  /**
   * Yields a result of any size in chunks of at most 2048 rows, in order. Chunks have an additional last
   * column, to be ignored. Throws if the stream breaks off.
   */
  stream(query: string): AsyncGenerator<DuckDBDataChunk>
  /** Creates and fills a temporary table. A batch has one list per column, of at most 2048 values. */
  fill(
    table: string,
    columns: readonly FilledColumn[],
    batches: Iterable<DuckDBValue[][]> | AsyncIterable<DuckDBValue[][]>,
  ): Promise<void>
  /**
   * Locks the session: from now on only these paths, and files in these folders, can be read or written, and
   * nothing can be fetched or loaded.
   */
  lock(allowed: { paths: readonly string[]; folders?: readonly string[] }): Promise<void>
  /** Ends the connection and removes DuckDB's temporary files. */
  close(): void
}

/** A column of a temporary table that `fill` creates. */
export interface FilledColumn {
  name: string
  type: 'VARCHAR' | 'UINTEGER' | 'FLOAT' | 'DOUBLE'
}

/**
 * Opens a session in which the binnings (week(x), bins(x, width) …) are defined; the caller must close it.
 * Throws if the package is not installed.
 * @param where the file, as messages name it: errors of DuckDB become InputErrors that begin with it
 */
export async function openSession(where: string): Promise<TableSession> {
  const {
    DuckDBDataChunk: Chunk,
    DuckDBInstance,
    ...types
  } = await import('@duckdb/node-api').catch(
    explainMissingPackage('@duckdb/node-api', `${where}: reading or writing Parquet, databases, SQL or zstd`),
  )
  // DuckDB's own choice for what does not fit in memory is a folder .tmp in the working directory.
  removeLeftovers(tmpdir())
  const folder = nameBeside(join(tmpdir(), 'lacuna-duckdb'), 'tmp')
  const cancelRemoval = removeAtExit(folder)
  const instance = await DuckDBInstance.create(':memory:', {
    temp_directory: folder,
    preserve_insertion_order: 'true', // the end of a stream is known by it, and the last of several values
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  })
  const connection = await instance.connect()
  const explainErrors = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await nameWait(`DuckDB to read or write ${where}`, work())
    } catch (error) {
      throw explainDuckdbError(error, where)
    }
  }
  // Times with a zone must not fall into other weeks on another machine.
  for (const sql of [`SET TimeZone = 'UTC'`, ...binningMacros]) await connection.run(sql)
  const columns = (query: string): Promise<Column[]> =>
    explainErrors(async () => {
      const statement = await connection.prepare(query)
      try {
        return Array.from({ length: statement.columnCount }, (_, c) => ({
          name: statement.columnName(c),
          type: sqlTypeName(statement.columnType(c)),
        }))
      } finally {
        statement.destroySync()
      }
    })
  return {
    run: (sql) =>
      explainErrors(async () => {
        await connection.run(sql)
      }),
    rows: (sql) => explainErrors(async () => (await connection.runAndReadAll(sql)).getRows()),
    columns,
    async *stream(query) {
      const width = (await columns(query)).length
      const result = await explainErrors(() => connection.stream(withEndMark(query, width)))
      for (;;) {
        const chunk = await explainErrors(() => result.fetchChunk())
        if (!chunk || chunk.rowCount === 0) break
        const isLast = chunk.getColumnVector(width).getItem(chunk.rowCount - 1) === true
        if (isLast) chunk.rowCount--
        if (chunk.rowCount > 0) yield chunk
        if (isLast) return
      }
      // The stream is incomplete. A query of one row over all of it throws the reason.
      await explainErrors(() => connection.run(`SELECT max(COLUMNS(*)) FROM (${query})`))
      throw new InputError('table', `${where}: reading broke off, but a second time it did not; try again.`)
    },
    fill: (table, columns, batches) =>
      explainErrors(async () => {
        const list = columns.map(({ name, type }) => `${identifier(name)} ${type}`).join(', ')
        await connection.run(`CREATE TEMP TABLE ${identifier(table)} (${list})`)
        const chunkTypes = columns.map(({ type }) => types[type])
        const appender = await connection.createAppender(table)
        try {
          for await (const batch of batches) {
            const chunk = Chunk.create(chunkTypes, batch[0].length)
            chunk.setColumns(batch)
            appender.appendDataChunk(chunk)
          }
        } finally {
          appender.closeSync()
        }
      }),
    lock: ({ paths, folders = [] }) =>
      explainErrors(async () => {
        for (const [setting, allowed] of [
          // DuckDB compares with a path as the SQL names it, and with that of the file which it finds.
          ['allowed_paths', paths.flatMap((path) => [...new Set([path, escapePattern(path)])])],
          ['allowed_directories', folders],
        ] as const)
          await connection.run(`SET ${setting} = [${allowed.map(literal).join(', ')}]`)
        await connection.run('SET enable_external_access = false')
        await connection.run('SET lock_configuration = true')
      }),
    close() {
      connection.closeSync()
      instance.closeSync()
      rmSync(folder, { recursive: true, force: true })
      cancelRemoval()
    },
  }
}

/**
 * Returns a query with an additional last row, marked by true in an additional last column. DuckDB's binding
 * ends a stream that fails as if it were complete; a stream without the marked row is known to be incomplete.
 * @param width the number of columns of the query
 */
function withEndMark(query: string, width: number): string {
  return `SELECT *, false FROM (${query}) UNION ALL SELECT ${'NULL, '.repeat(width)}true`
}

/** Returns the SQL name of a type; VARCHAR for enumerations. */
function sqlTypeName(type: DuckDBType): string {
  const text = String(type)
  return text.startsWith('ENUM') ? 'VARCHAR' : text
}

/** Quotes the name of a column or table for SQL, in double quotes. */
export const identifier: (name: string) => string = doubleQuote

/** Quotes a text for SQL, in single quotes. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Escapes *, ? and [ in a path, which DuckDB would take for a pattern of names. */
const escapePattern = (path: string): string => path.replace(/[*?[]/g, '[$&]')

/** Quotes the path of a file to read for SQL, so that it matches no other file. */
export const fileLiteral = (path: string): string => literal(escapePattern(path))

/**
 * Converts an error of DuckDB to an InputError with one sentence that begins with the file in question, else
 * with `where`; returns any other error, and DuckDB's internal ones, unchanged. Does not throw it.
 */
export function explainDuckdbError(error: unknown, where: string): unknown {
  if (!(error instanceof Error) || error instanceof InputError) return error
  const [, kind, message] = /^(?:Error: )?([A-Z][\w ]*?) Error: ([\s\S]*)$/.exec(error.message) ?? []
  if (!kind || kind === 'INTERNAL') return error
  // DuckDB's message names the file if several were read.
  const file = /^ *file = (.+)$/m.exec(message)?.[1] ?? where
  return new InputError('table', `${file}${sentenceFor(kind, message)}`, { cause: error })
}

/**
 * Returns the sentence for an error of DuckDB, to follow the name of the file: `: …` or `, line 3: …`.
 * @param kind DuckDB's class of errors, such as Parser or Permission
 */
function sentenceFor(kind: string, message: string): string {
  const first = message.split('\n')[0].trim().replace(/[.!]$/, '')
  const line = /CSV Error on Line: (\d+)/.exec(message)?.[1]
  if (line !== undefined) return `, line ${line}: ${explainCsvFault(message)}`
  const sought = /Referenced column "(.*?)" not found/.exec(message)?.[1]
  if (sought !== undefined) return `: there is no column "${sought}"; check the name.`
  const extension =
    /Failed to download extension "(\w+?)(?:_scanner)?"/.exec(message) ??
    /(?:xtension|file) "?.*?\b(\w+?)(?:_scanner)?(?:\.duckdb_extension)?"? (?:not found|could not be loaded|is not)/.exec(
      message,
    )
  if (extension && /extension/i.test(message))
    return `: reading this needs DuckDB's extension "${extension[1]}", which is not installed and could not be downloaded; connect to the internet once, or export the table to CSV or Parquet.`
  if (kind === 'Permission')
    return `: the SQL reaches for what it may not (${first}); it can read the files that were named as inputs or stand in quotes in the SQL, and nothing else.`
  const time = /invalid (?:timestamp|date) field format: "(.*?)"/.exec(message)?.[1]
  if (time !== undefined)
    return `: "${time}" is no time; times are Unix seconds or text like 2014-04-01 12:30:00, and others need strptime(…) in the mode.`
  const unknown = /Function with name (\w+) does not exist/.exec(message)?.[1]
  if (unknown !== undefined)
    return `: there is no function ${unknown}; the binnings are year, month, week, day, hour, weekday, bins and round, and every function of DuckDB can be used.`
  if (/magic bytes|too small to be a Parquet|Snappy|thrift|TProtocol/i.test(message))
    return `: this is not a whole Parquet file (${first}); fetch or write it again.`
  if (/GZIP|gzip|ZSTD|zstd/.test(message))
    return `: the packed data is damaged (${first}); fetch the file again.`
  if (/Malformed JSON/.test(message))
    return `: the JSON is not well-formed (${first.replace(/^Malformed JSON in file ".*?", /, '')}); mend the file.`
  if (/Schema mismatch/.test(message))
    return ': the files do not have the same columns; give them one by one.'
  if (kind === 'Parser') return `: the SQL is not valid: ${first}.`
  if (kind === 'Out of Memory')
    return ': the table does not fit in memory; take fewer columns or rows, by a query, say.'
  return `: ${first}.`
}

/** Returns the sentence for DuckDB's message about a CSV line. */
function explainCsvFault(message: string): string {
  const found = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(message)
  if (found) return `${found[2]} fields where the first line has ${found[1]}; mend the line.`
  const converted = /converting column "(.*?)"\. Could not convert string "([\s\S]*?)" to '?(\w+)/.exec(
    message,
  )
  if (converted)
    return `column "${converted[1]}" holds "${converted[2]}", but numbers or dates (${converted[3]}) above it; mend the line.`
  if (/utf-8|unicode/i.test(message))
    return 'this is not UTF-8 text; if it is Latin-1, convert the file with iconv -f windows-1252 -t utf-8.'
  if (/unterminated quote/i.test(message)) return 'a quote is not closed; mend the line.'
  const lines = message.split('\n')
  return `${(lines[2] ?? lines[0]).trim().replace(/\.$/, '')}; mend the line.`
}
