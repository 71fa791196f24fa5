/** SQL that the user typed for a mode or the value: what it means for the columns at hand. */

import { InputError } from '../../../base/inputError.ts'
import { columnList } from '../../table/index.ts'
import { escapeRegExp } from '../../text/index.ts'
import { type Column, identifier, type TableSession } from './session.ts'

/** A table without rows that has the columns which the SQL may name. */
export const NO_ROWS = 'lacuna_no_rows'

/** Words that SQL takes for something else where no column is called so. */
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
 * The SQL with its columns in quotes, and its type. Names of columns that are words of SQL (at, user) or hold
 * blanks need not be quoted where it is clear what is meant; a word of SQL that is no column is refused like
 * any other name.
 */
export async function resolveSql(
  session: TableSession,
  text: string,
  columns: readonly Column[],
  where: string,
): Promise<{ sql: string; type: string }> {
  const quoted = quoteColumns(text, columns)
  const found = await typeOf(session, quoted).catch(async (error) => {
    if (!(error instanceof InputError) || quoted === text) throw explainSql(error, text, columns)
    const type = await typeOf(session, text).catch(() => undefined)
    if (type === undefined) throw explainSql(error, text, columns)
    return { sql: text, type }
  })
  const { sql, type } = typeof found === 'string' ? { sql: quoted, type: found } : found
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
 * The table NO_ROWS has the columns at hand; to ask the table itself would make DuckDB look into its files
 * again.
 */
async function typeOf(session: TableSession, sql: string): Promise<string> {
  const [{ type }] = await session.columns(`SELECT (${sql}) FROM ${NO_ROWS}`)
  return type
}

/** An error of SQL that the user typed, with the columns that it may name. */
function explainSql(error: unknown, text: string, columns: readonly Column[]): unknown {
  if (!(error instanceof InputError)) return error
  const message = error.message.replace('; check the name.', `; the columns are ${columnList(columns)}.`)
  const explanation = message.includes(text) ? message : message.replace(/\.$/, ` in ${text}.`)
  return new InputError('table', explanation, { cause: error })
}

/** The SQL with every word that is a column in quotes; what is quoted already stays. */
function quoteColumns(sql: string, columns: readonly Column[]): string {
  const known = columns.map(({ name }) => name).sort((a, b) => b.length - a.length)
  const names = known.map(escapeRegExp)
  const pattern = new RegExp(`"[^"]*"|'[^']*'|(?<!\\w)(?:${names.join('|')})(?![\\w(])`, 'gi')
  return sql.replace(pattern, (found) => (/^["']/.test(found) ? found : identifier(found)))
}

/** The words that are neither in quotes nor called. */
function bareWords(sql: string): string[] {
  const plain = sql.replace(/"(?:[^"]|"")*"|'(?:[^']|'')*'/g, ' ')
  return plain.match(/[a-z_]\w*(?!\w*\s*[(\w])/gi) ?? []
}
