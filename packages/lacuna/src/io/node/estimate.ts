/**
 * Estimates what a file holds by its head, so that the memory for reading it is known before it is read.
 * There is no estimate for pipes, databases and damaged files.
 */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { constants, gunzipSync, inflateRawSync } from 'node:zlib'
import { readNpyHeader } from '../npz/index.ts'
import { byteOrderMarkLength, endings, hasEnding, isEntryLine } from '../text/index.ts'
import { contentStart, readAt, type ZipMember, zipMembers } from './files/index.ts'

/** The approximate size of the tensor in a file. */
export interface Estimate {
  entries: number
  order: number
  /** Lower bounds of the sizes of the modes. */
  dims: number[]
  /** The most memory that reading takes beside the tensor itself, in bytes. */
  reading: number
}

/** Bytes of the head of a text, as they are in the file. */
const HEAD_BYTES = 2 ** 16
/** Tables as text whose entries can be estimated: those that have no other use than tables. */
const TEXT_TABLES = ['.csv', '.csv.gz', '.tsv', '.tsv.gz', '.dat', '.dat.gz']
/** Bytes per entry while duplicates are searched: a hash, a number and a table. */
const CHECKING = 12
/**
 * Memory of DuckDB's buffers and of rows in pieces, relative to the tensor; measured by `npm run bench --
 * io`.
 */
const TABLE_OVERHEAD = 2.8

/** Estimates the tensor of a file. @param modes the number of modes of a table, if it is known */
export async function estimateTensor(path: string, modes?: number): Promise<Estimate | undefined> {
  try {
    if (!(await stat(path)).isFile()) return undefined // reading the head of a pipe would consume it
    if (hasEnding(path, endings.tns)) return await estimateText(path, undefined)
    if (hasEnding(path, endings.npy)) return await estimateNpy(path)
    if (hasEnding(path, endings.npz)) return await estimateNpz(path)
    if (hasEnding(path, TEXT_TABLES)) return await estimateText(path, modes)
    if (hasEnding(path, endings.parquet) && modes !== undefined) return await estimateParquet(path, modes)
  } catch {
    // Reading the file explains what is wrong.
  }
  return undefined
}

/** Estimates a .tns text, or a table as text. @param modes of a table */
async function estimateText(path: string, modes: number | undefined): Promise<Estimate | undefined> {
  const isTable = !hasEnding(path, endings.tns)
  const { text, fraction } = await headOfText(path)
  const end = fraction < 1 ? text.lastIndexOf('\n') : text.length
  const lines = text.slice(0, end).split('\n').filter(Boolean)
  const rows = isTable
    ? lines.slice(1)
    : lines.filter((line) => isEntryLine(Buffer.from(`${line}\n`, 'latin1'), 0))
  if (rows.length === 0) return undefined
  const words = rows[0].trim().split(isTable ? /[,;\t|]|::/ : /\s+/).length
  const order = isTable ? (modes ?? Math.max(2, words - 1)) : words - 1
  if (order < 2) return undefined
  // Comments and the head of a table come once.
  const once = text.length - end + (lines.join('\n').length - rows.join('\n').length)
  const entries = Math.ceil((rows.length * (text.length / fraction - once)) / (text.length - once))
  const tensor = 4 * (order + 1) * entries
  return {
    entries,
    order,
    dims: isTable ? new Array(order).fill(1) : largestIndices(rows, order),
    reading: isTable ? TABLE_OVERHEAD * tensor : CHECKING * entries,
  }
}

/**
 * The beginning of a text, unpacked if need be and without a byte order mark, and which fraction of the file
 * it is.
 */
async function headOfText(path: string): Promise<{ text: string; fraction: number }> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const head = await readAt(file, 0, Math.min(size, HEAD_BYTES))
    const isPacked = head[0] === 0x1f && head[1] === 0x8b
    const bytes = isPacked ? gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }) : head
    return { text: bytes.toString('latin1', byteOrderMarkLength(bytes)), fraction: head.length / size }
  } finally {
    await file.close()
  }
}

/** The largest index of each mode in some lines of a .tns file. */
function largestIndices(lines: readonly string[], order: number): number[] {
  const dims = new Array<number>(order).fill(1)
  for (const line of lines) {
    const words = line.trim().split(/\s+/)
    for (let mode = 0; mode < order; mode++) dims[mode] = Math.max(dims[mode], Number(words[mode]) || 1)
  }
  return dims
}

/** Estimates a Parquet file, each of whose rows may be an entry. @param order the number of modes */
async function estimateParquet(path: string, order: number): Promise<Estimate> {
  const { parquetRowCount } = await import('./duckdb/index.ts')
  const entries = await parquetRowCount(path)
  const reading = TABLE_OVERHEAD * 4 * (order + 1) * entries
  return { entries, order, dims: new Array(order).fill(1), reading }
}

/** Estimates a dense array by its header. */
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

/** The estimate of a dense array, each of whose elements may be an entry. */
function estimateDense(shape: readonly number[], bytes: number): Estimate | undefined {
  if (shape.length < 2) return undefined
  const entries = shape.reduce((product, dim) => product * dim, 1)
  return { entries, order: shape.length, dims: [...shape], reading: bytes + 4 * entries }
}

/** Estimates the arrays of an .npz file by their headers. */
async function estimateNpz(path: string): Promise<Estimate | undefined> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const members = new Map((await zipMembers(file, size))?.map((member) => [member.name, member]))
    const shapeOf = async (name: string): Promise<number[] | undefined> => {
      const member = members.get(name)
      return member && readNpyHeader(await headOf(file, member), path).shape
    }
    // The file, and what is unpacked from it, beside the arrays that are made of it.
    const unpacked = [...members.values()].reduce((sum, { byteLength }) => sum + byteLength, 0)
    const coords = await shapeOf('coords.npy')
    const data = await shapeOf('data.npy')
    if (coords?.length === 2) {
      const [order, entries] = coords
      return { entries, order, dims: new Array(order).fill(1), reading: size + unpacked + CHECKING * entries }
    }
    if (members.has('format.npy') && data?.length === 1)
      return { entries: data[0], order: 2, dims: [1, 1], reading: size + unpacked + CHECKING * data[0] }
    const arrays = [...members.keys()].filter((name) => /\.npy$/.test(name) && name !== 'mask.npy')
    const shape = arrays.length === 1 ? await shapeOf(arrays[0]) : undefined
    return shape && estimateDense(shape, size + unpacked)
  } finally {
    await file.close()
  }
}

/** The first bytes of a zip member, unpacked. */
async function headOf(file: FileHandle, member: ZipMember): Promise<Buffer> {
  const start = await contentStart(file, member)
  const head = await readAt(file, start ?? 0, start === undefined ? 0 : Math.min(4096, member.packedLength))
  return member.method === 0 ? head : inflateRawSync(head, { finishFlush: constants.Z_SYNC_FLUSH })
}
