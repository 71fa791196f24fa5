/** Modes of a table: the text that the user gives for each, looked up among the columns. */

import { InputError, option, sentence, setting } from '../../../base/inputError.ts'
import { type BinningName, binningNames, type ColumnType, checkArgument } from '../../../labels/index.ts'
import type { Mode, ModeSource } from '../../../tensor/index.ts'
import { columnList, type TableColumn } from '../source/rows.ts'

/** Whether whole numbers are the indices, from 1, or labels that are given codes. */
export type IndexPolicy = 'raw' | 'coded'
/** Every index policy. */
export const indexPolicies: readonly IndexPolicy[] = ['raw', 'coded']

/** The parts of a mode as the user wrote it: `raw:userId`, `week(seen)`, `week(seen) AS week`. */
export interface ModeText {
  /** The policy before the body: `raw:` or `coded:`. */
  index?: IndexPolicy
  /** The column, binning or SQL. */
  body: string
  /** The name after AS. */
  name?: string
}

/** A mode of a tensor, found among the columns of a table. */
export interface FoundMode {
  name: string
  /** Position among the table's columns. */
  column: number
  binning?: BinningName
  /** The number in the binning: 5 in bins(x, 5). */
  argument?: number
  /** Formats of the column's times. */
  dates?: readonly string[]
  /** Time zone by whose clocks times are binned. */
  timezone?: string
  /** Overrides the index policy of the table. */
  index?: IndexPolicy
}

/** Splits the text of a mode into raw: or coded:, the body, and the name after AS. Throws if it is empty. */
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

/** The position of the column of a name, else of one that differs in case only; -1 if there is none. */
export function findColumn(columns: readonly TableColumn[], name: string): number {
  const exact = columns.findIndex((column) => column.name === name)
  return exact >= 0 ? exact : columns.findIndex((column) => column.name.toLowerCase() === name.toLowerCase())
}

/** A binning as the text of a mode spells it. */
interface BinningText {
  binning: BinningName
  column: string
  argument?: number
}

/** Parses a binning of a column, as in week(seen) or bins("a b", 5); undefined for any other text. */
function parseBinning(text: string): BinningText | undefined {
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
 * else, which may be SQL. Throws for a plain name that is no column, even if it means something in SQL, as
 * `user` does.
 * @param where the table, as messages call it
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
  refuseMisspelt(body, columns)
  const word = /^("(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_]*)$/u
  const missing = word.test(body)
    ? unquote(body)
    : parsed && word.test(parsed.column)
      ? parsed.column
      : undefined
  if (missing !== undefined) throw noColumn(missing, columns, where)
}

/**
 * Throws for two common mistakes: several columns in one text, separated by commas or blanks, and a binning
 * with square brackets.
 */
function refuseMisspelt(body: string, columns: readonly TableColumn[]): void {
  const isMode = (text: string): boolean => {
    const name = parseBinning(text)?.column ?? unquote(text)
    return findColumn(columns, name) >= 0
  }
  for (const separator of [/\s*[,;]\s*/, /\s+/]) {
    const pieces = body.split(separator)
    if (pieces.length > 1 && pieces.every(isMode))
      throw new InputError(
        'table',
        sentence`The mode "${body}" is ${pieces.length} columns; separate modes by blanks: ${setting('modes', ...pieces)}.`,
      )
  }
  const [, name = '', inside = ''] = /^(\w+)\s*[[{]([^\]}]*)[\]}]$/.exec(body) ?? []
  if (binningNames.some((known) => known === name.toLowerCase()))
    throw new InputError(
      'table',
      sentence`The mode ${body} needs round brackets; write ${setting('modes', `${name}(${inside})`)}.`,
    )
}

/** The error for a column that a table does not have. @param where the table, as messages call it */
export const noColumn = (name: string, columns: readonly TableColumn[], where: string): InputError =>
  new InputError('table', `${where}: there is no column "${name}"; the columns are ${columnList(columns)}.`)

/**
 * Finds in a table the mode of an existing model or tensor; undefined if the table lacks it. Tried in turn:
 * the column that the mode was made of; a column with the mode's name; the binning that the name spells, as
 * in week(seen).
 */
export function findStoredMode(mode: Mode, columns: readonly TableColumn[]): FoundMode | undefined {
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
  const { dates, timezone } = from ?? {}
  const { binning, argument } = parsed
  return { name, column, binning, argument, dates, timezone }
}

/**
 * What a tensor or model stores about a mode: name, type, and in `from` the column and binning it is made of.
 * A plain column under its own name needs no `from`, unless date formats were given.
 */
export function toStoredMode(mode: FoundMode, type: ColumnType, columns: readonly TableColumn[]): Mode {
  const { name, binning, argument, dates, timezone } = mode
  const column = columns[mode.column].name
  const from: ModeSource = {
    column,
    ...(binning !== undefined && { binning }),
    ...(argument !== undefined && { argument }),
    ...(dates && { dates }),
    ...(timezone !== undefined && { timezone }),
  }
  return { name, type, ...((binning !== undefined || name !== column || dates) && { from }) }
}

/**
 * The error for a mode of a model or tensor that no column matches. Where it was computed by SQL, the user
 * must type the SQL again, because files are not trusted.
 * @param where the table, as messages call it
 */
export function modeNotFound(name: string, columns: readonly TableColumn[], where: string): InputError {
  const parsed = parseBinning(name)
  const missing = parsed ? parsed.column : name
  return new InputError(
    'table',
    sentence`${where}: there is no column "${missing}"; the columns are ${columnList(columns)}. Give the table a column of the mode's name, or say with ${option('modes')} how each mode is made of it.`,
  )
}
