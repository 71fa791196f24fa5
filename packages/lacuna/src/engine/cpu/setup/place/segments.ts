/**
 * Divides the entries of a mode. The entries of a row are one **segment**, or several of about equal size if
 * there are many: a hash of its coordinates assigns an entry to one of them. A **chunk** is some whole rows
 * or one segment of a long row, with about equally many entries: threads take chunks, and partitions own
 * them.
 * | Everything follows from the rows' lengths and the rank. Sums are made over segments, and added in an
 * order that depends on the row alone; so the result depends neither on threads and partitions nor on the
 * order of the input.
 */
import { CHUNK_BYTES } from '../../../../kernels/solve/layout.ts'

/** The cost of a row besides its entries (power method, update), in entries. */
const ROW_COST = 8
/**
 * The number of chunks at which 16 threads finish within a few percent of each other, unless the tensor is
 * tiny.
 */
const CHUNKS_WANTED = 256
/** The least S in entries: smaller segments are not worth their sums. */
const SMALLEST_SEGMENT = 128
/**
 * The largest S in entries up to R = 64. The sums over a segment hold an R × R matrix: segments are longer at
 * larger ranks, so that adding them stays cheap.
 */
const LARGEST_SEGMENT = 4096
/** About the most segments of a large tensor: error sums per chunk go to every process. */
const MOST_SEGMENTS = 2 ** 18

/**
 * S, the most entries of a row that is one segment.
 * @param entries number of entries of the set
 * @param padded the padded rank
 */
export function segmentSize(entries: number, padded: number): number {
  const most = Math.max(LARGEST_SEGMENT * Math.max(1, padded / 64), entries / MOST_SEGMENTS)
  return Math.ceil(Math.min(most, Math.max(SMALLEST_SEGMENT, entries / CHUNKS_WANTED)))
}

/**
 * The fewest sampled entries for which another segment of a row is visited: fewer are not worth the sums. A
 * window may have almost twice as many, and every segment has that many.
 * @param segment S
 */
export const leastWindow = (segment: number): number => segment >>> 4

/**
 * The number of segments of a row with `length` entries; 1 if it has none.
 * @param segment S
 */
export const segmentsOfRow = (length: number, segment: number): number =>
  length <= segment ? 1 : Math.floor((length - 1) / segment) + 1

/**
 * Writes the number of each row's first segment, and at the end that of all segments.
 * @param segment S
 * @param into (P + 1); it is also returned
 */
export function writeFirstSegments(lengths: Uint32Array, segment: number, into: Uint32Array): Uint32Array {
  let count = 0
  for (let p = 0; p < lengths.length; p++) {
    into[p] = count
    count += lengths[p] <= segment ? 1 : segmentsOfRow(lengths[p], segment)
  }
  into[lengths.length] = count
  return into
}

/**
 * The chunks of a view in all partitions, three words each: row, end row (0 marks a segment of the row),
 * index of the segment.
 */
export interface Chunks {
  words: Uint32Array
  count: number
  /**
   * (count + 1) The approximate number of entries before each chunk: segments of a row count as equally long.
   */
  entriesBefore: Float64Array
}

/**
 * Divides the rows of a view into chunks: each segment of a long row is one, and consecutive other rows are
 * joined up to about S entries.
 * @param lengths entries of each row
 * @param segment S
 */
export function makeChunks(lengths: Uint32Array, segment: number): Chunks {
  let words = new Uint32Array(3 * 1024)
  let entriesBefore = new Float64Array(1025)
  let count = 0
  let entries = 0
  let cost = 0
  let firstRow = 0 // of the whole rows that are not in a chunk yet
  let pending = 0 // entries in these

  /** Appends a chunk of about `size` entries. */
  function add(row: number, endRow: number, index: number, size: number): void {
    if (3 * count + 3 > words.length) {
      words = copyInto(words, new Uint32Array(2 * words.length))
      entriesBefore = copyInto(entriesBefore, new Float64Array(2 * entriesBefore.length))
    }
    words[3 * count] = row
    words[3 * count + 1] = endRow
    words[3 * count + 2] = index
    entriesBefore[count++] = entries
    entries += size
    entriesBefore[count] = entries
  }

  /** Appends the pending whole rows before row `end`, if any, as a chunk. */
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
  return { words, count, entriesBefore }
}

/** Copies `from` to the begin of `to`, and returns `to`. */
function copyInto<A extends Uint32Array | Float64Array>(from: A, to: A): A {
  to.set(from)
  return to
}

/** The chunks, segments and entries of a view that a partition owns. */
export interface ViewSlice {
  firstChunk: number
  endChunk: number
  firstSegment: number
  endSegment: number
  entries: number
  /** The number of segments of long rows in the slice: each has partial sums. */
  longSegments: number
  /**
   * The first row with a segment here and the index of that segment in the row, the last row and one past its
   * last segment here, and the entries of the first row in earlier partitions: VIEW_FIRST_ROW … VIEW_EARLIER.
   */
  firstRow: number
  firstIndex: number
  lastRow: number
  endIndex: number
  earlier: number
}

/**
 * Assigns the chunks of a view to partitions, in order and with about equally many entries; a partition may
 * have none.
 * @param parts number of partitions
 * @param first the first segment of each row (P + 1)
 * @param segmentLengths entries of each segment
 */
export function assignChunks(
  chunks: Chunks,
  parts: number,
  first: Uint32Array,
  segmentLengths: Uint32Array,
): ViewSlice[] {
  const { words, count, entriesBefore } = chunks
  const total = entriesBefore[count]
  const borders = Array.from({ length: parts + 1 }, (_, k) =>
    k === parts ? count : firstAtLeast(entriesBefore, count, (total * k) / parts),
  )
  /** The number of a chunk's first segment; that of all segments after the last chunk. */
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

/** The index of the first of `count` ascending numbers that is at least `wanted`; `count` if none is. */
function firstAtLeast(sorted: Float64Array, count: number, wanted: number): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle] < wanted) low = middle + 1
    else high = middle
  }
  return low
}

/** The sum of the numbers from … to. */
function sum(numbers: Uint32Array, from: number, to: number): number {
  let total = 0
  for (let i = from; i < to; i++) total += numbers[i]
  return total
}

/**
 * Writes the chunks of a slice in the format of the kernels (CHUNK_… of kernels/solve/layout.ts).
 * @param first the first segment of each row (P + 1)
 * @param into (chunks of the slice × CHUNK_BYTES)
 */
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

/** A row with segments in several partitions. */
export interface SharedRow {
  row: number
  /**
   * The first of these partitions.
   */
  firstPart: number
  /**
   * The index in the row of the first segment of this and each following partition, then the row's segments.
   */
  bounds: number[]
}

/**
 * Finds the rows of a view with segments in several partitions, ascending.
 * @param slices per partition, its slice of the view
 * @param first the first segment of each row (P + 1)
 */
export function findSharedRows(slices: readonly ViewSlice[], first: Uint32Array): SharedRow[] {
  const rows: SharedRow[] = []
  slices.forEach((slice, k) => {
    if (slice.firstChunk === slice.endChunk || slice.firstIndex === 0) return
    const { firstRow: row, firstIndex } = slice
    let shared = rows.find((other) => other.row === row)
    if (!shared) {
      // The row begins in the last partition before this one that has segments of it.
      const before = slices.findLastIndex((other, o) => o < k && other.lastRow === row)
      shared = { row, firstPart: before, bounds: [0] }
      rows.push(shared)
    }
    // Partitions without chunks in between have no segments of it.
    while (shared.firstPart + shared.bounds.length < k) shared.bounds.push(firstIndex)
    shared.bounds.push(firstIndex)
  })
  for (const { row, bounds } of rows) bounds.push(first[row + 1] - first[row])
  return rows
}
