/** Writes tensors and models by path; the ending of the name determines the format. */
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InputError, option, sentence } from '../../base/inputError.ts'
import { CpEnsemble, type CpModel, type PredictOptions, type TensorModel } from '../../model/index.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import {
  COMPLETED_ADVICE,
  denseBytes,
  encodeCompletedNpy,
  encodeDenseNpy,
  encodeTensorNpz,
  ensembleChunks,
  modelChunks,
} from '../array/index.ts'
import { encodeTensorHdf5 } from '../science/index.ts'
import { encodeTensorArrow } from '../sheets/index.ts'
import { writeFactors, writeTable } from '../table/index.ts'
import { checkEnding, endings, hasEnding, tableTextByName, writableEndings } from '../text/index.ts'
import { writeTns } from '../tns/index.ts'
import { prepareReplacement, type Replacement, replaceFiles } from './files/index.ts'

/** Options of `writeTensor`. */
export interface WriteTensorOptions {
  /** The format, given as an ending (.csv); by default the ending of the path. Needed for stdout. */
  format?: string
  /** Called with the number of bytes written so far, before packing; not for Parquet; none by default. */
  onProgress?(bytes: number): void
}

/**
 * Writes a tensor in the format of the path's ending. What the format cannot hold is lost: see
 * docs/formats.md. The path - is stdout.
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
    if (hasEnding(ending, endings.npy)) await checkDenseFits(path, tensor.dims)
    const encode = hasEnding(ending, endings.arrow)
      ? encodeTensorArrow
      : hasEnding(ending, endings.arrays)
        ? encodeTensorHdf5
        : undefined
    if (encode) {
      replacements.push(prepareReplacement(path, [await encode(tensor)]))
      continue
    }
    if (!hasEnding(ending, endings.parquet)) {
      replacements.push(
        prepareReplacement(path, reportBytes(encodeTensor(ending, tensor), onProgress), ending),
      )
      continue
    }
    if (path === '-') throw new InputError('option', 'Parquet cannot be written to stdout; name a file.')
    const { tensorAsParquet } = await import('./duckdb/index.ts')
    replacements.push(tensorAsParquet(path, tensor))
  }
  await replaceFiles(replacements)
}

/** Encodes a tensor in the format of an ending (text, .npz, .npy, else .tns), in chunks. */
function encodeTensor(ending: string, tensor: SparseTensor): Iterable<Uint8Array> {
  const text = tableTextByName(ending)
  if (text) return writeTable(tensor, text)
  if (hasEnding(ending, endings.npz)) return encodeTensorNpz(tensor)
  return hasEnding(ending, endings.npy) ? encodeDenseNpy(tensor) : writeTns(tensor)
}

/** Yields the chunks, and reports the number of bytes that have been taken after each. */
function* reportBytes(
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

/**
 * Writes a model or an ensemble as .npz, which NumPy opens. If that fails, a file that was there before is
 * unchanged. The path - is stdout.
 */
export async function writeModel(path: string, model: CpModel | CpEnsemble): Promise<void> {
  if (path !== '-') checkEnding(path, 'model', endings.npz)
  await replaceFiles([
    prepareReplacement(path, model instanceof CpEnsemble ? ensembleChunks(model) : modelChunks(model)),
  ])
}

/**
 * Writes the model's predictions of all cells as a dense .npy file; throws if it does not fit on the disk.
 */
export async function writeCompleted(
  path: string,
  model: TensorModel,
  { onProgress, clip }: WriteTensorOptions & PredictOptions = {},
): Promise<void> {
  if (path !== '-') checkEnding(path, 'completed tensor', endings.npy)
  await checkDenseFits(path, model.dims, COMPLETED_ADVICE)
  await replaceFiles([prepareReplacement(path, reportBytes(encodeCompletedNpy(model, { clip }), onProgress))])
}

/**
 * Writes the factors as a table: mode, index, label, component_1 … component_R.
 * @param format an ending that names the format; by default that of the path
 */
export async function writeFactorTable(path: string, model: CpModel, format?: string): Promise<void> {
  const text = tableTextByName(format ?? path)
  if (!text)
    throw new InputError(
      'format',
      `${path}: the ending is not that of a table of factors; use .csv, .tsv or .json.`,
    )
  await replaceFiles([prepareReplacement(path, writeFactors(model, text), format ?? path)])
}

/** Throws if a dense float32 file of these dims is larger than is allowed, or than the disk's free space. */
async function checkDenseFits(path: string, dims: readonly number[], advice?: string): Promise<void> {
  const bytes = denseBytes(dims, advice)
  if (path === '-') return
  const disk = await statfs(dirname(path)).catch(() => undefined)
  const free = disk ? disk.bavail * disk.bsize : Infinity
  if (bytes > free)
    throw new InputError(
      'format',
      `${path}: a dense ${dims.join(' × ')} array takes ${bytes} bytes, but the disk has ${free} free; choose another disk, or .npz.`,
    )
}
