/** Checks SQL that the user typed for a mode or the value, and quotes the columns that it names. */

import { InputError } from '../../../base/inputError.ts'
import { columnList } from '../../table/index.ts'
import { escapeRegExp } from '../../text/index.ts'
import { type Column, identifier, type TableSession } from './session.ts'

/** The name of a temporary table without rows that has the source's columns, by which SQL is checked. */
export const NO_ROWS = 'lacuna_no_rows'

/** Words that SQL evaluates to something else where no column has the name. */
const KEYWORDS = [
  'user',
  'current_user',
  'session_user',
  'current_role',
  'current_catalog',
  'current_schema',
  'current_date',
  'current_time',
  'current_timestamp',
  'localtime',
  'localtimestamp',
]

/**
 * Returns typed SQL with its columns in quotes, in parentheses, and its type. Columns whose names are
 * keywords (at, user) or hold blanks need not be quoted by the user. Throws if the SQL is invalid, names no
 * column, or uses one of KEYWORDS that is no column.
 * @param where the table, for messages
 */
export async function resolveSql(
  session: TableSession,
  text: string,
  columns: readonly Column[],
  where: string,
): Promise<{ sql: string; type: string }> {
  const quoted = quoteColumns(text, columns)
  const resolved = await typeOfSql(session, quoted).catch(async (error) => {
    if (!(error instanceof InputError) || quoted === text) throw explainSqlError(error, text, columns)
    const type = await typeOfSql(session, text).catch(() => undefined)
    if (type === undefined) throw explainSqlError(error, text, columns)
    return { sql: text, type }
  })
  const { sql, type } = typeof resolved === 'string' ? { sql: quoted, type: resolved } : resolved
  const keyword = bareWords(sql).find((word) => KEYWORDS.includes(word.toLowerCase()))
  if (keyword !== undefined)
    throw new InputError(
      'table',
      `${where}: there is no column "${keyword}"; the columns are ${columnList(columns)}.`,
    )
  if (!columns.some(({ name }) => quoted.toLowerCase().includes(identifier(name).toLowerCase())))
    throw new InputError(
      'table',
      `${where}: ${text} is the same for every row, since it names no column; the columns are ${columnList(columns)}.`,
    )
  return { sql: `(${sql})`, type }
}

/**
 * Returns the type of SQL for the columns of the table NO_ROWS; throws if it is invalid. Using the table
 * itself would make DuckDB read its files again.
 */
async function typeOfSql(session: TableSession, sql: string): Promise<string> {
  const [{ type }] = await session.columns(`SELECT (${sql}) FROM ${NO_ROWS}`)
  return type
}

/**
 * Converts an InputError about typed SQL to one that names the SQL and the columns; returns others unchanged.
 */
function explainSqlError(error: unknown, text: string, columns: readonly Column[]): unknown {
  if (!(error instanceof InputError)) return error
  const message = error.message.replace('; check the name.', `; the columns are ${columnList(columns)}.`)
  const explanation = message.includes(text) ? message : message.replace(/\.$/, ` in ${text}.`)
  return new InputError('table', explanation, { cause: error })
}

/** Returns SQL with every name of a column in double quotes; what is in quotes already, or called, stays. */
function quoteColumns(sql: string, columns: readonly Column[]): string {
  const longestFirst = columns.map(({ name }) => name).sort((a, b) => b.length - a.length)
  const names = longestFirst.map(escapeRegExp)
  const pattern = new RegExp(`"[^"]*"|'[^']*'|(?<!\\w)(?:${names.join('|')})(?![\\w(])`, 'gi')
  return sql.replace(pattern, (match) => (/^["']/.test(match) ? match : identifier(match)))
}

/** Returns the words of SQL that are neither in quotes nor the name of a function that is called. */
function bareWords(sql: string): string[] {
  const plain = sql.replace(/"(?:[^"]|"")*"|'(?:[^']|'')*'/g, ' ')
  return plain.match(/[a-z_]\w*(?!\w*\s*[(\w])/gi) ?? []
}
