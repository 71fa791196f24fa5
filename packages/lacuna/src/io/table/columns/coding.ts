/** The distinct values of a mode, numbered as they come, and put in order at the end. */
import { InputError } from '../../../base/inputError.ts'
import { type ColumnType, compareTexts, isNumeric, NINE, ZERO } from '../../text/index.ts'
import type { Texts } from '../source/rows.ts'

/** Whole numbers below this are looked up in an array, others by a hash. */
export const SMALL: number = 2 ** 22

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

/**
 * Numbers the texts of a column, as bytes: 0, 1, 2 … No string is made of one that was seen before, and none of whole numbers before
 * somebody asks.
 */
export class TextCoder {
  /** In order of arrival: texts, but for those that are small whole numbers. */
  readonly #values: (string | number)[] = []
  /** How many are texts. */
  #texts = 0
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  readonly #encoder = new TextEncoder()
  /** By the numbers that someone else has given to texts: code + 1; 0 is none yet. */
  #dictionary: { texts: readonly string[]; codes: Uint32Array } = { texts: [], codes: new Uint32Array(0) }
  #arena = new Uint8Array(2 ** 12)
  #ends = new Uint32Array(2 ** 8) // in the arena; a text begins where the one before ends
  #hashes = new Uint32Array(2 ** 8)
  #codes = new Uint32Array(2 ** 8)
  #slots = new Uint32Array(2 ** 10) // 1 + the text's number among all texts; 0 is none
  #small = new Uint32Array(2 ** 12) // by whole numbers that need no hash: code + 1; 0 is none

  /** Throws a TypeError if a text that is new is not UTF-8. */
  code(bytes: Uint8Array, start: number, end: number): number {
    const n = smallNumber(bytes, start, end)
    return n < 0 ? this.#codeOfText(bytes, start, end) : this.#codeOfSmall(n)
  }

  get size(): number {
    return this.#values.length
  }

  /** Of these, the small whole numbers. */
  get numbers(): number {
    return this.#values.length - this.#texts
  }

  /** Gives the next codes to small whole numbers that have none. */
  add(numbers: Uint32Array): void {
    for (const n of numbers) this.#codeOfSmall(n)
  }

  /** In order of arrival, from one on. */
  texts(from = 0): string[] {
    return this.#values.slice(from).map(String)
  }

  /** The whole numbers that the texts are, if all are such that are written in the one plain way. */
  wholes(): Uint32Array | undefined {
    return this.#texts === 0 && this.size > 0 ? Uint32Array.from(this.#values as number[]) : undefined
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

  #codeOfSmall(n: number): number {
    if (n >= this.#small.length)
      this.#small = grown(this.#small, Math.min(SMALL, 2 ** Math.ceil(Math.log2(n + 1))))
    const found = this.#small[n]
    if (found > 0) return found - 1
    this.#small[n] = this.#values.push(n)
    return this.#small[n] - 1
  }

  #codeOfText(bytes: Uint8Array, start: number, end: number): number {
    let hash = end - start
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193)
    hash = (hash ^ (hash >>> 15)) >>> 0
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let found = this.#slots[slot]; found !== 0; found = this.#slots[slot]) {
      if (this.#hashes[found - 1] === hash && this.#isAt(found - 1, bytes, start, end))
        return this.#codes[found - 1]
      slot = (slot + 1) & mask
    }
    const code = this.#values.length
    this.#add(bytes, start, end, hash)
    this.#slots[slot] = this.#texts
    if (this.#texts * 2 > this.#slots.length) this.#rehash()
    return code
  }

  #isAt(text: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = text === 0 ? 0 : this.#ends[text - 1]
    if (this.#ends[text] - from !== end - start) return false
    for (let at = start, own = from; at < end; at++, own++) if (this.#arena[own] !== bytes[at]) return false
    return true
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number): void {
    const text = this.#texts
    this.#values.push(this.#decoder.decode(bytes.subarray(start, end)))
    if (text === this.#ends.length) {
      this.#ends = grown(this.#ends, 2 * text)
      this.#hashes = grown(this.#hashes, 2 * text)
      this.#codes = grown(this.#codes, 2 * text)
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
export function numbersInOrder(numbers: ArrayLike<number>): { sorted: number[]; places: Uint32Array } {
  const codes = plainlyOrdered(numbers) ?? orderedBySize(numbers)
  const places = new Uint32Array(codes.length)
  codes.forEach((code, place) => {
    places[code] = place
  })
  return { sorted: Array.from(codes, (code) => numbers[code]), places }
}

const orderedBySize = (numbers: ArrayLike<number>): Uint32Array =>
  Uint32Array.from(numbers, (_, code) => code).sort((a, b) => numbers[a] - numbers[b])

/** Whole numbers and their codes in one number each: these are sorted without asking for every two. */
function plainlyOrdered(numbers: ArrayLike<number>): Uint32Array | undefined {
  const count = numbers.length
  const keys = new Float64Array(count)
  for (let code = 0; code < count; code++) {
    const x = numbers[code]
    if (!(x >= 0 && Number.isInteger(x) && (x + 1) * count <= Number.MAX_SAFE_INTEGER)) return undefined
    keys[code] = x * count + code
  }
  return Uint32Array.from(keys.sort(), (key) => key % count)
}
