/** What a table's modes are: the text given for each, and how its values become indices. */
import { InputError } from '../../../inputError.ts'
import type { Mode } from '../../../tensor/sparseTensor.ts'
import { isWhole, numberType } from './numberTypes.ts'
import type { IndexPolicy } from './options.ts'
import { type Column, identifier, type TableSession } from './session.ts'

export interface TableMode extends Mode {
  type: string
  /** SQL for the mode's value in a row. */
  expression: string
  /**
   * raw: a whole number from 1 is the index. number: coded as the numbers stream by, and sorted after. text: anything
   * else, coded by DuckDB. known: must be among labels given.
   */
  coding: 'raw' | 'number' | 'text' | 'known'
}

/** SQL and its type. */
export interface Resolved {
  /** The column's name, or SQL. */
  name: string
  expression: string
  type: string
}

/**
 * What is meant by a text: a column by its name, as it is; anything else is SQL. Names of columns that are words of
 * SQL (at, when) or hold blanks need not be quoted where it is clear what is meant.
 */
export async function resolve(
  session: TableSession,
  text: string,
  columns: readonly Column[],
): Promise<Resolved> {
  const column =
    columns.find(({ name }) => name === text) ??
    columns.find(({ name }) => name.toLowerCase() === text.toLowerCase())
  if (column) return { name: column.name, expression: identifier(column.name), type: column.type }
  try {
    return await asSql(session, text, columns)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    const quoted = quoteColumns(text, columns)
    const resolved =
      quoted === text ? undefined : await asSql(session, quoted, columns).catch(() => undefined)
    if (resolved) return resolved
    const message = error.message.replace('; check the name.', `; the columns are ${names(columns)}.`)
    throw new InputError('table', message.includes(text) ? message : message.replace(/\.$/, ` in ${text}.`), {
      cause: error,
    })
  }
}

async function asSql(session: TableSession, sql: string, columns: readonly Column[]): Promise<Resolved> {
  // To ask the table itself would make DuckDB look into its files again, for every mode.
  const noRow = columns.map(({ name, type }) => `CAST(NULL AS ${type}) AS ${identifier(name)}`).join(', ')
  const [{ type }] = await session.columns(`SELECT (${sql}) FROM (SELECT ${noRow})`)
  return { name: sql, expression: `(${sql})`, type }
}

/** The SQL with every word that is a column in quotes; what is quoted already stays. */
function quoteColumns(sql: string, columns: readonly Column[]): string {
  const known = columns.map(({ name }) => name).sort((a, b) => b.length - a.length)
  const escaped = known.map((name) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  const pattern = new RegExp(`"[^"]*"|'[^']*'|(?<!\\w)(?:${escaped.join('|')})(?![\\w(])`, 'gi')
  return sql.replace(pattern, (found) => (/^["']/.test(found) ? found : identifier(found)))
}

export const names = (columns: readonly Column[]): string => columns.map(({ name }) => name).join(', ')

/** A mode given as `expr`, `raw:expr` or `coded:expr`. Only whole numbers can be raw; other types are coded. */
export async function resolveMode(
  session: TableSession,
  given: string,
  index: IndexPolicy,
  columns: readonly Column[],
): Promise<TableMode> {
  const [, prefix, text] = /^(?:(raw|coded):(?!:))?([\s\S]*)$/.exec(given.trim()) ?? []
  if (!text)
    throw new InputError('table', `The mode '${given}' is empty; give a column or an SQL expression.`)
  const resolved = await resolve(session, text, columns)
  const { name, type } = resolved
  const raw = (prefix ?? index) === 'raw' && isWhole(type)
  if (prefix === 'raw' && !raw)
    throw new InputError(
      'table',
      `The mode ${name} cannot be an index as it is: its type is ${type}, not a whole number; leave out raw:.`,
    )
  const coding = raw ? 'raw' : numberType(type) ? 'number' : 'text'
  return { ...resolved, coding }
}
