/**
 * Reads a .tns file by several processes: each parses the lines that begin in its range of the bytes. The
 * entries together, and any error with its line, are those of one process.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { InputError } from '../../../base/inputError.ts'
import { float32Array, uint32Array } from '../../../base/sharedArrays.ts'
import { type Communicator, firstFault, throwFirstFault } from '../../../comm/index.ts'
import {
  cellChecks,
  checkDims,
  type DuplicatePolicy,
  largestPlusOne,
  mergeShards,
  type NegativePolicy,
  type SparseTensor,
} from '../../../tensor/index.ts'
import { countLines, explainFileError, linesBetween, readTnsHead } from '../../node/index.ts'
import { type Columns, parseFirstEntry, readLines, sizesAndNames } from '../../tns/index.ts'
import {
  PARALLEL_FROM,
  type ParsedLines,
  parseRangeByThreads,
  type ReadingPool,
  readingThreads,
  startReading,
} from '../threads/index.ts'

/** Options for reading a shard of a .tns file. */
export interface ReadShardOptions {
  /** I_1 … I_N; by default the largest index found in each mode. */
  dims?: readonly number[]
  negative?: NegativePolicy
  duplicates?: DuplicatePolicy
  /** The number of threads that read a large shard; one per core of this process by default. */
  threads?: number
  /** The fewest bytes of a shard that threads read; 16 MiB by default. */
  parallelFrom?: number
  /** Leaves the search for repeated coordinates to the engine that sorts the entries; false by default. */
  deferDuplicateCheck?: boolean
  /** Receives the number of bytes of the shard that are read, and its size. */
  onProgress?(bytes: number, byteLength: number): void
}

/**
 * Reads the lines of a .tns file that begin in this process's range of the bytes; the entries returned are
 * its own, the sizes and labels those of all processes. Collective: called by all, and a fault of one is
 * thrown by all.
 */
export async function readTnsShard(
  comm: Communicator,
  path: string,
  options: ReadShardOptions,
): Promise<SparseTensor> {
  const { dims, negative = 'error', duplicates = 'error', onProgress } = options
  const file = await comm.failTogether(() => openOrExplain(path))
  try {
    const { size } = await file.stat()
    const { header, indices: modes } = await comm.failTogether(
      async () => parseFirstEntry((await readTnsHead(file, Infinity))!, path, dims),
      'unnamed',
    )
    const order = modes.length
    const from = Math.floor((size * comm.rank) / comm.size)
    const to = Math.floor((size * (comm.rank + 1)) / comm.size)

    const parse = (linesBefore: number): Promise<Columns> =>
      readLines(linesBetween(file, from, to), {
        ...{ name: path, dims, linesBefore, sizeHint: to - from, header: false },
        layout: () => ({ order, hasValues: true }),
        onProgress: (bytes) => onProgress?.(bytes, to - from),
      })
    /**
     * Calls `work` with 0 lines before the shard; if it throws a fault, counts these lines and calls it
     * again, so that the error has the line of the file.
     */
    const withLineNumbers = async <T>(work: (linesBefore: number) => T | Promise<T>): Promise<T> => {
      try {
        return await work(0)
      } catch (error) {
        if (!(error instanceof InputError) || from === 0) throw error
        return work(await countLines(file, from))
      }
    }
    const parsed = await parseByThreads(file, path, { from, to }, order, options)
    const columns = await comm.failTogether(() => parsed?.columns ?? withLineNumbers(parse), 'unnamed')
    const empty = { indices: Array.from({ length: order }, () => uint32Array(0)), values: float32Array(0) }
    const { indices, values } = columns.indices.length > 0 ? columns : empty

    const sizeOf = (column: Uint32Array, mode: number): number =>
      parsed ? parsed.facts.largest[mode] + 1 : largestPlusOne(column)
    const shardSizes = indices.map((column, mode) => (column.length > 0 ? sizeOf(column, mode) : 1))
    const gathered = await comm.allGatherNumbers(...shardSizes)
    const sizes = shardSizes.map((_, mode) => Math.max(...gathered.map((numbers) => numbers[mode])))
    const shard = { ...sizesAndNames(path, header, sizes, dims), indices, values }
    checkDims(shard.dims)
    const where = (linesBefore: number) => (entry: number) =>
      columns.where(entry).replace(/\d+$/, (line) => String(Number(line) + linesBefore))
    // Threads have found that indices fit and no value is negative.
    const isSound = parsed?.facts.nonnegative && shardSizes.every((size, mode) => size <= shard.dims[mode])
    const checks = Array.from(
      { length: isSound ? 0 : order + 1 },
      (_, check) => () =>
        withLineNumbers((linesBefore) => cellChecks(shard, negative, where(linesBefore))[check]()),
    )
    await throwFirstFault(comm, await firstFault(checks))
    const names = { where: async (entry: number) => where(await countLinesBefore(path, from))(entry) }
    return await mergeShards(comm, shard, duplicates, names, options.deferDuplicateCheck)
  } finally {
    await file.close()
  }
}

/**
 * Parses the lines that begin in a range of a file by threads; undefined if the range is small, or one thread
 * must parse it.
 */
async function parseByThreads(
  file: FileHandle,
  name: string,
  range: { from: number; to: number },
  order: number,
  { dims, threads: most, parallelFrom = PARALLEL_FROM, onProgress }: ReadShardOptions,
): Promise<ParsedLines | undefined> {
  const length = range.to - range.from
  const threads = readingThreads(most)
  if (threads === 1 || length < parallelFrom) return undefined
  let pool: ReadingPool | undefined
  try {
    pool = startReading(threads)
    return await parseRangeByThreads(pool, file, range, order, {
      name,
      dims,
      onProgress: (bytes) => onProgress?.(bytes, length),
    })
  } catch {
    return undefined // the system lacks threads
  } finally {
    await pool?.close()
  }
}

/** Returns the number of lines of a file before a position; opens the file, which has been closed by now. */
async function countLinesBefore(path: string, position: number): Promise<number> {
  if (position === 0) return 0
  const file = await openOrExplain(path)
  try {
    return await countLines(file, position)
  } finally {
    await file.close()
  }
}

/** Opens a file; an error is a sentence with its path. */
async function openOrExplain(path: string): Promise<FileHandle> {
  return open(path).catch((error) => {
    throw explainFileError(error, path, 'read')
  })
}
