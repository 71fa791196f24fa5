/**
 * Arrow IPC, as files (Feather version 2) and streams, by flechette. A table becomes CSV text, record batch by
 * record batch, so that it is read like any other table: texts in quotes, times as ISO 8601, empty where null.
 */
import type { Batch, DataType, Table } from '@uwdata/flechette'
import { InputError } from '../../base/inputError.ts'
import { formatBytes } from '../../base/memory.ts'
import { explainMissingPackage } from '../../base/missingPackage.ts'
import { node } from '../../base/nodeModules.ts'
import { DAY, numberText } from '../../labels/index.ts'
import { doubleQuote, float32Text } from '../text/index.ts'
import { checkArrow } from './checkArrow.ts'
import { unpackLz4Frame } from './lz4.ts'
import { reasonOf } from './reason.ts'

/** Arrow's ids of types, compressions, and units (flechette's constants). */
const TYPE = {
  int: 2,
  float: 3,
  utf8: 5,
  bool: 6,
  decimal: 7,
  date: 8,
  timestamp: 10,
  largeUtf8: 20,
  view: 24,
}
const [LZ4, ZSTD] = [0, 1] as const
const [DICTIONARY, SINGLE] = [-1, 1] as const
/** Rows whose text is made at a time. */
const STEP_ROWS = 4096

/** Unpacks a buffer. @param length its bytes when it is unpacked */
type Unpack = (packed: Uint8Array, length: number) => Uint8Array

/** Loads flechette, with the codecs of packed buffers. */
export async function loadArrow(): Promise<typeof import('@uwdata/flechette')> {
  const arrow = await import('@uwdata/flechette').catch(
    explainMissingPackage('@uwdata/flechette', 'Reading and writing Arrow'),
  )
  return arrow
}

/**
 * Opens an Arrow file or stream; returns a function that yields its rows as CSV text from the beginning. Throws if
 * it is damaged, or unpacks to more than `maxBytes`.
 * @param unpackZstd unpacks a zstd frame of a known length; by default Node does
 */
export async function arrowAsText(
  bytes: Uint8Array,
  name: string,
  maxBytes: number,
  unpackZstd: Unpack = (packed, length) => unpackZstdByNode(packed, length, name),
): Promise<() => AsyncGenerator<Uint8Array>> {
  const arrow = await loadArrow()
  let room = maxBytes
  const decoder = (unpack: Unpack) => ({
    encode: (): never => {
      throw new RangeError('not written')
    },
    decode(packed: Uint8Array, length: number): Uint8Array {
      room -= length
      if (!(length >= 0 && room >= 0))
        throw new InputError(
          'memory',
          `${name}: its columns unpack to more than the ${formatBytes(maxBytes)} that fit in memory here; write it in parts.`,
        )
      return unpack(packed, length)
    },
  })
  arrow.setCompressionCodec(LZ4, decoder(unpackLz4Frame))
  arrow.setCompressionCodec(ZSTD, decoder(unpackZstd))
  let table: Table
  try {
    checkArrow(bytes)
    table = arrow.tableFromIPC(bytes, { useBigInt: true, useBigIntTimestamp: true, useDecimalInt: true })
    if (table.numCols === 0) throw new RangeError('there are no columns')
  } catch (error) {
    throw damagedArrow(name, error)
  }
  return () => tableText(table, name)
}

/** The error for data that flechette cannot read; an InputError is returned as it is. */
function damagedArrow(name: string, error: unknown): InputError {
  if (error instanceof InputError) return error
  return new InputError(
    'format',
    `${name}: this is no whole Arrow file or stream${reasonOf(error)}; it is truncated or damaged, write it again.`,
    { cause: error },
  )
}

/** Unpacks a zstd frame by Node, from version 22.15 on. */
function unpackZstdByNode(packed: Uint8Array, length: number, name: string): Uint8Array {
  const zlib = node?.zlib as
    | { zstdDecompressSync?(bytes: Uint8Array, options: object): Uint8Array }
    | undefined
  if (!zlib?.zstdDecompressSync)
    throw new InputError(
      'unavailable',
      `${name}: its columns are packed by zstd, which Node unpacks from version 22.15 on; write it with compression="lz4" or "uncompressed".`,
    )
  return zlib.zstdDecompressSync(packed, { maxOutputLength: Math.max(1, length) })
}

/** Yields the CSV text of a table, with its header. */
async function* tableText(table: Table, name: string): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  const columns = table.children
  const formats = columns.map(({ type }) => formatOf(type))
  yield encoder.encode(`${table.names.map(doubleQuote).join(',')}\n`)
  try {
    for (let b = 0; b < columns[0].data.length; b++) {
      const batches: readonly Batch<unknown>[] = columns.map(({ data }) => data[b])
      const { length } = batches[0]
      if (batches.some((batch) => batch?.length !== length)) throw new RangeError('columns differ in length')
      for (let start = 0; start < length; start += STEP_ROWS) {
        let text = ''
        for (let row = start; row < Math.min(length, start + STEP_ROWS); row++)
          text += `${batches.map((batch, c) => fieldOf(batch.at(row), formats[c])).join(',')}\n`
        yield encoder.encode(text)
      }
    }
  } catch (error) {
    throw damagedArrow(name, error)
  }
}

/** A value as a field of CSV; empty if it is null. */
const fieldOf = (value: unknown, format: (value: unknown) => string): string =>
  value === null || value === undefined ? '' : format(value)

/** Returns the function that writes values of a type, which are not null, as fields of CSV. */
function formatOf(type: DataType): (value: unknown) => string {
  const {
    typeId,
    precision,
    unit,
    scale = 0,
  } = type as DataType & {
    precision?: number
    unit?: number
    scale?: number
    timezone?: string | null
    dictionary?: DataType
  }
  switch (typeId as number) {
    case DICTIONARY:
      return formatOf((type as { dictionary: DataType }).dictionary)
    case TYPE.int:
    case TYPE.bool:
      return String
    case TYPE.float:
      // NaN is a missing value in a column of numbers.
      return (x) => (Number.isNaN(x) ? '' : precision === SINGLE ? float32Text(Number(x)) : String(x))
    case TYPE.decimal:
      return (x) => decimalText(BigInt(x as bigint), scale)
    case TYPE.date:
      return (milliseconds) => numberText(Math.floor(Number(milliseconds) / (DAY / 1000)), 'DATE')
    case TYPE.timestamp: {
      const hasZone = Boolean((type as { timezone?: string | null }).timezone)
      const perUnit = [1e6, 1e3, 1, 1e-3][unit ?? 0]
      return (x) => numberText(Math.floor(Number(x) * perUnit), hasZone ? 'TIMESTAMPTZ' : 'TIMESTAMP')
    }
    case TYPE.utf8:
    case TYPE.largeUtf8:
    case TYPE.view:
      return (text) => doubleQuote(String(text))
    default:
      return (value) => doubleQuote(textOfValue(value))
  }
}

/** A decimal number of a whole number of units of 10^−scale. */
function decimalText(units: bigint, scale: number): string {
  if (scale <= 0) return String(units * 10n ** BigInt(-scale))
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** Any other value as text: lists and structs as JSON. */
const textOfValue = (value: unknown): string =>
  typeof value === 'object'
    ? JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner))
    : String(value)
