/** The distinct values of a mode, numbered as they come, and put in order at the end. */
import { InputError } from '../../inputError.ts'
import { NINE, ZERO } from '../text/bytes.ts'
import { type ColumnType, compareTexts, isNumeric } from '../text/types.ts'
import type { Texts } from './rows.ts'

/** Whole numbers below this are looked up in an array, others by a hash. */
const SMALL = 2 ** 22

/** The number that a text is, if it is a whole one below SMALL and written in the one plain way; else -1. */
function smallNumber(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start
  if (length === 0 || length > 7 || (bytes[start] === ZERO && length > 1)) return -1
  let n = 0
  for (let at = start; at < end; at++) {
    const c = bytes[at]
    if (c < ZERO || c > NINE) return -1
    n = n * 10 + (c - ZERO)
  }
  return n < SMALL ? n : -1
}

/** Numbers the texts of a column, as bytes: 0, 1, 2 … No string is made of one that was seen before. */
export class TextCoder {
  /** In order of arrival. */
  readonly texts: string[] = []
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  readonly #encoder = new TextEncoder()
  /** By the numbers that someone else has given to texts: code + 1; 0 is none yet. */
  #dictionary: { texts: readonly string[]; codes: Uint32Array } = { texts: [], codes: new Uint32Array(0) }
  #arena = new Uint8Array(2 ** 12)
  #ends = new Uint32Array(2 ** 8) // in the arena; a text begins where the one before ends
  #hashes = new Uint32Array(2 ** 8)
  #slots = new Uint32Array(2 ** 10) // code + 1; 0 is none
  #small = new Uint32Array(2 ** 12) // by whole numbers that need no hash: code + 1; 0 is none

  /** Throws a TypeError if a text that is new is not UTF-8. */
  code(bytes: Uint8Array, start: number, end: number): number {
    const n = smallNumber(bytes, start, end)
    return n < 0 ? this.#codeOfText(bytes, start, end) : this.#codeOfSmall(n, bytes, start, end)
  }

  /** The same, where it is known which whole number the text is, if any. */
  codeOf(n: number, bytes: Uint8Array, start: number, end: number): number {
    // Written in the one plain way: without a sign, or zeros in front.
    const isSmall =
      n >= 0 && n < SMALL && (bytes[start] > ZERO || (end - start === 1 && bytes[start] === ZERO))
    return isSmall ? this.#codeOfSmall(n, bytes, start, end) : this.#codeOfText(bytes, start, end)
  }

  /** The same for rows that are kept, of texts that have numbers already; each distinct one is looked at once. */
  codesOf({ codes, texts }: NonNullable<Texts['dictionary']>, kept: Uint8Array): Uint32Array {
    if (this.#dictionary.texts !== texts) this.#dictionary = { texts, codes: new Uint32Array(texts.length) }
    const known = this.#dictionary.codes
    const own = new Uint32Array(codes.length)
    for (let row = 0; row < codes.length; row++) {
      if (kept[row] === 0) continue
      const code = codes[row]
      if (known[code] === 0) {
        const bytes = this.#encoder.encode(texts[code])
        known[code] = this.code(bytes, 0, bytes.length) + 1
      }
      own[row] = known[code] - 1
    }
    return own
  }

  #codeOfSmall(n: number, bytes: Uint8Array, start: number, end: number): number {
    if (n >= this.#small.length)
      this.#small = grown(this.#small, Math.min(SMALL, 2 ** Math.ceil(Math.log2(n + 1))))
    const found = this.#small[n]
    if (found > 0) return found - 1
    const code = this.#codeOfText(bytes, start, end)
    this.#small[n] = code + 1
    return code
  }

  #codeOfText(bytes: Uint8Array, start: number, end: number): number {
    let hash = end - start
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193)
    hash = (hash ^ (hash >>> 15)) >>> 0
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let found = this.#slots[slot]; found !== 0; found = this.#slots[slot]) {
      if (this.#hashes[found - 1] === hash && this.#isAt(found - 1, bytes, start, end)) return found - 1
      slot = (slot + 1) & mask
    }
    this.#slots[slot] = this.#add(bytes, start, end, hash)
    if (this.texts.length * 2 > this.#slots.length) this.#rehash()
    return this.texts.length - 1
  }

  #isAt(code: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = code === 0 ? 0 : this.#ends[code - 1]
    if (this.#ends[code] - from !== end - start) return false
    for (let at = start, own = from; at < end; at++, own++) if (this.#arena[own] !== bytes[at]) return false
    return true
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const code = this.texts.length
    this.texts.push(this.#decoder.decode(bytes.subarray(start, end)))
    if (code === this.#ends.length) {
      this.#ends = grown(this.#ends, 2 * code)
      this.#hashes = grown(this.#hashes, 2 * code)
    }
    const from = code === 0 ? 0 : this.#ends[code - 1]
    const to = from + end - start
    if (to > this.#arena.length) {
      const larger = new Uint8Array(2 * to)
      larger.set(this.#arena)
      this.#arena = larger
    }
    this.#arena.set(bytes.subarray(start, end), from)
    this.#ends[code] = to
    this.#hashes[code] = hash
    return code + 1
  }

  #rehash(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length)
    const mask = this.#slots.length - 1
    for (let code = 0; code < this.texts.length; code++) {
      let slot = this.#hashes[code] & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = code + 1
    }
  }
}

function grown(array: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length)
  larger.set(array)
  return larger
}

/** What a Map can hold. */
const MOST = 2 ** 24 - 1

/** Numbers the distinct numbers of a mode as they come: 0, 1, 2 … */
export class NumberCoder {
  /** In order of arrival. */
  readonly numbers: number[] = []
  readonly #name: string
  #small = new Uint32Array(2 ** 12) // code + 1; 0 is none yet
  #large = new Map<number, number>()

  constructor(name: string) {
    this.#name = name
  }

  code(x: number): number {
    if (x >= 0 && x < SMALL && Number.isInteger(x)) {
      if (x >= this.#small.length) this.#grow(x)
      const found = this.#small[x]
      if (found > 0) return found - 1
      this.#small[x] = this.numbers.push(x)
      return this.numbers.length - 1
    }
    const found = this.#large.get(x)
    if (found !== undefined) return found
    if (this.#large.size === MOST)
      throw new InputError(
        'table',
        `The mode ${this.#name} has more than ${MOST} distinct values; bin it, as in week(x) or bins(x, 100).`,
      )
    this.#large.set(x, this.numbers.length)
    return this.numbers.push(x) - 1
  }

  #grow(x: number): void {
    this.#small = grown(this.#small, Math.min(SMALL, 2 ** Math.ceil(Math.log2(x + 1))))
  }
}

/** The distinct texts in order, and for each text given its place among them. */
export function inOrder(
  texts: readonly string[],
  type: ColumnType,
): { labels: string[]; places: Uint32Array } {
  const compare = compareTexts(type)
  const sizes = isNumeric(type) ? Float64Array.from(texts, Number) : undefined
  const codes = Uint32Array.from(texts, (_, code) => code)
  codes.sort((a, b) => (sizes && sizes[a] - sizes[b]) || compare(texts[a], texts[b]))
  const labels: string[] = []
  const places = new Uint32Array(codes.length)
  for (const code of codes) {
    if (labels.length === 0 || labels[labels.length - 1] !== texts[code]) labels.push(texts[code])
    places[code] = labels.length - 1
  }
  return { labels, places }
}

/** The same for numbers, which are all different. */
export function numbersInOrder(numbers: readonly number[]): { sorted: number[]; places: Uint32Array } {
  const codes = Uint32Array.from(numbers, (_, code) => code)
  codes.sort((a, b) => numbers[a] - numbers[b])
  const places = new Uint32Array(codes.length)
  codes.forEach((code, place) => {
    places[code] = place
  })
  return { sorted: Array.from(codes, (code) => numbers[code]), places }
}
