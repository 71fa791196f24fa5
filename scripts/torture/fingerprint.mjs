// Fingerprint of an output, for comparison: the bytes of a file; of a model all that it holds, but for times.
// @ts-check
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const LIBRARY = new URL('../../packages/lacuna/dist/index.js', import.meta.url)

/** SHA-256 of a file's bytes. @param {string} path */
export const hashFile = (path) => createHash('sha256').update(readFileSync(path)).digest('hex')

/** SHA-256 of all members of a model or ensemble but those that are times; throws if it is none. @param {string} path */
export async function hashModel(path) {
  const { readModel } = await import(LIBRARY.href)
  const hash = createHash('sha256')
  addTo(hash, await readModel(path))
  return hash.digest('hex')
}

/** SHA-256 of the factors of a model. @param {string} path */
export async function hashFactors(path) {
  const { readModel } = await import(LIBRARY.href)
  const hash = createHash('sha256')
  addTo(hash, (await readModel(path)).factors)
  return hash.digest('hex')
}

/** RMSE of a model or ensemble on its training entries. @param {string} path @returns {Promise<number>} */
export async function trainingError(path) {
  const { readModel } = await import(LIBRARY.href)
  return (await readModel(path)).training.train.rmse
}

/** Members that differ between runs: times, and the machine that a run was on. */
const VARYING = /seconds|^engine$/i

/** Adds a value to a hash, member by member. @param {import('node:crypto').Hash} hash @param {unknown} value */
function addTo(hash, value) {
  if (ArrayBuffer.isView(value)) hash.update(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (VARYING.test(name) || member === undefined || typeof member === 'function') continue
      hash.update(`${name}:`)
      addTo(hash, member)
    }
  else hash.update(`${String(value)};`)
}
