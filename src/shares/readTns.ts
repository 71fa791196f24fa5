/**
 * A .tns file read by several processes: each parses the lines that begin in its range of the bytes. What they find is what
 * one process would, faults and their lines included.
 */
import { type FileHandle, open } from 'node:fs/promises'
import type { World } from '../engine/cpu/world.ts'
import { InputError, inFile } from '../inputError.ts'
import { explainFileError } from '../io/node/files/fileError.ts'
import { LF } from '../io/text/bytes.ts'
import { checkHeader } from '../io/tns/header.ts'
import { entryLayout, noEntries } from '../io/tns/index.ts'
import { type Columns, TnsParser } from '../io/tns/parser.ts'
import { float32Array, uint32Array } from '../tensor/arrays.ts'
import { fitToDims } from '../tensor/fitToDims.ts'
import {
  cellChecks,
  checkDims,
  type DuplicatePolicy,
  largestPlusOne,
  type NegativePolicy,
  type SparseTensor,
} from '../tensor/sparseTensor.ts'
import { mergeShares } from './duplicates.ts'
import { firstFault, refuseFirst } from './faults.ts'

const READ_BYTES = 2 ** 20

export interface ReadShareOptions {
  dims?: readonly number[]
  negative?: NegativePolicy
  duplicates?: DuplicatePolicy
  /** Told how many bytes of how many this process has read. */
  onProgress?(bytes: number, byteLength: number): void
}

/** This process's share of the entries, with sizes and labels that are those of all. */
export async function readTnsShare(
  world: World,
  path: string,
  { dims, negative = 'error', duplicates = 'error', onProgress }: ReadShareOptions,
): Promise<SparseTensor> {
  const file = await world.together(() => openFile(path))
  try {
    const { size } = await file.stat()
    const first = await world.together(async () => firstEntry(await readHead(file), path, dims), 'unnamed')
    const order = first.indices.length
    const from = Math.floor((size * world.process) / world.processes)
    const to = Math.floor((size * (world.process + 1)) / world.processes)

    const parse = async (linesBefore: number): Promise<Columns> => {
      const sizeHint = to - from
      const layout = (): { order: number; hasValues: boolean } => ({ order, hasValues: true })
      const parser = new TnsParser({ name: path, layout, sizeHint, linesBefore, ...(dims && { dims }) })
      let bytes = 0
      for await (const piece of linesBetween(file, from, to)) {
        parser.push(piece)
        bytes += piece.length
        onProgress?.(bytes, sizeHint)
      }
      return parser.finish()
    }
    // Only who has found a fault must know which line it is on.
    const exactly = async <T>(work: (linesBefore: number) => T | Promise<T>): Promise<T> => {
      try {
        return await work(0)
      } catch (error) {
        if (!(error instanceof InputError) || from === 0) throw error
        return work(await countLines(file, from))
      }
    }
    const columns = await world.together(() => exactly(parse), 'unnamed')
    const empty = { indices: Array.from({ length: order }, () => uint32Array(0)), values: float32Array(0) }
    const { indices, values } = columns.indices.length > 0 ? columns : empty

    const largest = await world.gatherNumbers(
      ...indices.map((column) => (column.length > 0 ? largestPlusOne(column) : 1)),
    )
    const found = indices.map((_, mode) => Math.max(...largest.map((sizes) => sizes[mode])))
    const frame = inFile(path, () => {
      const said = checkHeader(first.header, order)
      return fitToDims({ ...said, dims: said.dims ?? dims ?? found }, dims)
    })
    checkDims(frame.dims)
    const share = { ...frame, indices, values }
    const lineOf = (linesBefore: number) => (entry: number) =>
      columns.where(entry).replace(/\d+$/, (line) => String(Number(line) + linesBefore))
    const checks = Array.from(
      { length: order + 1 },
      (_, check) => () => exactly((linesBefore) => cellChecks(share, negative, lineOf(linesBefore))[check]()),
    )
    await refuseFirst(world, await firstFault(checks))
    return await mergeShares(world, share, duplicates, {
      where: async (entry) => lineOf(from === 0 ? 0 : await countLines(file, from))(entry),
    })
  } finally {
    await file.close()
  }
}

function firstEntry(head: Uint8Array, name: string, dims: readonly number[] | undefined): Columns {
  if (head.length === 0) throw new InputError('empty', `${name}: the file is empty.`)
  const layout = (columns: number, where: string) => entryLayout(columns, where, dims)
  const parser = new TnsParser({ name, layout, ...(dims && { dims }) })
  parser.push(head)
  const columns = parser.finish()
  if (columns.values.length === 0) throw noEntries(name)
  return columns
}

async function openFile(path: string): Promise<FileHandle> {
  return open(path).catch((error) => {
    throw explainFileError(error, path, 'read')
  })
}

/** The file up to the end of its first line that is neither blank nor a comment. */
async function readHead(file: FileHandle): Promise<Uint8Array> {
  for (let length = 2 ** 16; ; length *= 4) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, 0)
    for (let start = 0; start < bytesRead; ) {
      const lineEnd = buffer.indexOf(LF, start) + 1
      const isWhole = lineEnd > 0 && lineEnd <= bytesRead
      if (!isWhole && bytesRead === length) break
      const end = isWhole ? lineEnd : bytesRead
      // A byte order mark may come before the first.
      if (
        !/^(\xef\xbb\xbf)?[ \t]*([#%\r\n]|$)/.test(
          buffer.toString('latin1', start, Math.min(end, start + 1000)),
        )
      )
        return buffer.subarray(0, end)
      start = end
    }
    if (bytesRead < length) return buffer.subarray(0, bytesRead)
  }
}

/** The lines that begin at the bytes from … to − 1. */
export async function* linesBetween(file: FileHandle, from: number, to: number): AsyncGenerator<Uint8Array> {
  if (from >= to) return
  // The first begins after the first line feed from the byte before on.
  let isInside = from === 0
  for (let at = Math.max(0, from - 1); ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(READ_BYTES), 0, READ_BYTES, at)
    if (bytesRead === 0) return
    const piece = buffer.subarray(0, bytesRead)
    let start = 0
    if (!isInside) {
      start = piece.indexOf(LF) + 1
      if (start === 0) {
        at += bytesRead
        continue
      }
      isInside = true
      if (at + start >= to) return
    }
    // The last ends with the first line feed from the byte before `to` on.
    const limit = Math.max(start, to - 1 - at)
    const end = limit < bytesRead ? piece.indexOf(LF, limit) + 1 : 0
    yield piece.subarray(start, end > 0 ? end : bytesRead)
    if (end > 0) return
    at += bytesRead
  }
}

/** How many lines begin before the first that begins at this byte or after it. */
async function countLines(file: FileHandle, from: number): Promise<number> {
  let lines = 0
  for await (const piece of linesBetween(file, 0, from)) for (const byte of piece) if (byte === LF) lines++
  return lines
}
