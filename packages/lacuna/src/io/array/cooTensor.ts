/**
 * Sparse arrays in .npz files: coordinates as PyData/sparse and SciPy save them, and SciPy's compressed rows
 * and columns. A cell that is not listed is unobserved, not zero; a listed zero is an observed zero.
 */
import { InputError } from '../../base/inputError.ts'
import { float32Array, uint32Array } from '../../base/sharedArrays.ts'
import { largestPlusOne, type SparseTensor } from '../../tensor/index.ts'
import type { NpyArray, NpyData } from '../npz/index.ts'

/** Decodes an array of the .npz by its name, without .npy; throws if it is missing. */
export type TakeArray = (name: string) => NpyArray

/**
 * Reads PyData/sparse's COO array: coords (N × nnz), data (nnz), and, where `has` finds them, shape (by
 * default the largest indices), fill_value (which must be 0 or NaN) and weights (nnz). Throws if the shapes
 * differ.
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

/** Reads SciPy's COO matrix: row, col, data and shape. */
export function fromRowsAndColumns(take: TakeArray): SparseTensor {
  const indices = ['row', 'col'].map((name) => toIndices(take(name).data, name))
  return { dims: toSizes(take('shape')), indices, values: toValues(take('data')) }
}

/**
 * Reads SciPy's CSR ('rows') or CSC ('columns') matrix: the entries indptr[p] … indptr[p + 1] − 1 are those
 * of row (or column) p. Throws unless indptr ascends from 0 to the number of values.
 */
export function fromCompressed(take: TakeArray, compressed: 'rows' | 'columns'): SparseTensor {
  const values = toValues(take('data'))
  const pointers = toIndices(take('indptr').data, 'indptr')
  const crossIndices = toIndices(take('indices').data, 'indices')
  const dims = toSizes(take('shape'))
  const lines = dims[compressed === 'rows' ? 0 : 1]
  const lineIndices = uint32Array(values.length)
  let isValid = pointers.length === lines + 1 && pointers[0] === 0 && pointers[lines] === values.length
  for (let p = 0; isValid && p < lines; p++) {
    isValid = pointers[p] <= pointers[p + 1]
    lineIndices.fill(p, pointers[p], pointers[p + 1])
  }
  if (!isValid)
    throw new InputError(
      'format',
      'indptr does not rise from 0 to the number of values; the file is damaged.',
    )
  return {
    dims,
    indices: compressed === 'rows' ? [lineIndices, crossIndices] : [crossIndices, lineIndices],
    values,
  }
}

/** Throws if the value of unlisted cells is neither 0 nor NaN, since these cells count as unobserved. */
function checkFill(fill: number): void {
  if (fill !== 0 && !Number.isNaN(fill))
    throw new InputError(
      'format',
      `the fill_value is ${fill}, but cells that are not listed are unobserved here; save the array with fill_value 0 or nan.`,
    )
}

/**
 * Converts a one-dimensional array to float32; throws for other shapes.
 * @param name the array, for messages
 */
function toValues({ shape, data }: NpyArray, name = 'data'): Float32Array {
  if (shape.length !== 1)
    throw new InputError(
      'format',
      `${name} has the shape (${shape.join(', ')}); it must be a list of values.`,
    )
  const values = float32Array(data.length)
  for (let e = 0; e < data.length; e++) values[e] = Number(data[e])
  return values
}

/**
 * Converts indices from 0 to uint32; throws for decimal numbers and for indices that are negative or 2^32 or
 * more.
 * @param what the array, for messages
 */
function toIndices(data: NpyData, what: string): Uint32Array {
  if (data instanceof Float32Array || data instanceof Float64Array)
    throw new InputError(
      'format',
      `${what} holds decimal numbers; indices must be integers, save them with .astype('<i8').`,
    )
  const indices = uint32Array(data.length)
  const refuse = (e: number): never => {
    throw new InputError(
      'index',
      `${what} has the index ${Number(data[e])} at ${e}; indices count from 0 and stay below 2^32.`,
    )
  }
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    // Read as two 32-bit words each: making a bigint of every index would take many times as long.
    const words = new Uint32Array(data.buffer, data.byteOffset, 2 * data.length)
    for (let e = 0; e < data.length; e++) {
      if (words[2 * e + 1] !== 0) refuse(e)
      indices[e] = words[2 * e]
    }
    return indices
  }
  for (let e = 0; e < data.length; e++) {
    if (data[e] < 0) refuse(e)
    indices[e] = data[e]
  }
  return indices
}

/** Converts the elements of an .npz's array `shape` to numbers. */
const toSizes = ({ data }: NpyArray): number[] => Array.from<number | bigint>(data).map(Number)
