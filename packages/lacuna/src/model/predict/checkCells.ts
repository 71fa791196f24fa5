/** Checks of the indices of cells. */
import { InputError } from '../../base/inputError.ts'

/** Throws unless a coordinate has one index per mode. @param what the subject of the message */
export function checkOrder(dims: readonly number[], count: number, what: string): void {
  if (count !== dims.length)
    throw new InputError('shape', `${what} has ${count} indices, but the model has ${dims.length} modes.`)
}

/** Throws unless an index is that of a row of a mode. @param what the subject of the message */
export function checkIndex(dims: readonly number[], index: number, mode: number, what: string): void {
  if (!Number.isInteger(index) || index < 0 || index >= dims[mode])
    throw new InputError(
      'index',
      `${what} has index ${index} in mode ${mode + 1}; it must be a whole number from 0 to ${dims[mode] - 1}.`,
    )
}

/** Throws unless a coordinate has one index per mode, each that of a row. */
export function checkCoordinate(dims: readonly number[], indices: readonly number[]): void {
  checkOrder(dims, indices.length, 'The coordinate')
  indices.forEach((index, mode) => {
    checkIndex(dims, index, mode, 'The coordinate')
  })
}

/** Throws unless there is one column per mode, all equally long, with indices of rows of the mode. */
export function checkColumns(dims: readonly number[], indices: readonly Uint32Array[]): void {
  checkOrder(dims, indices.length, 'A coordinate')
  indices.forEach((column, mode) => {
    if (column.length !== indices[0].length)
      throw new InputError(
        'shape',
        `Mode ${mode + 1} has ${column.length} indices, but mode 1 has ${indices[0].length}; they must be equal in number.`,
      )
    for (let e = 0; e < column.length; e++)
      if (column[e] >= dims[mode]) checkIndex(dims, column[e], mode, `Entry ${e}`)
  })
}
