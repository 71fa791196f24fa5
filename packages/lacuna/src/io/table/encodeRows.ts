/**
 * One pass over the rows of a table: every valid row becomes an entry whose modes are codes. A code is the
 * number of a distinct value of the mode, in order of arrival; codes become indices when all values are
 * known.
 */
import { Entries, type FinishedEntries } from './columns/entries.ts'
import { type ModeReader, modeReader } from './columns/modeReader.ts'
import type { NamedColumn, ReadPlan } from './readPlan.ts'
import { type CellContext, type Marks, readValues } from './source/cells.ts'
import type { Batch, Cells, Texts } from './source/rows.ts'

/** The entries of one pass, which may lie on other threads. */
export interface EncodedEntries {
  /** The number of entries, with unknown labels or not. */
  readonly count: number
  /** The file and line of an entry, counted among those that `finish` returned. */
  locate(entry: number): string
  /** Replaces codes by indices. @param indexOfCode per mode, the index for each code, or UNKNOWN */
  finish(indexOfCode: readonly Uint32Array[]): FinishedEntries | Promise<FinishedEntries>
}

/** The result of one pass over the rows. */
export interface EncodedRows<E extends EncodedEntries = EncodedEntries> {
  /** One per mode; each has the dictionary of the values that its codes stand for. */
  readers: readonly ModeReader[]
  entries: E
  /** Rows of the table, valid or not. */
  rows: number
  /** Rows left out because their weight is 0. */
  weightless: number
  /** Cells with a mark such as N/A, which count as empty. */
  marks: Marks
}

/** Encodes the rows of a table on this thread; throws for a cell that cannot be read. */
export async function encodeRows({
  table,
  modes,
  value,
  weight,
  merge,
  onRows,
}: Pick<ReadPlan, 'table' | 'modes' | 'value' | 'weight' | 'merge' | 'onRows'>): Promise<
  EncodedRows<Entries>
> {
  const { unit, decimal, thousands } = table
  const context: CellContext = { unit, decimal, thousands, marks: { count: 0 } }
  const needsValues = value !== undefined && merge !== 'count'
  const readers = modes.map((mode) => modeReader(mode, table, context))
  const entries = new Entries(modes.length, table.unit)
  // A column that serves two modes is read once.
  const named = [...modes, value, weight].filter((one) => one !== undefined)
  const columns = [...new Set(named.map(({ column }) => column))]
  const cellsOf = (batch: Batch, column: number): Cells => batch.columns[columns.indexOf(column)]
  let rows = 0
  let weightless = 0
  const measured = [value, weight].map((one) => one?.column)
  const wanted = columns.map((column) => {
    const isLabel =
      !measured.includes(column) && modes.every((mode) => mode.column !== column || !mode.binning)
    return { column, coded: isLabel }
  })
  let buffers = allocateBuffers(0)
  for await (const batch of table.read(wanted)) {
    const { rowCount } = batch
    if (buffers.valid.length < rowCount) buffers = allocateBuffers(rowCount)
    const valid = buffers.valid.subarray(0, rowCount).fill(1)
    const measure = (
      one: NamedColumn | undefined,
      into: Float64Array,
      isNeeded: boolean,
    ): Float64Array | undefined =>
      one &&
      markValues(cellsOf(batch, one.column), batch, one.name, context, valid, isNeeded ? into : undefined)
    const values = measure(value, buffers.values, needsValues)
    const weights = measure(weight, buffers.weights, true)
    if (weights) weightless += markWeightless(weights, valid)
    readers.forEach((reader, m) => {
      reader.mark(cellsOf(batch, modes[m].column), batch, valid)
    })
    const codes = readers.map((reader, m) => reader.codes(cellsOf(batch, modes[m].column), batch, valid))
    entries.add(batch, valid, codes, values, weights)
    rows += batch.rowCount
    onRows?.(rows)
  }
  return { readers, entries, rows, weightless, marks: context.marks }
}

/** Allocates arrays for the rows of a batch, which are reused for the next one. */
const allocateBuffers = (rowCount: number) => ({
  valid: new Uint8Array(rowCount),
  values: new Float64Array(rowCount),
  weights: new Float64Array(rowCount),
})

/**
 * Reads the values of a column and clears `valid` for the rows that have none.
 * @param into receives the values; without it text is not read as numbers, and only empty cells are cleared
 * @returns `into`, or the cells if they are numbers already; undefined without `into`
 */
function markValues(
  cells: Cells,
  batch: Batch,
  name: string,
  context: CellContext,
  valid: Uint8Array,
  into: Float64Array | undefined,
): Float64Array | undefined {
  const values = into && readValues(cells, batch, name, context, into)
  const numbers = values ?? (cells instanceof Float64Array ? cells : undefined)
  if (numbers) for (let row = 0; row < valid.length; row++) if (Number.isNaN(numbers[row])) valid[row] = 0
  if (!numbers) {
    const { starts, ends } = cells as Texts
    for (let row = 0; row < valid.length; row++) if (ends[row] < starts[row]) valid[row] = 0
  }
  return values
}

/** Clears `valid` for valid rows of weight 0; returns how many there were. */
function markWeightless(weights: Float64Array, valid: Uint8Array): number {
  let count = 0
  for (let row = 0; row < valid.length; row++)
    if (valid[row] === 1 && Math.fround(weights[row]) === 0) {
      valid[row] = 0
      count++
    }
  return count
}
