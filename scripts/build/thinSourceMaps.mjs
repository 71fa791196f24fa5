// Thins the source maps that tsc writes: one mapping per line instead of one per token, and sources without doc comments, which the
// declarations have. The lines of stack traces and breakpoints stay exact, columns are those where the line begins. The
// packed library has 1.7 MB so, and 2.4 MB with all mappings and comments.
// @ts-check
import { readFileSync, writeFileSync } from 'node:fs'
import { filesUnder } from './filesUnder.mjs'
import { blankDocComments } from './stripDocComments.mjs'

/** The digits of base64 variable-length quantities (VLQ, ECMA-426). */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Thins maps again without a change. @param {string} folder the map of every .js file below it is rewritten */
export function thinSourceMaps(folder) {
  for (const file of filesUnder(folder)) {
    if (!file.endsWith('.js.map')) continue
    const text = readFileSync(file, 'utf8')
    const map = JSON.parse(text)
    const code = readFileSync(file.slice(0, -'.map'.length), 'utf8').split('\n')
    const mappings = thinMappings(map.mappings, code)
    const thinned = JSON.stringify({
      ...map,
      mappings,
      sourcesContent: map.sourcesContent.map(blankDocComments),
    })
    if (thinned !== text) writeFileSync(file, thinned)
  }
}

/**
 * Keeps a mapping if it is the first of a line of code or leads to another line of the source than the one before: tsc joins lines.
 * @param {string} mappings of a map with one source @param {readonly string[]} code the lines that are mapped
 */
function thinMappings(mappings, code) {
  // Numbers are stored as differences: columns of the code from the mapping before on the line, the place in the source (file, line,
  // column) from the mapping before in the file.
  const place = [0, 0, 0]
  const keptPlace = [0, 0, 0]
  return mappings
    .split(';')
    .map((line, number) => {
      if (line === '') return ''
      const isBlank = code[number].trim() === ''
      const kept = []
      let [column, keptColumn] = [0, 0]
      for (const segment of line.split(',')) {
        const [step, ...steps] = decode(segment)
        column += step
        for (const [k, difference] of steps.entries()) place[k] += difference
        if (isBlank || (kept.length > 0 && place[1] === keptPlace[1])) continue
        kept.push(encode([column - keptColumn, ...place.map((value, k) => value - keptPlace[k])]))
        keptColumn = column
        keptPlace.splice(0, 3, ...place)
      }
      return kept.join(',')
    })
    .join(';')
}

/** @param {string} segment of VLQs @returns {number[]} */
function decode(segment) {
  const values = []
  let [value, shift] = [0, 0]
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit)
    value |= (bits & 31) << shift
    shift += 5
    if (bits & 32) continue
    values.push(value & 1 ? -(value >> 1) : value >> 1)
    value = shift = 0
  }
  return values
}

/** @param {readonly number[]} values @returns a segment of VLQs */
function encode(values) {
  let segment = ''
  for (const value of values) {
    let rest = value < 0 ? (-value << 1) | 1 : value << 1
    do {
      segment += DIGITS[(rest & 31) | (rest > 31 ? 32 : 0)]
      rest >>= 5
    } while (rest > 0)
  }
  return segment
}
