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
  type ColumnFacts,
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
 * Parses all blocks of a file into a tensor. Throws the error of the first faulty block; undefined if the
 * single-threaded parser finds no fault there, or a block cannot be counted.
 */
async function readBlocks(
  pool: ReadingPool,
  file: FileHandle,
  byteLength: number,
  { header, indices: { length: order } }: Columns,
  options: ReadByThreadsOptions,
): Promise<SparseTensor | undefined> {
  const { name, dims, blockBytes = BLOCK_BYTES } = options
  const blocks = { fd: file.fd, byteLength, from: 0, to: byteLength, blockBytes }
  const parsed = await parseBlocks(pool, blocks, order, options)
  if (!parsed) return undefined
  if ('faultyBlock' in parsed) {
    // All blocks before it are valid: the single-threaded parser throws what is wrong in this one.
    const { faultyBlock, linesBefore } = parsed
    const from = faultyBlock * blockBytes
    const lines = linesBetween(file, from, Math.min(byteLength, from + blockBytes))
    const layout = () => ({ order, hasValues: true })
    await readLines(lines, { name, dims, layout, linesBefore, header: false })
    return undefined
  }
  const { indices } = parsed.columns
  return tensorOfColumns({ ...parsed.columns, header }, options, {
    ...parsed.facts,
    distinct: !defersDuplicates(options) && (await areDistinct(pool, indices)) === true,
  })
}

/**
 * Parses the lines of a .tns file that begin in a range of its bytes, with the threads of a pool. Undefined if
 * they cannot: one thread must then parse them, and explain what is wrong.
 * @param range the bytes from … to
 * @param order the number of modes
 */
export async function parseRangeByThreads(
  pool: ReadingPool,
  file: FileHandle,
  range: { from: number; to: number },
  order: number,
  options: ReadByThreadsOptions,
): Promise<ParsedLines | undefined> {
  const { size: byteLength } = await file.stat()
  const { blockBytes = BLOCK_BYTES } = options
  const parsed = await parseBlocks(pool, { fd: file.fd, byteLength, ...range, blockBytes }, order, options)
  return parsed && 'columns' in parsed ? parsed : undefined
}

/** Lines that threads have parsed. */
export interface ParsedLines {
  /** The entries; the first of the lines counts as line 1. */
  columns: Omit<Columns, 'header'>
  /** Facts that the threads have found on the way. */
  facts: Required<Pick<ColumnFacts, 'nonnegative' | 'largest'>>
}

/**
 * Counts the entries of all blocks, then parses them. Returns the number of the first block with a fault, if
 * there is one, and of the lines before it; undefined if a block cannot be counted.
 */
async function parseBlocks(
  pool: ReadingPool,
  range: Omit<Blocks, 'state'>,
  order: number,
  { name, dims, onProgress }: Pick<ReadByThreadsOptions, 'name' | 'dims' | 'onProgress'>,
): Promise<ParsedLines | { faultyBlock: number; linesBefore: number } | undefined> {
  const { from, to, blockBytes } = range
  const state = new Int32Array(new SharedArrayBuffer(8))
  const count = Math.ceil((to - from) / blockBytes)
  const counted: CountRequest = {
    ...{ ask: 'count', file: { ...range, state }, layout: { order, hasValues: true } },
    limits: Array.from({ length: order }, (_, mode) => dims?.[mode] ?? MAX_INDEX),
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
    () => onProgress?.(Math.min(to - from, Atomics.load(state, NEXT) * blockBytes)),
    PROGRESS_MS,
  )
  const answers = await pool
    .ask<ParseAnswer>({ ask: 'parse', before, indices, values })
    .finally(() => clearInterval(progressTimer))
  const faultyBlock = Atomics.load(state, FAULT)
  if (faultyBlock !== NO_FAULT) {
    const linesBefore = counted.lines.subarray(0, faultyBlock).reduce((sum, lines) => sum + lines, 0)
    return { faultyBlock, linesBefore }
  }
  const lines = new LineMap()
  const skipped = answers.flatMap((answer) => answer.skipped).sort((a, b) => a.block - b.block)
  for (const { block, before: within } of skipped)
    for (const entry of within) lines.skip(before[block] + entry)
  return {
    columns: { indices, values, where: (entry: number) => `${name}, line ${lines.lineOf(entry)}` },
    facts: {
      nonnegative: !answers.some(({ anyNegative }) => anyNegative),
      largest: indices.map((_, mode) => Math.max(...answers.map(({ largest }) => largest[mode]))),
    },
  }
}
