/**
 * The views of a loaded problem, for an engine that computes elsewhere. The GPU engine copies them to its
 * device instead of counting, placing and sorting the entries again.
 */
import type { LoadedPartitions } from './setup/load.ts'
import { leastWindow } from './setup/place/segments.ts'

/** All views of a problem that was loaded with unpacked records. */
export interface LoadedViews {
  /** The training entries by mode 1 … N, then one view by the first mode of every other set. */
  views: readonly LoadedView[]
  /** The number of the view whose errors are those of a set, by the name of the set. */
  viewOf: ReadonlyMap<string, number>
  /** The fewest sampled entries for which another segment of a row is visited. */
  leastWindow: number
}

/** A view in the memories of its partitions: arrays over these memories, not copies. */
export interface LoadedView {
  /** (P + 1) The number of each row's first segment, and at the end that of all segments. */
  firstSegments: Uint32Array
  /** (P) Entries of each row. */
  rowLengths: Uint32Array
  /** Words of a record: the N − 1 other indices, the value, and the weight if the entries have weights. */
  words: number
  /** The segments of the view, in order: each partition continues where the one before it ends. */
  partitions: readonly {
    /**
     * (segments + 1) The number, in this partition, of the first record of each segment, and of all records.
     */
    recordStart: Uint32Array
    /** (entries × words) */
    records: Uint32Array
  }[]
}

/**
 * Returns arrays over the memories of a problem's views; nothing is copied.
 * @param loaded a problem that was loaded with unpacked records
 * @param dims rows of each mode
 */
export function viewsOf({ parts, viewOf, segments }: LoadedPartitions, dims: readonly number[]): LoadedViews {
  const [first] = parts
  const views = first.layout.views.map(({ firstSegments, rowLengths, words }, v): LoadedView => {
    const rows = dims[v < dims.length ? v : 0]
    return {
      firstSegments: new Uint32Array(first.memory.buffer, firstSegments, rows + 1),
      rowLengths: new Uint32Array(first.memory.buffer, rowLengths, rows),
      words,
      partitions: parts.map(({ memory, layout }) => {
        const view = layout.views[v]
        return {
          recordStart: new Uint32Array(memory.buffer, view.recordStart, view.segments + 1),
          records: new Uint32Array(memory.buffer, view.records, words * view.entries),
        }
      }),
    }
  })
  return { views, viewOf, leastWindow: leastWindow(segments[0]) }
}
