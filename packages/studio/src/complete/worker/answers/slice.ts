/** Matrices of the tensor: two modes vary, the others are fixed. */
import type { SparseTensor } from 'lacuna'
import type { TensorModel } from 'lacuna/internal'
import type { Slice } from '../../answers.ts'
import { fractionFinder } from './contributions.ts'
import type { RowNames } from './rowNames.ts'

/** The largest number of rows, and of columns, of a slice that is shown. */
const SLICE_SIDE = 64

/** The rows and modes of a slice. */
export interface SliceQuestion {
  /** The fixed rows of the other modes. */
  coordinate: number[]
  rowMode: number
  columnMode: number
  /** The number of a component whose part in the predictions is wanted. */
  component?: number
}

/**
 * A matrix of the tensor, observed and predicted: two modes vary, the others are fixed. A mode with more than
 * 64 rows is reduced to those with most entries in the slice, and to rows of the user's own.
 * @param learned per mode, the number of rows of the data; those of the user's own follow them
 */
export function readSlice(
  model: TensorModel,
  names: RowNames,
  data: SparseTensor | undefined,
  { coordinate, rowMode, columnMode, component }: SliceQuestion,
  learned: readonly number[] = model.dims,
): Slice {
  const inSlice = data ? findEntries(data, coordinate, [rowMode, columnMode]) : []
  const [rows, columns] = [rowMode, columnMode].map((mode) =>
    selectRows(model.dims[mode], learned[mode], inSlice, data?.indices[mode]),
  )
  const predicted = new Float32Array(rows.length * columns.length)
  const own = component === undefined ? undefined : new Float32Array(predicted.length)
  const fractionsAt = fractionFinder(model)
  const observed = new Float32Array(predicted.length).fill(Number.NaN)
  const at = [...coordinate]
  rows.forEach((row, i) => {
    at[rowMode] = row
    columns.forEach((column, j) => {
      at[columnMode] = column
      const cell = i * columns.length + j
      predicted[cell] = model.predict(at)
      if (own) own[cell] = predicted[cell] * fractionsAt(at)[component! - 1]
    })
  })
  const rowPosition = new Map(rows.map((row, i) => [row, i]))
  const columnPosition = new Map(columns.map((column, j) => [column, j]))
  for (const e of inSlice) {
    const i = rowPosition.get(data!.indices[rowMode][e])
    const j = columnPosition.get(data!.indices[columnMode][e])
    if (i !== undefined && j !== undefined) observed[i * columns.length + j] = data!.values[e]
  }
  return {
    rows: rows.map((row) => names.text(rowMode, row)),
    columns: columns.map((column) => names.text(columnMode, column)),
    observed,
    predicted,
    component: own,
    hiddenRows: model.dims[rowMode] - rows.length,
    hiddenColumns: model.dims[columnMode] - columns.length,
  }
}

/**
 * Returns the rows of a mode that a slice shows, ascending: all if they are at most SLICE_SIDE, else those of the user's
 * own and those with most entries.
 * @param learned the number of rows of the data, which those of the user's own follow
 * @param entries the numbers of the entries in the slice
 * @param column the row of every entry of the data
 */
function selectRows(
  size: number,
  learned: number,
  entries: readonly number[],
  column: Uint32Array | undefined,
): number[] {
  if (size <= SLICE_SIDE) return Array.from({ length: size }, (_, row) => row)
  const rows = new Set(Array.from({ length: size - learned }, (_, own) => learned + own).slice(-SLICE_SIDE))
  const counts = new Map<number, number>()
  if (column) for (const e of entries) counts.set(column[e], (counts.get(column[e]) ?? 0) + 1)
  for (const [row] of [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]))
    if (rows.size < SLICE_SIDE) rows.add(row)
  for (let row = 0; rows.size < SLICE_SIDE; row++) rows.add(row)
  return [...rows].sort((a, b) => a - b)
}

/** The numbers of the entries that have the coordinate's indices in all modes but the free ones. */
export function findEntries(
  { indices, values }: SparseTensor,
  coordinate: number[],
  free: number[],
): number[] {
  const fixed = coordinate.flatMap((index, mode) =>
    free.includes(mode) ? [] : [{ column: indices[mode], index }],
  )
  const found: number[] = []
  for (let e = 0; e < values.length; e++)
    if (fixed.every(({ column, index }) => column[e] === index)) found.push(e)
  return found
}
