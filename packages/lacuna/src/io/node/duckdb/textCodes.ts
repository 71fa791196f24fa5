/**
 * Dictionary coding of text columns by DuckDB: it returns the distinct texts of a column once, and then only
 * a hash for each row, so that a text that stands in a million rows becomes a string once.
 */
import { InputError } from '../../../base/inputError.ts'
import type { Texts } from '../../table/index.ts'
import type { TableSession } from './session.ts'

/** A column of text that DuckDB delivers as hashes. */
export interface TextCodes {
  /** SQL for the hash of the text. */
  readonly sql: string
  /**
   * Converts the hashes of rows to cells with codes of the dictionary; 0 is an empty cell. Throws if a hash
   * is unknown, since the table has changed then.
   */
  cells(hashes: BigUint64Array): Texts
}

/**
 * Builds the dictionary of a text column; returns undefined if two texts have the same hash. Reading the rows
 * again must give the same texts.
 * @param text SQL for the text of a row @param rows SQL to put after FROM @param where the table, for
 * messages
 */
export async function codeTexts(
  session: TableSession,
  text: string,
  rows: string,
  where: string,
): Promise<TextCodes | undefined> {
  const texts: string[] = []
  const hashes: BigUint64Array[] = []
  const distinct = `SELECT DISTINCT ${text} AS text FROM ${rows} AS lacuna_row`
  const query = `SELECT text, hash(text) FROM (${distinct}) WHERE text IS NOT NULL`
  for await (const chunk of session.stream(query)) {
    const column = chunk.getColumnVector(0)
    for (let row = 0; row < chunk.rowCount; row++) texts.push(column.getItem(row) as string)
    hashes.push(
      (chunk.getColumnVector(1) as unknown as { items: BigUint64Array }).items.slice(0, chunk.rowCount),
    )
  }
  const table = new HashTable(texts.length)
  for (const batch of hashes) if (!table.add(asWords(batch))) return undefined
  // No text has the hash 0, which stands for none.
  const sql = `CASE WHEN ${text} IS NULL THEN 0::UBIGINT ELSE hash(${text}) END`
  return {
    sql,
    cells(rowHashes) {
      const codes = new Uint32Array(rowHashes.length)
      const ends = new Int32Array(rowHashes.length)
      const pairs = asWords(rowHashes)
      for (let row = 0; row < codes.length; row++) {
        const code = table.find(pairs[2 * row], pairs[2 * row + 1])
        codes[row] = code
        if (code >= 0) continue
        ends[row] = -1
        if (pairs[2 * row] !== 0 || pairs[2 * row + 1] !== 0)
          throw new InputError('table', `${where}: it has changed while it was read; read it again.`)
      }
      return {
        bytes: new Uint8Array(0),
        starts: new Int32Array(rowHashes.length),
        ends,
        dictionary: { codes, texts },
      }
    },
  }
}

/** Returns a view of 64-bit numbers as pairs of 32-bit words, the lower one first. */
const asWords = (numbers: BigUint64Array): Uint32Array =>
  new Uint32Array(numbers.buffer, numbers.byteOffset, 2 * numbers.length)

/** Open-addressing hash table that numbers 64-bit hashes in the order in which they are added: 0, 1, 2 … */
class HashTable {
  readonly #slots: Uint32Array // code + 1; 0 is none
  readonly #pairs: Uint32Array // per code, the two words of its hash
  #count = 0

  /** @param count the most hashes that will be added */
  constructor(count: number) {
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(16, 2 * count))))
    this.#pairs = new Uint32Array(2 * count)
  }

  /** Adds hashes, as pairs of words; returns false, and stops, at one that is 0 or was added before. */
  add(pairs: Uint32Array): boolean {
    const mask = this.#slots.length - 1
    for (let at = 0; at < pairs.length; at += 2) {
      const [low, high] = [pairs[at], pairs[at + 1]]
      if ((low === 0 && high === 0) || this.find(low, high) >= 0) return false
      let slot = (low & mask) >>> 0
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#pairs[2 * this.#count] = low
      this.#pairs[2 * this.#count + 1] = high
      this.#slots[slot] = ++this.#count
    }
    return true
  }

  /** Returns the number of a hash, given as two words; −1 if it was not added. */
  find(low: number, high: number): number {
    const [slots, pairs] = [this.#slots, this.#pairs]
    const mask = slots.length - 1
    for (let slot = (low & mask) >>> 0; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const code = slots[slot] - 1
      if (pairs[2 * code] === low && pairs[2 * code + 1] === high) return code
    }
    return -1
  }
}
