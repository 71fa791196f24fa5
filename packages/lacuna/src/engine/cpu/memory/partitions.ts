/** Lays out the partitions of a problem, and writes the descriptions that the kernels read. */
import * as at from '../../../kernels/solve/layout.ts'
import type { View } from '../setup/count/countViews.ts'
import {
  assignChunks,
  findSharedRows,
  leastWindow,
  type SharedRow,
  type ViewSlice,
  writeChunks,
} from '../setup/place/segments.ts'
import { instantiateKernel } from '../threads/kernel.ts'
import type { SharedRowPlan } from '../threads/messages.ts'
import { longestSegment, partialBytes, scratchBytes, sortScratchBytes } from './areaSizes.ts'
import {
  exchangeAddress,
  layOut,
  MOST_PARTITION_BYTES,
  type PartitionLayout,
  type PartitionMemory,
  type PartitionSize,
} from './layout.ts'
import { mostExchangedSums } from './plan.ts'

/**
 * Assigns the chunks of all views to the partitions of all processes, and lays these out. Writes the slices
 * and shared rows of each view. There are more partitions than planned if one would exceed 4 GiB.
 * @param planned partitions per process
 * @returns the layout of every partition, those of a process in a row
 */
export function layOutPartitions(
  views: View[],
  planned: number,
  processes: number,
  {
    rank,
    momentumFactors,
    zeros,
    posterior,
    strata,
    dims,
    threads,
  }: Pick<PartitionSize, 'rank' | 'momentumFactors' | 'zeros' | 'posterior' | 'strata' | 'dims' | 'threads'>,
): PartitionLayout[] {
  const order = dims.length
  for (let partsEach = planned; ; partsEach++) {
    const parts = processes * partsEach
    for (const view of views) {
      view.slices = assignChunks(view.chunks, parts, view.first, view.segmentLengths)
      view.shared = findSharedRows(view.slices, view.first)
    }
    const modes = views.slice(0, order)
    const longest = Math.max(
      2,
      ...modes.flatMap(({ shared }) => shared.map(({ bounds }) => bounds[bounds.length - 1])),
    )
    const layouts = Array.from({ length: parts }, (_, k) =>
      layOut({
        order,
        rank,
        threads,
        momentumFactors,
        zeros,
        posterior,
        strata,
        segment: Math.max(...views.map(({ segment }) => segment)),
        dims,
        views: views.map(({ name, source, slices, ownCounters }, v) => ({
          ownCounters,
          name,
          weighted: source.meanWeight !== undefined,
          entries: slices[k].entries,
          segments: slices[k].endSegment - slices[k].firstSegment,
          chunks: slices[k].endChunk - slices[k].firstChunk,
          hasErrors: v === 0 || v >= order,
        })),
        partials: Math.max(...modes.map(({ slices }) => slices[k].longSegments)),
        parts,
        sharedWords: modes.map(({ shared }) => shared.reduce((sum, row) => sum + tableWords(row), 0)),
        exchangedSums: modes.some(({ shared }) => shared.length > 0) ? mostExchangedSums(longest) : 0,
        isFirst: k % partsEach === 0,
      }),
    )
    if (layouts.every(({ byteLength }) => byteLength <= MOST_PARTITION_BYTES)) return layouts
  }
}

/** Throws if the kernels need more scratch than layout.ts gives them, or partial sums of another size. */
export function checkKernelLayout(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  { padded }: PartitionLayout,
  order: number,
): void {
  const kernel = instantiateKernel(module, memory)
  const isConsistent =
    kernel.sumBytesFor(order - 1) === partialBytes(padded, order - 1) &&
    kernel.scratchBytes(order) <= scratchBytes(padded, order) &&
    kernel.sortScratchBytes(longestSegment(100), order) <= sortScratchBytes(longestSegment(100), order)
  if (!isConsistent) throw new Error('The kernels and the layout of the memory disagree: build again.')
}

/**
 * The range of rows that only this partition has segments of; empty if there are none.
 * @param slice the partition's slice of a view
 * @param first the first segment of each row (P + 1)
 */
export function exclusiveRows(slice: ViewSlice, first: Uint32Array): { from: number; to: number } {
  if (slice.firstChunk === slice.endChunk) return { from: 0, to: 0 }
  const { firstRow, firstIndex, lastRow, endIndex } = slice
  const from = firstIndex > 0 ? firstRow + 1 : firstRow
  const to = endIndex < first[lastRow + 1] - first[lastRow] ? lastRow : lastRow + 1
  return { from, to: Math.max(from, to) }
}

/** Words of the table of a shared row: the number of partitions, their bounds and exchange addresses. */
const tableWords = ({ bounds }: SharedRow): number => 2 * bounds.length

/**
 * Plans the exchange of partial sums: which partitions have segments of each shared row, and where their sums
 * are.
 */
export function planSharedRows({ slices, shared }: View): SharedRowPlan[] {
  let table = 0
  return shared.map((row) => {
    const sharers: SharedRowPlan['parts'][number][] = []
    for (let p = 0; p + 1 < row.bounds.length; p++) {
      const part = row.firstPart + p
      const [begin, end] = [row.bounds[p], row.bounds[p + 1]]
      if (begin === end) continue
      // A partition's partial sums of long rows are in order: those of a row that begins elsewhere are its
      // first, those of one that ends elsewhere its last.
      const slots = p > 0 ? -begin : slices[part].longSegments - end
      sharers.push({ part, begin, end, slots, beginsHere: p === 0 })
    }
    const plan = { row: row.row, table: 4 * table, parts: sharers }
    table += tableWords(row)
    return plan
  })
}

/** Writes the tables of the shared rows of a mode (kernels/solve/rows/step.ts). */
export function writeSharedRowTables(
  { memory, layout }: PartitionMemory,
  rows: readonly SharedRowPlan[],
  shared: readonly SharedRow[],
  mode: number,
): void {
  rows.forEach(({ table }, i) => {
    const { bounds, firstPart } = shared[i]
    const words = new Uint32Array(memory.buffer, layout.modes[mode].sharedRows + table, tableWords(shared[i]))
    words[0] = bounds.length - 1
    bounds.forEach((bound, p) => {
      words[1 + 2 * p] = bound
      if (p + 1 < bounds.length) words[2 + 2 * p] = exchangeAddress(layout, firstPart + p)
    })
  })
}

/**
 * Writes the description of a partition's slice of a view (VIEW_… of kernels/solve/layout.ts), its chunks and
 * the starts of its segments.
 */
export function writeDescription(
  { memory, layout }: PartitionMemory,
  view: View,
  slice: ViewSlice,
  v: number,
  order: number,
): void {
  const target = layout.views[v]
  const mode = view.source.mode
  const words = new Uint32Array(memory.buffer)
  new Uint32Array(memory.buffer, target.rowLengths, view.lengths.length).set(view.lengths)
  writeChunks(
    view.chunks,
    slice,
    view.first,
    new Uint32Array(memory.buffer, target.chunks, (at.CHUNK_BYTES / 4) * target.chunkCount),
  )
  new Uint32Array(memory.buffer, target.firstSegments, view.first.length).set(view.first)
  // If threads share the counters of records, each segment's begin is first written to the entry after it:
  // see sharedCounters.
  const recordStart = new Uint32Array(memory.buffer, target.recordStart, target.segments + 1)
  const lag = target.next.length > 0 ? 0 : 1
  for (let s = lag; s < target.segments; s++)
    recordStart[s + 1] = recordStart[s] + view.segmentLengths[slice.firstSegment + s - lag]
  const fields: [number, number][] = [
    [at.VIEW_ORDER, order],
    [at.VIEW_MODE, mode],
    [at.VIEW_FACTOR, layout.modes[mode].factor],
    [at.VIEW_MOMENTUM_FACTOR, layout.modes[mode].momentumFactor],
    [at.VIEW_ROW_LENGTHS, target.rowLengths],
    [at.VIEW_RECORD_START, target.recordStart],
    [at.VIEW_RECORDS, target.records],
    [at.VIEW_CHUNKS, target.chunks],
    [at.VIEW_CHUNK_COUNT, target.chunkCount],
    [at.VIEW_SEGMENT, view.segment],
    [at.VIEW_WINDOW, leastWindow(view.segment)],
    [at.VIEW_FIRST_ROW, slice.firstRow],
    [at.VIEW_FIRST_INDEX, slice.firstIndex],
    [at.VIEW_LAST_ROW, slice.lastRow],
    [at.VIEW_END_INDEX, slice.endIndex],
    [at.VIEW_EARLIER, slice.earlier],
    [at.VIEW_PARTIALS, layout.partials],
    [at.VIEW_ARRIVALS, layout.arrivals],
    [at.VIEW_SCALE, layout.modes[mode].scale],
    [at.VIEW_MEAN, layout.modes[mode].mean],
    [at.VIEW_GRAM, layout.modes[mode].gram],
    [at.VIEW_MOMENTS, layout.modes[mode].moments],
    [at.VIEW_LEVERAGES, layout.modes[mode].leverages],
    [at.VIEW_ROW_SUMS, layout.modes[mode].rowSums],
    [at.VIEW_PRIOR, layout.modes[mode].prior],
    [at.VIEW_ROW_MEANS, layout.modes[mode].rowMeans],
    [at.VIEW_COUPLING_WEIGHTS, layout.modes[mode].couplingWeights],
    [at.VIEW_VARIANCES, layout.modes[mode].variances],
    [at.VIEW_SLOTS, layout.modes[mode].slots],
    [at.VIEW_STRIDE, 4 * target.words],
    [at.VIEW_VALUE, 4 * target.packing.words],
  ]
  for (const [field, value] of fields) words[(target.descriptor + field) / 4] = value
  // Tables of the other modes, each of `order` words.
  const tables = (target.descriptor + at.VIEW_OTHERS) / 4
  const others = layout.modes.filter((_, other) => other !== mode)
  for (const [o, { factor, moments, covariances, leverages, variances, groups }] of others.entries()) {
    words[tables + o] = factor
    words[tables + order + o] = covariances || moments
    words[tables + 2 * order + o] = leverages
    words[tables + 3 * order + o] = variances
    words[tables + 4 * order + o] = groups
    const { word, shift, mask } = target.packing.fields[o]
    words[tables + at.VIEW_FIELDS * order + o] = 4 * word
    words[tables + (at.VIEW_FIELDS + 1) * order + o] = shift
    words[tables + (at.VIEW_FIELDS + 2) * order + o] = mask
  }
}
