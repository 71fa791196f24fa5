/** Modes of a table: the text that the user gives for each, looked up among the columns. */
import { InputError, option, sentence } from '../../../base/inputError.ts'
import type { Mode, ModeSource } from '../../../tensor/index.ts'
import { type BinningName, binningNames, type ColumnType } from '../../text/index.ts'
import { columnList, type TableColumn } from '../source/rows.ts'
import { checkArgument } from './bins.ts'

/** Whether whole numbers are the indices, from 1, or labels that are given codes. */
export type IndexPolicy = 'raw' | 'coded'
/** Every index policy. */
export const indexPolicies: readonly IndexPolicy[] = ['raw', 'coded']

/** A mode as it was written: `raw:userId`, `week(seen)`, `week(seen) AS week`. */
export interface ModeText {
  index?: IndexPolicy
  /** The column, binning or SQL. */
  body: string
  /** The name after AS. */
  name?: string
}

/** A mode, found among the columns of a table. */
export interface FoundMode {
  name: string
  /** Position among the table's columns. */
  column: number
  binning?: BinningName
  argument?: number
  dates?: readonly string[]
  index?: IndexPolicy
}

/** Takes the text of a mode apart: raw: or coded:, the body, and the name after AS. */
export function parseMode(text: string): ModeText {
  const [, index, rest] = /^(?:(raw|coded):(?!:))?([\s\S]*)$/.exec(text.trim()) ?? []
  const [, body = rest, name] = /^([\s\S]*\S)\s+AS\s+("(?:[^"]|"")+"|\w+)$/i.exec(rest) ?? []
  if (!body.trim())
    throw new InputError(
      'table',
      `The mode '${text}' is empty; give a column, or a binning of one as in week(x).`,
    )
  return {
    body: body.trim(),
    index: index as IndexPolicy | undefined,
    name: name === undefined ? undefined : unquote(name),
  }
}

/** A name without SQL's double quotes around it. */
const unquote = (name: string): string =>
  /^".*"$/s.test(name) ? name.slice(1, -1).replaceAll('""', '"') : name

/** The column of that name, as it is or in another case; -1 if there is none. */
export function findColumn(columns: readonly TableColumn[], name: string): number {
  const exact = columns.findIndex((column) => column.name === name)
  return exact >= 0 ? exact : columns.findIndex((column) => column.name.toLowerCase() === name.toLowerCase())
}

interface BinText {
  binning: BinningName
  column: string
  argument?: number
}

/** week(seen), bins("a b", 5): the name of a binning, a column and a number; undefined for anything else. */
function parseBinning(text: string): BinText | undefined {
  const [, name, inside] = /^(\w+)\s*\(([\s\S]*)\)$/.exec(text) ?? []
  const binning = binningNames.find((known) => known === name?.toLowerCase())
  if (binning === undefined) return undefined
  // No pattern for the rest: names come from files, too, and a long one must not take long.
  const comma = inside.lastIndexOf(',')
  const last = inside.slice(comma + 1).trim()
  const hasNumber = comma >= 0 && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(last)
  const column = unquote((hasNumber ? inside.slice(0, comma) : inside).trim())
  return { binning, column, argument: hasNumber ? Number(last) : undefined }
}

/**
 * Finds the mode that a text means: a column by its name, or a binning of one. Returns undefined for anything
 * else, which may be SQL. A plain name that is no column is refused, even if it means something in SQL, as
 * `user` does.
 */
export function findMode(
  given: string | ModeText,
  columns: readonly TableColumn[],
  where: string,
): FoundMode | undefined {
  const { body, name, index } = typeof given === 'string' ? parseMode(given) : given
  const plain = findColumn(columns, unquote(body))
  if (plain >= 0) return { name: name ?? columns[plain].name, column: plain, index }
  const parsed = parseBinning(body)
  const column = parsed ? findColumn(columns, parsed.column) : -1
  if (parsed && column >= 0) {
    const { binning, argument } = parsed
    checkArgument(binning, argument, body)
    const number = argument === undefined ? '' : `, ${argument}`
    if (name === columns[column].name)
      throw new InputError(
        'table',
        `${where}: the mode ${body} AS ${name} would be called like the column that it is made of; choose another name.`,
      )
    return {
      name: name ?? `${binning}(${columns[column].name}${number})`,
      column,
      binning,
      ...{ argument, index },
    }
  }
  const word = /^("(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_]*)$/u
  const missing = word.test(body)
    ? unquote(body)
    : parsed && word.test(parsed.column)
      ? parsed.column
      : undefined
  if (missing !== undefined) throw noColumn(missing, columns, where)
}

/** The error for a column that a table does not have. */
export const noColumn = (name: string, columns: readonly TableColumn[], where: string): InputError =>
  new InputError('table', `${where}: there is no column "${name}"; the columns are ${columnList(columns)}.`)

/**
 * Finds a mode of a model, or of data that a table is to be like: the column it was made of, if the table has
 * it; else a column of its name, as a table has that was written from such data; else what its name says, as
 * in week(seen).
 */
export function findLike(mode: Mode, columns: readonly TableColumn[]): FoundMode | undefined {
  const { name, from } = mode
  if (from) {
    const column = findColumn(columns, from.column)
    if (column >= 0) return { ...from, binning: from.binning as BinningName | undefined, name, column }
  }
  const plain = findColumn(columns, name)
  if (plain >= 0) return { name, column: plain }
  const parsed = parseBinning(name)
  const column = parsed ? findColumn(columns, parsed.column) : -1
  if (!parsed || column < 0) return undefined
  checkArgument(parsed.binning, parsed.argument, name)
  const { dates } = from ?? {}
  const { binning, argument } = parsed
  return { name, column, binning, argument, dates }
}

/**
 * The mode as a tensor or model stores it: its name and type, and how to make it from a column where the name
 * does not tell.
 */
export function storedMode(mode: FoundMode, type: ColumnType, columns: readonly TableColumn[]): Mode {
  const { name, binning, argument, dates } = mode
  const column = columns[mode.column].name
  const parsed = name === column ? undefined : parseBinning(name)
  const isImplied = parsed
    ? parsed.column === column && parsed.binning === binning && parsed.argument === argument
    : name === column
  const from: ModeSource = {
    column,
    ...(binning !== undefined && { binning }),
    ...(argument !== undefined && { argument }),
    ...(dates && { dates }),
  }
  return { name, type, ...((binning !== undefined || !isImplied || dates) && { from }) }
}

/**
 * The error for a mode of a model or tensor that no column matches. Where it was computed by SQL, the user
 * must type the SQL again, because files are not trusted.
 */
export function modeNotFound(name: string, columns: readonly TableColumn[], where: string): InputError {
  const parsed = parseBinning(name)
  const missing = parsed ? parsed.column : name
  return new InputError(
    'table',
    sentence`${where}: there is no column "${missing}"; the columns are ${columnList(columns)}. Give the table a column of the mode's name, or say with ${option('modes')} how each mode is made of it.`,
  )
}
