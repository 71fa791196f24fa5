/** The stored corpus: per reader, inputs that reached code that no others reached, and those that once failed. */
// @ts-check
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Most inputs of a reader that are stored, and most bytes of one. */
const MAX_INPUTS = 60
const MAX_BYTES = 2 ** 12

/** @param {string} reader */
const pathOf = (reader) => fileURLToPath(new URL(`./corpus/${reader}.json`, import.meta.url))

/** The stored inputs of a reader. @param {string} reader @returns {Uint8Array[]} */
export function readCorpus(reader) {
  const path = pathOf(reader)
  const texts = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []
  return texts.map((/** @type {string} */ text) => Buffer.from(text, 'base64'))
}

/**
 * Stores further inputs of a reader, the short ones first, as far as there is room.
 * @param {string} reader @param {readonly Uint8Array[]} found
 */
export function addToCorpus(reader, found) {
  const known = readCorpus(reader)
  const more = found.filter(({ length }) => length <= MAX_BYTES).sort((a, b) => a.length - b.length)
  const all = [...known, ...more].slice(0, Math.max(known.length, MAX_INPUTS))
  const texts = all.map((bytes) => Buffer.from(bytes).toString('base64'))
  writeFileSync(pathOf(reader), `${JSON.stringify([...new Set(texts)], null, 1)}\n`)
}
