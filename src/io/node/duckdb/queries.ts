/**
 * A table of questions to a model, row by row: the model's modes are looked up among the table's columns, their values
 * among the labels. The rows come back as they stand in the file, in its order.
 */
import type { DuckDBValue } from '@duckdb/node-api'
import { InputError } from '../../../inputError.ts'
import type { CpModel } from '../../../model/cpModel.ts'
import { names, resolve } from './modes.ts'
import { type Column, identifier, type TableSession } from './session.ts'
import { isTextTable, tableExpression } from './source.ts'

export interface Queries {
  columns: readonly Column[]
  /** SQL for each mode: its label as text, or the index from 1 of a mode without labels. */
  modes: readonly string[]
  /** SQL for each column as text: as it stands in the file, where that is text. */
  texts: readonly string[]
  /** SQL to put after FROM; its rows are in the order of the file. */
  table: string
}

/** Loads the table into the session and finds the model's modes in it. */
export async function openQueries(session: TableSession, path: string, model: CpModel): Promise<Queries> {
  await session.run(`CREATE TEMP TABLE queries AS SELECT * FROM ${await tableExpression(session, [path])}`)
  const columns = await session.columns('SELECT * FROM queries')
  let texts = columns.map(({ name }) => `CAST(${identifier(name)} AS VARCHAR)`)
  let table = 'queries'
  if (isTextTable(path)) {
    // Types are guessed, and a guess may lose something: of 007 and 4.50, a number keeps 7 and 4.5.
    texts = columns.map((_, c) => `lacuna_text_${c}`)
    const source = await tableExpression(session, [path], { allText: true })
    await session.run(`CREATE TEMP TABLE texts AS SELECT * FROM ${source} AS source(${texts.join(', ')})`)
    table = 'queries POSITIONAL JOIN texts'
  }
  const given = chooseModes(model, columns, path)
  const modes: string[] = []
  for (const [mode, text] of given.entries()) {
    const { expression } = await resolve(session, text, columns)
    const column = columns.findIndex(({ name }) => identifier(name) === expression)
    const value = column >= 0 && isTextTable(path) ? texts[column] : expression
    modes.push(lookedUp(value, model, mode))
  }
  return { columns, modes, texts, table }
}

/** The modes by name; a model without names takes the columns mode_1 …, or the first ones. */
function chooseModes({ dims, modes }: CpModel, columns: readonly Column[], path: string): string[] {
  if (modes) return modes.map(({ name }) => name)
  const numbered = dims.map((_, mode) => `mode_${mode + 1}`)
  if (numbered.every((wanted) => columns.some(({ name }) => name.toLowerCase() === wanted))) return numbered
  if (columns.length < dims.length)
    throw new InputError(
      'table',
      `${path}: the model has ${dims.length} modes, but the table only the columns ${names(columns)}; give one per mode.`,
    )
  return columns.slice(0, dims.length).map(({ name }) => name)
}

function lookedUp(value: string, { labels, modes }: CpModel, mode: number): string {
  if (!labels?.[mode]) return `TRY_CAST(${value} AS DOUBLE)`
  const type = modes?.[mode].type ?? 'VARCHAR'
  // -0.0 is equal to 0.0, but not as text.
  const zero = type === 'FLOAT' || type === 'DOUBLE' ? ' + 0' : ''
  return `CAST(TRY_CAST(${value} AS ${type})${zero} AS VARCHAR)`
}

/** From what a mode's SQL gives to an index from 0, or null for what the model does not know. */
export function indexOf({ dims, labels }: CpModel, mode: number): (value: DuckDBValue) => number | null {
  const known = labels?.[mode]
  if (!known)
    return (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= dims[mode]
        ? value - 1
        : null
  const places = new Map<DuckDBValue, number>(known.map((label, index) => [label, index]))
  return (value) => places.get(value) ?? null
}
