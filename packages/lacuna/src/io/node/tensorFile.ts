/** Reads tensors and models by path; the ending of the name, or the first bytes of a pipe, determine the format. */
import { stat } from 'node:fs/promises'
import { InputError, option, sentence } from '../../base/inputError.ts'
import type { CpEnsemble, CpModel } from '../../model/index.ts'
import type { SparseTensor, TensorOptions } from '../../tensor/index.ts'
import { decodeAnyModel, decodeModel, decodeTensorNpy, decodeTensorNpz } from '../array/index.ts'
import {
  areDistinctBy,
  PARALLEL_FROM,
  type ReadingPool,
  readingThreads,
  readTnsByThreads,
  startReading,
} from '../drive/threads/index.ts'
import { decodeNpy, listNpz } from '../npz/index.ts'
import { readVariable } from '../science/index.ts'
import { adviseFormat, checkEnding, endings, hasEnding, isTableKind, kindByName } from '../text/index.ts'
import { defersDuplicates, readEntries, tensorOfColumns } from '../tns/index.ts'
import {
  type Input,
  type InputOptions,
  isPacked,
  maxFileBytes,
  openInput,
  readWhole,
  yieldOnce,
} from './files/index.ts'
import { isZarr, openArrayFile } from './science/index.ts'
import { type ReadTableOptions, readTable } from './tables.ts'

/** Options for reading a file as an array, a list of entries or a table. */
export interface ReadTensorOptions
  extends Omit<TensorOptions, 'where' | 'distinct'>,
    Omit<ReadTableOptions, 'negative' | 'dims'> {
  /** I_1 … I_N; by default those of the file, or the largest index found in each mode. */
  dims?: readonly number[]
  /**
   * True where an element of a dense array is observed: an .npy file of truth values or, of a file of several arrays
   * (.mat, .h5, .nc, .zarr), one of them by its name. All but NaN and fill values by default.
   */
  mask?: string
  /**
   * Of a file of several arrays (.mat, .h5, .nc, .zarr), the one to read: its path, as in `t2m`, `group/data` or
   * `data.X`; by default the only one that can be meant.
   */
  variable?: string
  /** The number of threads that read a large file; one per core by default. */
  threads?: number
  /** Called with the number of bytes read so far and the size of the file; none by default. */
  onProgress?(bytesRead: number, byteLength: number): void
  /**
   * Leaves the search for repeated coordinates of a .tns file or a table to the engine that sorts the
   * entries, which is faster; false by default.
   */
  deferDuplicateCheck?: boolean
}

/** The typical ratio of a text of numbers to its gzip, by which the size of the text is estimated. */
const GZIP_RATIO = 4

/**
 * Reads a .tns file, an array (.npy, .npz; .mat, .h5, .nc, .zarr) or a table as a tensor; options for tables are
 * ignored otherwise.
 * The path - is stdin; its format, like that of a pipe without an ending, is recognized by its first bytes.
 */
export async function readTensor(path: string, options: ReadTensorOptions = {}): Promise<SparseTensor> {
  if (isZarr(path)) return readArrays(path, undefined, options)
  return readInput(await openAs(path, 'tensor', READABLE, options), options)
}

/** Endings of tensors that can be read, as messages list them. */
const READABLE = [
  ...[...endings.tns, ...endings.npy, ...endings.npz, '.mat', '.h5', '.nc', '.zarr'],
  ...['.csv', '.parquet', '.arrow', '.xlsx', 'another table'],
]

/**
 * Opens a file, or a pipe; throws if a file's ending is not allowed.
 * @param what the content: the ending must be in `allowed` for a model, and of any known kind for a tensor
 */
async function openAs(
  path: string,
  what: 'tensor' | 'model',
  allowed: readonly string[],
  { sheet }: InputOptions = {},
): Promise<Input> {
  const hasKnownEnding = what === 'model' ? hasEnding(path, allowed) : kindByName(path) !== undefined
  const status = hasKnownEnding || path === '-' ? undefined : await stat(path).catch(() => undefined)
  const isPipe = path === '-' || (status !== undefined && !status.isFile() && !status.isDirectory())
  const advice = hasKnownEnding || isPipe ? undefined : adviseFormat(path)
  if (advice) throw new InputError('file', advice)
  if (!hasKnownEnding && !isPipe) checkEnding(path, what, allowed)
  return openInput(path, { sheet })
}

/** Reads an opened input as a tensor by its kind; large unpacked .tns files by threads. */
async function readInput(input: Input, options: ReadTensorOptions): Promise<SparseTensor> {
  const { path, name, kind, open, byteLength } = input
  if (options.mask !== undefined && kind !== 'npy' && kind !== 'npz' && kind !== 'arrays')
    throw new InputError(
      'format',
      `${name}: a mask goes with a dense array (.npy, .npz, .mat …); leave it out.`,
    )
  if (options.variable !== undefined && kind !== 'arrays')
    throw new InputError(
      'option',
      sentence`${name}: ${option('variable')} goes with files of several arrays (.mat, .h5, .nc, .zarr); leave it out.`,
    )
  if (isTableKind(kind)) return readTable(path, { ...options, input })
  const { merge } = options
  options = { ...options, duplicates: options.duplicates ?? (merge === 'count' ? undefined : merge) }
  if (kind === 'arrays') return readArrays(path, input, options)
  if (kind !== 'tns') return readArray(input, options)
  const threads = readingThreads(options.threads)
  if (threads > 1 && byteLength >= PARALLEL_FROM && !input.isPipe && !(await isPacked(path))) {
    const onProgress = (bytes: number): void => options.onProgress?.(bytes, byteLength)
    const startPool = (): ReadingPool => startReading(threads)
    const tensor = await readTnsByThreads(path, { ...options, name, onProgress }, startPool).catch(
      rethrowInputError,
    )
    if (tensor) return tensor
  }
  const settings = {
    ...options,
    name,
    sizeHint: path.endsWith('.gz') ? GZIP_RATIO * byteLength : byteLength,
    onProgress: () => options.onProgress?.(input.bytesRead(), byteLength),
  }
  const columns = await readEntries(open(), settings)
  const needsCheck = columns.indices.length > 0 && !defersDuplicates(options)
  const distinct = needsCheck && (await areDistinctBy(threads, columns.indices)) === true
  return tensorOfColumns(columns, settings, { distinct })
}

/**
 * Throws an error of the file again; returns undefined for any other, such as a lack of threads, so that one
 * thread reads the file.
 */
function rethrowInputError(error: unknown): undefined {
  if (error instanceof InputError) throw error
}

/** Reads an .npy or .npz input as a tensor, with the mask that the options name, if any. */
async function readArray(input: Input, options: ReadTensorOptions): Promise<SparseTensor> {
  const { onProgress, mask: maskFile, ...policies } = options
  const mask = maskFile === undefined ? undefined : await readMask(maskFile)
  const bytes = await readWhole(input, onProgress)
  const settings = { ...policies, mask, maxBytes: maxFileBytes() }
  return input.kind === 'npy'
    ? decodeTensorNpy(bytes, input.name, settings)
    : decodeTensorNpz(bytes, input.name, settings)
}

/** Reads one of the arrays of a file (.mat, .h5, .nc, .zarr) as a tensor. @param input the file, if it is opened */
async function readArrays(
  path: string,
  input: Input | undefined,
  { mask: maskName, variable, dims, negative, duplicates, onRemark, onProgress }: ReadTensorOptions,
): Promise<SparseTensor> {
  const isFile = maskName !== undefined && hasEnding(maskName, endings.npy)
  const mask = isFile ? await readMask(maskName) : maskName
  const file = await openArrayFile(path, input, onProgress)
  try {
    const settings = { variable, mask, dims, negative, duplicates, onRemark, maxBytes: maxFileBytes() }
    return await readVariable(file, settings)
  } finally {
    file.close()
  }
}

/** Reads a tensor or a model: an .npz with factors is a model or an ensemble, any other file a tensor. */
export async function readTensorOrModel(
  path: string,
  options: ReadTensorOptions = {},
): Promise<SparseTensor | CpModel | CpEnsemble> {
  if (isZarr(path)) return readArrays(path, undefined, options)
  const input = await openAs(path, 'tensor', READABLE, options)
  if (input.kind !== 'npz') return readInput(input, options)
  // The bytes are reused, so that a pipe need not be read twice.
  const bytes = await readWhole(input, options.onProgress)
  const buffered = { ...input, open: () => yieldOnce(bytes) }
  const isModel = ['factor_1.npy', 'model_1/factor_1.npy'].some((file) => listNpz(bytes).includes(file))
  return isModel
    ? decodeAnyModel(bytes, input.name, { maxBytes: maxFileBytes() })
    : readInput(buffered, options)
}

/** Reads the mask of a dense array from an .npy file. */
async function readMask(path: string): Promise<ReturnType<typeof decodeNpy>> {
  checkEnding(path, 'mask', endings.npy)
  return decodeNpy(await readWhole(await openInput(path)), path)
}

/**
 * Reads a single model (.npz) that writeModel or the command line has written; throws for an ensemble.
 * @param kind 'single'
 */
export async function readModel<M extends string = string>(path: string, kind: 'single'): Promise<CpModel<M>>
/** Reads a model or an ensemble (.npz) that writeModel or the command line has written. */
export async function readModel<M extends string = string>(path: string): Promise<CpModel<M> | CpEnsemble<M>>
export async function readModel(path: string, kind?: 'single'): Promise<CpModel | CpEnsemble> {
  const input = await openAs(path, 'model', endings.npz)
  const decode = kind === 'single' ? decodeModel : decodeAnyModel
  return decode(await readWhole(input), input.name, { maxBytes: maxFileBytes() })
}
