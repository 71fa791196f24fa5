/**
 * Tables of rows and segments for the device. Rows and segments of all modes are numbered consecutively.
 */

/** A view (the entries ordered by the rows of a mode): its segments and records. */
export interface ViewTable {
  /**
   * (segments × 4) Per segment its first record, entries, row (counted over all modes), row within its mode.
   */
  segments: Uint32Array
  entries: number
  /** 32-bit words of a record. */
  words: number
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

/** The rows of a view, and how its entries are divided into segments and bins (wgsl/setup.ts). */
export interface ViewRows {
  /** (P) Entries of each row. */
  lengths: Uint32Array
  /** (P + 1) The number of each row's first segment, and of all segments. */
  firstSegments: Uint32Array
  /** (P + 1) The number of each row's first bin, and of all bins. */
  firstBins: Uint32Array
  /** (bins + 1) The number of the first record of each bin, and of all records. */
  starts: Uint32Array
  /** 32-bit words of a record. */
  words: number
}

/**
 * Makes the tables of a problem.
 * @param modes the views of the training entries by every mode
 * @param sets the views of the other sets, by name
 * @param leastWindow the fewest sampled entries for which another segment of a row is visited
 */
export function tablesOf(
  modes: readonly ViewRows[],
  sets: ReadonlyMap<string, ViewRows>,
  leastWindow: number,
): Tables {
  const totalRows = modes.reduce((sum, { lengths }) => sum + lengths.length, 0)
  const rows = new Uint32Array(4 * totalRows)
  const tables: ModeTable[] = []
  let [firstRow, firstSegment] = [0, 0]
  for (const [mode, view] of modes.entries()) {
    const { firstSegments, lengths } = view
    const longRows: number[] = []
    let observed = 0
    for (let p = 0; p < lengths.length; p++) {
      const count = firstSegments[p + 1] - firstSegments[p]
      const at = 4 * (firstRow + p)
      rows[at] = firstSegment + firstSegments[p]
      rows[at + 1] = count
      rows[at + 2] = lengths[p]
      rows[at + 3] = mode
      if (count > 1) longRows.push(firstRow + p)
      if (lengths[p] > 0) observed++
    }
    const table = viewTable(view, firstRow)
    tables.push({ ...table, firstRow, rows: lengths.length, firstSegment, observed, longRows })
    firstRow += lengths.length
    firstSegment += table.segments.length / 4
  }
  return {
    modes: tables,
    sets: new Map([...sets].map(([name, view]) => [name, viewTable(view, 0)])),
    rows,
    totalSegments: firstSegment,
    leastWindow,
  }
}

/** Makes the table of one view. @param firstRow the number of the mode's first row over all modes */
function viewTable(
  { lengths, firstSegments, firstBins, starts, words }: ViewRows,
  firstRow: number,
): ViewTable {
  const rows = lengths.length
  const segments = new Uint32Array(4 * firstSegments[rows])
  for (let p = 0; p < rows; p++) {
    const [first, end] = [firstSegments[p], firstSegments[p + 1]]
    const bins = (firstBins[p + 1] - firstBins[p]) / (end - first)
    for (let s = first, bin = firstBins[p]; s < end; s++, bin += bins) {
      segments[4 * s] = starts[bin]
      segments[4 * s + 1] = starts[bin + bins] - starts[bin]
      segments[4 * s + 2] = firstRow + p
      segments[4 * s + 3] = p
    }
  }
  return { segments, entries: starts[starts.length - 1], words }
}
