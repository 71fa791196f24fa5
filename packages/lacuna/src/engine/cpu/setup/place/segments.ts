/**
 * How the entries of a mode are cut. A row's entries are one **segment**, or several of about equal size where they are
 * many: which one an entry belongs to is decided by a hash of its coordinates. A **chunk** is some whole rows or one
 * segment of a long row, about as many entries in each: threads take chunks, and parts own them.
 *
 * All of it follows from the rows' lengths and the rank. Sums are made over segments, and added in an order that depends
 * on the row alone; so the result does not depend on who did what, on how many parts there are, or on the order in which
 * the entries came.
 */
import { CHUNK_BYTES } from '../../../../kernels/solve/layout.ts'

/** A row costs something even if it has few entries: its power method and its update. In entries. */
const ROW_COST = 8
/** Enough chunks that 16 threads end within a few percent of each other, unless the tensor is tiny. */
const CHUNKS_WANTED = 256
const SMALLEST_SEGMENT = 128
/** Sums over a segment hold an R × R matrix: the larger the rank, the longer the segments, so that adding stays small. */
const LARGEST_SEGMENT = 4096
/** Of the largest tensors: errors are summed by chunk, and all of these sums go to everyone. */
const MOST_SEGMENTS = 2 ** 18

/** The most entries of a row that is one segment. */
export function segmentSize(entries: number, padded: number): number {
  const most = Math.max(LARGEST_SEGMENT * Math.max(1, padded / 64), entries / MOST_SEGMENTS)
  return Math.ceil(Math.min(most, Math.max(SMALLEST_SEGMENT, entries / CHUNKS_WANTED)))
}

/**
 * The fewest sampled entries for which another of a row's segments is visited: fewer are not worth the sums. A window may
 * have almost twice as many, which chance leaves in every segment.
 */
export const leastWindow = (segment: number): number => segment >>> 4

export const segmentsOfRow = (length: number, segment: number): number =>
  length <= segment ? 1 : Math.floor((length - 1) / segment) + 1

/** The number of each row's first segment, and at the end that of all segments. (P + 1) */
export function firstSegments(lengths: Uint32Array, segment: number, into: Uint32Array): Uint32Array {
  let count = 0
  for (let p = 0; p < lengths.length; p++) {
    into[p] = count
    count += lengths[p] <= segment ? 1 : segmentsOfRow(lengths[p], segment)
  }
  into[lengths.length] = count
  return into
}

/** The chunks of all parts, three words each: row, end row (0 marks a segment of the row), and which segment. */
export interface Chunks {
  words: Uint32Array
  count: number
  /** Entries before each chunk, about: segments of a row are taken to be equally long. (count + 1) */
  before: Float64Array
}

export function makeChunks(lengths: Uint32Array, segment: number): Chunks {
  let words = new Uint32Array(3 * 1024)
  let before = new Float64Array(1025)
  let count = 0
  let entries = 0
  let cost = 0
  let firstRow = 0 // of the whole rows that are not in a chunk yet
  let pending = 0 // entries in these

  function add(row: number, endRow: number, index: number, size: number): void {
    if (3 * count + 3 > words.length) {
      words = copyInto(words, new Uint32Array(2 * words.length))
      before = copyInto(before, new Float64Array(2 * before.length))
    }
    words[3 * count] = row
    words[3 * count + 1] = endRow
    words[3 * count + 2] = index
    before[count++] = entries
    entries += size
    before[count] = entries
  }

  function endWholeRows(end: number): void {
    if (end > firstRow) add(firstRow, end, 0, pending)
    firstRow = end
    cost = 0
    pending = 0
  }

  for (let p = 0; p < lengths.length; p++) {
    const length = lengths[p]
    if (length > segment) {
      endWholeRows(p)
      const segments = segmentsOfRow(length, segment)
      for (let index = 0; index < segments; index++) add(p, 0, index, length / segments)
      firstRow = p + 1
    } else if (length > 0) {
      if (cost > 0 && cost + length + ROW_COST > segment) endWholeRows(p)
      cost += length + ROW_COST
      pending += length
    }
  }
  endWholeRows(lengths.length)
  return { words, count, before }
}

function copyInto<A extends Uint32Array | Float64Array>(from: A, to: A): A {
  to.set(from)
  return to
}

/** The chunks, segments and entries that a part owns of a view. */
export interface ViewSlice {
  firstChunk: number
  endChunk: number
  firstSegment: number
  endSegment: number
  entries: number
  /** Segments of long rows among them: each has sums of its own. */
  longSegments: number
  /** See VIEW_FIRST_ROW … VIEW_EARLIER of kernels/solve/layout.ts. */
  firstRow: number
  firstIndex: number
  lastRow: number
  endIndex: number
  earlier: number
}

/**
 * Deals the chunks to parts, in order and about as many entries to each. lengths: of the rows; first: their first
 * segments; segmentLengths: of all segments.
 */
export function assignChunks(
  chunks: Chunks,
  parts: number,
  first: Uint32Array,
  segmentLengths: Uint32Array,
): ViewSlice[] {
  const { words, count, before } = chunks
  const total = before[count]
  const borders = Array.from({ length: parts + 1 }, (_, k) =>
    k === parts ? count : firstAtLeast(before, count, (total * k) / parts),
  )
  const segmentAt = (chunk: number): number =>
    chunk === count
      ? first[first.length - 1]
      : first[words[3 * chunk]] + (words[3 * chunk + 1] === 0 ? words[3 * chunk + 2] : 0)
  return Array.from({ length: parts }, (_, k) => {
    const [firstChunk, endChunk] = [borders[k], borders[k + 1]]
    const [firstSegment, endSegment] = [segmentAt(firstChunk), segmentAt(endChunk)]
    const slice: ViewSlice = {
      firstChunk,
      endChunk,
      firstSegment,
      endSegment,
      entries: sum(segmentLengths, firstSegment, endSegment),
      longSegments: 0,
      firstRow: first.length - 1, // none
      firstIndex: 0,
      lastRow: first.length - 1,
      endIndex: 0,
      earlier: 0,
    }
    for (let chunk = firstChunk; chunk < endChunk; chunk++)
      if (words[3 * chunk + 1] === 0) slice.longSegments++
    if (firstChunk === endChunk) return slice
    slice.firstRow = words[3 * firstChunk]
    slice.firstIndex = firstSegment - first[slice.firstRow]
    slice.earlier = sum(segmentLengths, first[slice.firstRow], firstSegment)
    const last = endChunk - 1
    slice.lastRow = words[3 * last + 1] === 0 ? words[3 * last] : words[3 * last + 1] - 1
    slice.endIndex = endSegment - first[slice.lastRow]
    return slice
  })
}

function firstAtLeast(sorted: Float64Array, count: number, wanted: number): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle] < wanted) low = middle + 1
    else high = middle
  }
  return low
}

function sum(numbers: Uint32Array, from: number, to: number): number {
  let total = 0
  for (let i = from; i < to; i++) total += numbers[i]
  return total
}

/** Writes a slice's chunks in the layout of the kernels. */
export function writeChunks(
  { words }: Chunks,
  slice: ViewSlice,
  first: Uint32Array,
  into: Uint32Array,
): void {
  let partial = 0
  for (let chunk = slice.firstChunk, at = 0; chunk < slice.endChunk; chunk++, at += CHUNK_BYTES / 4) {
    const [row, endRow, index] = [words[3 * chunk], words[3 * chunk + 1], words[3 * chunk + 2]]
    into[at] = row
    into[at + 1] = endRow
    into[at + 2] = first[row] + index - slice.firstSegment
    into[at + 3] = index
    into[at + 4] = endRow === 0 ? partial++ : 0
  }
}

/** A row of which several parts have segments. */
export interface SharedRow {
  row: number
  /** The first part that has segments of it, and for this and the following ones which is the first; then how many there are. */
  firstPart: number
  bounds: number[]
}

export function sharedRows(slices: readonly ViewSlice[], first: Uint32Array): SharedRow[] {
  const rows: SharedRow[] = []
  slices.forEach((slice, k) => {
    if (slice.firstChunk === slice.endChunk || slice.firstIndex === 0) return
    const { firstRow: row, firstIndex } = slice
    let shared = rows.find((other) => other.row === row)
    if (!shared) {
      // The part before it that is not empty has the row's beginning.
      const before = slices.findLastIndex((other, o) => o < k && other.lastRow === row)
      shared = { row, firstPart: before, bounds: [0] }
      rows.push(shared)
    }
    // Parts without chunks in between have none of its segments.
    while (shared.firstPart + shared.bounds.length < k) shared.bounds.push(firstIndex)
    shared.bounds.push(firstIndex)
  })
  for (const { row, bounds } of rows) bounds.push(first[row + 1] - first[row])
  return rows
}
