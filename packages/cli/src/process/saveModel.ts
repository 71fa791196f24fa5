/** Saves models, if need be to the folder for temporary files. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type CpModel, InputError, writeModel } from 'lacuna'
import type { CpEnsemble } from 'lacuna/folds'

/**
 * Writes a model. If that fails (a full disk, a folder that is gone), the model is written to the folder for
 * temporary files, and the error names that file.
 */
export async function saveModel(path: string, model: CpModel | CpEnsemble): Promise<void> {
  try {
    await writeModel(path, model)
  } catch (failure) {
    const folder = await mkdtemp(join(tmpdir(), 'lacuna-')).catch(() => undefined)
    if (!(failure instanceof InputError) || folder === undefined) throw failure
    const rescuePath = join(folder, basename(path))
    try {
      await writeModel(rescuePath, model)
    } catch {
      await rm(folder, { recursive: true, force: true })
      throw failure
    }
    throw new InputError('file', `${failure.message} The model is not lost: it is in ${rescuePath}.`, {
      cause: failure,
    })
  }
}
