/**
 * Sparse arrays in .npz files: coordinates as PyData/sparse and SciPy save them, and SciPy's compressed rows
 * and columns. A cell that is not listed is unobserved, not zero; a listed zero is an observed zero.
 */
import { InputError } from '../../base/inputError.ts'
import { float32Array, uint32Array } from '../../base/sharedArrays.ts'
import { largestPlusOne, type SparseTensor } from '../../tensor/index.ts'
import type { NpyArray, NpyData } from '../npz/index.ts'

/** Returns an array of the file by name; throws if it is missing. */
export type TakeArray = (name: string) => NpyArray

/**
 * coords (N × nnz), data, shape and, from PyData/sparse, a fill_value; and weights, if the entries have any.
 */
export function fromCoords(take: TakeArray, has: (name: string) => boolean): SparseTensor {
  const coords = take('coords')
  const values = toValues(take('data'))
  const [order, entries] = coords.shape
  if (coords.shape.length !== 2 || entries !== values.length)
    throw new InputError(
      'format',
      `coords has the shape (${coords.shape.join(', ')}); ${values.length} values need (modes, ${values.length}).`,
    )
  if (has('fill_value')) checkFill(Number(take('fill_value').data[0]))
  const indices = Array.from({ length: order }, (_, mode) =>
    toIndices(coords.data.subarray(mode * entries, (mode + 1) * entries), `row ${mode} of coords`),
  )
  return {
    dims: has('shape') ? toSizes(take('shape')) : indices.map(largestPlusOne),
    indices,
    values,
    ...(has('weights') && { weights: toValues(take('weights'), 'weights') }),
  }
}

/** Reads SciPy's COO matrix: row, col and data. */
export function fromRowsAndColumns(take: TakeArray): SparseTensor {
  const indices = ['row', 'col'].map((name) => toIndices(take(name).data, name))
  return { dims: toSizes(take('shape')), indices, values: toValues(take('data')) }
}

/** SciPy's CSR or CSC: the entries indptr[p] … indptr[p + 1] − 1 are those of row (or column) p. */
export function fromCompressed(take: TakeArray, compressed: 'rows' | 'columns'): SparseTensor {
  const values = toValues(take('data'))
  const pointers = toIndices(take('indptr').data, 'indptr')
  const across = toIndices(take('indices').data, 'indices')
  const dims = toSizes(take('shape'))
  const lines = dims[compressed === 'rows' ? 0 : 1]
  const along = uint32Array(values.length)
  let sound = pointers.length === lines + 1 && pointers[0] === 0 && pointers[lines] === values.length
  for (let p = 0; sound && p < lines; p++) {
    sound = pointers[p] <= pointers[p + 1]
    along.fill(p, pointers[p], pointers[p + 1])
  }
  if (!sound)
    throw new InputError(
      'format',
      'indptr does not rise from 0 to the number of values; the file is damaged.',
    )
  return { dims, indices: compressed === 'rows' ? [along, across] : [across, along], values }
}

/** Refuses a fill value other than 0 or NaN: unlisted cells are unobserved. */
export function checkFill(fill: number): void {
  if (fill !== 0 && !Number.isNaN(fill))
    throw new InputError(
      'format',
      `the fill_value is ${fill}, but cells that are not listed are unobserved here; save the array with fill_value 0 or nan.`,
    )
}

/** The values of entries as float32. @param name the array, as messages call it */
function toValues({ shape, data }: NpyArray, name = 'data'): Float32Array {
  if (shape.length !== 1)
    throw new InputError(
      'format',
      `${name} has the shape (${shape.join(', ')}); it must be a list of values.`,
    )
  return asValues(data)
}

/** Converts numbers to float32. */
export function asValues(data: NpyData, into: Float32Array = float32Array(data.length)): Float32Array {
  for (let e = 0; e < data.length; e++) into[e] = Number(data[e])
  return into
}

/**
 * Converts indices to columns of uint32, and checks them.
 * @param first the number of the first entry, if these are some of all
 */
export function toIndices(
  data: NpyData,
  what: string,
  first = 0,
  into: Uint32Array = uint32Array(data.length),
): Uint32Array {
  if (data instanceof Float32Array || data instanceof Float64Array)
    throw new InputError(
      'format',
      `${what} holds decimal numbers; indices must be integers, save them with .astype('<i8').`,
    )
  const refuse = (e: number): never => {
    throw new InputError(
      'index',
      `${what} has the index ${Number(data[e])} at ${first + e}; indices count from 0 and stay below 2^32.`,
    )
  }
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    // As two words each: a bigint for every one of them would take many times as long.
    const words = new Uint32Array(data.buffer, data.byteOffset, 2 * data.length)
    for (let e = 0; e < data.length; e++) {
      if (words[2 * e + 1] !== 0) refuse(e)
      into[e] = words[2 * e]
    }
    return into
  }
  for (let e = 0; e < data.length; e++) {
    if (data[e] < 0) refuse(e)
    into[e] = data[e]
  }
  return into
}

/** The sizes in an array of shapes. */
export const toSizes = ({ data }: NpyArray): number[] => Array.from<number | bigint>(data).map(Number)
