/** Writes a tensor as an Arrow file (Feather version 2): a row per entry, a column per mode in its type. */
import type { Column } from '@uwdata/flechette'
import {
  type ColumnType,
  columnType,
  DAY,
  isFraction,
  isWhole,
  numberText,
  timeOfText,
} from '../../labels/index.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { checkLabels, columnNames } from '../table/index.ts'
import { loadArrow } from './arrow.ts'

/**
 * Encodes a tensor as an Arrow file. Labels are in the type of their mode if all of them survive it, else texts in a
 * dictionary; a mode without labels is a column of indices from 1. Throws if labels are invalid.
 */
export async function encodeTensorArrow(tensor: SparseTensor): Promise<Uint8Array> {
  checkLabels(tensor)
  const arrow = await loadArrow()
  const { indices, values, weights, labels, modes } = tensor
  const columns: Column<unknown>[] = indices.map((column, mode) => {
    const names = labels?.[mode]
    if (!names)
      return arrow.columnFromArray(
        column.map((index) => index + 1),
        arrow.uint32(),
      )
    const typed = typedLabels(arrow, names, modes?.[mode].type)
    if (typed)
      return arrow.columnFromArray(
        Array.from(column, (index) => typed.values[index]),
        typed.type,
      )
    return arrow.columnFromArray(
      Array.from(column, (index) => names[index]),
      arrow.dictionary(arrow.utf8()),
    )
  })
  columns.push(arrow.columnFromArray(values, arrow.float32()))
  if (weights) columns.push(arrow.columnFromArray(weights, arrow.float32()))
  const names = columnNames(tensor)
  const table = arrow.tableFromColumns(names.map((name, c): [string, Column<unknown>] => [name, columns[c]]))
  const bytes = arrow.tableToIPC(table, { format: 'file' })
  if (!bytes) throw new RangeError('nothing was encoded')
  return bytes
}

/** Labels as values of Arrow's type for the type of a mode; undefined if one would change, or the type is text. */
function typedLabels(
  arrow: Awaited<ReturnType<typeof loadArrow>>,
  labels: readonly string[],
  name: string | undefined,
): { type: Parameters<typeof arrow.columnFromArray>[1]; values: (number | bigint)[] } | undefined {
  const type: ColumnType | undefined = name === undefined ? undefined : columnType(name)
  if (type === undefined) return undefined
  const isTime = type === 'DATE' || type === 'TIMESTAMP'
  if (!isTime && type !== 'DOUBLE' && type !== 'BIGINT') return undefined
  const numbers = labels.map((label) => {
    if (!isTime) return Number(label)
    return type === 'DATE' ? timeOfText(label) / DAY : timeOfText(label)
  })
  if (numbers.some((x, row) => !Number.isFinite(x) || numberText(x, type) !== labels[row])) return undefined
  if (isFraction(type)) return { type: arrow.float64(), values: numbers }
  if (isWhole(type)) return { type: arrow.int64(), values: numbers.map(BigInt) }
  if (type === 'DATE') return { type: arrow.dateDay(), values: numbers.map((days) => days * 86_400_000) }
  return { type: arrow.timestamp(2), values: numbers.map((microseconds) => microseconds / 1000) }
}
