import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InputError } from '../../../inputError.ts'
import { explainFileError } from './fileError.ts'

/** Says before long work, not after it, that its result could not be written. */
export async function checkOutput(path: string): Promise<void> {
  const folder = dirname(path)
  try {
    if (!(await stat(folder)).isDirectory())
      throw new InputError('file', `${path}: ${folder} is not a folder; check the name.`)
    await access(folder, constants.W_OK)
  } catch (error) {
    throw explainFileError(error, path, 'write')
  }
  const taken = await stat(path).catch(() => undefined)
  if (taken?.isDirectory()) throw new InputError('file', `${path}: this is a folder; name a file to write.`)
}
