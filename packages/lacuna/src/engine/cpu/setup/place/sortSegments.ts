/**
 * The last pass of loading: sorts the records of each segment, so that the result does not depend on the
 * order of placing.
 */
import { CHUNK_BYTES } from '../../../../kernels/solve/layout.ts'
import { longestSegment } from '../../memory/areaSizes.ts'
import type { ViewLayout } from '../../memory/layout.ts'
import type { PlaceInput, ViewSource } from '../../threads/messages.ts'
import type { ThreadProblem } from '../../threads/threadProblem.ts'
import { type OrderKeys, sortRecords } from './order.ts'

/**
 * Sorts the records of a thread's segments in all views and partitions. Returns a number above 0 if training
 * entries among them have equal coordinates, or may have.
 */
export function sortSegments(
  { parts, thread, threads, segments }: ThreadProblem,
  { views, keys }: PlaceInput,
): number {
  const most = longestSegment(Math.max(...segments))
  let repeated = 0
  for (const { kernel, memory, layout } of parts)
    views.forEach((source, v) => {
      const view = layout.views[v]
      const modeKey = keys.modes[source.mode]
      const { descriptor } = view
      const scratch = layout.scratch[thread]
      let found = kernel.sortChunks(descriptor, keys.hash, modeKey, scratch, most, thread, threads)
      if (v % threads === thread) found += sortOverlongSegments(memory, view, source, keys, most)
      if (v === 0) repeated += found
    })
  return repeated
}

/**
 * Sorts the segments of long rows with more than `most` records, which the kernels leave out: chance does not
 * make them so long, so coordinates must be repeated many times. Returns the number of such segments.
 */
function sortOverlongSegments(
  memory: WebAssembly.Memory,
  view: ViewLayout,
  { tensor, mode }: ViewSource,
  keys: OrderKeys,
  most: number,
): number {
  let overlong = 0
  const chunks = new Uint32Array(memory.buffer, view.chunks, (view.chunkCount * CHUNK_BYTES) / 4)
  const recordStart = new Uint32Array(memory.buffer, view.recordStart, view.segments + 1)
  const first = new Uint32Array(memory.buffer, view.firstSegments, tensor.dims[mode] + 1)
  for (let at = 0; at < chunks.length; at += CHUNK_BYTES / 4) {
    const [row, endRow, segment] = [chunks[at], chunks[at + 1], chunks[at + 2]]
    const [begin, end] = [recordStart[segment], recordStart[segment + 1]]
    if (endRow !== 0 || end - begin <= most) continue
    const { words, packing } = view
    const records = new Uint32Array(memory.buffer, view.records + 4 * words * begin, words * (end - begin))
    records.set(
      sortRecords(records, { packing, words, mode, row, segments: first[row + 1] - first[row] }, keys),
    )
    overlong++
  }
  return overlong
}
