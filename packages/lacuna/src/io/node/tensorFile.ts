/** Tensors and models by path; the ending of the name determines the format. */
import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InputError, option, sentence } from '../../base/inputError.ts'
import { CpEnsemble, type CpModel, type TensorModel } from '../../model/index.ts'
import type { SparseTensor, TensorOptions } from '../../tensor/index.ts'
import {
  decodeAnyModel,
  decodeModel,
  decodeTensorNpy,
  decodeTensorNpz,
  denseBytes,
  encodeCompletedNpy,
  encodeDenseNpy,
  encodeEnsemble,
  encodeModel,
  encodeTensorNpz,
} from '../array/index.ts'
import {
  areDistinctBy,
  PARALLEL_FROM,
  type ReadingPool,
  readingThreads,
  readTnsByThreads,
  startReading,
} from '../drive/threads/index.ts'
import { decodeNpy, listNpz } from '../npz/index.ts'
import { writeFactors, writeTable } from '../table/index.ts'
import {
  checkEnding,
  endings,
  hasEnding,
  isTableKind,
  kindByName,
  tableTextByName,
  writableEndings,
} from '../text/index.ts'
import { defersDuplicates, readEntries, tensorOfColumns, writeTns } from '../tns/index.ts'
import {
  type Input,
  isPacked,
  maxFileBytes,
  openInput,
  type Replacement,
  readWhole,
  replaceFiles,
  writeChunks,
} from './files/index.ts'
import { type ReadTableOptions, readTable } from './tables.ts'

/** Options for reading a file as an array, a list of entries or a table. */
export interface ReadTensorOptions
  extends Omit<TensorOptions, 'where' | 'distinct'>,
    Omit<ReadTableOptions, 'negative' | 'dims'> {
  /** I_1 … I_N; by default those of the file, or the largest index found in each mode. */
  dims?: readonly number[]
  /**
   * An .npy file of truth values: true where an element of a dense array is observed; all but NaN by default.
   */
  mask?: string
  /** The number of threads that read a large file; one per core by default. */
  threads?: number
  /** Receives the number of bytes read, and the size of the file. */
  onProgress?(bytesRead: number, byteLength: number): void
  /**
   * Leaves the search for repeated coordinates of a .tns file or a table to the engine that sorts the
   * entries, which is faster; false by default.
   */
  deferDuplicateCheck?: boolean
}

/** The ratio of text of numbers to its gzip, for an estimate of its size. */
const PACKING = 4

/**
 * Reads a .tns file, an array or a table; what the options say of tables is for tables. The name - is stdin,
 * which, like a pipe without an ending, is taken for what its first bytes say.
 */
export async function readTensor(path: string, options: ReadTensorOptions = {}): Promise<SparseTensor> {
  return readInput(await openAs(path, 'tensor', readable), options)
}

const readable = [...endings.tns, ...endings.npy, ...endings.npz, '.csv', '.parquet', 'another table']

/**
 * Opens a file, which must have an allowed ending, or a pipe, which need not.
 * @param what as messages call it
 */
async function openAs(path: string, what: string, allowed: readonly string[]): Promise<Input> {
  const known = what === 'model' ? hasEnding(path, allowed) : kindByName(path) !== undefined
  const status = known || path === '-' ? undefined : await stat(path).catch(() => undefined)
  const isPipe = path === '-' || (status !== undefined && !status.isFile() && !status.isDirectory())
  if (!known && !isPipe) checkEnding(path, what, allowed)
  return openInput(path)
}

/** Reads an opened input by its kind; large .tns files by threads. */
async function readInput(input: Input, options: ReadTensorOptions): Promise<SparseTensor> {
  const { path, name, kind, open, byteLength } = input
  if (options.mask !== undefined && kind !== 'npy' && kind !== 'npz')
    throw new InputError('format', `${name}: a mask goes with a dense array (.npy, .npz); leave it out.`)
  if (isTableKind(kind)) return readTable(path, { ...options, input })
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
    sizeHint: path.endsWith('.gz') ? PACKING * byteLength : byteLength,
    onProgress: () => options.onProgress?.(input.bytesRead(), byteLength),
  }
  const columns = await readEntries(open(), settings)
  const needsCheck = columns.indices.length > 0 && !defersDuplicates(options)
  const distinct = needsCheck && (await areDistinctBy(threads, columns.indices)) === true
  return tensorOfColumns(columns, settings, { distinct })
}

/** Rethrows an error of the file; after any other, such as no more threads, one thread reads the file. */
function rethrowInputError(error: unknown): undefined {
  if (error instanceof InputError) throw error
}

/** Reads an .npy or .npz input. */
async function readArray(input: Input, options: ReadTensorOptions): Promise<SparseTensor> {
  const { onProgress, mask: maskFile, ...policies } = options
  const mask = maskFile === undefined ? undefined : await readMask(maskFile)
  const bytes = await readWhole(input, onProgress)
  const settings = { ...policies, mask, maxBytes: maxFileBytes() }
  return input.kind === 'npy'
    ? decodeTensorNpy(bytes, input.name, settings)
    : decodeTensorNpz(bytes, input.name, settings)
}

/** Reads a tensor or a model: an .npz of factors is a model. */
export async function readTensorOrModel(
  path: string,
  options: ReadTensorOptions = {},
): Promise<SparseTensor | CpModel | CpEnsemble> {
  const input = await openAs(path, 'tensor', readable)
  if (input.kind !== 'npz') return readInput(input, options)
  // Held, so that a pipe need not be read twice.
  const bytes = await readWhole(input, options.onProgress)
  const held = { ...input, open: () => once(bytes) }
  const isModel = ['factor_1.npy', 'model_1/factor_1.npy'].some((file) => listNpz(bytes).includes(file))
  return isModel ? decodeAnyModel(bytes, input.name, { maxBytes: maxFileBytes() }) : readInput(held, options)
}

/** A source of one piece. */
async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Reads the mask of a dense array. */
async function readMask(path: string): Promise<ReturnType<typeof decodeNpy>> {
  checkEnding(path, 'mask', endings.npy)
  return decodeNpy(await readWhole(await openInput(path)), path)
}

/** Options of `writeTensor`. */
export interface WriteTensorOptions {
  /** The format by the ending of files that have it; by default the ending of the path. Needed for stdout. */
  format?: string
  /** Receives the number of bytes written so far, before packing; not for Parquet. */
  onProgress?(bytes: number): void
}

/**
 * Writes the format that the ending names. What it has no place for is lost: see docs/formats.md. - is
 * stdout.
 */
export async function writeTensor(
  path: string,
  tensor: SparseTensor,
  options: WriteTensorOptions = {},
): Promise<void> {
  await writeTensors([{ path, tensor }], options)
}

/** Writes several tensors as one unit: all or none. */
export async function writeTensors(
  files: readonly { path: string; tensor: SparseTensor }[],
  { format, onProgress }: WriteTensorOptions = {},
): Promise<void> {
  const replacements: Replacement[] = []
  for (const { path, tensor } of files) {
    const ending = format ?? path
    if (path === '-' && format === undefined)
      throw new InputError(
        'option',
        sentence`stdout has no ending that says what to write; say it with ${option('format')}.`,
      )
    checkEnding(ending, 'tensor', writableEndings)
    if (hasEnding(ending, endings.npy)) await checkSpace(path, tensor.dims)
    if (!hasEnding(ending, endings.parquet)) {
      replacements.push(writeChunks(path, countBytes(encode(ending, tensor), onProgress), ending))
      continue
    }
    if (path === '-') throw new InputError('option', 'Parquet cannot be written to stdout; name a file.')
    const { tensorAsParquet } = await import('./duckdb/index.ts')
    replacements.push(tensorAsParquet(path, tensor))
  }
  await replaceFiles(replacements)
}

/** The chunks of a tensor in the format of an ending. */
function encode(ending: string, tensor: SparseTensor): Iterable<Uint8Array> {
  const text = tableTextByName(ending)
  if (text) return writeTable(tensor, text)
  if (hasEnding(ending, endings.npz)) return encodeTensorNpz(tensor)
  return hasEnding(ending, endings.npy) ? encodeDenseNpy(tensor) : writeTns(tensor)
}

/** Passes chunks on, and reports their bytes. */
function* countBytes(
  chunks: Iterable<Uint8Array>,
  onProgress?: (bytes: number) => void,
): Generator<Uint8Array> {
  let bytes = 0
  for (const chunk of chunks) {
    yield chunk
    bytes += chunk.length
    onProgress?.(bytes)
  }
}

/** Reads a model that writeModel or the command line has written (.npz). */
export async function readModel(path: string): Promise<CpModel> {
  const input = await openAs(path, 'model', endings.npz)
  return decodeModel(await readWhole(input), input.name, { maxBytes: maxFileBytes() })
}

/** Reads a model or an ensemble. */
export async function readAnyModel(path: string): Promise<CpModel | CpEnsemble> {
  const input = await openAs(path, 'model', endings.npz)
  return decodeAnyModel(await readWhole(input), input.name, { maxBytes: maxFileBytes() })
}

/** Writes a model or an ensemble as .npz, which NumPy opens; whole, or the file that was there stays. */
export async function writeModel(path: string, model: CpModel | CpEnsemble): Promise<void> {
  if (path !== '-') checkEnding(path, 'model', endings.npz)
  await replaceFiles([
    writeChunks(path, [model instanceof CpEnsemble ? encodeEnsemble(model) : encodeModel(model)]),
  ])
}

/** Writes the model's predictions of all cells as a dense .npy file. */
export async function writeCompleted(
  path: string,
  model: TensorModel,
  { onProgress }: WriteTensorOptions = {},
): Promise<void> {
  if (path !== '-') checkEnding(path, 'completed tensor', endings.npy)
  await checkSpace(path, model.dims)
  await replaceFiles([writeChunks(path, countBytes(encodeCompletedNpy(model), onProgress))])
}

/** Writes the factors as a table: mode, index, label, component_1 … component_R. */
export async function writeFactorTable(path: string, model: CpModel, format?: string): Promise<void> {
  const text = tableTextByName(format ?? path)
  if (!text)
    throw new InputError(
      'format',
      `${path}: the ending is not that of a table of factors; use .csv, .tsv or .json.`,
    )
  await replaceFiles([writeChunks(path, writeFactors(model, text), format ?? path)])
}

/** Refuses a dense file that does not fit on the disk, before the work. */
async function checkSpace(path: string, dims: readonly number[]): Promise<void> {
  const bytes = denseBytes(dims)
  if (path === '-') return
  const disk = await statfs(dirname(path)).catch(() => undefined)
  const free = disk ? disk.bavail * disk.bsize : Infinity
  if (bytes > free)
    throw new InputError(
      'format',
      `${path}: a dense ${dims.join(' × ')} array takes ${bytes} bytes, but the disk has ${free} free; choose another disk, or .npz.`,
    )
}
