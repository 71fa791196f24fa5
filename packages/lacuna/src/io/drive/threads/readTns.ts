/**
 * Reads a .tns file by threads: they take blocks of its bytes, cut at lines, and parse them straight into the
 * columns of the tensor. A block that they cannot parse is left to the single-threaded parser
 * (tns/parser.ts), so that tensors and errors are the same.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { float32Array, uint32Array } from '../../../base/sharedArrays.ts'
import { MAX_INDEX, type SparseTensor } from '../../../tensor/index.ts'
import { linesBetween, readTnsHead } from '../../node/files/index.ts'
import { compileTextKernel } from '../../text/index.ts'
import {
  type Columns,
  defersDuplicates,
  LineMap,
  parseFirstEntry,
  type ReadTnsOptions,
  readLines,
  tensorOfColumns,
} from '../../tns/index.ts'
import { areDistinct } from './distinct.ts'
import { type Blocks, type CountRequest, FAULT, NEXT, NO_FAULT, type ParseAnswer } from './messages.ts'
import { PROGRESS_MS, type ReadingPool } from './pool.ts'

/** The default bytes of a block, so few that its text stays in a thread's cache. */
const BLOCK_BYTES = 2 ** 18
/** A file with more bytes than this before its first entry is read by one thread. */
const HEAD_BYTES = 2 ** 26

/** Options for reading a .tns file by threads. */
export interface ReadByThreadsOptions extends ReadTnsOptions {
  /** Bytes per block; 256 KiB by default. */
  blockBytes?: number
}

/**
 * Reads an uncompressed .tns file with the threads of a pool, and releases them; undefined if they cannot, and
 * one thread must read it from the beginning. Throws an InputError if the file is faulty.
 * @param startPool starts the threads; called once the head has been read
 */
export async function readTnsByThreads(
  path: string,
  options: ReadByThreadsOptions,
  startPool: () => ReadingPool,
): Promise<SparseTensor | undefined> {
  const file = await open(path)
  try {
    const head = await readTnsHead(file, HEAD_BYTES)
    if (!head) return undefined
    const first = parseFirstEntry(head, options.name, options.dims)
    const { size } = await file.stat()
    const pool = startPool()
    try {
      return await readBlocks(pool, file, size, first, options)
    } finally {
      await pool.close()
    }
  } finally {
    await file.close()
  }
}

/**
 * Counts the entries of all blocks, then parses the blocks into a tensor. Throws the error of the first
 * faulty block; undefined if the single-threaded parser finds no fault there, or a block cannot be counted.
 */
async function readBlocks(
  pool: ReadingPool,
  file: FileHandle,
  byteLength: number,
  { header, indices: { length: order } }: Columns,
  options: ReadByThreadsOptions,
): Promise<SparseTensor | undefined> {
  const { name, dims, blockBytes = BLOCK_BYTES } = options
  const state = new Int32Array(new SharedArrayBuffer(8))
  const blocks: Blocks = { fd: file.fd, byteLength, blockBytes, state }
  const count = Math.ceil(byteLength / blockBytes)
  const layout = { order, hasValues: true }
  const limits = Array.from({ length: order }, (_, mode) => dims?.[mode] ?? MAX_INDEX)
  const counted: CountRequest = {
    ...{ ask: 'count', file: blocks, layout, limits },
    ...{ module: await compileTextKernel(), lines: uint32Array(count), entries: uint32Array(count) },
  }
  /** Resets the shared counter and the fault. */
  const resetState = (): void => {
    Atomics.store(state, NEXT, 0)
    Atomics.store(state, FAULT, NO_FAULT)
  }
  resetState()
  await pool.ask(counted)
  if (Atomics.load(state, FAULT) !== NO_FAULT) return undefined

  const before = new Float64Array(new SharedArrayBuffer(8 * (count + 1)))
  counted.entries.forEach((entries, block) => {
    before[block + 1] = before[block] + entries
  })
  const entries = before[count]
  if (entries > MAX_INDEX) return undefined
  const indices = Array.from({ length: order }, () => uint32Array(entries))
  const values = float32Array(entries)
  resetState()
  const progressTimer = setInterval(
    () => options.onProgress?.(Math.min(byteLength, Atomics.load(state, NEXT) * blockBytes)),
    PROGRESS_MS,
  )
  const answers = await pool
    .ask<ParseAnswer>({ ask: 'parse', before, indices, values })
    .finally(() => clearInterval(progressTimer))
  const fault = Atomics.load(state, FAULT)
  if (fault !== NO_FAULT) {
    // All blocks before it are valid: the single-threaded parser throws what is wrong in this one.
    const linesBefore = counted.lines.subarray(0, fault).reduce((sum, lines) => sum + lines, 0)
    const lines = linesBetween(file, fault * blockBytes, Math.min(byteLength, (fault + 1) * blockBytes))
    await readLines(lines, { name, dims, layout: () => layout, linesBefore, header: false })
    return undefined
  }
  const lines = new LineMap()
  const skipped = answers.flatMap((answer) => answer.skipped).sort((a, b) => a.block - b.block)
  for (const { block, before: within } of skipped)
    for (const entry of within) lines.skip(before[block] + entry)
  const columns = {
    indices,
    values,
    header,
    where: (entry: number) => `${name}, line ${lines.lineOf(entry)}`,
  }
  return tensorOfColumns(columns, options, {
    distinct: !defersDuplicates(options) && (await areDistinct(pool, indices)) === true,
    nonnegative: !answers.some(({ anyNegative }) => anyNegative),
    largest: indices.map((_, mode) => Math.max(...answers.map(({ largest }) => largest[mode]))),
  })
}
