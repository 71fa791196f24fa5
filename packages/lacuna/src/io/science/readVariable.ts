/**
 * Reads an array of a file as a tensor: elements that are NaN, a fill value or masked are missing; packed numbers
 * are unpacked (scale_factor, add_offset); names and coordinates of axes become modes and labels.
 */
import { InputError, inFile, type Remark, remark, sentence } from '../../base/inputError.ts'
import { availableMemory } from '../../base/memory.ts'
import { fitToDims, type SparseTensor, sparseTensor, type TensorOptions } from '../../tensor/index.ts'
import { denseTensor, fromCompressed } from '../array/index.ts'
import type { NpyArray, NpyData } from '../npz/index.ts'
import {
  type ArrayFile,
  type ArrayVariable,
  checkArrayBytes,
  elementCount,
  shapeText,
  shown,
} from './arrayFile.ts'
import { chooseVariable } from './choose.ts'
import { readAxis } from './coordinates.ts'

/** The array of a file to read, and how to read it. */
export interface ReadVariableOptions extends Omit<TensorOptions, 'where' | 'distinct'> {
  /** The path of the array in the file; by default the only one that can be meant. */
  variable?: string
  /** A mask: the path of an array in the file that is true where an element is observed, or the array itself. */
  mask?: string | NpyArray
  /** I_1 … I_N, at least as large as the array; its shape by default. */
  dims?: readonly number[]
  /** The most bytes that the array may take. */
  maxBytes: number
  /** Receives notices, such as the choice of a variable; none by default. */
  onRemark?(remark: Remark): void
}

/** Bytes per element while an array is converted: the element, its position, its value and an index per axis. */
const bytesPerElement = (order: number): number => 8 + 4 + 4 + 4 * order

/** Reads an array of a file as a tensor, with names and labels of its modes. */
export async function readVariable(file: ArrayFile, options: ReadVariableOptions): Promise<SparseTensor> {
  const { name, variables } = file
  const variable = chooseVariable(file, options.variable, options.onRemark)
  const where = `${name}, ${shown(variable.name)}`
  const { dims, negative } = options
  if (variable.readSparse) {
    const matrix = variable.readSparse()
    const tensor = inFile(where, () => sparseOf(matrix, variable.shape))
    return inFile(where, () =>
      sparseTensor(fitToDims(tensor, dims), { negative, duplicates: options.duplicates }),
    )
  }
  const available = availableMemory() // infinite where it is unknown, as in browsers
  const room = available === Infinity ? options.maxBytes : available
  checkArrayBytes(name, variable, bytesPerElement(variable.shape.length), room)
  const mask = typeof options.mask === 'string' ? await readMask(file, options.mask, variable) : options.mask
  const data = unpackNumbers((await variable.read()).data, variable, where)
  const tensor = denseTensor({ shape: variable.shape, data }, where, { negative, dims, mask })
  const axes = []
  for (let axis = 0; axis < variable.shape.length; axis++)
    axes.push(await readAxis(variable, axis, variables))
  for (const { mode, fault } of axes)
    if (fault)
      options.onRemark?.(
        remark(
          sentence`${name}: the coordinate ${shown(mode.name)} ${fault}, so that its mode has indices in place of labels.`,
        ),
      )
  // A mode whose size was given and exceeds the array's has rows without names, so that it gets no labels.
  const labels = axes.map((axis, mode) =>
    tensor.dims[mode] === variable.shape[mode] ? axis.labels : undefined,
  )
  const isNamed = variable.dimensions.some((dimension) => dimension !== undefined)
  return {
    ...tensor,
    ...(isNamed && {
      modes: axes.map(({ mode }, m) => (labels[m] ? mode : { name: mode.name })),
      valueName: variable.name,
    }),
    ...(labels.some(Boolean) && { labels }),
  }
}

/** A sparse matrix by columns as a tensor: cells that are not listed are unobserved. */
function sparseOf(
  { rows, starts, values }: ReturnType<NonNullable<ArrayVariable['readSparse']>>,
  shape: readonly number[],
): SparseTensor {
  const arrays: Record<string, NpyData> = {
    data: Float64Array.from(values),
    indices: Float64Array.from(rows).every((row) => row >= 0)
      ? Uint32Array.from(rows)
      : Int32Array.from(rows),
    indptr: Uint32Array.from(starts),
    shape: Float64Array.from(shape),
  }
  return fromCompressed((part) => ({ shape: [arrays[part].length], data: arrays[part] }), 'columns')
}

/** Reads the mask of an array from the same file; throws if it is not there, or of another shape. */
async function readMask(file: ArrayFile, path: string, variable: ArrayVariable): Promise<NpyArray> {
  const mask = file.variables.find(({ name }) => name === path.replace(/^\//, ''))
  if (!mask || (mask.kind !== 'number' && mask.kind !== 'logical'))
    throw new InputError(
      'option',
      `${file.name}: there is no array of truth values ${shown(path)} for a mask; name one of the shape ${shapeText(variable.shape)}, or an .npy file.`,
    )
  const { shape, data } = await mask.read()
  // Truth values may be stored as doubles, as MATLAB's ones(…) are.
  const bits = Uint8Array.from(data as ArrayLike<number>, (x) =>
    Number(x) !== 0 && !Number.isNaN(Number(x)) ? 1 : 0,
  )
  return { shape, data: bits }
}

/**
 * The elements with NaN where they are missing, and with their scale applied.
 * @param where the array, for messages
 */
function unpackNumbers(data: NpyData, variable: ArrayVariable, where: string): NpyData {
  const { attributes } = variable
  const number = (key: string): number | undefined => {
    const value = attributes[key]
    return Array.isArray(value) ? value[0] : undefined
  }
  const missing = new Set([
    ...(variable.missing ?? []),
    ...['_FillValue', 'missing_value'].flatMap((key) => fillsOf(attributes[key], data)),
  ])
  const [scale, offset] = [number('scale_factor') ?? 1, number('add_offset') ?? 0]
  if (!Number.isFinite(scale) || !Number.isFinite(offset))
    throw new InputError(
      'format',
      `${where}: scale_factor or add_offset is not a finite number; mend the file.`,
    )
  const range = attributes.valid_range
  const [low, high] = Array.isArray(range) ? range : [number('valid_min'), number('valid_max')]
  const isPlain = missing.size === 0 && scale === 1 && offset === 0 && low === undefined && high === undefined
  if (isPlain) return data
  const numbers = new Float64Array(elementCount(variable.shape))
  for (let at = 0; at < numbers.length; at++) {
    const x = Number(data[at])
    const isMissing = missing.has(x) || x < (low ?? -Infinity) || x > (high ?? Infinity)
    numbers[at] = isMissing ? NaN : x * scale + offset
  }
  return numbers
}

/** The numbers of a fill attribute, as the elements hold them: Zarr writes those of floats in base64. */
function fillsOf(value: AttributeLike, data: NpyData): number[] {
  const isFloat32 = data instanceof Float32Array
  if (typeof value === 'string') {
    if (!/^[A-Za-z0-9+/]{10,11}=+$/.test(value)) return []
    const bytes = Uint8Array.from(atob(value), (c) => c.charCodeAt(0))
    return bytes.length === 8 ? [new Float64Array(bytes.buffer)[0]] : []
  }
  return (value ?? []).map((x) => (isFloat32 ? Math.fround(x) : x))
}

/** An attribute, if there is one. */
type AttributeLike = ArrayVariable['attributes'][string] | undefined
