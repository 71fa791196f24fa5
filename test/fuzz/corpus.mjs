/** The stored corpus: per reader, inputs that reached code that no others reached, and those that once failed. */
// @ts-check
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Most inputs of a reader that are stored, and most bytes of them all. Inputs that failed are stored beyond both. */
const MAX_INPUTS = 60
const MAX_BYTES = 2 ** 16

/** @param {string} reader */
const pathOf = (reader) => fileURLToPath(new URL(`./corpus/${reader}.json`, import.meta.url))

/** The stored inputs of a reader. @param {string} reader @returns {Uint8Array[]} */
export function readCorpus(reader) {
  const path = pathOf(reader)
  const texts = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []
  return texts.map((/** @type {string} */ text) => Buffer.from(text, 'base64'))
}

/**
 * Stores further inputs of a reader: all that failed, and those that reached new code, the short ones first, as far
 * as there is room.
 * @param {string} reader @param {readonly Uint8Array[]} found @param {readonly Uint8Array[]} [failed]
 */
export function addToCorpus(reader, found, failed = []) {
  const all = [...readCorpus(reader), ...failed]
  let room = MAX_BYTES - all.reduce((sum, { length }) => sum + length, 0)
  for (const input of [...found].sort((a, b) => a.length - b.length)) {
    room -= input.length
    if (room < 0 || all.length >= MAX_INPUTS) break
    all.push(input)
  }
  const texts = new Set(all.map((bytes) => Buffer.from(bytes).toString('base64')))
  writeFileSync(pathOf(reader), `${JSON.stringify([...texts], null, 2)}\n`)
}
