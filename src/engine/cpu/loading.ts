/**
 * How the threads build the views of a problem: they count the entries of every row, place each entry's record in its
 * segment, and sort the segments. Each thread takes a share of the entries, in any order; sorting makes the result the
 * same for all. While counting they check the entries, so that nobody need look at them again.
 */
import { CHUNK_BYTES, LOADED_AT_A_TIME } from '../../kernels/layout.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import type { Kernel } from './kernel.ts'
import type { PartLayout, ViewLayout } from './layout.ts'
import type { Counted, Loading, Placing, ViewSource } from './messages.ts'
import { inOrder, type OrderKeys } from './order.ts'

const COLUMN_BYTES = 4 * LOADED_AT_A_TIME

/** Views of the same entries, which are read together. */
interface Group {
  tensor: SparseTensor
  views: { source: ViewSource; number: number }[]
}

export function groupsOf(views: readonly ViewSource[]): Group[] {
  const groups: Group[] = []
  views.forEach((source, number) => {
    const group = groups.find(({ tensor }) => tensor === source.tensor)
    if (group) group.views.push({ source, number })
    else groups.push({ tensor: source.tensor, views: [{ source, number }] })
  })
  return groups
}

/** A block in a thread's scratch, filled with some entries at a time. */
export class Block {
  readonly columns: number
  readonly values: number
  readonly hashes: number
  /** 0 if none of the entries have weights. */
  readonly weights: number
  readonly digest: number
  readonly sizes: number
  readonly #indices: Uint32Array[]
  /** Values, and weights if there are any. */
  readonly #numbers: Float32Array[]

  constructor(buffer: ArrayBufferLike, address: number, order: number, weighted: boolean) {
    this.columns = address
    this.values = address + order * COLUMN_BYTES
    this.hashes = this.values + COLUMN_BYTES
    this.weights = weighted ? this.hashes + COLUMN_BYTES : 0
    this.digest = this.hashes + (weighted ? 2 : 1) * COLUMN_BYTES
    this.sizes = this.digest + 64
    this.#indices = Array.from(
      { length: order },
      (_, mode) => new Uint32Array(buffer, address + mode * COLUMN_BYTES, LOADED_AT_A_TIME),
    )
    this.#numbers = [this.values, ...(weighted ? [this.weights] : [])].map(
      (column) => new Float32Array(buffer, column, LOADED_AT_A_TIME),
    )
  }

  /** Where the indices in a mode are. */
  column(mode: number): number {
    return this.columns + mode * COLUMN_BYTES
  }

  fill({ indices, values, weights }: SparseTensor, from: number, to: number): void {
    for (const [mode, column] of indices.entries()) this.#indices[mode].set(column.subarray(from, to))
    this.#numbers[0].set(values.subarray(from, to))
    if (weights) this.#numbers[1].set(weights.subarray(from, to))
  }

  /** From entries of so many words each: the indices, then the bits of the value, and those of the weight if there is one. */
  fillFromRecords(records: Uint32Array, count: number, words: number): void {
    const bits = this.#numbers.map(
      ({ buffer, byteOffset }) => new Uint32Array(buffer, byteOffset, LOADED_AT_A_TIME),
    )
    ;[...this.#indices, ...bits].slice(0, words).forEach((column, word) => {
      for (let e = 0; e < count; e++) column[e] = records[e * words + word]
    })
  }
}

/** Whether the entries of any of these views have weights. */
export const anyWeighted = (views: readonly ViewSource[]): boolean =>
  views.some(({ meanWeight }) => meanWeight !== undefined)

/** Calls `visit` with the borders of some thousand entries at a time of a thread's share. */
function eachBlock(
  { values }: SparseTensor,
  thread: number,
  threads: number,
  visit: (from: number, to: number) => boolean | undefined,
): void {
  const end = Math.floor((values.length * (thread + 1)) / threads)
  for (let from = Math.floor((values.length * thread) / threads); from < end; from += LOADED_AT_A_TIME)
    if (visit(from, Math.min(from + LOADED_AT_A_TIME, end)) === false) return
}

/** All of them: no place is so far. */
export const EVERYWHERE = 2 ** 32

export function countEntries(
  kernel: Kernel,
  memory: WebAssembly.Memory,
  { views, keys, layout }: Loading,
  thread: number,
): Counted {
  const threads = layout.threads.length
  const { block: address, counters } = layout.threads[thread]
  const order = views[0].tensor.dims.length
  const block = new Block(memory.buffer, address, order, anyWeighted(views))
  const digest = new Int32Array(memory.buffer, block.digest, 2)
  const counted: Counted = { squares: 0, digest: [] }
  for (const { tensor, views: group } of groupsOf(views)) {
    new Uint32Array(memory.buffer, block.sizes, order).set(tensor.dims)
    digest.fill(0)
    let squares = 0
    eachBlock(tensor, thread, threads, (from, to) => {
      const count = to - from
      block.fill(tensor, from, to)
      if (kernel.hasFault(block.columns, order, block.sizes, block.values, count)) {
        counted.fault = { view: group[0].number, ...faultIn(tensor, from, to) }
        return false
      }
      kernel.hashBlock(block.columns, order, count, keys.hash, block.hashes)
      kernel.addToDigest(block.hashes, block.values, tensor.weights ? block.weights : 0, count, block.digest)
      squares += kernel.sumOfSquares(block.values, count)
      for (const { source, number } of group) {
        const { lengths } = layout.views[number]
        const column = block.column(source.mode)
        if (source.below !== undefined)
          kernel.countPicked(column, block.hashes, count, keys.probe, source.below, lengths)
        else if (counters[number] > 0) kernel.countRows(column, count, counters[number], 0)
        else kernel.countRows(column, count, lengths, threads > 1 ? 1 : 0)
      }
      return true
    })
    if (counted.fault) return counted
    for (const { number } of group)
      if (counters[number] > 0)
        kernel.addCounts(counters[number], layout.views[number].rows, layout.views[number].lengths)
    counted.digest.push(...digest)
    if (group[0].number === 0) counted.squares = squares
  }
  return counted
}

/** The first entry with an index beyond its mode's size, or a value that is not finite. */
function faultIn(
  { dims, indices, values }: SparseTensor,
  from: number,
  to: number,
): { entry: number; mode?: number } {
  for (let entry = from; entry < to; entry++) {
    const mode = indices.findIndex((column, i) => column[entry] >= dims[i])
    if (mode >= 0) return { entry, mode }
    if (!Number.isFinite(values[entry])) return { entry }
  }
  throw new Error('The kernel sees a fault where there is none.')
}

/** Counts the entries of each segment of the rows that have several: in these views. */
export function countSegments(
  kernel: Kernel,
  memory: WebAssembly.Memory,
  { views, keys, layout }: Loading,
  long: readonly number[],
  thread: number,
): void {
  const order = views[0].tensor.dims.length
  const block = new Block(memory.buffer, layout.threads[thread].block, order, anyWeighted(views))
  for (const { tensor, views: group } of groupsOf(views)) {
    const wanted = group.filter(({ number }) => long.includes(number))
    if (wanted.length === 0) continue
    eachBlock(tensor, thread, layout.threads.length, (from, to) => {
      block.fill(tensor, from, to)
      kernel.hashBlock(block.columns, order, to - from, keys.hash, block.hashes)
      for (const { source, number } of wanted)
        kernel.countSegments(
          block.column(source.mode),
          block.hashes,
          to - from,
          layout.views[number].first,
          keys.modes[source.mode],
          keys.probe,
          source.below ?? EVERYWHERE,
          layout.views[number].segmentLengths,
        )
      return true
    })
  }
}

/** What a thread has of a part. */
interface Part {
  kernel: Kernel
  memory: WebAssembly.Memory
  layout: PartLayout
}

export function placeEntries(
  parts: readonly Part[],
  { views, keys, borders, valueScale }: Placing,
  thread: number,
  threads: number,
): void {
  const order = views[0].tensor.dims.length
  const weighted = anyWeighted(views)
  const blocks = parts.map(
    ({ memory, layout }) => new Block(memory.buffer, layout.scratch[thread], order, weighted),
  )
  for (const { tensor, views: group } of groupsOf(views))
    eachBlock(tensor, thread, threads, (from, to) => {
      parts.forEach(({ kernel, layout }, k) => {
        const block = blocks[k]
        block.fill(tensor, from, to)
        kernel.hashBlock(block.columns, order, to - from, keys.hash, block.hashes)
        for (const { source, number } of group)
          kernel.placeRecords(
            layout.views[number].descriptor,
            block.columns,
            block.hashes,
            block.values,
            block.weights,
            to - from,
            layout.views[number].firstSegments,
            keys.modes[source.mode],
            keys.probe,
            source.below ?? EVERYWHERE,
            borders[number][k],
            borders[number][k + 1],
            valueScale,
            source.meanWeight ?? 1,
          )
      })
      return true
    })
}

/**
 * Sorts the segments of a view that the kernels leave out, because they are longer than chance would make them: the same
 * coordinates were given many times.
 */
export function sortOverlongSegments(
  memory: WebAssembly.Memory,
  view: ViewLayout,
  { tensor, mode }: ViewSource,
  keys: OrderKeys,
  most: number,
): void {
  const order = tensor.dims.length
  const chunks = new Uint32Array(memory.buffer, view.chunks, (view.chunkCount * CHUNK_BYTES) / 4)
  const recordStart = new Uint32Array(memory.buffer, view.recordStart, view.segments + 1)
  const first = new Uint32Array(memory.buffer, view.firstSegments, tensor.dims[mode] + 1)
  for (let at = 0; at < chunks.length; at += CHUNK_BYTES / 4) {
    const [row, endRow, segment] = [chunks[at], chunks[at + 1], chunks[at + 2]]
    const [begin, end] = [recordStart[segment], recordStart[segment + 1]]
    if (endRow !== 0 || end - begin <= most) continue
    const { words } = view
    const records = new Uint32Array(memory.buffer, view.records + 4 * words * begin, words * (end - begin))
    records.set(inOrder(records, { order, words, mode, row, segments: first[row + 1] - first[row] }, keys))
  }
}
