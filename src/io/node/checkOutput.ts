import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InputError } from '../../inputError.ts'
import { explainFileError } from './fileError.ts'

/** Says before long work, not after it, that its result could not be written. */
export async function checkOutput(path: string): Promise<void> {
  try {
    await access(dirname(path), constants.W_OK)
  } catch (error) {
    throw explainFileError(error, path, 'write')
  }
  const folder = await stat(path).then(
    (status) => status.isDirectory(),
    () => false,
  )
  if (folder) throw new InputError(`${path}: this is a folder; name a file to write.`)
}
