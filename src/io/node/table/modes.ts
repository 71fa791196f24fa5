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

/** A column by its name, as it is; anything else is SQL. */
export function expressionOf(text: string, columns: readonly Column[]): string {
  const column =
    columns.find(({ name }) => name === text) ??
    columns.find(({ name }) => name.toLowerCase() === text.toLowerCase())
  return column ? identifier(column.name) : `(${text})`
}

/** The type of what the SQL gives; if the table has no such columns, says which there are. */
export async function typeOf(
  session: TableSession,
  table: string,
  text: string,
  columns: readonly Column[],
): Promise<string> {
  try {
    const [{ type }] = await session.columns(`SELECT ${expressionOf(text, columns)} FROM ${table}`)
    return type
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    const message = error.message.replace('; check the name.', `; the columns are ${names(columns)}.`)
    throw new InputError(message.includes(text) ? message : `${message} (In ${text}.)`, { cause: error })
  }
}

export const names = (columns: readonly Column[]): string => columns.map(({ name }) => name).join(', ')

/** A mode given as `expr`, `raw:expr` or `coded:expr`. Only whole numbers can be raw; other types are coded. */
export async function resolveMode(
  session: TableSession,
  table: string,
  given: string,
  index: IndexPolicy,
  columns: readonly Column[],
): Promise<TableMode> {
  const [, prefix, name] = /^(?:(raw|coded):(?!:))?([\s\S]*)$/.exec(given.trim()) ?? []
  if (!name) throw new InputError(`The mode '${given}' is empty; give a column or an SQL expression.`)
  const type = await typeOf(session, table, name, columns)
  const raw = (prefix ?? index) === 'raw' && isWhole(type)
  if (prefix === 'raw' && !raw)
    throw new InputError(
      `The mode ${name} cannot be an index as it is: its type is ${type}, not a whole number; leave out raw:.`,
    )
  const coding = raw ? 'raw' : numberType(type) ? 'number' : 'text'
  return { name, type, expression: expressionOf(name, columns), coding }
}
