/**
 * Text that is not UTF-8, as older spreadsheets write it: it is recognized by bytes that UTF-8 does not have, and read as
 * Windows-1252, the encoding of Western European languages.
 */

/** The most letters around the first foreign byte that are shown. */
const MOST_LETTERS = 24
/** Signs between which a word is shown: separators, quotes, and ends of lines. */
const BREAK = /[,;\t"'|\r\n]/

/**
 * Finds the first text that is not UTF-8.
 * @returns the word around it, read as Windows-1252; undefined if all is UTF-8, or if it is no text with one byte per
 * letter either: a byte 0 occurs
 */
export async function findForeignText(pieces: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const checker = new Utf8Checker()
  let example: string | undefined
  let isFirst = true
  for await (const piece of pieces) {
    // The byte order mark of UTF-16.
    if (isFirst && piece.length > 1 && piece[0] + piece[1] === 0xff + 0xfe) return undefined
    isFirst = false
    if (piece.includes(0)) return undefined
    if (example !== undefined) continue
    const at = checker.check(piece)
    if (at !== undefined) example = wordAt(piece, at)
  }
  if (example === undefined && checker.isInside) return '…'
  return example
}

/** Decodes Windows-1252, and encodes it as UTF-8. */
export async function* decodeForeignText(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('windows-1252')
  const encoder = new TextEncoder()
  for await (const piece of pieces) yield encoder.encode(decoder.decode(piece, { stream: true }))
}

/** Checks whether bytes that come in pieces are UTF-8. */
class Utf8Checker {
  /** The bytes of the current letter that are still to come, and the range of the next of them. */
  #left = 0
  #low = 0x80
  #high = 0xbf

  /** Whether a letter has begun and not ended. */
  get isInside(): boolean {
    return this.#left > 0
  }

  /** The position of the first byte that does not belong to UTF-8; undefined if all do. */
  check(piece: Uint8Array): number | undefined {
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]
      if (this.#left > 0) {
        if (byte < this.#low || byte > this.#high) return at > 0 ? at - 1 : at
        this.#left--
        ;[this.#low, this.#high] = [0x80, 0xbf]
      } else if (byte >= 0x80 && !this.#begin(byte)) return at
    }
    return undefined
  }

  /** Begins a letter of several bytes; false if it cannot begin with this byte (RFC 3629). */
  #begin(byte: number): boolean {
    if (byte < 0xc2 || byte > 0xf4) return false
    this.#left = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
    if (byte === 0xe0) this.#low = 0xa0
    if (byte === 0xed) this.#high = 0x9f
    if (byte === 0xf0) this.#low = 0x90
    if (byte === 0xf4) this.#high = 0x8f
    return true
  }
}

/** The word around a byte, read as Windows-1252. */
function wordAt(piece: Uint8Array, at: number): string {
  const first = Math.max(0, at - MOST_LETTERS)
  const letters = new TextDecoder('windows-1252').decode(piece.subarray(first, at + MOST_LETTERS))
  let [from, to] = [at - first, at - first]
  while (from > 0 && !BREAK.test(letters[from - 1])) from--
  while (to < letters.length && !BREAK.test(letters[to])) to++
  return letters.slice(from, to).trim()
}
