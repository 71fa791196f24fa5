/**
 * Checks the messages of an Arrow stream before they are decoded: a damaged length must be refused here, where flechette
 * would go through billions of items. https://arrow.apache.org/docs/format/Columnar.html describes the messages, which are
 * FlatBuffers: a field of a table is found by its slot in the table's list of offsets.
 */

/** Types of messages, and the type of fields that are unions. */
const [SCHEMA, DICTIONARY_BATCH, RECORD_BATCH] = [1, 2, 3]
const UNION = 14
/** Deepest nesting of fields. */
const MOST_DEPTH = 32
/** Most fields of a stream, nested ones included. */
const MOST_FIELDS = 10_000

/**
 * Throws a RangeError if a message is cut off, or one of its lists is longer than the message.
 * @param mostRows most rows of a batch
 */
export function checkArrowMessages(bytes: Uint8Array, mostRows: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  while (at < bytes.length) {
    let length = view.getInt32(at, true)
    at += 4
    if (length === -1) {
      length = view.getInt32(at, true)
      at += 4
    }
    if (length === 0) return
    if (length < 0 || at + length > bytes.length) throw new RangeError('a message is cut off')
    const message = new Message(new DataView(bytes.buffer, bytes.byteOffset + at, length), mostRows)
    at += length + message.bodyLength
    if (at > bytes.length) throw new RangeError('the body of a message is cut off')
    message.check()
  }
}

/** One message: reads of positions outside of it throw. */
class Message {
  readonly #view: DataView
  readonly #mostRows: number
  readonly bodyLength: number
  #fields = 0

  constructor(view: DataView, mostRows: number) {
    this.#view = view
    this.#mostRows = mostRows
    const length = this.#slot(this.#table(0), 10)
    this.bodyLength = length === 0 ? 0 : this.#wholeNumber(length)
  }

  /** Checks the header by its type. */
  check(): void {
    const message = this.#table(0)
    const type = this.#slot(message, 6)
    const header = this.#slot(message, 8)
    if (type === 0 || header === 0) throw new RangeError('a message has no header')
    const kind = this.#view.getUint8(type)
    if (kind === SCHEMA) {
      const schema = this.#table(header)
      this.#checkFields(this.#slot(schema, 6), 0)
      this.#itemsOf(this.#slot(schema, 8), 4)
    } else if (kind === RECORD_BATCH) this.#checkBatch(header)
    else if (kind === DICTIONARY_BATCH) this.#checkBatch(this.#slot(this.#table(header), 6))
  }

  /** Checks the lists of a record batch, and the lengths of its columns. */
  #checkBatch(position: number): void {
    const batch = this.#table(position)
    const rows = this.#slot(batch, 4)
    if (rows !== 0 && this.#wholeNumber(rows) > this.#mostRows)
      throw new RangeError('a batch has too many rows')
    const most = Math.max(this.#mostRows, 8 * this.bodyLength)
    for (const node of this.#itemsOf(this.#slot(batch, 6), 16))
      if (this.#wholeNumber(node) > most) throw new RangeError('a column is longer than the message')
    this.#itemsOf(this.#slot(batch, 8), 16)
    this.#itemsOf(this.#slot(batch, 12), 8)
  }

  /** Checks a list of fields, and those inside them. */
  #checkFields(list: number, depth: number): void {
    if (depth > MOST_DEPTH) throw new RangeError('columns are nested too deep')
    for (const position of this.#itemsOf(list, 4)) {
      if (++this.#fields > MOST_FIELDS) throw new RangeError('there are too many columns')
      const field = this.#table(position)
      const type = this.#slot(field, 8)
      const about = this.#slot(field, 10)
      if (type !== 0 && about !== 0 && this.#view.getUint8(type) === UNION)
        this.#itemsOf(this.#slot(this.#table(about), 6), 4)
      this.#checkFields(this.#slot(field, 14), depth + 1)
      this.#itemsOf(this.#slot(field, 16), 4)
    }
  }

  /** The position of the table that a position refers to. */
  #table(position: number): number {
    return position + this.#view.getInt32(position, true)
  }

  /** The position of a field of a table; 0 if the table has none. */
  #slot(table: number, slot: number): number {
    const offsets = table - this.#view.getInt32(table, true)
    const offset = slot < this.#view.getInt16(offsets, true) ? this.#view.getInt16(offsets + slot, true) : 0
    return offset === 0 ? 0 : table + offset
  }

  /** The positions of the items of a list, of `size` bytes each; none if the position is 0. */
  #itemsOf(position: number, size: number): number[] {
    if (position === 0) return []
    const list = position + this.#view.getInt32(position, true)
    const count = this.#view.getInt32(list, true)
    if (count < 0 || list + 4 + count * size > this.#view.byteLength)
      throw new RangeError('a list is longer than its message')
    return Array.from({ length: count }, (_, at) => list + 4 + at * size)
  }

  /** A number of 64 bits, from 0. */
  #wholeNumber(position: number): number {
    const number = Number(this.#view.getBigInt64(position, true))
    if (number < 0) throw new RangeError('a length is below 0')
    return number
  }
}
