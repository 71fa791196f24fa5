/**
 * The views that the CPU engine has built, as the GPU wants them: the rows and segments of all modes one after the other,
 * and where the records lie. Parts lie one after the other, too: their segments and records are those of one view, in order.
 */
import type { LoadedView, LoadedViews } from '../cpu/index.ts'

/** Records of a view that lie together in the memory of a part. */
export interface Piece {
  /** The number of the first, in the view. */
  first: number
  words: Uint32Array
}

export interface ViewTable {
  /** Four words per segment: first record, entries, row (of all modes' rows), row within its mode. */
  segments: Uint32Array
  entries: number
  /** Words of a record. */
  words: number
  pieces: Piece[]
}

export interface ModeTable extends ViewTable {
  /** Of all modes' rows and segments, its first. */
  firstRow: number
  rows: number
  firstSegment: number
  /** How many rows have entries. */
  observed: number
  /** Rows (of all modes' rows) of several segments. */
  longRows: number[]
}

export interface Tables {
  modes: ModeTable[]
  /** Views by the first mode of the sets that are not the training entries. */
  sets: Map<string, ViewTable>
  /** Four words per row of all modes: first segment (of all modes' segments), segments, entries, mode. */
  rows: Uint32Array
  totalSegments: number
  leastWindow: number
}

/**
 * The tables of a problem.
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
