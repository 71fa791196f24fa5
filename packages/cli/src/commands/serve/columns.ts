/** Cells and entries of requests: a list of objects, or columns, which are shorter and faster where there are many. */
import { type CpModel, InputError } from 'lacuna'
import type { CpEnsemble } from 'lacuna/folds'
import { modeName } from 'lacuna/internal'
import type { Cells, Columns, Entries, Entry } from './schemas/index.ts'

/** A model that takes new entries: a single one or an ensemble. */
export type ServedModel = CpModel | CpEnsemble

/** Indices of cells in columns, and which cells have a label that the model does not know. */
export interface LocatedCells {
  /** One column of indices from 0 per mode; 0 in cells that are not known. */
  columns: Uint32Array[]
  /** Numbers of the cells, from 0, that are not known. */
  unknown: number[]
}

/** The 0-based indices of a cell that is given by indices or labels. */
export function indicesOf(model: ServedModel, cell: unknown): readonly number[] {
  if (Array.isArray(cell)) {
    const isInside =
      cell.length === model.dims.length && cell.every((index, mode) => index < model.dims[mode])
    if (!isInside) model.predict(cell) // throws with a sentence
    return cell
  }
  const labels = cell as Record<string, string>
  if (model.modes) return model.lookup.rows(labels)
  return model.dims.map((_, mode) => {
    const name = modeName(model, mode)
    if (!Object.hasOwn(labels, name))
      throw new InputError('option', `There is no ${name}; give the number of a row, from 1, for each mode.`)
    return model.lookup.row(mode, labels[name])
  })
}

/**
 * Locates cells that are given by indices or labels.
 * @param admitUnknown whether cells with unknown labels are listed; else this throws at the first one
 */
export function locateCells(model: ServedModel, cells: Cells, admitUnknown: boolean): LocatedCells {
  const quick = locateColumns(model, cells)
  if (quick) return quick
  const isList = Array.isArray(cells)
  const count = isList ? cells.length : lengthOf(cells as Columns)
  const columns = model.dims.map(() => new Uint32Array(count))
  const unknown: number[] = []
  const cellAt = isList ? (at: number): unknown => cells[at] : rowReader(cells as Columns)
  for (let at = 0; at < count; at++) {
    try {
      const indices = indicesOf(model, cellAt(at))
      for (let mode = 0; mode < columns.length; mode++) columns[mode][at] = indices[mode]
    } catch (error) {
      if (!admitUnknown || !isUnknownLabel(error))
        throw error instanceof InputError ? error.within(`Row ${at + 1}`) : error
      unknown.push(at)
    }
  }
  return { columns, unknown }
}

/**
 * Locates cells whose columns are labels of all modes and known, each label once per mode; undefined for others.
 */
function locateColumns(model: ServedModel, cells: Cells): LocatedCells | undefined {
  if (Array.isArray(cells)) return undefined
  const given = cells as Columns
  const count = lengthOf(given)
  const columns: Uint32Array[] = []
  for (let mode = 0; mode < model.dims.length; mode++) {
    const name = modeName(model, mode)
    if (!Object.hasOwn(given, name)) return undefined
    const labels = given[name]
    const rows = new Map<string | number | boolean, number | undefined>()
    const column = new Uint32Array(count)
    for (let at = 0; at < count; at++) {
      const label = labels[at]
      let row = rows.get(label)
      if (row === undefined) {
        row = model.lookup.find(mode, label)
        if (row === undefined) return undefined
        rows.set(label, row)
      }
      column[at] = row
    }
    columns.push(column)
  }
  return { columns, unknown: [] }
}

/** Whether an error is that of a label or index that the model does not know. */
export const isUnknownLabel = (error: unknown): boolean =>
  error instanceof InputError && error.code === 'index'

/** Entries as a list of objects; throws if columns differ in length, or there are no entries. */
export function listEntries(entries: Entries): readonly Entry[] {
  if (Array.isArray(entries)) return entries
  const columns = entries as Columns
  const count = lengthOf(columns)
  if (count === 0)
    throw new InputError('empty', 'The columns of the entries are empty; give at least one entry.')
  const names = Object.keys(columns)
  return Array.from({ length: count }, (_, at) =>
    Object.fromEntries(names.map((name) => [name, columns[name][at]])),
  )
}

/** Number of cells or entries of a request, also if the columns are not valid. */
export const countRows = (given: unknown): number =>
  Array.isArray(given)
    ? given.length
    : Object.values(given as object).reduce(
        (most, column) => (Array.isArray(column) ? Math.max(most, column.length) : most),
        0,
      )

/** The common length of columns; throws if they differ, or there are none. */
function lengthOf(columns: Columns): number {
  const names = Object.keys(columns)
  if (names.length === 0)
    throw new InputError('shape', 'There are no columns; give one list per mode, by its name.')
  const count = columns[names[0]].length
  const other = names.find((name) => columns[name].length !== count)
  if (other !== undefined)
    throw new InputError(
      'shape',
      `The column ${names[0]} has ${count} items, but ${other} has ${columns[other].length}; give lists of the same length.`,
    )
  return count
}

/** Makes a function that returns the cell of a row of columns; the object is the same one each time. */
function rowReader(columns: Columns): (at: number) => object {
  const names = Object.keys(columns)
  const cell: Record<string, unknown> = Object.create(null)
  return (at) => {
    for (const name of names) cell[name] = columns[name][at]
    return cell
  }
}
