/** The passes that divide the rows of a view into bins, and place and sort the records of its entries there. */
import { segmentSize, sortRecords, writeFirstSegments } from '../../cpu/index.ts'
import { type Slice, sliceRecords } from '../steps/batches.ts'
import type { ViewRows, ViewTable } from '../tables.ts'
import { binsOfRow, LONGEST_BIN } from '../wgsl/setup.ts'
import type { PlannedView } from './countRows.ts'
import { type SetUpWork, WORK_PER_ENTRY, wordsOfRecord } from './setUpWork.ts'

/** The records of a view on the device, in slices. */
export type ViewSlices = (Slice & { buffer: GPUBuffer })[]

/** A view whose rows are divided into segments and bins. */
export interface DividedView extends PlannedView, ViewRows {
  /** S, the most entries of a row that is one segment. */
  segment: number
  /** (P + 1) firstBins on the device. */
  firstBinsBuffer: GPUBuffer
  /** (bins) On the device, the entries of each bin; undefined if every row is one bin. */
  counts: GPUBuffer | undefined
  /** Entries of the longest bin. */
  longestBin: number
}

/**
 * Divides the rows of views into segments and bins, and enqueues the counts of their entries by bin, which
 * `readBins` reads.
 * @param lengths per view, the entries of each row
 */
export async function divideRows(
  work: SetUpWork,
  views: readonly PlannedView[],
  lengths: readonly Uint32Array[],
): Promise<DividedView[]> {
  const rows = views.map((view, v) => rowsOf(work, view, lengths[v]))
  const hasCounts = ({ starts, lengths }: ViewRows): boolean => starts.length - 1 > lengths.length
  const buffers = await work.create(
    ...rows.flatMap((own) => [own.firstBins.byteLength, hasCounts(own) ? own.starts.byteLength : 0]),
  )
  const divided: DividedView[] = []
  for (const [v, view] of views.entries()) {
    const [firstBinsBuffer, counts] = [buffers[2 * v], hasCounts(rows[v]) ? buffers[2 * v + 1] : undefined]
    await work.write(firstBinsBuffer, rows[v].firstBins)
    const own = { ...view, ...rows[v], firstBinsBuffer, counts, longestBin: 0 }
    divided.push(own)
    const { source } = view
    if (counts)
      await work.addForEntries(
        work.kernels.countBins,
        source,
        source.chunks,
        [source.counters, firstBinsBuffer, counts],
        wordsOfView(work, own),
      )
  }
  return divided
}

/** The segments and bins of a view's rows; `starts` is not filled. @param lengths entries of each row */
function rowsOf(
  { entries: { padded, dims } }: SetUpWork,
  { source }: PlannedView,
  lengths: Uint32Array,
): ViewRows & { segment: number } {
  const rows = lengths.length
  let entries = 0
  for (let p = 0; p < rows; p++) entries += lengths[p]
  const segment = segmentSize(entries, padded)
  const firstSegments = writeFirstSegments(lengths, segment, new Uint32Array(rows + 1))
  const firstBins = new Uint32Array(rows + 1)
  for (let p = 0; p < rows; p++)
    firstBins[p + 1] = firstBins[p] + binsOfRow(lengths[p], firstSegments[p + 1] - firstSegments[p])
  const starts = new Uint32Array(firstBins[rows] + 1)
  return { lengths, segment, firstSegments, firstBins, starts, words: wordsOfRecord(dims, source.tensor) }
}

/** The parameters of a view in the passes over its entries. */
const wordsOfView = ({ entries }: SetUpWork, { mode, probeLimit, firstCounter, segment }: DividedView) => ({
  mode,
  modeKey: entries.keys.modes[mode],
  probeLimit,
  firstCounter,
  segment,
})

/** Reads the number of entries of each bin, and writes where its records start to `starts` of each view. */
export async function readBins(work: SetUpWork, views: readonly DividedView[]): Promise<void> {
  const counted = views.filter(({ counts }) => counts)
  work.queue.flush()
  const read =
    counted.length > 0
      ? await work.device.read(
          counted.map(({ counts, starts }) => ({ buffer: counts!, byteLength: 4 * (starts.length - 1) })),
        )
      : []
  for (const view of views) {
    const counts = view.counts ? new Uint32Array(read[counted.indexOf(view)].buffer) : view.lengths
    view.longestBin = addCounts(counts, view.starts)
  }
}

/** Writes the sums of the counts before each bin, and of all, to `starts`; returns the largest count. */
function addCounts(counts: Uint32Array, starts: Uint32Array): number {
  let [sum, most] = [0, 0]
  for (let bin = 0; bin + 1 < starts.length; bin++) {
    const count = counts[bin]
    starts[bin] = sum
    sum += count
    if (count > most) most = count
  }
  starts[starts.length - 1] = sum
  return most
}

/** A slice of a view, and the buffers with which it is placed. */
interface PlacedSlice {
  view: DividedView
  table: ViewTable
  slice: Slice & { buffer: GPUBuffer }
  /** The first bin of the slice, and one past its last. */
  bins: [number, number]
  /** Per bin of the slice its first record in the slice, and their number. */
  starts: Uint32Array
  /** `starts` on the device. */
  startsBuffer: GPUBuffer
  /** Per bin of the slice, on the device, where its next record is placed. */
  next: GPUBuffer
}

/** Room for the records of a slice before they are sorted; it is used for one slice after another. */
interface PlacingRoom {
  /** The records. */
  placed: GPUBuffer
  /** Beside each record its position in its segment. */
  positions: GPUBuffer
  /** A word that is set if coordinates are repeated. */
  repeated: GPUBuffer
}

/**
 * Places and sorts the records of views, in slices that a kernel can bind.
 * @param tables per view, its segments
 * @param own registers a buffer that stays
 * @returns the slices of each view, and a buffer whose word is set if coordinates are repeated
 */
export async function placeViews(
  work: SetUpWork,
  views: readonly DividedView[],
  tables: readonly ViewTable[],
  valueScale: number,
  own: (buffer: GPUBuffer) => GPUBuffer,
): Promise<{ slices: ViewSlices[]; repeated: GPUBuffer }> {
  const { device } = work
  const slices = views.map((_, v) => sliceRecords(tables[v], device.maxBindingBytes))
  const all = slices.flatMap((own, v) => own.map((slice) => ({ slice, view: views[v], table: tables[v] })))
  const recordsOf = ({ records: [from, to] }: Slice): number => to - from
  const bytesOf = ({ slice, view }: (typeof all)[number]): number => 4 * view.words * recordsOf(slice)
  const binsOf = all.map(({ slice, view, table }) => binsOfSlice(view, table, slice))
  const buffers = await device.watch(() => all.map((one) => own(device.createStorage(bytesOf(one)))))
  const [placed, positions, repeated, ...others] = await work.create(
    Math.max(...all.map(bytesOf)),
    Math.max(...all.map(({ slice }) => 4 * recordsOf(slice))),
    4,
    ...binsOf.flatMap(([first, end]) => [4 * (end - first + 1), 4 * (end - first + 1)]),
  )
  const found = views.map((): ViewSlices => [])
  for (const [i, { slice, view, table }] of all.entries()) {
    const bins = binsOf[i]
    const starts = view.starts.slice(bins[0], bins[1] + 1)
    for (let bin = 0; bin < starts.length; bin++) starts[bin] -= slice.records[0]
    const [startsBuffer, next] = [others[2 * i], others[2 * i + 1]]
    const withBuffer = { ...slice, buffer: buffers[i] }
    const placing = { view, table, slice: withBuffer, bins, starts, startsBuffer, next }
    await placeSlice(work, placing, valueScale, { placed, positions, repeated })
    found[views.indexOf(view)].push(withBuffer)
  }
  return { slices: found, repeated }
}

/** Places and sorts the records of a slice. */
async function placeSlice(
  work: SetUpWork,
  placing: PlacedSlice,
  valueScale: number,
  room: PlacingRoom,
): Promise<void> {
  const { view, slice, bins, starts, startsBuffer, next } = placing
  const { source, words, firstBinsBuffer } = view
  const { placed, positions, repeated } = room
  const { kernels } = work
  await work.write(startsBuffer, starts)
  work.copy(startsBuffer, next)
  await work.addForEntries(
    kernels.place,
    source,
    source.chunks,
    [source.counters, firstBinsBuffer, next, placed, positions],
    { ...wordsOfView(work, view), bins, scale: valueScale },
  )
  const count = bins[1] - bins[0]
  await work.add(
    kernels.sortBins,
    [startsBuffer, positions, placed, slice.buffer, repeated],
    { order: work.entries.dims.length, words, count, findsRepeated: view.name === 'train' },
    count,
    WORK_PER_ENTRY * (slice.records[1] - slice.records[0]),
  )
  await sortLongBins(work, placing, room)
}

/** The bins of a slice: its first one, and one past its last. */
function binsOfSlice(
  { firstBins, firstSegments, starts }: DividedView,
  table: ViewTable,
  { segments }: Slice,
): [number, number] {
  const binAt = (s: number): number => {
    if (4 * s === table.segments.length) return starts.length - 1
    const p = table.segments[4 * s + 3]
    const bins = (firstBins[p + 1] - firstBins[p]) / (firstSegments[p + 1] - firstSegments[p])
    return firstBins[p] + (s - firstSegments[p]) * bins
  }
  return [binAt(segments[0]), binAt(segments[1])]
}

/**
 * Sorts the bins that are too long for the device, in the memory of the process: chance does not make them
 * so long, so coordinates must be repeated many times.
 */
async function sortLongBins(
  { device, queue, entries }: SetUpWork,
  { view, table: { segments }, slice, starts, bins: [firstBin] }: PlacedSlice,
  { placed, repeated }: PlacingRoom,
): Promise<void> {
  const { mode, words, firstBins, firstSegments, name } = view
  if (view.longestBin <= LONGEST_BIN) return
  queue.flush()
  const [all] = await device.read([{ buffer: placed, byteLength: 4 * words * starts[starts.length - 1] }])
  const records = new Uint32Array(all.buffer)
  const { length: order } = entries.dims
  // Every index has a word of its own.
  const fields = Array.from({ length: order - 1 }, (_, word) => ({ word, shift: 0, mask: 2 ** 32 - 1 }))
  const packing = { fields, words: order - 1 }
  for (let s = slice.segments[0]; s < slice.segments[1]; s++) {
    const row = segments[4 * s + 3]
    const count = firstSegments[row + 1] - firstSegments[row]
    const bins = (firstBins[row + 1] - firstBins[row]) / count
    const first = firstBins[row] + (s - firstSegments[row]) * bins - firstBin
    for (let bin = first; bin < first + bins; bin++) {
      if (starts[bin + 1] - starts[bin] <= LONGEST_BIN) continue
      const own = records.subarray(words * starts[bin], words * starts[bin + 1])
      const sorted = sortRecords(own, { packing, words, mode, row, segments: count }, entries.keys)
      await device.uploader.write(slice.buffer, 4 * words * starts[bin], sorted)
    }
  }
  if (name === 'train') await device.uploader.write(repeated, 0, Uint32Array.of(1))
}
