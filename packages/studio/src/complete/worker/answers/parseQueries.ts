/** Queries as text: a pasted or dropped table with a column of labels per mode. */
import { InputError } from 'lacuna'
import { modeTitle } from '../summary.ts'
import type { AnsweringModel } from './answeringModel.ts'

/** Cells that are asked for, and rows whose labels are not known. */
interface ParsedQueries {
  /** The indices of each cell. */
  queries: number[][]
  /** The rows that name something unknown, as text. */
  unknown: string[]
}

/**
 * Reads queries. The first line may name the modes, in any order and among other columns; without it the
 * columns are the modes in their order. Throws if a mode is missing.
 */
export function parseQueries(text: string, { model, names }: AnsweringModel): ParsedQueries {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  if (lines.length === 0) throw new InputError('empty', 'There are no queries: give a line for each cell.')
  const delimiter = ['\t', ';', ','].find((sign) => lines[0].includes(sign)) ?? ','
  const titles = model.dims.map((_, mode) => modeTitle(model, mode))
  const first = splitLine(lines[0], delimiter).map((field) => field.trim())
  const named = titles.map((title) => first.findIndex((field) => field.toLowerCase() === title.toLowerCase()))
  const hasHeader = named.some((column) => column >= 0)
  const missing = titles.filter((_, mode) => named[mode] < 0)
  if (hasHeader && missing.length > 0)
    throw new InputError('table', `The queries have no column for ${missing.join(' and ')}.`)
  const columns = hasHeader ? named : titles.map((_, mode) => mode)
  const queries: number[][] = []
  const unknown: string[] = []
  for (const line of hasHeader ? lines.slice(1) : lines) {
    const fields = splitLine(line, delimiter)
    try {
      queries.push(columns.map((column, mode) => names.row(mode, (fields[column] ?? '').trim())))
    } catch {
      unknown.push(line.trim())
    }
  }
  return { queries, unknown }
}

/** The fields of a line of CSV; quotes may surround a field. */
export function splitLine(line: string, delimiter: string): string[] {
  const fields: string[] = []
  let field = ''
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    const sign = line[at]
    if (isQuoted && sign === '"' && line[at + 1] === '"') field += line[at++]
    else if (sign === '"') isQuoted = !isQuoted
    else if (sign === delimiter && !isQuoted) {
      fields.push(field)
      field = ''
    } else field += sign
  }
  return [...fields, field]
}
