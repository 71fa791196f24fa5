/** Tensors and models by path; the ending says what the file is. */
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InputError } from '../../inputError.ts'
import type { CpModel } from '../../model/cpModel.ts'
import type { SparseTensor, TensorOptions } from '../../tensor/sparseTensor.ts'
import {
  decodeTensorNpy,
  decodeTensorNpz,
  denseBytes,
  encodeCompletedNpy,
  encodeDenseNpy,
  encodeTensorNpz,
} from '../array/index.ts'
import { decodeModel, encodeModel } from '../array/modelFile.ts'
import { decodeNpy } from '../npz/npy.ts'
import { listNpz } from '../npz/npz.ts'
import { tableText, writeFactors, writeTable } from '../table/index.ts'
import { readTns, writeTns } from '../tns/index.ts'
import { isTableFile, type ReadTableOptions, readTable } from './duckdb/index.ts'
import { checkEnding, endings, hasEnding, writableEndings } from './files/endings.ts'
import { openFile } from './files/openFile.ts'
import { maxFileBytes, readWhole } from './files/readWhole.ts'
import { writeFileWhole } from './files/writeFileWhole.ts'

export interface ReadTensorOptions
  extends Omit<TensorOptions, 'where' | 'distinct'>,
    Omit<ReadTableOptions, 'negative' | 'dims'> {
  /** I_1 … I_N; by default what the file says, or the largest index found in each mode. */
  dims?: readonly number[]
  /** An .npy file of truth values that says which elements of a dense array are observed. */
  mask?: string
  /** Told how many of the file's bytes have been read. */
  onProgress?(bytesRead: number, byteLength: number): void
}

/** Text of numbers packs to about a quarter. */
const PACKING = 4

/** Reads a .tns file or a table; what the options say of tables is for tables. */
export async function readTensor(path: string, options: ReadTensorOptions = {}): Promise<SparseTensor> {
  if (options.mask !== undefined && !hasEnding(path, [...endings.npy, ...endings.npz]))
    throw new InputError('format', `${path}: a mask goes with a dense array (.npy, .npz); leave it out.`)
  if (isTableFile(path)) return readTable(path, options)
  checkEnding(path, 'tensor', [
    ...endings.tns,
    ...endings.npy,
    ...endings.npz,
    '.csv',
    '.parquet',
    'another table',
  ])
  if (!hasEnding(path, endings.tns)) return readArray(path, options)
  const { source, byteLength, bytesRead } = await openFile(path)
  return readTns(source, {
    ...options,
    name: path,
    sizeHint: path.endsWith('.gz') ? PACKING * byteLength : byteLength,
    onProgress: () => options.onProgress?.(bytesRead(), byteLength),
  })
}

async function readArray(path: string, options: ReadTensorOptions): Promise<SparseTensor> {
  const { onProgress, mask: maskFile, ...policies } = options
  const mask = maskFile === undefined ? undefined : await readMask(maskFile)
  const bytes = await readWhole(path, onProgress)
  const settings = { ...policies, ...(mask && { mask }), maxBytes: maxFileBytes() }
  return hasEnding(path, endings.npy)
    ? decodeTensorNpy(bytes, path, settings)
    : decodeTensorNpz(bytes, path, settings)
}

/** Reads what may be either: an .npz of factors is a model. */
export async function readTensorOrModel(
  path: string,
  options: ReadTensorOptions = {},
): Promise<SparseTensor | CpModel> {
  if (!hasEnding(path, endings.npz)) return readTensor(path, options)
  const isModel = listNpz(await readWhole(path)).includes('factor_1.npy')
  return isModel ? readModel(path) : readTensor(path, options)
}

async function readMask(path: string): Promise<ReturnType<typeof decodeNpy>> {
  checkEnding(path, 'mask', endings.npy)
  return decodeNpy(await readWhole(path), path)
}

export interface WriteTensorOptions {
  /** Told how many bytes have been made so far, before packing; not for Parquet. */
  onProgress?(bytes: number): void
}

/** Writes the format that the ending names. What it has no place for is lost: see docs/formats.md. */
export async function writeTensor(
  path: string,
  tensor: SparseTensor,
  { onProgress }: WriteTensorOptions = {},
): Promise<void> {
  checkEnding(path, 'tensor', writableEndings)
  if (hasEnding(path, endings.parquet)) {
    const { writeParquet } = await import('./duckdb/writeParquet.ts')
    return writeParquet(path, tensor)
  }
  if (hasEnding(path, endings.npy)) await checkSpace(path, tensor.dims)
  await writeFileWhole(path, counted(encode(path, tensor), onProgress))
}

function encode(path: string, tensor: SparseTensor): Iterable<Uint8Array> {
  const text = tableText(path)
  if (text) return writeTable(tensor, text)
  if (hasEnding(path, endings.npz)) return encodeTensorNpz(tensor)
  return hasEnding(path, endings.npy) ? encodeDenseNpy(tensor) : writeTns(tensor)
}

function* counted(chunks: Iterable<Uint8Array>, onProgress?: (bytes: number) => void): Generator<Uint8Array> {
  let bytes = 0
  for (const chunk of chunks) {
    yield chunk
    bytes += chunk.length
    onProgress?.(bytes)
  }
}

export async function readModel(path: string): Promise<CpModel> {
  checkEnding(path, 'model', endings.npz)
  return decodeModel(await readWhole(path), path, { maxBytes: maxFileBytes() })
}

export async function writeModel(path: string, model: CpModel): Promise<void> {
  checkEnding(path, 'model', endings.npz)
  await writeFileWhole(path, [encodeModel(model)])
}

/** Writes the whole tensor as the model has it, observed or not, as a dense .npy file. */
export async function writeCompleted(
  path: string,
  model: CpModel,
  { onProgress }: WriteTensorOptions = {},
): Promise<void> {
  checkEnding(path, 'completed tensor', endings.npy)
  await checkSpace(path, model.dims)
  await writeFileWhole(path, counted(encodeCompletedNpy(model), onProgress))
}

/** Writes the factors as a table: mode, index, label, component_1 … component_R. */
export async function writeFactorTable(path: string, model: CpModel): Promise<void> {
  const text = tableText(path)
  if (!text)
    throw new InputError(
      'format',
      `${path}: the ending is not that of a table of factors; use .csv, .tsv or .json.`,
    )
  await writeFileWhole(path, writeFactors(model, text))
}

/** Says before the work, not at its end, that a dense file does not fit on the disk. */
async function checkSpace(path: string, dims: readonly number[]): Promise<void> {
  const bytes = denseBytes(dims)
  const disk = await statfs(dirname(path)).catch(() => undefined)
  const free = disk ? disk.bavail * disk.bsize : Infinity
  if (bytes > free)
    throw new InputError(
      'format',
      `${path}: a dense ${dims.join(' × ')} array takes ${bytes} bytes, but the disk has ${free} free; choose another disk, or .npz.`,
    )
}
