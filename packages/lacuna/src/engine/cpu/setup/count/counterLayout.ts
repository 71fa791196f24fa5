/**
 * The memory in which entries are counted. Shared counters are slow: an atomic addition waits for all stores
 * before it, and cache lines move between cores. So each thread has its own counters, which later determine
 * where its records go. Threads share counters only where rows are so many that own counters would take much
 * memory, and collisions are rare.
 */
import { CONTROL_BYTES } from '../../../../kernels/solve/layout.ts'
import { areaAllocator, blockBytes } from '../../memory/areaSizes.ts'

/** Addresses in the memory of the counters. */
export interface CounterLayout {
  /** The control block, with the barrier of the threads. */
  control: number
  views: readonly CountedView[]
  /** Per thread, its block of entries. */
  blocks: readonly number[]
  byteLength: number
}

/** Addresses of the counters of a view. */
export interface CountedView {
  rows: number
  /** Common counters: entries of each row (P), first segment of each row (P + 1), entries of each segment. */
  lengths: number
  first: number
  segmentLengths: number
  segments: number
  /** Per thread, its own counters by row and by segment; empty if all threads share the common counters. */
  ownRows: readonly number[]
  ownSegments: readonly number[]
}

/** The most words of all threads' own counters, per entry of the view. */
const WORDS_PER_ENTRY = 1 / 4
/** Words of own counters that are never too many. */
const FEW_WORDS = 2 ** 16

/** Whether each thread has its own counters. A single thread needs none besides the common ones. */
export const hasOwnCounters = (threads: number, segments: number, entries: number): boolean =>
  threads > 1 && threads * segments <= Math.max(FEW_WORDS, WORDS_PER_ENTRY * entries)

/**
 * Lays out the memory of the counters and of the threads' blocks.
 * @param views rows, entries, the most segments there can be, and whether entries have weights, of each view
 */
export function layOutCounters(
  views: readonly { rows: number; segments: number; entries: number; weighted: boolean }[],
  order: number,
  threads: number,
): CounterLayout {
  const weighted = views.some((view) => view.weighted)
  const { take, end } = areaAllocator()
  const control = take('threads', CONTROL_BYTES)
  const counted = views.map(({ rows, segments, entries }) => {
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
  return { control, views: counted, blocks, byteLength: end() }
}
