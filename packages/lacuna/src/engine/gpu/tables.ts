/**
 * The views that the CPU engine has built, as the GPU wants them: the rows and segments of all modes one after the other,
 * and where the records lie. Parts lie one after the other, too: their segments and records are those of one view, in order.
 */
import { type CpuProblem, leastWindow } from '../cpu/index.ts'

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

export function tablesOf(problem: CpuProblem): Tables {
  const { viewOf } = problem.loaded
  const { dims } = problem.statistics
  const totalRows = dims.reduce((sum, dim) => sum + dim, 0)
  const rows = new Uint32Array(4 * totalRows)
  const modes: ModeTable[] = []
  let [firstRow, firstSegment] = [0, 0]
  for (const [mode, dim] of dims.entries()) {
    const view = readView(problem, mode, dim, firstRow)
    const longRows: number[] = []
    let observed = 0
    for (let p = 0; p < dim; p++) {
      const count = view.first[p + 1] - view.first[p]
      const at = 4 * (firstRow + p)
      rows[at] = firstSegment + view.first[p]
      rows[at + 1] = count
      rows[at + 2] = view.lengths[p]
      rows[at + 3] = mode
      if (count > 1) longRows.push(firstRow + p)
      if (view.lengths[p] > 0) observed++
    }
    modes.push({ ...view, firstRow, rows: dim, firstSegment, observed, longRows })
    firstRow += dim
    firstSegment += view.segments.length / 4
  }
  const sets = new Map<string, ViewTable>()
  for (const [name, v] of viewOf) if (v >= dims.length) sets.set(name, readView(problem, v, dims[0], 0))
  const segment = problem.loaded.segments[0]
  return { modes, sets, rows, totalSegments: firstSegment, leastWindow: Math.max(1, leastWindow(segment)) }
}

function readView(
  problem: CpuProblem,
  v: number,
  rows: number,
  firstRow: number,
): ViewTable & { first: Uint32Array; lengths: Uint32Array } {
  const { parts } = problem.loaded
  const [{ memory, layout }] = parts
  const first = new Uint32Array(memory.buffer, layout.views[v].firstSegments, rows + 1)
  const lengths = new Uint32Array(memory.buffer, layout.views[v].rowLengths, rows)
  const segments = new Uint32Array(4 * first[rows])
  const pieces: Piece[] = []
  let [at, entries] = [0, 0]
  for (const { memory, layout } of parts) {
    const view = layout.views[v]
    const starts = new Uint32Array(memory.buffer, view.recordStart, view.segments + 1)
    for (let s = 0; s < view.segments; s++, at += 4) {
      segments[at] = entries + starts[s]
      segments[at + 1] = starts[s + 1] - starts[s]
    }
    if (view.entries > 0)
      pieces.push({
        first: entries,
        words: new Uint32Array(memory.buffer, view.records, view.words * view.entries),
      })
    entries += view.entries
  }
  for (let p = 0; p < rows; p++)
    for (let s = first[p]; s < first[p + 1]; s++) {
      segments[4 * s + 2] = firstRow + p
      segments[4 * s + 3] = p
    }
  return { segments, entries, words: layout.views[v].words, pieces, first, lengths }
}
