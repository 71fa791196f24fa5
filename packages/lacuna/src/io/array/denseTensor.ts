/** Converts dense arrays to sparse tensors. */
import { InputError, inFile } from '../../base/inputError.ts'
import { float32Array, uint32Array } from '../../base/sharedArrays.ts'
import {
  checkDims,
  fitToDims,
  type SparseTensor,
  sparseTensor,
  type TensorOptions,
} from '../../tensor/index.ts'
import type { NpyArray, NpyData } from '../npz/index.ts'

/** Options for reading a dense array. */
export interface ArrayOptions extends Omit<TensorOptions, 'where' | 'distinct'> {
  /** I_1 … I_N, at least as large as the array; its shape by default. */
  dims?: readonly number[]
  /**
   * An array of the same shape, nonzero (true) where an element is observed. NaN is missing in any case; by
   * default all others are observed.
   */
  mask?: NpyArray
}

/**
 * Converts a dense array to a tensor whose entries are the elements that are neither NaN nor masked; zeros
 * are entries. Throws if there are none, if a value is not allowed, or if the mask does not fit.
 * @param name the file, for messages
 */
export function denseTensor(array: NpyArray, name: string, options: ArrayOptions = {}): SparseTensor {
  const { shape, data } = array
  const { mask, dims, negative } = options
  return inFile(name, () => {
    checkDims(shape)
    if (mask) checkMask(mask, shape)
    const observed = listObserved(data, mask?.data)
    if (observed.length === 0)
      throw new InputError(
        'empty',
        `all ${data.length} elements are NaN${mask ? ' or masked as unobserved (true means observed)' : ''}; there is nothing to learn from.`,
      )
    const tensor = {
      dims: shape,
      indices: unravel(observed, shape),
      values: float32Array(observed.length),
    }
    const where = (entry: number) =>
      `element [${tensor.indices.map((column) => column[entry]).join(', ')}] (counting from 0)`
    for (let e = 0; e < observed.length; e++) {
      const x = Number(data[observed[e]])
      tensor.values[e] = x
      if (!Number.isFinite(tensor.values[e]) && Number.isFinite(x))
        throw new InputError(
          'value',
          `${where(e)}: the value ${x} is too large for a float32; scale the values down.`,
        )
    }
    return sparseTensor(fitToDims(tensor, dims), { distinct: true, where, negative })
  })
}

/** Throws if a mask has another shape than the array, or holds decimal numbers. */
function checkMask({ shape, data }: NpyArray, expected: readonly number[]): void {
  if (shape.length !== expected.length || shape.some((size, axis) => size !== expected[axis]))
    throw new InputError(
      'format',
      `the mask has the shape (${shape.join(', ')}), but the array (${expected.join(', ')}); give one truth value per element.`,
    )
  if (data instanceof Float32Array || data instanceof Float64Array)
    throw new InputError(
      'format',
      `the mask holds decimal numbers; save it with .astype(bool), true where observed.`,
    )
}

/**
 * Returns the ascending positions of the elements that are observed: neither NaN nor, if there is a mask,
 * zero in it. Throws if the array has 2^32 elements or more.
 */
function listObserved(data: NpyData, mask?: NpyData): Uint32Array {
  if (data.length > 2 ** 32 - 1)
    throw new InputError(
      'format',
      `the array has ${data.length} elements, more than ${2 ** 32 - 1}; save its observed entries as COO.`,
    )
  const isObserved = (at: number): boolean => {
    const x = data[at]
    // biome-ignore lint/suspicious/noSelfCompare: NaN alone differs from itself, and Number.isNaN knows no bigint
    return x === x && (mask === undefined || Number(mask[at]) !== 0)
  }
  let observed = 0
  for (let at = 0; at < data.length; at++) if (isObserved(at)) observed++
  const positions = new Uint32Array(observed)
  for (let at = 0, e = 0; e < observed; at++) if (isObserved(at)) positions[e++] = at
  return positions
}

/** Converts ascending positions in C order to one column of indices per mode. */
function unravel(positions: Uint32Array, shape: readonly number[]): Uint32Array[] {
  const columns = shape.map(() => uint32Array(positions.length))
  const index = shape.map(() => 0)
  let at = 0
  for (let e = 0; e < positions.length; e++) {
    // Odometer: the positions ascend, so incrementing is cheaper than dividing.
    for (; at < positions[e]; at++) {
      let mode = shape.length - 1
      while (++index[mode] === shape[mode]) index[mode--] = 0
    }
    for (let mode = 0; mode < shape.length; mode++) columns[mode][e] = index[mode]
  }
  return columns
}
