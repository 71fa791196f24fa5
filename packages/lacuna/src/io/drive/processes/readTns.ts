/**
 * A .tns file read by several processes: each parses the lines that begin in its range of the bytes. What they find is what
 * one process would, faults and their lines included.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { InputError, inFile } from '../../../base/inputError.ts'
import { float32Array, uint32Array } from '../../../base/sharedArrays.ts'
import type { Communicator } from '../../../comm/index.ts'
import {
  cellChecks,
  checkDims,
  type DuplicatePolicy,
  fitToDims,
  largestPlusOne,
  mergeShards,
  type NegativePolicy,
  type SparseTensor,
} from '../../../tensor/index.ts'
import { countLines, explainFileError, firstLines, linesBetween } from '../../node/index.ts'
import { type Columns, checkHeader, firstEntry, TnsParser } from '../../tns/index.ts'
import { firstFault, refuseFirst } from './faults.ts'

/** How a .tns file is read by several processes. */
export interface ReadShardOptions {
  /** I_1 … I_N; by default the largest index found in each mode. */
  dims?: readonly number[]
  /** What happens to negative values; 'error' by default. */
  negative?: NegativePolicy
  /** What happens to entries with equal coordinates; 'error' by default. */
  duplicates?: DuplicatePolicy
  /** Called with the number of bytes that this process has read, and of those it will read. */
  onProgress?(bytes: number, byteLength: number): void
}

/** Reads the shard of this process: entries of a range of the file, with the sizes and labels of all. */
export async function readTnsShard(
  communicator: Communicator,
  path: string,
  { dims, negative = 'error', duplicates = 'error', onProgress }: ReadShardOptions,
): Promise<SparseTensor> {
  const file = await communicator.failTogether(() => openFile(path))
  try {
    const { size } = await file.stat()
    const first = await communicator.failTogether(
      async () => firstEntry((await firstLines(file, Infinity))!, path, dims),
      'unnamed',
    )
    const order = first.indices.length
    const from = Math.floor((size * communicator.rank) / communicator.size)
    const to = Math.floor((size * (communicator.rank + 1)) / communicator.size)

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
    const columns = await communicator.failTogether(() => exactly(parse), 'unnamed')
    const empty = { indices: Array.from({ length: order }, () => uint32Array(0)), values: float32Array(0) }
    const { indices, values } = columns.indices.length > 0 ? columns : empty

    const largest = await communicator.allGatherNumbers(
      ...indices.map((column) => (column.length > 0 ? largestPlusOne(column) : 1)),
    )
    const found = indices.map((_, mode) => Math.max(...largest.map((sizes) => sizes[mode])))
    const frame = inFile(path, () => {
      const said = checkHeader(first.header, order)
      return fitToDims({ ...said, dims: said.dims ?? dims ?? found }, dims)
    })
    checkDims(frame.dims)
    const shard = { ...frame, indices, values }
    const lineOf = (linesBefore: number) => (entry: number) =>
      columns.where(entry).replace(/\d+$/, (line) => String(Number(line) + linesBefore))
    const checks = Array.from(
      { length: order + 1 },
      (_, check) => () => exactly((linesBefore) => cellChecks(shard, negative, lineOf(linesBefore))[check]()),
    )
    await refuseFirst(communicator, await firstFault(checks))
    return await mergeShards(communicator, shard, duplicates, {
      where: async (entry) => lineOf(from === 0 ? 0 : await countLines(file, from))(entry),
    })
  } finally {
    await file.close()
  }
}

async function openFile(path: string): Promise<FileHandle> {
  return open(path).catch((error) => {
    throw explainFileError(error, path, 'read')
  })
}
