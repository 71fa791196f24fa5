/** Tensors from nested arrays. */
import { InputError } from '../base/inputError.ts'
import { float32Array, uint32Array } from '../base/sharedArrays.ts'
import { checkDims, sparseTensor } from './checkTensor.ts'
import { MAX_ORDER, type NegativePolicy, type SparseTensor } from './sparseTensor.ts'

/** Numbers in nested lists, as deep as there are modes; null, undefined or NaN for unknown cells. */
export type NestedArray = ArrayLike<NestedArray> | ArrayLike<number | null | undefined>

/**
 * Makes a tensor from nested lists: `tensorFromArray([[1, null], [3, 4]])` has three entries. All lists of a
 * depth must have the same length; null, undefined and NaN are unknown cells.
 */
export function tensorFromArray(
  array: NestedArray,
  options: { negative?: NegativePolicy } = {},
): SparseTensor {
  const dims = shapeOf(array)
  checkDims(dims)
  let entries = 0
  forEachNumber(array, dims, [], () => entries++)
  if (entries === 0) throw new InputError('empty', 'The array has gaps only; there is nothing to learn from.')
  const indices = dims.map(() => uint32Array(entries))
  const values = float32Array(entries)
  let entry = 0
  forEachNumber(array, dims, [], (x, index) => {
    for (let mode = 0; mode < index.length; mode++) indices[mode][entry] = index[mode]
    values[entry++] = x
  })
  const where = (e: number) => `element ${pathOf(indices.map((column) => column[e]))}`
  return sparseTensor({ dims, indices, values }, { ...options, distinct: true, where })
}

/** Returns the length of the first list of each depth. */
function shapeOf(array: unknown): number[] {
  const dims: number[] = []
  for (let at: unknown = array; isList(at) && dims.length <= MAX_ORDER; at = at[0]) dims.push(at.length)
  return dims
}

/** Whether a value is an array or typed array; texts are none. */
const isList = (x: unknown): x is ArrayLike<unknown> =>
  Array.isArray(x) || (ArrayBuffer.isView(x) && !(x instanceof DataView))

/**
 * Calls `use` for every known number of nested lists with its index, in C order. Throws if a list has another
 * length than the first of its depth, or an element is no number.
 * @param dims the length of the lists of each depth
 * @param index the position of `array`; changed and restored
 */
function forEachNumber(
  array: unknown,
  dims: readonly number[],
  index: number[],
  use: (x: number, index: readonly number[]) => void,
): void {
  const depth = index.length
  if (!isList(array) || array.length !== dims[depth])
    throw new InputError(
      'shape',
      `${pathOf(index)} is ${isList(array) ? `a list of ${array.length}` : describe(array)}, but ${pathOf(index.map(() => 0))} is a list of ${dims[depth]}; lists of the same depth must be of the same length.`,
    )
  for (let i = 0; i < array.length; i++) {
    index.push(i)
    const x = array[i]
    if (depth + 1 < dims.length) forEachNumber(x, dims, index, use)
    else if (typeof x === 'number' && !Number.isNaN(x)) use(x, index)
    else if (x !== null && x !== undefined && typeof x !== 'number')
      throw new InputError(
        'value',
        `${pathOf(index)} is ${describe(x)}; give a number, or null where nothing is known.`,
      )
    index.pop()
  }
}

/** Prints a position as an expression: `array[0][2]`. */
const pathOf = (index: readonly number[]): string => `array${index.map((i) => `[${i}]`).join('')}`

/** Describes an element in messages: its kind and, if it is short, its text. */
const describe = (x: unknown): string =>
  isList(x)
    ? `a list of ${x.length}`
    : typeof x === 'object' && x !== null
      ? 'an object'
      : typeof x === 'string'
        ? `the text "${x.slice(0, 40)}"`
        : String(x)
