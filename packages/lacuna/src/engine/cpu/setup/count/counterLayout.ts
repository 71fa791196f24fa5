/**
 * Where things lie in the memory in which entries are counted. Threads that count in the same place wait for one another:
 * an atomic addition holds up all stores before it, and a cache line goes from core to core. So each has counters of its own,
 * which tell afterwards where its own records go; only where rows are so many that this would take much memory, and so many
 * that threads hardly meet, they share.
 */
import { CONTROL_BYTES } from '../../../../kernels/solve/layout.ts'
import { areas, blockBytes } from '../../memory/layout.ts'

export interface CounterLayout {
  /** Where the threads meet. */
  control: number
  views: readonly CountedView[]
  /** Per thread. */
  blocks: readonly number[]
  byteLength: number
}

export interface CountedView {
  rows: number
  /** Entries of each row (P), the first segment of each (P + 1), and entries of each segment. */
  lengths: number
  first: number
  segmentLengths: number
  segments: number
  /** Per thread, counters of its own by row and by segment; none if all threads share the above. */
  ownRows: readonly number[]
  ownSegments: readonly number[]
}

/** Counters of all threads take at most so many words for each entry, or so many in all. */
const WORDS_PER_ENTRY = 1 / 4
const FEW_WORDS = 2 ** 16

/** Whether threads count and place for themselves. A thread that is alone does so anyway. */
export const hasOwnCounters = (threads: number, segments: number, entries: number): boolean =>
  threads > 1 && threads * segments <= Math.max(FEW_WORDS, WORDS_PER_ENTRY * entries)

/** views: rows, how many entries there are, and the most segments there can be. */
export function layOutCounters(
  views: readonly { rows: number; segments: number; entries: number; weighted: boolean }[],
  order: number,
  threads: number,
): CounterLayout {
  const weighted = views.some((view) => view.weighted)
  const { take, end } = areas()
  const control = take('threads', CONTROL_BYTES)
  const places = views.map(({ rows, segments, entries }) => {
    const own = hasOwnCounters(threads, segments, entries) ? threads : 0
    return {
      rows,
      lengths: take('counters', 4 * rows),
      first: take('counters', 4 * (rows + 1)),
      segmentLengths: take('counters', 4 * segments),
      segments,
      ownRows: Array.from({ length: own }, () => take('counters', 4 * rows)),
      ownSegments: Array.from({ length: own }, () => take('counters', 4 * segments)),
    }
  })
  const blocks = Array.from({ length: threads }, () => take('blocks', blockBytes(order, weighted)))
  return { control, views: places, blocks, byteLength: end() }
}
