/**
 * Checks the lengths that the metadata of Arrow data declares, before it is decoded: a list that claims more elements
 * than there are bytes would be filled with billions of them. Metadata are flatbuffers: a table has, at a position, the
 * distance to a list of the offsets of its fields (Footer, Schema, Field, RecordBatch … of Arrow's File.fbs,
 * Schema.fbs and Message.fbs).
 */

/** The first and last bytes of a file. */
const MAGIC = [65, 82, 82, 79, 87, 49] // ARROW1
/** Types of messages. */
const [SCHEMA, DICTIONARY, RECORDS] = [1, 2, 3]
/** The type of fields that are unions. */
const UNION = 14
/** The most rows, and dictionary values, per byte of the data, packed columns and columns of nulls included. */
const ROWS_PER_BYTE = 2048
/** Deepest nesting of fields. */
const MAX_DEPTH = 32

/** The limits of an admitted Arrow stream. */
export interface ArrowLimits {
  /** Most rows of a batch; by default as many as the data can hold. */
  maxRows?: number
  /** Most fields of a schema, with those of structs and lists; 65,536 by default. */
  maxFields?: number
}

/** Throws a RangeError if Arrow data is cut short, or declares more than it can hold. */
export function checkArrow(
  bytes: Uint8Array,
  { maxRows = ROWS_PER_BYTE * bytes.length, maxFields = 65_536 }: ArrowLimits = {},
): void {
  const limits = { maxRows, maxFields }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!MAGIC.every((byte, i) => bytes[i] === byte)) {
    for (let at = 0; at + 4 <= bytes.length; ) {
      const end = checkMessage(view, at, limits)
      if (end === undefined) return
      at = end
    }
    return
  }
  const tail = bytes.length - MAGIC.length - 4
  const footer = tableAt(view, tail - view.getInt32(tail, true))
  checkSchema(footer.table(6), limits)
  for (const field of [8, 10])
    for (const block of footer.list(field, 24))
      checkMessage(view, Number(view.getBigInt64(block, true)), limits)
}

/** A table of a flatbuffer: its fields by their numbers 4, 6, 8 … */
interface FlatTable {
  view: DataView
  /** The position of a field; undefined if it is not there. */
  field(number: number): number | undefined
  /** The table that a field refers to; undefined if it is not there. */
  table(number: number): FlatTable | undefined
  /** The positions of the elements of a list; none if it is not there. Throws if it is longer than the data. */
  list(number: number, elementBytes: number): number[]
}

/** The table that the distance at a position leads to. */
function tableAt(view: DataView, at: number): FlatTable {
  const start = at + view.getInt32(at, true)
  const offsets = start - view.getInt32(start, true)
  const size = view.getInt16(offsets, true)
  const field = (number: number): number | undefined => {
    const offset = number < size ? view.getInt16(offsets + number, true) : 0
    return offset === 0 ? undefined : start + offset
  }
  return {
    view,
    field,
    table(number) {
      const position = field(number)
      return position === undefined ? undefined : tableAt(view, position)
    },
    list(number, elementBytes) {
      const position = field(number)
      if (position === undefined) return []
      const base = position + view.getInt32(position, true)
      const count = view.getInt32(base, true)
      if (!(count >= 0 && base + 4 + count * elementBytes <= view.byteLength))
        throw new RangeError('a list is longer than the data')
      return Array.from({ length: count }, (_, i) => base + 4 + i * elementBytes)
    },
  }
}

/** Checks the message at a position; returns the end of its body, or undefined if it is the last one. */
function checkMessage(view: DataView, at: number, limits: Required<ArrowLimits>): number | undefined {
  let length = view.getInt32(at, true)
  let start = at + 4
  if (length === -1) {
    length = view.getInt32(start, true)
    start += 4
  }
  if (length === 0) return undefined
  if (!(length > 0 && start + length <= view.byteLength)) throw new RangeError('a message is cut short')
  const message = tableAt(new DataView(view.buffer, view.byteOffset + start, length), 0)
  const typeAt = message.field(6)
  const type = typeAt === undefined ? 0 : message.view.getUint8(typeAt)
  const bodyAt = message.field(10)
  const body = bodyAt === undefined ? 0 : Number(message.view.getBigInt64(bodyAt, true))
  if (!(body >= 0 && start + length + body <= view.byteLength)) throw new RangeError('a message is cut short')
  const content = message.table(8)
  if (type === SCHEMA) checkSchema(content, limits)
  else if (type === DICTIONARY) checkRecords(content?.table(6), view.byteLength, limits)
  else if (type === RECORDS) checkRecords(content, view.byteLength, limits)
  return start + length + body
}

/** Checks the fields of a schema. */
function checkSchema(schema: FlatTable | undefined, { maxFields }: Required<ArrowLimits>): void {
  let fields = 0
  const check = (owner: FlatTable, [children, metadata]: readonly number[], depth: number): void => {
    if (depth > MAX_DEPTH) throw new RangeError('columns are nested too deep')
    owner.list(metadata, 4)
    for (const position of owner.list(children, 4)) {
      if (++fields > maxFields) throw new RangeError('there are too many columns')
      const field = tableAt(owner.view, position)
      const typeAt = field.field(8)
      if (typeAt !== undefined && field.view.getUint8(typeAt) === UNION) field.table(10)?.list(6, 4)
      check(field, [14, 16], depth + 1)
    }
  }
  if (schema) check(schema, [6, 8], 0)
}

/** Checks the lists of a record batch, its number of rows, and the lengths of its columns. @param byteLength of all data */
function checkRecords(
  records: FlatTable | undefined,
  byteLength: number,
  { maxRows }: Required<ArrowLimits>,
): void {
  if (!records) return
  records.list(12, 8)
  records.list(8, 16)
  const rowsAt = records.field(4)
  // Columns inside of lists are longer than the table.
  const maxLength = Math.max(maxRows, 8 * byteLength)
  const lengths = records.list(6, 16).map((position) => [position, maxLength])
  if (rowsAt !== undefined) lengths.push([rowsAt, maxRows])
  for (const [position, most] of lengths) {
    const rows = Number(records.view.getBigInt64(position, true))
    if (!(rows >= 0 && rows <= most)) throw new RangeError('there are more rows than bytes')
  }
}
