/** Checks that output files can be written, before long work. */
import { access, constants, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { InputError } from '../../../base/inputError.ts'
import { explainFileError } from './fileError.ts'

/**
 * Throws if a path cannot be written to: its folder is missing or read-only, or it is a folder. - is stdout.
 */
export async function checkOutput(path: string): Promise<void> {
  if (path === '-') return
  if (path === '') throw new InputError('file', 'The name of a file to write is empty; give one.')
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

/**
 * Checks every output as checkOutput does, and throws if two outputs, or an output and an input, are the same
 * file, by whatever name, link or path, or if stdin is read twice. Undefined paths are ignored.
 */
export async function checkOutputs(
  outputs: readonly (string | undefined)[],
  inputs: readonly (string | undefined)[],
): Promise<void> {
  if (inputs.filter((path) => path === '-').length > 1)
    throw new InputError('option', 'stdin (-) can be read only once; name a file for all but one of them.')
  const written = outputs.filter((path) => path !== undefined)
  const taken = new Map<string, { path: string; what: 'input' | 'output' }>()
  for (const path of inputs)
    if (path !== undefined)
      for (const key of await identitiesOf(path)) taken.set(key, { path, what: 'input' })
  for (const path of written) {
    await checkOutput(path)
    const keys = path === '-' ? ['stdout'] : await identitiesOf(path)
    const other = keys.map((key) => taken.get(key)).find((found) => found !== undefined)
    if (other)
      throw new InputError(
        'option',
        other.what === 'input'
          ? `${path}: this is ${other.path === path ? 'also read' : `the same file as ${other.path}, which is read`}; what is written never replaces what it is made from, name another file.`
          : `${path}: this is to be written twice${other.path === path ? '' : `, also as ${other.path}`}; name another file for one of them.`,
      )
    for (const key of keys) taken.set(key, { path, what: 'output' })
  }
}

/**
 * Returns the identities of a file: its real path, and its device and inode numbers if it exists. None for -
 * and for pipes and devices.
 */
async function identitiesOf(path: string): Promise<string[]> {
  if (path === '-') return []
  const status = await stat(path).catch(() => undefined)
  const target = await realpath(path).catch(() => undefined)
  if (status && target) return status.isFile() ? [target, `${status.dev}:${status.ino}`] : []
  const folder = await realpath(dirname(path)).catch(() => dirname(path))
  return [join(folder, basename(path))]
}
