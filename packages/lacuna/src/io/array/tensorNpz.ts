/**
 * A tensor as an .npz. Written: coords.npy (N × nnz, from 0, in C order), data.npy, shape.npy and
 * fill_value.npy (NaN), as PyData/sparse saves a COO array, weights.npy where entries have weights, and
 * metadata.json with labels and modes. Read: that, SciPy's sparse matrices, and a dense array, alone or
 * beside a mask.
 */
import { InputError, inFile } from '../../base/inputError.ts'
import { fitToDims, type SparseTensor, sortInCOrder, sparseTensor } from '../../tensor/index.ts'
import {
  decodeNpy,
  decodeNpyText,
  displayName,
  encodeNpy,
  npyHeader,
  type UnpackOptions,
  unpackNpz,
  writeStoredZip,
} from '../npz/index.ts'
import {
  MODEL_FORMAT,
  namesFromJson,
  namesToJson,
  parseMetadata,
  readNames,
  TENSOR_FORMAT,
} from '../text/index.ts'
import { fromCompressed, fromCoords, fromRowsAndColumns, type TakeArray } from './cooTensor.ts'
import { type ArrayOptions, denseTensor } from './denseTensor.ts'

/** The version of metadata.json that is written, and the newest that is read. */
const VERSION = 1

/**
 * Decodes a tensor from the bytes of an .npz: Lacuna's or PyData/sparse's COO, SciPy's COO, CSR or CSC, or a
 * dense array. Throws for other layouts, for models and for damaged files.
 * @param name the file, for messages
 */
export function decodeTensorNpz(
  bytes: Uint8Array,
  name: string,
  options: ArrayOptions & UnpackOptions = {},
): SparseTensor {
  const files = unpackNpz(bytes, name, options)
  const { dims, ...names } = readMetadata(files, name)
  const arrays = Object.keys(files).flatMap((file) => /^(.*)\.npy$/s.exec(file)?.[1] ?? [])
  const has = (array: string) => arrays.includes(array)
  const take: TakeArray = (array) => {
    if (!has(array))
      throw new InputError(
        'format',
        `${name}: the array ${array} is missing; there are ${listArrays(arrays)}.`,
      )
    return decodeNpy(files[`${array}.npy`], `${name}, ${displayName(array)}.npy`)
  }
  const format = has('format') ? decodeNpyText(files['format.npy'], `${name}, format.npy`) : undefined

  const sparse = ((): SparseTensor | undefined => {
    if (has('coords')) return inFile(name, () => fromCoords(take, has))
    if (format === 'coo') return inFile(name, () => fromRowsAndColumns(take))
    if (format === 'csr') return inFile(name, () => fromCompressed(take, 'rows'))
    if (format === 'csc') return inFile(name, () => fromCompressed(take, 'columns'))
    if (format !== undefined || has('compressed_axes'))
      throw new InputError(
        'format',
        `${name}: this sparse layout (${displayName(format ?? 'GCXS')}) cannot be read; save the array as COO, with .tocoo().`,
      )
  })()
  if (!sparse) {
    const mask = options.mask ?? (has('mask') ? take('mask') : undefined)
    const dense = take(chooseDense(arrays, name))
    checkSameDims(dims, dense.shape, name)
    return denseTensor(dense, name, { ...options, mask })
  }
  checkSameDims(dims, sparse.dims, name)
  if (options.mask)
    throw new InputError(
      'format',
      `${name}: this is a sparse array, which needs no mask; leave the mask out.`,
    )
  const { negative, duplicates } = options
  return inFile(name, () =>
    sparseTensor(fitToDims({ ...sparse, ...names }, options.dims), {
      negative,
      duplicates,
    }),
  )
}

/** The names of arrays, separated by commas, for messages: at most 20 of them. */
const listArrays = (names: readonly string[]): string =>
  names.slice(0, 20).map(displayName).join(', ') + (names.length > 20 ? ' …' : '')

/** Throws if the sizes of the modes in metadata.json are others than those of the array. */
function checkSameDims(dims: readonly number[] | undefined, shape: readonly number[], name: string): void {
  if (dims && (dims.length !== shape.length || dims.some((dim, mode) => dim !== shape[mode])))
    throw new InputError(
      'format',
      `${name}: the array has the shape (${shape.join(', ')}), but metadata.json says (${dims.join(', ')}); the file was changed or damaged.`,
    )
}

/**
 * Returns the name of the dense array: `values`, else `data`, else the only one beside `mask`; throws if
 * unclear.
 */
function chooseDense(arrays: readonly string[], name: string): string {
  const others = arrays.filter((array) => array !== 'mask')
  const chosen = ['values', 'data'].find((array) => others.includes(array)) ?? others[0]
  if (
    chosen === undefined ||
    (others.length > 1 && chosen === others[0] && !['values', 'data'].includes(chosen))
  )
    throw new InputError(
      'format',
      `${name}: ${others.length === 0 ? 'there is no array' : `there are the arrays ${listArrays(others)}, and none is named values`}; ` +
        'save one dense array (with a mask beside it, if need be), or coords, data and shape.',
    )
  return chosen
}

/** Reads dims, labels and modes from metadata.json; {} if there is none. Throws if the file holds a model. */
function readMetadata(
  files: Record<string, Uint8Array>,
  name: string,
): ReturnType<typeof namesFromJson> & { dims?: readonly number[] } {
  const text = files['metadata.json']
  if (text === undefined) {
    if (files['factor_1.npy'])
      throw new InputError(
        'format',
        `${name}: this holds the factors of a model, not a tensor; give the data to learn from.`,
      )
    return {}
  }
  const metadata = parseMetadata(text, name)
  if (metadata.format === MODEL_FORMAT)
    throw new InputError(
      'format',
      `${name}: this is a model, not a tensor; let it predict, or give the data to learn from.`,
    )
  if (metadata.format !== TENSOR_FORMAT)
    throw new InputError(
      'format',
      `${name}: the format is ${displayName(JSON.stringify(metadata.format) ?? 'not given')}, not "${TENSOR_FORMAT}"; give a tensor.`,
    )
  const { dims, ...names } = readNames(metadata, 'tensor', VERSION, name)
  return { dims, ...namesFromJson(names) }
}

/**
 * Encodes a tensor as an .npz file (COO, with labels and weights), in chunks that are views of its columns.
 */
export function* encodeTensorNpz(tensor: SparseTensor): Generator<Uint8Array> {
  const { dims, indices, values, weights } = sortInCOrder(tensor)
  const bytesOf = (array: Uint32Array | Float32Array) =>
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
  const about = { format: TENSOR_FORMAT, version: VERSION, dims, ...namesToJson(tensor) }
  yield* writeStoredZip([
    {
      name: 'coords.npy',
      chunks: [npyHeader('<u4', [dims.length, values.length]), ...indices.map(bytesOf)],
    },
    { name: 'data.npy', chunks: [npyHeader('<f4', [values.length]), bytesOf(values)] },
    ...(weights
      ? [{ name: 'weights.npy', chunks: [npyHeader('<f4', [weights.length]), bytesOf(weights)] }]
      : []),
    {
      name: 'shape.npy',
      chunks: [encodeNpy({ shape: [dims.length], data: BigInt64Array.from(dims, BigInt) })],
    },
    { name: 'fill_value.npy', chunks: [encodeNpy({ shape: [], data: Float32Array.of(NaN) })] },
    { name: 'metadata.json', chunks: [new TextEncoder().encode(`${JSON.stringify(about, null, 1)}\n`)] },
  ])
}
