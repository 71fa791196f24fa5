/**
 * Rows of a table as queries to a model: the model's modes are looked up among the table's columns, and their
 * cells among the labels. No row is refused: a label that the model does not know gets no index.
 */

import { InputError } from '../../base/inputError.ts'
import {
  type Binning,
  binnings,
  type ColumnType,
  isNumeric,
  labelFinder,
  numberText,
} from '../../labels/index.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { type LabelWriter, labelWriter } from './columns/labelWriter.ts'
import { binOfLabel } from './columns/modeIndices.ts'
import { type FoundMode, findColumn, findMode, findStoredMode, modeNotFound } from './columns/modes.ts'
import { TimeColumn } from './columns/timeColumn.ts'
import { type NumberStyle, plainNumber } from './source/numberStyle.ts'
import { type Batch, type Cells, cellText, columnList, type Table, type TableColumn } from './source/rows.ts'

/** The sizes, labels and modes of a model, by which cells are looked up. */
export type Labelled = Pick<SparseTensor, 'dims' | 'labels' | 'modes'>

/** The columns that hold the modes and the observed value of queries. */
export interface QueryOptions {
  /** Per mode of the model, the column or binning that it is made of; by default found by the names. */
  modes?: readonly string[]
  /**
   * The column of observed values; one named by `ifPresent` may be missing from the table; none by default.
   */
  value?: string | { ifPresent: string }
  /** Whether each row is also returned as JSON. */
  records?: boolean
}

/** Rows of a table that a model is to answer. */
export interface QueryBatch {
  /** Rows in the batch. */
  rowCount: number
  /** Per mode, the index of each row, from 0; -1 for labels that the model does not know. */
  indices: readonly Float64Array[]
  /** The observed value of each row; NaN where there is none. */
  observed: Float64Array
  /** The cells of the table's own columns as text. */
  fields: readonly Cells[]
  /** The rows as JSON, if they were asked for. */
  records?: readonly string[]
}

/**
 * Finds the model's modes among the columns of a table, and returns a generator of the table's rows in
 * batches. Throws at once if a mode or the value is missing.
 */
export function openQueries(
  table: Table,
  model: Labelled,
  options: QueryOptions = {},
): AsyncGenerator<QueryBatch> {
  const modes = findQueryModes(table, model, options.modes)
  const value = findObservedColumn(table, options.value)
  const lookups = modes.map((mode, m) => modeLookup(mode, table, model, m))
  return rows()

  /** Yields the rows in batches. */
  async function* rows(): AsyncGenerator<QueryBatch> {
    const wanted = [
      ...modes.map(({ column }) => ({ column })),
      ...(value === undefined ? [] : [{ column: value }]),
      ...table.columns.flatMap(({ computed }, column) => (computed ? [] : [{ column, asText: true }])),
    ]
    const first = modes.length + (value === undefined ? 0 : 1)
    for await (const batch of table.read(wanted, { records: options.records ?? false })) {
      const { rowCount, columns, records } = batch
      yield {
        rowCount,
        indices: lookups.map((find, m) => find(columns[m], batch)),
        observed:
          value === undefined
            ? new Float64Array(rowCount).fill(NaN)
            : cellNumbers(columns[modes.length], batch, table),
        fields: columns.slice(first),
        records,
      }
    }
  }
}

/**
 * The writers of the labels of each mode of a model into the columns of a table, and the names of modes for which
 * there is none: those that are binned or computed.
 * @param typed the modes as the user typed them; found by the names by default
 */
export async function labelWriters(
  table: Table,
  model: Labelled,
  typed?: readonly string[],
): Promise<{ writers: LabelWriter[]; unwritable: string[] }> {
  const modes = findQueryModes(table, model, typed)
  const sample = await table.sample()
  const found = modes.map((mode, m) => ({
    name: mode.name,
    writer: labelWriter(mode, table, (model.modes?.[m]?.type ?? 'VARCHAR') as ColumnType, sample),
  }))
  return {
    writers: found.flatMap(({ writer }) => writer ?? []),
    unwritable: found.flatMap(({ name, writer }) => (writer ? [] : [name])),
  }
}

/**
 * Finds the columns of a model's modes: as the user typed them; else by the modes' names; for a model without
 * names, the columns mode_1, mode_2 …, else the first ones. Throws if one is missing.
 */
function findQueryModes(
  table: Table,
  { dims, modes }: Labelled,
  typed: readonly string[] | undefined,
): FoundMode[] {
  const { columns, name } = table
  if (typed) {
    if (typed.length !== dims.length)
      throw new InputError(
        'option',
        `${name}: the model has ${dims.length} modes, but ${typed.length} were named; name each.`,
      )
    return typed.map((text, m) => {
      const found = findMode(text, columns, name)
      if (!found) throw modeNotFound(text, columns, name)
      const { dates, timezone } = modes?.[m]?.from ?? {}
      return found.binning ? { ...found, dates, timezone } : found
    })
  }
  if (modes)
    return modes.map((mode) => {
      const found = findStoredMode(mode, columns)
      if (!found) throw modeNotFound(mode.name, columns, name)
      return found
    })
  const numbered = dims.map((_, mode) => findColumn(columns, `mode_${mode + 1}`))
  if (!numbered.includes(-1)) return numbered.map((column) => ({ name: columns[column].name, column }))
  if (columns.length < dims.length)
    throw new InputError(
      'table',
      `${name}: the model has ${dims.length} modes, but the table only the columns ${columnList(columns)}; give one per mode.`,
    )
  return dims.map((_, column) => ({ name: columns[column].name, column }))
}

/**
 * The position of the column of observed values; undefined if there is none. Throws if a column that must
 * exist is missing.
 */
function findObservedColumn({ columns, name }: Table, value: QueryOptions['value']): number | undefined {
  const wanted = typeof value === 'object' ? value.ifPresent : value
  if (wanted === undefined) return undefined
  const column = findColumn(columns, wanted)
  if (column < 0 && typeof value === 'string')
    throw new InputError(
      'table',
      `${name}: there is no column "${wanted}"; the columns are ${columnList(columns)}.`,
    )
  return column < 0 ? undefined : column
}

/** The cells of a column as numbers; NaN for those that are none or empty. */
export function cellNumbers(cells: Cells, { rowCount }: Batch, style: NumberStyle): Float64Array {
  if (cells instanceof Float64Array) return cells
  return Float64Array.from({ length: rowCount }, (_, row) => {
    const text = cellText(cells, row)?.trim() ?? ''
    return text === '' ? NaN : Number(plainNumber(text, style))
  })
}

/** Returns the indices, from 0, of a mode's cells; -1 for labels that the model does not know. */
type Lookup = (cells: Cells, batch: Batch) => Float64Array

/** The lookup of a mode: among the labels of the model's mode m or, if that has none, as indices from 1. */
function modeLookup(mode: FoundMode, table: Table, model: Labelled, m: number): Lookup {
  const column = table.columns[mode.column]
  const labels = model.labels?.[m]
  const size = model.dims[m]
  if (mode.binning) return binLookup(mode, binnings[mode.binning], column, labels, size, table)
  const type = (model.modes?.[m]?.type ?? 'VARCHAR') as ColumnType
  const findLabel = labels && labelFinder(labels, type)
  const find = (text: string): number => {
    if (findLabel) return findLabel(text) ?? -1
    const index = text.trim() === '' ? NaN : Number(text)
    return Number.isInteger(index) && index >= 1 && index <= size ? index - 1 : -1
  }
  const hasSigns = (table.decimal === ',' || table.thousands) && (!labels || isNumeric(type))
  // Most labels occur in many rows.
  const cache = new Map<string, number>()
  return (cells, { rowCount }) =>
    Float64Array.from({ length: rowCount }, (_, row) => {
      const text = cells instanceof Float64Array ? numberCellText(cells[row], column) : cellText(cells, row)
      if (text === null) return -1
      const known = cache.get(text)
      if (known !== undefined) return known
      const index = find(hasSigns ? plainNumber(text, table) : text)
      if (cache.size < 2 ** 20) cache.set(text, index)
      return index
    })
}

/** A number as text by the type of its column; null for NaN. */
const numberCellText = (x: number, { type }: TableColumn): string | null =>
  Number.isNaN(x) ? null : numberText(x, type ?? 'DOUBLE')

/** The lookup of a binned mode: of bins among the model's labels or, if there are none, as indices from 1. */
function binLookup(
  { argument = 0, dates, timezone }: FoundMode,
  binning: Binning,
  column: TableColumn,
  labels: readonly string[] | undefined,
  size: number,
  table: Table,
): Lookup {
  const indexOf = labels && new Map(labels.map((label, index) => [binOfLabel(binning, label), index]))
  const times = new TimeColumn(column.name, column.type, dates, timezone)
  return (cells, batch) => {
    const found =
      binning.of === 'time' ? times.times(cells, batch.rowCount) : cellNumbers(cells, batch, table)
    return Float64Array.from(found.subarray(0, batch.rowCount), (x) => {
      if (!Number.isFinite(x)) return -1
      const bin = binning.bin(x, argument)
      if (indexOf) return indexOf.get(bin) ?? -1
      return bin >= 1 && bin <= size ? bin - 1 : -1
    })
  }
}
