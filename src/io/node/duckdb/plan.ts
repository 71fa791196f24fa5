/** From what was asked for to what will be read: which table, which modes, which value. */
import { InputError, option, sentence } from '../../../inputError.ts'
import { attachDatabase, tableOfDatabase } from './database.ts'
import { guessModes, guessValue, refuseTextValue } from './guess.ts'
import { type Resolved, resolve, resolveMode, type TableMode } from './modes.ts'
import type { MergePolicy, ReadTableOptions, TableOptions } from './options.ts'
import { prepare } from './recipes.ts'
import type { Column, TableSession } from './session.ts'
import { tableExpression } from './source.ts'

export interface Plan {
  /** SQL to put after FROM. */
  table: string
  columns: readonly Column[]
  modes: TableMode[]
  value?: Resolved
  merge: MergePolicy
}

export async function planTable(
  session: TableSession,
  files: readonly string[],
  where: string,
  options: ReadTableOptions,
): Promise<Plan> {
  const opened = await openTable(session, files, options)
  const found = await session.columns(`SELECT * FROM ${opened}`)
  const { table, columns, given } = await choose(session, opened, found, where, options)
  const { value, index = 'coded' } = given
  const merge = given.merge ?? options.duplicates ?? (value === undefined ? 'count' : 'error')
  if (value === undefined && merge !== 'count' && merge !== 'sum')
    throw new InputError(
      'table',
      sentence`${where}: without values, rows can only be counted; name the column of values with ${option('value')}.`,
    )
  const modes: TableMode[] = []
  for (const mode of given.modes ?? []) modes.push(await resolveMode(session, mode, index, columns))
  if (modes.length < 2)
    throw new InputError(
      'table',
      sentence`${where}: a tensor needs at least two modes; name more with ${option('modes')}.`,
    )
  return {
    table,
    columns,
    modes: options.like ? modes.map((mode, m) => liken(mode, m, options)) : modes,
    merge,
    ...(value !== undefined && { value: await resolve(session, value, columns) }),
  }
}

async function openTable(
  session: TableSession,
  files: readonly string[],
  { query, database }: TableOptions,
): Promise<string> {
  if (database !== undefined) {
    await attachDatabase(session, database)
    if (query === undefined) return tableOfDatabase(session, files, database)
  }
  if (files.length > 0) {
    const table = await tableExpression(session, files)
    if (query === undefined) return table
    await session.run(`CREATE TEMP VIEW data AS SELECT * FROM ${table}`)
  }
  if (query === undefined) throw new InputError('empty', 'There is nothing to read; name a file.')
  return `(${query.trim().replace(/;$/, '')})`
}

/** The modes and the value: by the recipe, as given, as the training data had them, or guessed. */
async function choose(
  session: TableSession,
  table: string,
  columns: readonly Column[],
  where: string,
  options: ReadTableOptions,
): Promise<{ table: string; columns: readonly Column[]; given: TableOptions }> {
  const { recipe, like, onRemark } = options
  const known = like?.modes && { modes: like.modes.map(({ name }) => name) }
  if (recipe) {
    const { table: prepared, ...rest } = await prepare(recipe, session, table, columns, where)
    const given = { ...options, ...rest.options, ...known }
    return { table: prepared, columns: await session.columns(`SELECT * FROM ${prepared}`), given }
  }
  if (options.modes?.length) return { table, columns, given: { ...options, ...known } }
  const value = options.value ?? guessValue(columns)
  refuseTextValue(columns, value, where)
  const modes = known?.modes ?? guessModes(columns, value, where)
  if (!known || options.value === undefined) onRemark?.(`${where}: taken as ${asOptions(modes, value)}`)
  return { table, columns, given: { ...options, modes, ...(value !== undefined && { value }) } }
}

function asOptions(modes: readonly string[], value: string | undefined): string {
  const quoted = (text: string): string => (/^\w+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
  const values = value === undefined ? ', rows counted' : ` --value ${quoted(value)}`
  return `--modes ${modes.map(quoted).join(' ')}${values}`
}

/** A mode of the training data: with labels it is looked up in them, without it was raw. */
function liken(mode: TableMode, m: number, { like }: ReadTableOptions): TableMode {
  const type = like?.modes?.[m]?.type ?? mode.type
  return { ...mode, type, coding: like?.labels?.[m] ? 'known' : 'raw' }
}
