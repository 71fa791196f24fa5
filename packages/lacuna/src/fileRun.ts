/** Runs that are saved to files and resumed from them: what Node adds to solver/run/run.ts. */
import { collectGarbage } from './base/garbage.ts'
import { openInput, readWhole, writeFileWhole } from './io/node/index.ts'
import { decodeRun, encodeRun, Run, type RunOptions } from './solver/index.ts'
import type { SparseTensor } from './tensor/index.ts'

/** A run that can be saved to a file; `startRun` and `resumeRun` make one. */
export class FileRun extends Run {
  /**
   * Writes a checkpoint of the run. The file appears whole, or the one that was there before stays. With
   * several processes only the first writes.
   * @param path the file to write
   */
  async save(path: string): Promise<void> {
    collectGarbage(await this.#writeState(path))
  }

  /** Writes the state of the run as a checkpoint; returns the bytes of the copy that it made for that. */
  async #writeState(path: string): Promise<number> {
    const chunks = encodeRun(await this.state())
    if (this.isRoot) await writeFileWhole(path, chunks)
    return chunks.reduce((sum, { length }) => sum + length, 0)
  }
}

/**
 * Loads the entries onto the engine and measures the errors of the initial factors; training begins with the
 * first `advance`.
 * @param tensor the training entries
 * @param options settings of the run; each has a default
 */
export const startRun = (tensor: SparseTensor, options?: RunOptions): Promise<FileRun> =>
  FileRun.start(tensor, options)

/**
 * Continues a saved run, with the bits that it would have had without the interruption. The entries must be
 * the same, in any order; threads and engine may differ.
 * @param path the checkpoint that `FileRun.save` or the command wrote
 * @param tensor the entries that the run was started with
 * @param options engine, threads, signal, and new limits of `epochs` and `seconds`; other settings must be as
 * they were
 */
export async function resumeRun(path: string, tensor: SparseTensor, options?: RunOptions): Promise<FileRun> {
  return FileRun.resume(decodeRun(await readWhole(await openInput(path)), path), tensor, options)
}
