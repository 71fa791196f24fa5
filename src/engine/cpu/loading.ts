/**
 * How the threads build the views of a problem: they count the entries of every row, place each entry's record in its
 * segment, and sort the segments. Each thread takes a share of the entries, in any order; sorting makes the result the
 * same for all. While counting they check the entries, so that nobody need look at them again.
 */
import { CHUNK_BYTES } from '../../kernels/layout.ts'
import { below, mix } from '../../random.ts'
import { HASHED_AT_A_TIME, hashCoordinates } from '../../tensor/coordinateOrder.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import type { PartLayout, ViewLayout } from './layout.ts'
import type { Counted, Loading, Placing, SegmentCounting, ViewSource } from './messages.ts'
import { inOrder, type OrderKeys, placeOf } from './order.ts'

/** Where a mode has at most so many rows, a thread counts for itself: many threads would wait for few counters. */
const MOST_OWN_COUNTERS = 2 ** 16

/** Views of the same entries, which are read together. */
interface Group {
  tensor: SparseTensor
  views: { source: ViewSource; number: number }[]
}

function groupsOf(views: readonly ViewSource[]): Group[] {
  const groups: Group[] = []
  views.forEach((source, number) => {
    const group = groups.find(({ tensor }) => tensor === source.tensor)
    if (group) group.views.push({ source, number })
    else groups.push({ tensor: source.tensor, views: [{ source, number }] })
  })
  return groups
}

/** Calls `visit` with some thousand entries at a time of a thread's share. */
function eachBlock(
  { values }: SparseTensor,
  thread: number,
  threads: number,
  visit: (from: number, to: number) => void,
): void {
  const end = Math.floor((values.length * (thread + 1)) / threads)
  for (let from = Math.floor((values.length * thread) / threads); from < end; from += HASHED_AT_A_TIME)
    visit(from, Math.min(from + HASHED_AT_A_TIME, end))
}

export function countEntries({ views, keys, lengths }: Loading, thread: number, threads: number): Counted {
  const counted: Counted = { squares: 0, digest: [] }
  const hashes = new Uint32Array(HASHED_AT_A_TIME)
  for (const { tensor, views: group } of groupsOf(views)) {
    const { dims, indices, values } = tensor
    const bits = new Uint32Array(values.buffer, values.byteOffset, values.length)
    const counters = group.map(({ source, number }) =>
      threads === 1 || dims[source.mode] > MOST_OWN_COUNTERS
        ? lengths[number]
        : new Uint32Array(dims[source.mode]),
    )
    const digest = [0, 0]
    let squares = 0
    eachBlock(tensor, thread, threads, (from, to) => {
      if (counted.fault) return
      const fault = faultIn(tensor, from, to)
      if (fault) {
        counted.fault = { view: group[0].number, ...fault }
        return
      }
      hashCoordinates(indices, from, to, keys.hash, hashes)
      digestBlock(hashes, bits, from, to, digest)
      squares += sumOfSquares(values, from, to)
      group.forEach(({ source, number }, v) => {
        const column = indices[source.mode]
        if (source.below !== undefined)
          countBelow(column, hashes, from, to, keys.probe, source.below, lengths[number])
        else if (counters[v] === lengths[number] && threads > 1) countTogether(column, from, to, counters[v])
        else countAlone(column, from, to, counters[v])
      })
    })
    group.forEach(({ source, number }, v) => {
      if (source.below === undefined && counters[v] !== lengths[number])
        addCounts(counters[v], lengths[number])
    })
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
): { entry: number; mode?: number } | undefined {
  let found: { entry: number; mode?: number } | undefined
  for (let e = to - 1; e >= from; e--) if (!(Math.abs(values[e]) < Infinity)) found = { entry: e }
  indices.forEach((column, mode) => {
    const dim = dims[mode]
    for (let e = from; e < (found?.entry ?? to); e++)
      if (column[e] >= dim) {
        found = { entry: e, mode }
        break
      }
  })
  return found
}

function digestBlock(
  hashes: Uint32Array,
  bits: Uint32Array,
  from: number,
  to: number,
  digest: number[],
): void {
  let [first, second] = digest
  for (let e = from; e < to; e++) {
    const hash = hashes[e - from]
    first = (first + mix(hash ^ bits[e])) | 0
    second = (second + mix((hash + Math.imul(bits[e], 0x9e3779b1)) | 0)) | 0
  }
  digest[0] = first
  digest[1] = second
}

function sumOfSquares(values: Float32Array, from: number, to: number): number {
  let squares = 0
  for (let e = from; e < to; e++) squares += values[e] * values[e]
  return squares
}

function countAlone(column: Uint32Array, from: number, to: number, lengths: Uint32Array): void {
  for (let e = from; e < to; e++) lengths[column[e]]++
}

function countTogether(column: Uint32Array, from: number, to: number, lengths: Uint32Array): void {
  for (let e = from; e < to; e++) Atomics.add(lengths, column[e], 1)
}

function countBelow(
  column: Uint32Array,
  hashes: Uint32Array,
  from: number,
  to: number,
  key: number,
  limit: number,
  lengths: Uint32Array,
): void {
  for (let e = from; e < to; e++)
    if (placeOf(hashes[e - from], key) < limit) Atomics.add(lengths, column[e], 1)
}

function addCounts(counts: Uint32Array, lengths: Uint32Array): void {
  for (let p = 0; p < counts.length; p++) if (counts[p] > 0) Atomics.add(lengths, p, counts[p])
}

/** Counts the entries of each segment of the rows that have several. */
export function countSegments(
  { views, keys, first, segmentLengths }: SegmentCounting,
  thread: number,
  threads: number,
): void {
  const hashes = new Uint32Array(HASHED_AT_A_TIME)
  for (const { tensor, views: group } of groupsOf(views)) {
    const long = group.filter(({ number }) => segmentLengths[number].length > 0)
    if (long.length === 0) continue
    eachBlock(tensor, thread, threads, (from, to) => {
      hashCoordinates(tensor.indices, from, to, keys.hash, hashes)
      for (const { source, number } of long) {
        const column = tensor.indices[source.mode]
        const starts = first[number]
        const counts = segmentLengths[number]
        const modeKey = keys.modes[source.mode]
        const limit = source.below ?? Infinity
        for (let e = from; e < to; e++) {
          const hash = hashes[e - from]
          const start = starts[column[e]]
          const segments = starts[column[e] + 1] - start
          if (segments > 1 && (limit === Infinity || placeOf(hash, keys.probe) < limit))
            Atomics.add(counts, start + below(placeOf(hash, modeKey), segments), 1)
        }
      }
    })
  }
}

/** The records of each part's views, by view. */
export type Records = readonly { words: Uint32Array; floats: Float32Array }[]

export function placeEntries(
  { views, keys, first, next, borders, valueScale }: Placing,
  records: readonly Records[],
  thread: number,
  threads: number,
): void {
  const hashes = new Uint32Array(HASHED_AT_A_TIME)
  const segment = new Uint32Array(HASHED_AT_A_TIME)
  const slot = new Uint32Array(HASHED_AT_A_TIME)
  for (const { tensor, views: group } of groupsOf(views)) {
    const { indices, values } = tensor
    const order = indices.length
    eachBlock(tensor, thread, threads, (from, to) => {
      const count = to - from
      hashCoordinates(indices, from, to, keys.hash, hashes)
      for (const { source, number } of group) {
        findSegments(
          indices[source.mode],
          hashes,
          from,
          count,
          first[number],
          keys.modes[source.mode],
          segment,
        )
        if (source.below !== undefined) leaveOut(hashes, count, keys.probe, source.below, segment)
        for (let k = 0; k < records.length; k++) {
          // A segment's record is placed by the part that owns it.
          const [begin, end] = [borders[number][k], borders[number][k + 1]]
          for (let e = 0; e < count; e++) {
            const s = segment[e]
            slot[e] = s >= begin && s < end ? Atomics.add(next[number], s, 1) * order : NONE
          }
          const { words, floats } = records[k][number]
          let word = 0
          for (let mode = 0; mode < order; mode++)
            if (mode !== source.mode) putIndices(indices[mode], from, count, slot, word++, words)
          putValues(values, from, count, slot, word, valueScale, floats)
        }
      }
    })
  }
}

const NONE = 2 ** 32 - 1

function findSegments(
  column: Uint32Array,
  hashes: Uint32Array,
  from: number,
  count: number,
  first: Uint32Array,
  modeKey: number,
  segment: Uint32Array,
): void {
  for (let e = 0; e < count; e++) {
    const row = column[from + e]
    const start = first[row]
    const segments = first[row + 1] - start
    segment[e] = segments === 1 ? start : start + below(placeOf(hashes[e], modeKey), segments)
  }
}

function leaveOut(
  hashes: Uint32Array,
  count: number,
  key: number,
  limit: number,
  segment: Uint32Array,
): void {
  for (let e = 0; e < count; e++) if (placeOf(hashes[e], key) >= limit) segment[e] = NONE
}

function putIndices(
  column: Uint32Array,
  from: number,
  count: number,
  slot: Uint32Array,
  word: number,
  words: Uint32Array,
): void {
  for (let e = 0; e < count; e++) if (slot[e] !== NONE) words[slot[e] + word] = column[from + e]
}

function putValues(
  values: Float32Array,
  from: number,
  count: number,
  slot: Uint32Array,
  word: number,
  scale: number,
  floats: Float32Array,
): void {
  for (let e = 0; e < count; e++) if (slot[e] !== NONE) floats[slot[e] + word] = values[from + e] * scale
}

export function recordsOf(memory: WebAssembly.Memory, { views }: PartLayout, order: number): Records {
  return views.map(({ records, entries }) => ({
    words: new Uint32Array(memory.buffer, records, order * entries),
    floats: new Float32Array(memory.buffer, records, order * entries),
  }))
}

/**
 * Sorts the segments of a view that the kernels leave out, because they are longer than chance would make them: the same
 * coordinates were given many times.
 */
export function sortOverlongSegments(
  memory: WebAssembly.Memory,
  view: ViewLayout,
  { tensor, mode }: ViewSource,
  first: Uint32Array,
  keys: OrderKeys,
  most: number,
): void {
  const order = tensor.dims.length
  const chunks = new Uint32Array(memory.buffer, view.chunks, (view.chunkCount * CHUNK_BYTES) / 4)
  const recordStart = new Uint32Array(memory.buffer, view.recordStart, view.segments + 1)
  for (let at = 0; at < chunks.length; at += CHUNK_BYTES / 4) {
    const [row, endRow, segment] = [chunks[at], chunks[at + 1], chunks[at + 2]]
    const [begin, end] = [recordStart[segment], recordStart[segment + 1]]
    if (endRow !== 0 || end - begin <= most) continue
    const records = new Uint32Array(memory.buffer, view.records + 4 * order * begin, order * (end - begin))
    records.set(inOrder(records, { order, mode, row, segments: first[row + 1] - first[row] }, keys))
  }
}
