import { InputError } from '../../inputError.ts'
import { float32Array, grow, trim, uint32Array } from '../../tensor/arrays.ts'
import { type NegativePolicy, type SparseTensor, sparseTensor } from '../../tensor/sparseTensor.ts'
import { binned, type CsvMode } from './binning.ts'
import { CodedColumn } from './codedColumn.ts'
import { type ColumnType, typeOfTexts } from './columnType.ts'
import { type CsvDialect, columnNames, sniffDialect } from './dialect.ts'
import { CsvParser } from './parser.ts'

export type CsvMerge = 'error' | 'sum' | 'mean' | 'last' | 'count'

export interface ReadCsvOptions {
  /** The file, as messages name it. */
  name: string
  /** The columns that are the modes, on request binned in time, as in week(timestamp). */
  modes: readonly string[]
  /** The column of the values; without it rows are counted. */
  value?: string
  /** Rows of the same coordinates: an error by default, or counted if there is no value. */
  merge?: CsvMerge
  negative?: NegativePolicy
  /** Sniffed from the first line by default. */
  dialect?: CsvDialect
  /** Told the number of bytes read so far. */
  onProgress?(bytes: number): void
  /** Told how many entries there are so far; may throw to refuse more. */
  onEntries?(entries: number): void
}

/** A table as text, coded by the distinct values of its columns as DuckDB's tables are (node/table). */
export async function readCsv(
  source: AsyncIterable<Uint8Array>,
  options: ReadCsvOptions,
): Promise<SparseTensor> {
  const { name, value, merge = value === undefined ? 'count' : 'error' } = options
  const decoder = new TextDecoder()
  let rows: Rows | undefined
  let bytes = 0
  let start = ''
  for await (const piece of source) {
    const text = decoder.decode(piece, { stream: true })
    bytes += piece.length
    if (!rows) {
      start += text
      // The first line tells what the columns are; it may come in pieces.
      if (!start.includes('\n')) continue
      rows = new Rows(start, options)
    } else rows.push(text)
    options.onProgress?.(bytes)
    options.onEntries?.(rows.entries)
  }
  if (!start.trim()) throw new InputError('empty', `${name}: the file is empty.`)
  rows ??= new Rows(start, options)
  return rows.finish(merge)
}

class Rows {
  entries = 0
  readonly #options: ReadCsvOptions
  readonly #parser: CsvParser
  readonly #columns: CodedColumn[]
  #indices: Uint32Array[]
  #values = float32Array(1024)

  constructor(start: string, options: ReadCsvOptions) {
    const { name, value, modes } = options
    this.#options = options
    const dialect = options.dialect ?? sniffDialect(start)
    const names = columnNames(start, dialect)
    const chosen = modes.map((mode) => binned(mode, names, name))
    const valueAt = value === undefined ? -1 : place(names, value, name)
    const counted = value === undefined || options.merge === 'count'
    this.#columns = chosen.map(() => new CodedColumn())
    this.#indices = chosen.map(() => uint32Array(1024))
    let first = dialect.header
    this.#parser = new CsvParser(name, dialect.delimiter, (fields, line) => {
      if (first) first = false
      else if (valueAt < 0 || fields[valueAt] !== '') this.#add(fields, line, chosen, valueAt, counted)
    })
    this.#parser.push(start)
  }

  push(text: string): void {
    this.#parser.push(text)
  }

  #add(fields: string[], line: number, modes: readonly CsvMode[], valueAt: number, counted: boolean): void {
    const { name, value } = this.#options
    const e = this.entries
    if (e === this.#values.length) {
      this.#indices = this.#indices.map((column) => grow(column, 2 * e))
      this.#values = grow(this.#values, 2 * e)
    }
    const texts = modes.map(({ column, bin }) => bin(fields[column]))
    if (texts.includes('')) return // a row in which something is missing is no entry, and gives no labels
    for (let m = 0; m < modes.length; m++) this.#indices[m][e] = this.#columns[m].code(texts[m])
    const x = counted ? 1 : Number(fields[valueAt])
    if (!Number.isFinite(x) || (!counted && fields[valueAt].trim() === ''))
      throw new InputError(
        'format',
        `${name}, line ${line}: the value ${value} is "${fields[valueAt]}", which is no number; mend it or leave it empty.`,
      )
    this.#values[e] = x
    this.entries++
  }

  finish(merge: CsvMerge): SparseTensor {
    this.#parser.finish()
    const { name, modes, value, negative } = this.#options
    if (this.entries === 0) throw new InputError('empty', `${name}: no rows are left to make a tensor of.`)
    const sorted = this.#columns.map((column) => column.sorted())
    const indices = this.#indices.map((column, m) => {
      const own = trim(column, this.entries)
      const { places } = sorted[m]
      for (let e = 0; e < own.length; e++) own[e] = places[own[e]]
      return own
    })
    const where = (entry: number): string =>
      `${name}, at ${modes.map((mode, m) => `${mode} = ${sorted[m].labels[indices[m][entry]]}`).join(', ')}`
    return sparseTensor(
      {
        dims: sorted.map(({ labels }) => labels.length),
        indices,
        values: trim(this.#values, this.entries),
        labels: sorted.map(({ labels }) => labels),
        modes: modes.map((mode, m) => ({ name: mode, type: sorted[m].type })),
        ...(value !== undefined && merge !== 'count' && { valueName: value }),
      },
      { where, duplicates: merge === 'count' ? 'sum' : merge, ...(negative && { negative }) },
    )
  }
}

function place(names: readonly string[], wanted: string, file: string): number {
  const found = names.indexOf(wanted)
  if (found < 0)
    throw new InputError(
      'format',
      `${file}: there is no column ${wanted}; the columns are ${names.join(', ')}.`,
    )
  return found
}

export interface CsvColumn {
  name: string
  type: ColumnType
  /** The first few values. */
  examples: string[]
}

/** The columns of a table by the beginning of its text. */
export function sniffCsv(start: string, name: string): { dialect: CsvDialect; columns: CsvColumn[] } {
  if (!start.trim()) throw new InputError('empty', `${name}: the file is empty.`)
  const dialect = sniffDialect(start)
  const names = columnNames(start, dialect)
  const rows: string[][] = []
  // Up to the last newline, since the line after it may be cut.
  const end = start.lastIndexOf('\n')
  const parser = new CsvParser(name, dialect.delimiter, (fields) => rows.push(fields))
  parser.push(end < 0 ? `${start}\n` : start.slice(0, end + 1))
  const body = dialect.header ? rows.slice(1) : rows
  return {
    dialect,
    columns: names.map((column, c) => ({
      name: column,
      type: typeOfTexts(body.map((row) => row[c])),
      examples: [...new Set(body.slice(0, 50).map((row) => row[c]))].slice(0, 4),
    })),
  }
}
