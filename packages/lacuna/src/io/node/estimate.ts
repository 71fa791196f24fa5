/**
 * Estimates the size of the tensor in a file from the file's head or header, so that the memory for reading
 * it is known before it is read. There is no estimate for pipes, databases and damaged files.
 */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { constants, gunzipSync, inflateRawSync } from 'node:zlib'
import { MAX_ORDER } from '../../tensor/index.ts'
import { readNpyHeader } from '../npz/index.ts'
import { byteOrderMarkLength, endings, hasEnding, isEntryLine } from '../text/index.ts'
import { contentStart, readAt, type ZipMember, zipMembers } from './files/index.ts'

/** The approximate size of the tensor in a file. */
export interface Estimate {
  entries: number
  /** The number of modes. */
  order: number
  /** Lower bounds of the sizes of the modes. */
  dims: number[]
  /** The most memory that reading takes beside the tensor itself, in bytes. */
  reading: number
}

/** The number of bytes, packed or not, that are read from the beginning of a text. */
const HEAD_BYTES = 2 ** 16
/** Unpacks as much as there is, up to a limit that only decompression bombs exceed. */
const UNPACK_HEAD = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 100 * HEAD_BYTES }
/** Endings of tables as text that can be estimated; .txt is not among them, since it may be anything. */
const TEXT_TABLES = ['.csv', '.csv.gz', '.tsv', '.tsv.gz', '.dat', '.dat.gz']
/** Endings of JSON: objects, each of which is a row. */
const JSON_TABLES = ['.json', '.json.gz', '.ndjson', '.ndjson.gz', '.jsonl', '.jsonl.gz']
/** Bytes per entry while duplicates are searched: a hash, the entry's number and a slot of the hash table. */
const DUPLICATE_CHECK_BYTES = 12
/**
 * The memory that reading a table takes, relative to the bytes of its tensor: DuckDB's buffers and batches of
 * rows. Measured by `npm run bench -- io`.
 */
const TABLE_OVERHEAD = 2.8
/**
 * Bytes that stay in memory after reading, measured by `npm run memory`: the code of the reader, and the heaps
 * of threads that have grown. Only tables leave much; what DuckDB reads leaves most.
 */
const REST_BYTES = {
  text: 30 * 2 ** 20,
  json: 45 * 2 ** 20,
  parquet: 65 * 2 ** 20,
  query: 80 * 2 ** 20,
}

/**
 * Estimates the size of the tensor in a file; undefined if its kind or its content permits no estimate. Never
 * throws.
 * @param modes the number of modes of a table, if it is known; needed for Parquet
 */
export async function estimateTensor(path: string, modes?: number): Promise<Estimate | undefined> {
  try {
    if (!(await stat(path)).isFile()) return undefined // reading the head of a pipe would consume it
    if (hasEnding(path, endings.tns)) return await estimateText(path, undefined)
    if (hasEnding(path, endings.npy)) return await estimateNpy(path)
    if (hasEnding(path, endings.npz)) return await estimateNpz(path)
    if (hasEnding(path, TEXT_TABLES)) return await estimateText(path, modes)
    if (hasEnding(path, JSON_TABLES)) return await estimateJson(path, modes)
    if (hasEnding(path, endings.parquet) && modes !== undefined) return await estimateParquet(path, modes)
  } catch {
    // Reading the file explains what is wrong.
  }
  return undefined
}

/**
 * Returns the bytes that stay in memory after a file has been read, beside the tensor.
 * @param isQuery whether DuckDB reads it, by a query
 */
export function bytesAfterReading(path: string, isQuery: boolean): number {
  if (isQuery) return REST_BYTES.query
  if (hasEnding(path, endings.parquet)) return REST_BYTES.parquet
  if (hasEnding(path, JSON_TABLES)) return REST_BYTES.json
  return hasEnding(path, TEXT_TABLES) ? REST_BYTES.text : 0
}

/**
 * Estimates objects of JSON by the number of those at the beginning; undefined if there is none.
 * @param modes the number of modes; all keys but one by default
 */
async function estimateJson(path: string, modes: number | undefined): Promise<Estimate | undefined> {
  const { text, fraction } = await readTextHead(path)
  const rows = text.split('{').length - 1
  const keys = text.split('":').length - 1
  if (rows === 0) return undefined
  const order = modes ?? Math.max(2, Math.round(keys / rows) - 1)
  const entries = Math.ceil(rows / fraction)
  return {
    entries,
    order,
    dims: new Array(order).fill(1),
    reading: TABLE_OVERHEAD * 4 * (order + 1) * entries,
  }
}

/**
 * Estimates a .tns text or a table as text by the length of its first lines; undefined if there is no entry.
 * @param modes the number of modes of a table; all columns but one by default
 */
async function estimateText(path: string, modes: number | undefined): Promise<Estimate | undefined> {
  const isTable = !hasEnding(path, endings.tns)
  const { text, fraction } = await readTextHead(path)
  const end = fraction < 1 ? text.lastIndexOf('\n') : text.length
  const lines = text.slice(0, end).split('\n').filter(Boolean)
  const rows = isTable
    ? lines.slice(1)
    : lines.filter((line) => isEntryLine(Buffer.from(`${line}\n`, 'latin1'), 0))
  if (rows.length === 0) return undefined
  const words = rows[0].trim().split(isTable ? /[,;\t|]|::/ : /\s+/).length
  const order = isTable ? (modes ?? Math.max(2, words - 1)) : words - 1
  if (order < 2 || order > MAX_ORDER) return undefined
  // Comments and the header of a table occur once, so that their bytes are not extrapolated.
  const once = text.length - end + (lines.join('\n').length - rows.join('\n').length)
  const entries = Math.ceil((rows.length * (text.length / fraction - once)) / (text.length - once))
  const tensor = 4 * (order + 1) * entries
  return {
    entries,
    order,
    dims: isTable ? new Array(order).fill(1) : largestIndices(rows, order),
    reading: isTable ? TABLE_OVERHEAD * tensor : DUPLICATE_CHECK_BYTES * entries,
  }
}

/**
 * Reads the beginning of a text, unpacked if it is gzip and without a byte order mark.
 * @returns the text, and the fraction of the file's bytes that it was read from
 */
async function readTextHead(path: string): Promise<{ text: string; fraction: number }> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const head = await readAt(file, 0, Math.min(size, HEAD_BYTES))
    const isPacked = head[0] === 0x1f && head[1] === 0x8b
    const bytes = isPacked ? gunzipSync(head, UNPACK_HEAD) : head
    return { text: bytes.toString('latin1', byteOrderMarkLength(bytes)), fraction: head.length / size }
  } finally {
    await file.close()
  }
}

/** Returns the largest index of each mode in lines of a .tns file, at least 1. */
function largestIndices(lines: readonly string[], order: number): number[] {
  const dims = new Array<number>(order).fill(1)
  for (const line of lines) {
    const words = line.trim().split(/\s+/)
    for (let mode = 0; mode < order; mode++) dims[mode] = Math.max(dims[mode], Number(words[mode]) || 1)
  }
  return dims
}

/** Estimates a Parquet file by its number of rows, each of which may be an entry. @param order its modes */
async function estimateParquet(path: string, order: number): Promise<Estimate> {
  const { parquetRowCount } = await import('./duckdb/index.ts')
  const entries = await parquetRowCount(path)
  const reading = TABLE_OVERHEAD * 4 * (order + 1) * entries
  return { entries, order, dims: new Array(order).fill(1), reading }
}

/** Estimates a dense .npy file by its header; undefined if it has fewer than two axes. */
async function estimateNpy(path: string): Promise<Estimate | undefined> {
  const file = await open(path)
  try {
    const { shape } = readNpyHeader(await readAt(file, 0, 2 ** 16), path)
    const { size } = await file.stat()
    return estimateDense(shape, size)
  } finally {
    await file.close()
  }
}

/**
 * Estimates a dense array, each of whose elements may be an entry; undefined if it has fewer than two axes or
 * no element.
 * @param fileBytes the bytes of its file, and of what is unpacked from it
 */
function estimateDense(shape: readonly number[], fileBytes: number): Estimate | undefined {
  if (shape.length < 2 || shape.length > MAX_ORDER) return undefined
  const entries = shape.reduce((product, dim) => product * dim, 1)
  if (entries === 0) return undefined
  return { entries, order: shape.length, dims: [...shape], reading: fileBytes + 4 * entries }
}

/** Estimates the COO, SciPy or single dense array of an .npz file by the headers of its arrays. */
async function estimateNpz(path: string): Promise<Estimate | undefined> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const members = new Map((await zipMembers(file, size))?.map((member) => [member.name, member]))
    const shapeOf = async (name: string): Promise<number[] | undefined> => {
      const member = members.get(name)
      return member && readNpyHeader(await readMemberHead(file, member), path).shape
    }
    // The file, and what is unpacked from it, beside the arrays that are made of it.
    const unpacked = [...members.values()].reduce((sum, { byteLength }) => sum + byteLength, 0)
    const coords = await shapeOf('coords.npy')
    const data = await shapeOf('data.npy')
    if (coords?.length === 2) {
      const [order, entries] = coords
      if (order > MAX_ORDER) return undefined
      return {
        entries,
        order,
        dims: new Array(order).fill(1),
        reading: size + unpacked + DUPLICATE_CHECK_BYTES * entries,
      }
    }
    if (members.has('format.npy') && data?.length === 1)
      return {
        entries: data[0],
        order: 2,
        dims: [1, 1],
        reading: size + unpacked + DUPLICATE_CHECK_BYTES * data[0],
      }
    const arrays = [...members.keys()].filter((name) => /\.npy$/.test(name) && name !== 'mask.npy')
    const shape = arrays.length === 1 ? await shapeOf(arrays[0]) : undefined
    return shape && estimateDense(shape, size + unpacked)
  } finally {
    await file.close()
  }
}

/**
 * Reads the first bytes of a zip member, at most 4096 of the packed ones, unpacked; empty if it is missing.
 */
async function readMemberHead(file: FileHandle, member: ZipMember): Promise<Buffer> {
  const start = await contentStart(file, member)
  const head = await readAt(file, start ?? 0, start === undefined ? 0 : Math.min(4096, member.packedLength))
  return member.method === 0 ? head : inflateRawSync(head, { finishFlush: constants.Z_SYNC_FLUSH })
}
