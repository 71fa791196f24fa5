/**
 * Dictionaries: distinct texts or numbers are given codes 0, 1, 2 … as they arrive, and are sorted at the
 * end.
 */

import { InputError } from '../../../base/inputError.ts'
import { type ColumnType, compareTexts, isNumeric, labelKey, timeOfText } from '../../../labels/index.ts'
import { NINE, ZERO } from '../../text/index.ts'
import { SMALL_LIMIT, type Texts } from '../source/rows.ts'

/**
 * The whole number below SMALL_LIMIT that a text is, written without sign or leading zeros; -1 for any other
 * text.
 */
function parseSmallNumber(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start
  if (length === 0 || length > 7 || (bytes[start] === ZERO && length > 1)) return -1
  let n = 0
  for (let at = start; at < end; at++) {
    const c = bytes[at]
    if (c < ZERO || c > NINE) return -1
    n = n * 10 + (c - ZERO)
  }
  return n < SMALL_LIMIT ? n : -1
}

/**
 * Gives codes to the texts of a column, which come as bytes: a hash table over an arena of bytes, so that a
 * string is made of a text only once, and of whole numbers only on request.
 */
export class TextCoder {
  /** The distinct texts in order of arrival, small whole numbers among them as numbers. */
  readonly #values: (string | number)[] = []
  /** The number of values that are not small whole numbers. */
  #texts = 0
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  readonly #encoder = new TextEncoder()
  /**
   * The dictionary of the last batch that had one, and for each of its texts: code + 1, or 0 for none yet.
   */
  #dictionary: { texts: readonly string[]; codes: Uint32Array } = { texts: [], codes: new Uint32Array(0) }
  #arena = new Uint8Array(2 ** 12)
  #ends = new Uint32Array(2 ** 8) // in the arena; a text begins where the one before ends
  #hashes = new Uint32Array(2 ** 8)
  #codes = new Uint32Array(2 ** 8)
  #slots = new Uint32Array(2 ** 10) // 1 + the text's number among all texts; 0 is none
  #small = new Uint32Array(2 ** 12) // by whole numbers that need no hash: code + 1; 0 is none

  /**
   * The code of the text in bytes [start, end), the next one if it is new. Throws a TypeError if it is not
   * UTF-8.
   */
  code(bytes: Uint8Array, start: number, end: number): number {
    const n = parseSmallNumber(bytes, start, end)
    return n < 0 ? this.#codeOfText(bytes, start, end) : this.#codeOfSmall(n)
  }

  /** The number of distinct texts. */
  get size(): number {
    return this.#values.length
  }

  /** The number of distinct texts that are small whole numbers. */
  get numberCount(): number {
    return this.#values.length - this.#texts
  }

  /** Gives the next codes to small whole numbers that have none. */
  addNumbers(numbers: Uint32Array): void {
    for (const n of numbers) this.#codeOfSmall(n)
  }

  /** The distinct texts in order of arrival. @param from the code of the first one returned */
  texts(from = 0): string[] {
    return this.#values.slice(from).map(String)
  }

  /** The distinct texts as numbers; undefined if some are no small whole numbers, or there are none. */
  integers(): Uint32Array | undefined {
    return this.#texts === 0 && this.size > 0 ? Uint32Array.from(this.#values as number[]) : undefined
  }

  /**
   * The codes of valid rows whose texts come as a dictionary, 0 for other rows. Every distinct text is
   * encoded once.
   */
  encodeDictionary({ codes, texts }: NonNullable<Texts['dictionary']>, valid: Uint8Array): Uint32Array {
    if (this.#dictionary.texts !== texts) this.#dictionary = { texts, codes: new Uint32Array(texts.length) }
    const known = this.#dictionary.codes
    const own = new Uint32Array(codes.length)
    for (let row = 0; row < codes.length; row++) {
      if (valid[row] === 0) continue
      const code = codes[row]
      if (known[code] === 0) {
        const bytes = this.#encoder.encode(texts[code])
        known[code] = this.code(bytes, 0, bytes.length) + 1
      }
      own[row] = known[code] - 1
    }
    return own
  }

  /** The code of a whole number below SMALL_LIMIT, the next one if it is new. */
  #codeOfSmall(n: number): number {
    if (n >= this.#small.length)
      this.#small = enlarge(this.#small, Math.min(SMALL_LIMIT, 2 ** Math.ceil(Math.log2(n + 1))))
    const found = this.#small[n]
    if (found > 0) return found - 1
    this.#small[n] = this.#values.push(n)
    return this.#small[n] - 1
  }

  /** The code of a text that is no small whole number, by its hash; the next one if it is new. */
  #codeOfText(bytes: Uint8Array, start: number, end: number): number {
    let hash = end - start
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193)
    hash = (hash ^ (hash >>> 15)) >>> 0
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let found = this.#slots[slot]; found !== 0; found = this.#slots[slot]) {
      if (this.#hashes[found - 1] === hash && this.#equals(found - 1, bytes, start, end))
        return this.#codes[found - 1]
      slot = (slot + 1) & mask
    }
    const code = this.#values.length
    this.#addText(bytes, start, end, hash)
    this.#slots[slot] = this.#texts
    if (this.#texts * 2 > this.#slots.length) this.#rehash()
    return code
  }

  /** Whether a text of the arena, by its number, equals bytes [start, end). */
  #equals(text: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = text === 0 ? 0 : this.#ends[text - 1]
    if (this.#ends[text] - from !== end - start) return false
    for (let at = start, own = from; at < end; at++, own++) if (this.#arena[own] !== bytes[at]) return false
    return true
  }

  /** Adds a text with the next code to the arena; throws a TypeError if it is not UTF-8. */
  #addText(bytes: Uint8Array, start: number, end: number, hash: number): void {
    const text = this.#texts
    this.#values.push(this.#decoder.decode(bytes.subarray(start, end)))
    if (text === this.#ends.length) {
      this.#ends = enlarge(this.#ends, 2 * text)
      this.#hashes = enlarge(this.#hashes, 2 * text)
      this.#codes = enlarge(this.#codes, 2 * text)
    }
    const from = text === 0 ? 0 : this.#ends[text - 1]
    const to = from + end - start
    if (to > this.#arena.length) {
      const larger = new Uint8Array(2 * to)
      larger.set(this.#arena)
      this.#arena = larger
    }
    this.#arena.set(bytes.subarray(start, end), from)
    this.#ends[text] = to
    this.#hashes[text] = hash
    this.#codes[text] = this.#values.length - 1
    this.#texts++
  }

  /** Doubles the hash table. */
  #rehash(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length)
    const mask = this.#slots.length - 1
    for (let text = 0; text < this.#texts; text++) {
      let slot = this.#hashes[text] & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = text + 1
    }
  }
}

/** Copies an array into one of a larger length, followed by zeros. */
function enlarge(array: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length)
  larger.set(array)
  return larger
}

/** The most keys of a Map. */
const MAX_MAP_KEYS = 2 ** 24 - 1

/** Gives codes 0, 1, 2 … to the distinct numbers of a mode. */
export class NumberCoder {
  /** The distinct numbers in order of arrival. */
  readonly numbers: number[] = []
  readonly #name: string
  #small = new Uint32Array(2 ** 12) // code + 1; 0 is none yet
  #large = new Map<number, number>()

  /** @param name the mode, as messages call it */
  constructor(name: string) {
    this.#name = name
  }

  /** The code of a number, the next one if it is new. Throws if there are too many. */
  code(x: number): number {
    if (x >= 0 && x < SMALL_LIMIT && Number.isInteger(x)) {
      if (x >= this.#small.length) this.#grow(x)
      const found = this.#small[x]
      if (found > 0) return found - 1
      this.#small[x] = this.numbers.push(x)
      return this.numbers.length - 1
    }
    const found = this.#large.get(x)
    if (found !== undefined) return found
    if (this.#large.size === MAX_MAP_KEYS)
      throw new InputError(
        'table',
        `The mode ${this.#name} has more than ${MAX_MAP_KEYS} distinct values; bin it, as in week(x) or bins(x, 100).`,
      )
    this.#large.set(x, this.numbers.length)
    return this.numbers.push(x) - 1
  }

  /** Enlarges the array of codes of small numbers to hold x. */
  #grow(x: number): void {
    this.#small = enlarge(this.#small, Math.min(SMALL_LIMIT, 2 ** Math.ceil(Math.log2(x + 1))))
  }
}

/**
 * Sorts texts by their type and drops repeated ones: `labels`; indexOfCode has the position of each given
 * text among them.
 */
export function sortTexts(
  texts: readonly string[],
  type: ColumnType,
): { labels: string[]; indexOfCode: Uint32Array } {
  const compare = compareTexts(type)
  const hasZones = type === 'TIMESTAMPTZ'
  const sizes =
    isNumeric(type) || hasZones ? Float64Array.from(texts, hasZones ? timeOfText : Number) : undefined
  const keyOf = (text: string): string => (hasZones ? labelKey(text, type) : text)
  const codes = Uint32Array.from(texts, (_, code) => code)
  codes.sort((a, b) => (sizes && sizes[a] - sizes[b]) || compare(texts[a], texts[b]))
  const labels: string[] = []
  const indexOfCode = new Uint32Array(codes.length)
  for (const code of codes) {
    if (labels.length === 0 || keyOf(labels[labels.length - 1]) !== keyOf(texts[code]))
      labels.push(texts[code])
    indexOfCode[code] = labels.length - 1
  }
  return { labels, indexOfCode }
}

/** Sorts distinct numbers; indexOfCode has the position of each given number among the sorted ones. */
export function sortNumbers(numbers: ArrayLike<number>): { sorted: number[]; indexOfCode: Uint32Array } {
  const codes = sortIntegerCodes(numbers) ?? sortNumberCodes(numbers)
  const indexOfCode = new Uint32Array(codes.length)
  codes.forEach((code, index) => {
    indexOfCode[code] = index
  })
  return { sorted: Array.from(codes, (code) => numbers[code]), indexOfCode }
}

/** The codes of numbers in ascending order of the numbers. */
const sortNumberCodes = (numbers: ArrayLike<number>): Uint32Array =>
  Uint32Array.from(numbers, (_, code) => code).sort((a, b) => numbers[a] - numbers[b])

/**
 * The codes of whole numbers in ascending order, by a sort of number · count + code, which needs no
 * comparison function; undefined if some are too large.
 */
function sortIntegerCodes(numbers: ArrayLike<number>): Uint32Array | undefined {
  const count = numbers.length
  const keys = new Float64Array(count)
  for (let code = 0; code < count; code++) {
    const x = numbers[code]
    if (!(x >= 0 && Number.isInteger(x) && (x + 1) * count <= Number.MAX_SAFE_INTEGER)) return undefined
    keys[code] = x * count + code
  }
  return Uint32Array.from(keys.sort(), (key) => key % count)
}
