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
  firstFault,
  fitToDims,
  largestPlusOne,
  mergeShares,
  type NegativePolicy,
  refuseFirst,
  type SparseTensor,
} from '../../../tensor/index.ts'
import { countLines, explainFileError, firstLines, linesBetween } from '../../node/index.ts'
import { type Columns, checkHeader, firstEntry, TnsParser } from '../../tns/index.ts'

export interface ReadShareOptions {
  dims?: readonly number[]
  negative?: NegativePolicy
  duplicates?: DuplicatePolicy
  /** Told how many bytes of how many this process has read. */
  onProgress?(bytes: number, byteLength: number): void
}

/** This process's share of the entries, with sizes and labels that are those of all. */
export async function readTnsShare(
  communicator: Communicator,
  path: string,
  { dims, negative = 'error', duplicates = 'error', onProgress }: ReadShareOptions,
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
    const share = { ...frame, indices, values }
    const lineOf = (linesBefore: number) => (entry: number) =>
      columns.where(entry).replace(/\d+$/, (line) => String(Number(line) + linesBefore))
    const checks = Array.from(
      { length: order + 1 },
      (_, check) => () => exactly((linesBefore) => cellChecks(share, negative, lineOf(linesBefore))[check]()),
    )
    await refuseFirst(communicator, await firstFault(checks))
    return await mergeShares(communicator, share, duplicates, {
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
