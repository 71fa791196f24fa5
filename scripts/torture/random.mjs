// Random numbers of an attempt, by the seed of the harness and the number of the attempt, so that it can be repeated.
// @ts-check
import { createHash } from 'node:crypto'

/**
 * @typedef {object} Random
 * @property {() => number} unit a number in [0, 1)
 * @property {(n: number) => number} below a whole number from 0 and below n
 * @property {<T>(items: readonly T[]) => T} pick one of the items
 */

/** @param {readonly (string | number)[]} key @returns {Random} */
export function randomOf(...key) {
  let draws = 0
  const unit = () =>
    createHash('sha256')
      .update([...key, draws++].join())
      .digest()
      .readUInt32LE(0) /
    2 ** 32
  const below = (/** @type {number} */ n) => Math.floor(n * unit())
  return { unit, below, pick: (items) => items[below(items.length)] }
}
