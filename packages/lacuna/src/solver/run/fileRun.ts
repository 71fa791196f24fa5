/** Runs with a place on the disk: what Node adds to run.ts. */
import { openInput, readWhole, writeFileWhole } from '../../io/node/index.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import type { RunOptions } from '../settings/options.ts'
import { decodeRun, encodeRun } from './checkpoint.ts'
import { Run } from './run.ts'

/** A run that can be saved to a file. */
export class FileRun extends Run {
  /** Saves the run as it stands, so that it can go on from there: whole, or the file that was there before stays. */
  async save(path: string): Promise<void> {
    const state = await this.state()
    if (this.isFirst) await writeFileWhole(path, encodeRun(state))
  }
}

/** Loads the entries and takes the first look; nothing is learned before the run is advanced. */
export const startRun = (tensor: SparseTensor, options?: RunOptions): Promise<FileRun> =>
  FileRun.start(tensor, options)

/**
 * Goes on with a run that was saved, and gives the bits that it would have given without a break. The entries must be the
 * same, in any order; threads and engine may be others.
 */
export async function resumeRun(path: string, tensor: SparseTensor, options?: RunOptions): Promise<FileRun> {
  return FileRun.resume(decodeRun(await readWhole(await openInput(path)), path), tensor, options)
}
