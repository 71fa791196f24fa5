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
}

/**
 * Divides the rows of a view into segments and bins, and enqueues the count of its entries by bin, which
 * `readBins` reads.
 * @param lengths entries of each row
 */
export async function divideRows(
  work: SetUpWork,
  view: PlannedView,
  lengths: Uint32Array,
): Promise<DividedView> {
  const { padded, dims } = work.entries
  const { source } = view
  const rows = lengths.length
  const entries = lengths.reduce((sum, length) => sum + length, 0)
  const segment = segmentSize(entries, padded)
  const firstSegments = writeFirstSegments(lengths, segment, new Uint32Array(rows + 1))
  const firstBins = new Uint32Array(rows + 1)
  for (let p = 0; p < rows; p++)
    firstBins[p + 1] = firstBins[p] + binsOfRow(lengths[p], firstSegments[p + 1] - firstSegments[p])
  const bins = firstBins[rows]
  const divided: DividedView = {
    ...view,
    lengths,
    segment,
    firstSegments,
    firstBins,
    starts: new Uint32Array(bins + 1),
    words: wordsOfRecord(dims, source.tensor),
    firstBinsBuffer: await work.upload(firstBins),
    counts: bins > rows ? await work.create(4 * bins) : undefined,
  }
  if (divided.counts) {
    const buffers = [source.counters, divided.firstBinsBuffer, divided.counts]
    await work.addForEntries(
      work.kernels.countBins,
      source,
      source.chunks,
      buffers,
      wordsOfView(work, divided),
    )
  }
  return divided
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
    const { starts, lengths } = view
    const counts = view.counts ? new Uint32Array(read[counted.indexOf(view)].buffer) : lengths
    for (let bin = 0; bin + 1 < starts.length; bin++) starts[bin + 1] = starts[bin] + counts[bin]
  }
}

/** Room for the records of a slice before they are sorted. */
export interface PlacingRoom {
  /** The records. */
  placed: GPUBuffer
  /** Beside each record its position in its segment. */
  positions: GPUBuffer
  /** A word that is set if coordinates are repeated. */
  repeated: GPUBuffer
}

/**
 * Places and sorts the records of a view.
 * @param own registers a buffer that stays
 * @param room for the largest slice of all views; it is used again for the next view
 */
export async function placeView(
  work: SetUpWork,
  view: DividedView,
  table: ViewTable,
  valueScale: number,
  room: PlacingRoom,
  own: (buffer: GPUBuffer) => GPUBuffer,
): Promise<ViewSlices> {
  const { source, words, firstBinsBuffer } = view
  const { device, kernels } = work
  const { placed, positions, repeated } = room
  const order = source.tensor.dims.length
  const slices: ViewSlices = []
  for (const slice of sliceRecords(table, device.maxBindingBytes)) {
    const [from, to] = slice.records
    const bins = binsOfSlice(view, table, slice)
    const starts = view.starts.slice(bins[0], bins[1] + 1)
    for (let bin = 0; bin < starts.length; bin++) starts[bin] -= from
    const buffer = await device.watch(() => own(device.createStorage(4 * words * (to - from))))
    const [next, startsBuffer] = [await work.upload(starts), await work.upload(starts)]
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
      [startsBuffer, positions, placed, buffer, repeated],
      { order, words, count, findsRepeated: view.name === 'train' },
      count,
      WORK_PER_ENTRY * (to - from),
    )
    await sortLongBins(work, view, table, { ...slice, buffer }, starts, bins[0], room)
    slices.push({ ...slice, buffer })
  }
  return slices
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
 * @param starts per bin of the slice its first record in the slice, and their number
 * @param firstBin the number of the slice's first bin in the view
 */
async function sortLongBins(
  { device, queue, entries }: SetUpWork,
  { mode, words, firstBins, firstSegments, name }: DividedView,
  { segments }: ViewTable,
  slice: Slice & { buffer: GPUBuffer },
  starts: Uint32Array,
  firstBin: number,
  { placed, repeated }: PlacingRoom,
): Promise<void> {
  const isLong = (_: number, bin: number): boolean => starts[bin + 1] - starts[bin] > LONGEST_BIN
  if (!starts.some(isLong)) return
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
      if (!isLong(0, bin)) continue
      const own = records.subarray(words * starts[bin], words * starts[bin + 1])
      const sorted = sortRecords(own, { packing, words, mode, row, segments: count }, entries.keys)
      await device.uploader.write(slice.buffer, 4 * words * starts[bin], sorted)
    }
  }
  if (name === 'train') await device.uploader.write(repeated, 0, Uint32Array.of(1))
}
