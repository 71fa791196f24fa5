// The folder of an attempt: its inputs, what is in it, and in which state its outputs are.
// @ts-check
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashFile, hashModel } from './fingerprint.mjs'

/** @typedef {import('./cases.mjs').Case} Case */

/** State of an output: as before, as after the command, not there, or anything else. @typedef {'old' | 'new' | 'absent' | 'other'} State */

/** Fills the folder `work` of an attempt. @param {string} inputs @param {string} attempt @param {Case} item @param {boolean} hasOld whether older outputs are there */
export function fillFolder(inputs, attempt, item, hasOld) {
  const work = join(attempt, 'work')
  mkdirSync(join(attempt, 'tmp'), { recursive: true })
  cpSync(inputs, work, { recursive: true })
  if (hasOld) for (const name of item.outputs) writeFileSync(join(work, name), oldContent(name))
  return work
}

/** Content of an output from before the run. @param {string} name */
const oldContent = (name) => `what was in ${name} before\n`

/** Files that are compared with those of an undisturbed run. @param {Case} item */
export const comparedFiles = ({ outputs, folder, compared = [] }) => [
  ...outputs,
  ...compared.map((name) => `${folder}/${name}`),
]

/** Fingerprint of an output: of the model, or of the bytes. @param {string} path @param {Case} item */
export const fingerprint = (path, item) =>
  item.isModel && path.endsWith('.npz') ? hashModel(path) : hashFile(path)

/**
 * State of an output.
 * @param {string} work @param {string} name @param {Case} item @param {string} wanted fingerprint of the new one
 * @returns {Promise<State>}
 */
export async function stateOf(work, name, item, wanted) {
  const path = join(work, name)
  if (!existsSync(path)) return 'absent'
  if (readFileSync(path, 'latin1') === oldContent(name)) return 'old'
  const found = await Promise.resolve(fingerprint(path, item)).catch(() => 'unreadable')
  return found === wanted ? 'new' : 'other'
}

/** Whether an output is a model that can be read, as an interrupted run leaves one. @param {string} path */
export const isReadableModel = (path) =>
  hashModel(path).then(
    () => true,
    () => false,
  )

/** Names of the inputs that have changed or are gone. @param {string} inputs @param {string} work */
export const changedInputs = (inputs, work) =>
  readdirSync(inputs).filter((name) => {
    const path = join(work, name)
    return !existsSync(path) || hashFile(path) !== hashFile(join(inputs, name))
  })

/** Paths in an attempt's folders that no command should leave: beside inputs and outputs, and in TMPDIR. @param {string} inputs @param {string} attempt @param {Case} item */
export function leftovers(inputs, attempt, item) {
  const known = new Set([...readdirSync(inputs), ...item.outputs, item.folder])
  const beside = readdirSync(join(attempt, 'work')).filter((name) => !known.has(name))
  const folder = item.folder ? join(attempt, 'work', item.folder) : undefined
  const within = folder && existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : []
  const hidden = within.filter((name) => /\.(tmp|part|old)(\.\w+)*$/.test(name))
  return [...beside, ...hidden, ...readdirSync(join(attempt, 'tmp')).map((name) => `$TMPDIR/${name}`)]
}
