/**
 * Tables of rows and segments for the device, made of the views that the CPU engine has built. Rows and
 * segments of all modes are numbered consecutively. The segments and records of a view's partitions follow
 * one another.
 */
import type { LoadedView, LoadedViews } from '../cpu/index.ts'

/** The records of a view in one partition of the CPU engine. */
export interface Piece {
  /** The number in the view of its first record. */
  first: number
  /** (records × words of a record) */
  words: Uint32Array
}

/** A view (the entries ordered by the rows of a mode): its segments and records. */
export interface ViewTable {
  /**
   * (segments × 4) Per segment its first record, entries, row (counted over all modes), row within its mode.
   */
  segments: Uint32Array
  entries: number
  /** 32-bit words of a record. */
  words: number
  /** The records, partition by partition. */
  pieces: Piece[]
}

/** The view of the training entries by one mode. */
export interface ModeTable extends ViewTable {
  /** The mode's first row, counted over all modes. */
  firstRow: number
  rows: number
  /** The mode's first segment, counted over all modes. */
  firstSegment: number
  /** The number of rows with entries. */
  observed: number
  /** The rows that have several segments, counted over all modes. */
  longRows: number[]
}

/** All views of a problem. */
export interface Tables {
  modes: ModeTable[]
  /** Views by the first mode of the sets that are not the training entries. */
  sets: Map<string, ViewTable>
  /** (rows of all modes × 4) Per row its first segment (counted over all modes), segments, entries, mode. */
  rows: Uint32Array
  totalSegments: number
  /** The fewest sampled entries for which another segment of a row is visited. */
  leastWindow: number
}

/**
 * Makes the tables of a problem; they refer to the records in the CPU engine's memory, without copying them.
 * @param loaded the views that the CPU engine has built, with unpacked records
 * @param dims rows of each mode
 */
export function tablesOf(loaded: LoadedViews, dims: readonly number[]): Tables {
  const totalRows = dims.reduce((sum, dim) => sum + dim, 0)
  const rows = new Uint32Array(4 * totalRows)
  const modes: ModeTable[] = []
  let [firstRow, firstSegment] = [0, 0]
  for (const [mode, dim] of dims.entries()) {
    const { firstSegments, rowLengths } = loaded.views[mode]
    const view = viewTable(loaded.views[mode], firstRow)
    const longRows: number[] = []
    let observed = 0
    for (let p = 0; p < dim; p++) {
      const count = firstSegments[p + 1] - firstSegments[p]
      const at = 4 * (firstRow + p)
      rows[at] = firstSegment + firstSegments[p]
      rows[at + 1] = count
      rows[at + 2] = rowLengths[p]
      rows[at + 3] = mode
      if (count > 1) longRows.push(firstRow + p)
      if (rowLengths[p] > 0) observed++
    }
    modes.push({ ...view, firstRow, rows: dim, firstSegment, observed, longRows })
    firstRow += dim
    firstSegment += view.segments.length / 4
  }
  const sets = new Map<string, ViewTable>()
  for (const [name, v] of loaded.viewOf) if (v >= dims.length) sets.set(name, viewTable(loaded.views[v], 0))
  return { modes, sets, rows, totalSegments: firstSegment, leastWindow: Math.max(1, loaded.leastWindow) }
}

/** Makes the table of one view. @param firstRow the number of the mode's first row over all modes */
function viewTable({ firstSegments, words, partitions }: LoadedView, firstRow: number): ViewTable {
  const rows = firstSegments.length - 1
  const segments = new Uint32Array(4 * firstSegments[rows])
  const pieces: Piece[] = []
  let [at, entries] = [0, 0]
  for (const { recordStart, records } of partitions) {
    for (let s = 0; s + 1 < recordStart.length; s++, at += 4) {
      segments[at] = entries + recordStart[s]
      segments[at + 1] = recordStart[s + 1] - recordStart[s]
    }
    if (records.length > 0) pieces.push({ first: entries, words: records })
    entries += records.length / words
  }
  for (let p = 0; p < rows; p++)
    for (let s = firstSegments[p]; s < firstSegments[p + 1]; s++) {
      segments[4 * s + 2] = firstRow + p
      segments[4 * s + 3] = p
    }
  return { segments, entries, words, pieces }
}
