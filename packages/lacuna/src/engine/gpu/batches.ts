/**
 * How a view is cut for the device. **Slices** are what lies in one buffer: as many records as a kernel may see at once.
 * **Batches** are whole rows whose sums fit in the buffer for sums, and whose work is not too long for one dispatch.
 */
import { InputError } from '../../base/inputError.ts'
import { formatBytes } from '../../base/memory.ts'
import type { ModeTable, ViewTable } from './tables.ts'

/** From … to. */
export type Range = readonly [number, number]

export interface Slice {
  /** The numbers of its segments and records in the view. */
  segments: Range
  records: Range
}

/** A buffer is no larger than this, whatever the device allows: it is filled through memory that others need, too. */
const LARGEST_SLICE = 2 ** 30

export function sliceRecords({ segments, words }: ViewTable, mostBytes: number): Slice[] {
  const most = Math.floor(Math.min(mostBytes, LARGEST_SLICE) / (4 * words))
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

export interface Batch {
  /** Of all modes' rows and segments. */
  rows: Range
  segments: Range
  /** Of the mode's long rows. */
  long: Range
  /** Per slice that has some of them, its number and segments. */
  pieces: { slice: number; segments: Range }[]
  entries: number
}

/** rows: the table of all modes'. */
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

function piecesOf([from, to]: Range, slices: readonly Slice[], firstSegment: number): Batch['pieces'] {
  return slices.flatMap(({ segments }, slice) => {
    const begin = Math.max(from, firstSegment + segments[0])
    const end = Math.min(to, firstSegment + segments[1])
    return begin < end ? [{ slice, segments: [begin, end] as const }] : []
  })
}
