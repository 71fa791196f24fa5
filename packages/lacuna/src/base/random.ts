/**
 * Counter-based random numbers. Nothing here has state: a draw is a hash of a stream (keyed by the seed, a
 * purpose and, say, an iteration and a mode) and of a counter (say, the row). Every thread, browser or MPI
 * process therefore draws the same number for row p, in any order of the rows.
 *
 * kernels/solve/random.ts has `mix` and `draw` in AssemblyScript; a test holds them equal.
 */
import { InputError } from './inputError.ts'

/** A bijection of 32-bit words in which every input bit flips every output bit about half the time. */
export function mix(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d)
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b)
  return (x ^ (x >>> 16)) >>> 0
}

/** The purpose of a stream, part of its key: streams of different purposes share no random numbers. */
export const purpose = {
  sample: 1,
  shuffle: 2,
  initial: 3,
  split: 4,
  coordinates: 5,
  factors: 6,
  noise: 7,
  ratings: 8,
  probe: 9,
  damage: 10,
  patches: 11,
  drawing: 12,
  newComponents: 13,
  benchPicture: 14,
  folds: 15,
  strata: 16,
} as const

/**
 * Returns the key of an independent stream: a hash of the seed (up to 2⁵³) and words such as a purpose and a
 * mode.
 */
export function stream(seed: number, ...words: number[]): number {
  let key = mix(seed >>> 0)
  key = mix(key ^ Math.floor(seed / 2 ** 32))
  for (const word of words) key = extend(key, word)
  return key
}

/** Returns the key of a substream: a hash of the key and a word. */
export function extend(key: number, word: number): number {
  return mix((mix(key ^ word) + 0x9e3779b9) | 0)
}

/** Returns draw number `counter` of a stream: 32 random bits. */
export function draw(key: number, counter: number): number {
  return mix((mix(key ^ counter) + Math.imul(key, 0x85ebca6b)) | 0)
}

/** Turns 32 random bits into an integer in [0, n), n ≤ 2³²: the high word of bits · n, exactly. */
export function below(bits: number, n: number): number {
  const high = bits >>> 16
  const low = bits & 0xffff
  return Math.floor((high * n + Math.floor((low * n) / 65536)) / 65536)
}

/** Turns 32 random bits into a number in (0, 1). */
export function unit(bits: number): number {
  return (bits + 0.5) / 2 ** 32
}

/** Extends the hash of a cell's coordinates by one index; `mix` is applied after the last. */
export function hashIndex(hash: number, index: number): number {
  const h = Math.imul(hash ^ index, 0x9e3779b1)
  return ((h ^ (h >>> 15)) + 0x7feb352d) | 0
}

/** Returns draw number `counter` of a stream as a standard normal number: Box–Muller on two of its words. */
export function normal(key: number, counter: number): number {
  const radius = Math.sqrt(-2 * Math.log(unit(draw(key, 2 * counter))))
  return radius * Math.cos(2 * Math.PI * unit(draw(key, 2 * counter + 1)))
}

/** Throws if a seed is no whole number from 0 to 2⁵³ - 1: `stream` would give 1 and 1.5 the same key. */
export function checkSeed(seed: number): void {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new InputError('option', `The seed is ${seed}; it must be a whole number from 0 to 2^53 - 1.`)
}
