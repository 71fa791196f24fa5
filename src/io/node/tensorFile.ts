/** Tensors and models by path; the ending says what the file is. */
import { InputError } from '../../inputError.ts'
import type { CpModel } from '../../model/cpModel.ts'
import type { SparseTensor, TensorOptions } from '../../tensor/sparseTensor.ts'
import { decodeModel, encodeModel } from '../modelFile.ts'
import { readTns, writeTns } from '../tns.ts'
import { openFile } from './openFile.ts'
import { isTableFile, type ReadTableOptions, readTable } from './table/index.ts'
import { writeFileWhole } from './writeFileWhole.ts'

export interface ReadTensorOptions
  extends Omit<TensorOptions, 'where' | 'distinct'>,
    Omit<ReadTableOptions, 'negative' | 'dims'> {
  /** I_1 … I_N; by default the largest index found in each mode. */
  dims?: readonly number[]
  /** Told how many of the file's bytes have been read. */
  onProgress?(bytesRead: number, byteLength: number): void
}

const TENSOR_ENDINGS = ['.tns', '.tns.gz']
const MODEL_ENDINGS = ['.npz']
/** Text of numbers packs to about a quarter. */
const PACKING = 4

/** Reads a .tns file or a table; what the options say of tables is for tables. */
export async function readTensor(path: string, options: ReadTensorOptions = {}): Promise<SparseTensor> {
  if (isTableFile(path)) return readTable(path, options)
  checkEnding(path, 'tensor', [...TENSOR_ENDINGS, '.csv', '.parquet or another table'])
  const { source, byteLength, bytesRead } = await openFile(path)
  return readTns(source, {
    ...options,
    name: path,
    sizeHint: path.endsWith('.gz') ? PACKING * byteLength : byteLength,
    onProgress: () => options.onProgress?.(bytesRead(), byteLength),
  })
}

export async function writeTensor(path: string, tensor: SparseTensor): Promise<void> {
  checkEnding(path, 'tensor', TENSOR_ENDINGS)
  await writeFileWhole(path, writeTns(tensor))
}

export async function readModel(path: string): Promise<CpModel> {
  checkEnding(path, 'model', MODEL_ENDINGS)
  const pieces: Uint8Array[] = [] // node's readFile ends at 2 GiB, a model at 4
  for await (const piece of (await openFile(path)).source) pieces.push(piece)
  return decodeModel(Buffer.concat(pieces), path)
}

export async function writeModel(path: string, model: CpModel): Promise<void> {
  checkEnding(path, 'model', MODEL_ENDINGS)
  await writeFileWhole(path, [encodeModel(model)])
}

function checkEnding(path: string, what: string, endings: readonly string[]): void {
  if (!endings.some((ending) => path.endsWith(ending)))
    throw new InputError(`${path}: the ending is not that of a ${what} file; use ${endings.join(' or ')}.`)
}
