import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type CpModel, InputError, writeModel } from 'lacuna'
import type { CpEnsemble } from 'lacuna/folds'

/**
 * Writes a model that may have taken hours. Where its place fails it (a full disk, a folder that is gone), it
 * goes to the folder for temporary files, and the error says so.
 */
export async function saveModel(path: string, model: CpModel | CpEnsemble): Promise<void> {
  try {
    await writeModel(path, model)
  } catch (failure) {
    const folder = await mkdtemp(join(tmpdir(), 'lacuna-')).catch(() => undefined)
    if (!(failure instanceof InputError) || folder === undefined) throw failure
    const rescued = join(folder, basename(path))
    try {
      await writeModel(rescued, model)
    } catch {
      await rm(folder, { recursive: true, force: true })
      throw failure
    }
    throw new InputError('file', `${failure.message} The model is not lost: it is in ${rescued}.`, {
      cause: failure,
    })
  }
}
