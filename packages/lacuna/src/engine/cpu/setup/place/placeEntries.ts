/**
 * The third pass over the entries: every thread writes the records of its range to their segments, in any
 * order.
 */

import type { ViewLayout } from '../../memory/layout.ts'
import type { PlaceInput } from '../../threads/messages.ts'
import type { ThreadPartition, ThreadProblem } from '../../threads/threadProblem.ts'
import { anyWeighted, Block, forEachBlock, groupByTensor, NO_LIMIT } from '../blocks.ts'

/** Writes the records of a thread's range of its process's entries to their segments, in all views and partitions. */
export function placeEntries({ parts, thread, threads, inProcess }: ThreadProblem, input: PlaceInput): void {
  const { views, keys, borders, valueScale } = input
  const order = views[0].tensor.dims.length
  const weighted = anyWeighted(views)
  const blocks = parts.map(
    ({ memory, layout }) => new Block(memory.buffer, layout.scratch[thread], order, weighted),
  )
  parts.forEach((part, k) => {
    views.forEach((_, v) => {
      if (part.layout.views[v].next.length > 0) startOwnCounters(part, input, v, k, thread)
    })
  })
  for (const { tensor, views: group } of groupByTensor(views))
    forEachBlock(tensor, inProcess, (from, to) => {
      parts.forEach(({ kernel, layout }, k) => {
        const block = blocks[k]
        block.fill(tensor, from, to)
        kernel.hashBlock(block.columns, order, to - from, keys.hash, block.hashes)
        for (const { source, number } of group) {
          const view = layout.views[number]
          kernel.placeRecords(
            view.descriptor,
            block.columns,
            block.hashes,
            block.values,
            block.weights,
            to - from,
            hasLongRows(input, number) ? view.firstSegments : 0,
            keys.modes[source.mode],
            keys.probe,
            source.below ?? NO_LIMIT,
            borders[number][k],
            borders[number][k + 1],
            valueScale,
            source.meanWeight ?? 1,
            view.next[thread] ?? sharedCounters(view),
            view.next.length === 0 && threads > 1 ? 1 : 0,
          )
        }
      })
      return true
    })
}

/**
 * The address of the shared counters of the next record of each segment. While records are placed, a
 * segment's begin is stored in the next entry of recordStart and grows to the segment's end with every
 * record, so that recordStart is right when all are placed.
 */
export const sharedCounters = ({ recordStart }: ViewLayout): number => recordStart + 4

/** Whether view v has rows of several segments: more segments than rows. */
const hasLongRows = ({ borders, views }: PlaceInput, v: number): boolean =>
  borders[v][borders[v].length - 1] > views[v].tensor.dims[views[v].mode]

/**
 * Writes the number of a thread's first record of each segment to its own counters, for view v of the
 * partition with index k: after the records of the threads before it.
 */
function startOwnCounters(
  { memory, layout }: ThreadPartition,
  input: PlaceInput,
  v: number,
  k: number,
  thread: number,
): void {
  const { recordStart, segments, next } = layout.views[v]
  const { counting, borders } = input
  const { ownRows, ownSegments } = counting!.layout.views[v]
  const counters = hasLongRows(input, v) ? ownSegments : ownRows
  const own = new Uint32Array(memory.buffer, next[thread], segments)
  own.set(new Uint32Array(memory.buffer, recordStart, segments))
  for (const address of counters.slice(0, thread)) {
    const counts = new Uint32Array(counting!.memory.buffer, address + 4 * borders[v][k], segments)
    for (let s = 0; s < segments; s++) own[s] += counts[s]
  }
}
