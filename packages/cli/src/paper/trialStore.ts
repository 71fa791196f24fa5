/**
 * The folder of a run. Every finished trial is a file in trials/, written whole, so that a run that ends
 * early continues where it stopped. begun.json contains the conditions of the trials.
 */
import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from 'lacuna'
import { explainFileError, option, sentence, writeFileWhole } from 'lacuna/internal'

/** Finished trials of a folder, by id. */
export interface TrialStore {
  folder: string
  has(id: string): Promise<boolean>
  /** Reads the record of a trial; undefined if it is not finished. */
  read(id: string): Promise<object | undefined>
  write(id: string, record: object): Promise<void>
}

/** Settings that trials depend on, by the names used in messages: `--scale`: small, … */
export type Conditions = Record<string, string>

/**
 * Opens a folder, which is created if necessary; throws if it was begun under other conditions.
 * @param force discards its trials and conditions
 */
export async function openStore(folder: string, conditions: Conditions, force: boolean): Promise<TrialStore> {
  const trials = join(folder, 'trials')
  const begun = join(folder, 'begun.json')
  await makeFolder(folder)
  const earlier = await readJson<Conditions>(begun)
  const changed = earlier && describeChanges(earlier, conditions)
  if (changed && !force)
    throw new InputError(
      'option',
      sentence`${folder} was begun with ${changed}; repeat that, choose another folder, or start anew with ${option('force')}.`,
    )
  if (force) await rm(trials, { recursive: true, force: true })
  await makeFolder(trials)
  if (!earlier || force) await writeJson(begun, conditions)
  const fileOf = (id: string): string => join(trials, `${id}.json`)
  return {
    folder,
    has: async (id) => (await stat(fileOf(id)).catch(() => undefined)) !== undefined,
    read: (id) => readJson(fileOf(id)),
    write: (id, record) => writeJson(fileOf(id), record),
  }
}

/** Describes the conditions that differ, as in `--seed 1, not 2`; undefined if all are equal. */
function describeChanges(earlier: Conditions, now: Conditions): string | undefined {
  const names = [...new Set([...Object.keys(earlier), ...Object.keys(now)])]
  const different = names.filter((name) => earlier[name] !== now[name])
  if (different.length === 0) return undefined
  return different
    .map((name) => `${name} ${earlier[name] ?? 'not given'}, not ${now[name] ?? 'left out'}`)
    .join(', and ')
}

/** Creates a folder unless it exists; throws if it is a file or cannot be created. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new InputError('file', `${folder}: this is a file; name a folder.`)
    throw explainFileError(error, folder, 'write')
  }
}

/** Reads a JSON file; undefined if it does not exist. Throws if it cannot be read or parsed. */
async function readJson<T extends object>(path: string): Promise<T | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw explainFileError(error, path, 'read')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new InputError(
      'option',
      `${path}: this is no JSON any more; remove it, and its trial will be done again.`,
    )
  }
}

/** Writes a JSON file, whole or not at all. */
const writeJson = (path: string, value: object): Promise<void> =>
  writeFileWhole(path, [new TextEncoder().encode(`${JSON.stringify(value)}\n`)])
