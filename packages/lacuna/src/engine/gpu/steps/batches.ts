/**
 * Divides views for the device. A **slice** is the records in one buffer: as many as a kernel may bind. A
 * **batch** is some whole rows whose sums fit into the buffer of sums, and whose work is not too long for one
 * dispatch.
 */
import { InputError } from '../../../base/inputError.ts'
import { formatBytes } from '../../../base/memory.ts'
import type { ModeTable, Tables, ViewTable } from '../tables.ts'

/** Consecutive numbers: the first, and one past the last. */
export type Range = readonly [number, number]

/** Consecutive segments of a view whose records lie in one buffer. */
export interface Slice {
  /** The numbers of its segments in the view. */
  segments: Range
  /** The numbers of its records in the view. */
  records: Range
}

/**
 * Divides a view into slices of at most `mostBytes`, each as long as possible. Throws an InputError if one
 * segment is longer than that.
 */
export function sliceRecords({ segments, words }: ViewTable, mostBytes: number): Slice[] {
  const most = Math.floor(mostBytes / (4 * words))
  const count = segments.length / 4
  const slices: Slice[] = []
  const startOf = (s: number): number => segments[4 * s]
  const endOf = (s: number): number => segments[4 * s] + segments[4 * s + 1]
  for (let first = 0; first < count; ) {
    let end = first + 1
    while (end < count && endOf(end) - startOf(first) <= most) end++
    const records: Range = [startOf(first), endOf(end - 1)]
    if (records[1] - records[0] > most)
      throw new InputError(
        'memory',
        `${records[1] - records[0]} entries that are sampled together take ${formatBytes(4 * words * (records[1] - records[0]))}, and this graphics card shows a program ${formatBytes(mostBytes)} at a time; use the CPU engine.`,
      )
    slices.push({ segments: [first, end], records })
    first = end
  }
  return slices
}

/** Whole rows of a mode that are summed and updated together. */
export interface Batch {
  /** The rows, counted over all modes. */
  rows: Range
  /** The segments of the rows, counted over all modes. */
  segments: Range
  /** The positions in ModeTable.longRows of those rows that have several segments. */
  long: Range
  /** The segments of the batch, counted over all modes, in each slice that has some. */
  pieces: { slice: number; segments: Range }[]
  /** Entries of the rows. */
  entries: number
}

/** Bytes that the buffer of sums takes at most, unless one row's sums take more. */
const MOST_SUM_BYTES = 2 ** 28
/** Quads (shape.ts) that one dispatch multiplies at most: some tenths of a second on a slow GPU. */
const MOST_WORK = 2 ** 29

/**
 * Divides the rows of every mode into batches whose sums fit into a buffer.
 * @param slices per mode, the slices of its view
 * @param quads of the sums of a segment
 * @param workPerEntry approximate multiplications of quads per entry
 * @param mostBytes bytes that a kernel may bind
 * @returns per mode, its batches; and the most segments of a batch
 */
export function batchModes(
  { modes, rows }: Pick<Tables, 'modes' | 'rows'>,
  slices: readonly (readonly Slice[])[],
  quads: number,
  workPerEntry: number,
  mostBytes: number,
): { batches: Batch[][]; segments: number } {
  const mostSegments = Math.floor(Math.min(MOST_SUM_BYTES, mostBytes) / (16 * quads))
  const batches = modes.map((mode, i) =>
    batchRows(mode, rows, slices[i], mostSegments, MOST_WORK / workPerEntry),
  )
  const segments = Math.max(...batches.flat().map(({ segments: [from, to] }) => to - from))
  return { batches, segments }
}

/**
 * Divides the rows of a mode into batches; a row that exceeds a limit is a batch of its own.
 * @param rows Tables.rows of all modes
 * @param mostSegments segments whose sums fit into the buffer of sums
 * @param mostEntries entries whose work is not too long for one dispatch
 */
export function batchRows(
  mode: ModeTable,
  rows: Uint32Array,
  slices: readonly Slice[],
  mostSegments: number,
  mostEntries: number,
): Batch[] {
  const batches: Batch[] = []
  const end = mode.firstRow + mode.rows
  let long = 0
  for (let first = mode.firstRow; first < end; ) {
    const firstSegment = rows[4 * first]
    let [to, segments, entries] = [first, 0, 0]
    const firstLong = long
    while (to < end) {
      const [count, length] = [rows[4 * to + 1], rows[4 * to + 2]]
      if (to > first && (segments + count > mostSegments || entries + length > mostEntries)) break
      segments += count
      entries += length
      if (count > 1) long++
      to++
    }
    const range: Range = [firstSegment, firstSegment + segments]
    batches.push({
      rows: [first, to],
      segments: range,
      long: [firstLong, long],
      pieces: piecesOf(range, slices, mode.firstSegment),
      entries,
    })
    first = to
  }
  return batches
}

/** The parts of a range of segments, counted over all modes, that lie in each slice of a mode's view. */
function piecesOf([from, to]: Range, slices: readonly Slice[], firstSegment: number): Batch['pieces'] {
  return slices.flatMap(({ segments }, slice) => {
    const begin = Math.max(from, firstSegment + segments[0])
    const end = Math.min(to, firstSegment + segments[1])
    return begin < end ? [{ slice, segments: [begin, end] as const }] : []
  })
}
