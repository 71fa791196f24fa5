import { readTensor } from '../io/node/index.ts'
import type { DuplicatePolicy, NegativePolicy, SparseTensor } from '../tensor/index.ts'
import { count } from './format.ts'
import type { Progress } from './terminal.ts'

export interface ReadingOptions {
  dims?: readonly number[]
  negative?: NegativePolicy
  duplicates?: DuplicatePolicy
  mask?: string
}

/** Reads a tensor with progress, and says what it is. */
export async function readWithProgress(
  path: string,
  options: ReadingOptions,
  progress: Progress,
): Promise<SparseTensor> {
  const tensor = await readTensor(path, {
    ...options,
    onProgress: readingProgress(path, progress),
  })
  progress.say(`${path}: ${tensor.dims.join('×')}, ${count(tensor.values.length)} entries`)
  return tensor
}

/** Shows how far a large file has been read. */
export function readingProgress(path: string, progress: Progress): (bytes: number, total: number) => void {
  return (bytes, total) => {
    if (total > 20e6) progress.update(`Reading ${path}: ${Math.round((100 * bytes) / total)}%`)
  }
}
