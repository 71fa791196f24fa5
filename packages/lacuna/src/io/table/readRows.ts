/**
 * A table as a tensor: one pass over its rows. The distinct values of each mode are numbered as they come; at
 * the end, when all of them are known, so is their type, and they are put in order and become the labels.
 */
import { InputError, option, type Remark, remark, sentence } from '../../base/inputError.ts'
import {
  deferDuplicateCheck,
  findDuplicates,
  knownTensor,
  type Mode,
  type NegativePolicy,
  type SparseTensor,
} from '../../tensor/index.ts'
import { Entries, type FinishedEntries } from './columns/entries.ts'
import type { FinishedMode } from './columns/modeIndices.ts'
import { type ModeDictionary, type ModeReader, modeReader } from './columns/modeReader.ts'
import { type FoundMode, type IndexPolicy, keptMode } from './columns/modes.ts'
import { type Marks, type Reading, readValues } from './source/cells.ts'
import { type Batch, type Cells, columnList, type Table, type Texts } from './source/rows.ts'

export type MergePolicy = 'sum' | 'mean' | 'last' | 'count' | 'error'
export const mergePolicies: readonly MergePolicy[] = ['sum', 'mean', 'last', 'count', 'error']

/** What of a table is read, all questions answered. */
export interface Plan {
  table: Table
  modes: readonly FoundMode[]
  /** The column of the values, and what it is called; without one each row counts 1. */
  value?: { column: number; name: string }
  /** The column of the entries' weights. */
  weight?: { column: number; name: string }
  merge: MergePolicy
  index: IndexPolicy
  /** A tensor or model whose labels are to be used; rows with other labels are left out. */
  like?: Pick<SparseTensor, 'dims' | 'labels' | 'modes'>
  /** Modes are those of `like`, but labels are the table's own. */
  newLabels?: boolean
  dims?: readonly number[]
  negative?: NegativePolicy
  /** Rows that repeat coordinates are an error, and left to the engine that sorts the entries. */
  deferDuplicateCheck?: boolean
  onRemark?(remark: Remark): void
  onRows?(rows: number): void
}

/** `byThreads`: what may take the pass over the rows, and the search for duplicates, off this thread. */
export async function readPlanned(plan: Plan, byThreads?: PassByThreads): Promise<SparseTensor> {
  const { table } = plan
  const pass = (await byThreads?.pass(plan)) ?? (await passOver(plan))
  const { readers, entries, rows, weightless, marks } = pass
  tellLeftOut(plan, rows - entries.count - weightless, marks, rows)
  if (weightless > 0)
    plan.onRemark?.(remark([`${table.name}: ${leftOut(weightless)} the weight ${plan.weight?.name} is 0`]))
  if (entries.count === 0) throw nothingLeft(table, rows)
  const finished = readers.map((reader, m) => finishMode(plan, m, reader, reader.seen()))
  const { unknown, ...found } = await entries.finish(finished.map(({ places }) => places))
  const { indices } = found
  tellUnknown(plan, unknown)
  if (found.values.length === 0) throw nothingLeft(table, rows)
  // Each number was given to the value of some entry.
  const most = unknown === 0 ? finished.map(({ places }) => largest(places)) : indices.map(largest)
  const named = nameEntries(plan, finished, found, sizesOf(plan, finished, most))
  const where = (entry: number): string => named.where(entry, entries)
  const known = { where, largest: most, ...(plan.negative && { negative: plan.negative }) }
  if (plan.deferDuplicateCheck && plan.merge === 'error' && !found.weights) {
    const tensor = knownTensor(named.tensor, { ...known, distinct: true })
    return deferDuplicateCheck(tensor, () => checkDistinct(indices, where))
  }
  const distinct = (await byThreads?.areDistinct(indices)) === true
  if (plan.merge === 'error' && !distinct) checkDistinct(indices, where)
  return knownTensor(named.tensor, {
    ...known,
    ...(plan.merge === 'error'
      ? { distinct: true }
      : { duplicates: plan.merge === 'count' ? 'sum' : plan.merge, distinct }),
  })
}

/** Threads that do what takes long; each may say nothing, and is then done here. */
export interface PassByThreads {
  pass(plan: Plan): Promise<Pass | undefined>
  areDistinct(indices: readonly Uint32Array[]): Promise<boolean | undefined>
}

/** The entries of one pass, wherever they lie. */
export interface PassedEntries {
  readonly count: number
  place(entry: number): string
  finish(places: readonly Uint32Array[]): FinishedEntries | Promise<FinishedEntries>
}

/** What one pass over the rows gives: numbers for the values of the modes, not yet indices. */
export interface Pass<E extends PassedEntries = PassedEntries> {
  readers: readonly ModeReader[]
  entries: E
  rows: number
  /** Of these, those that count nothing. */
  weightless: number
  marks: Marks
}

export async function passOver({
  table,
  modes,
  value,
  weight,
  merge,
  onRows,
}: Pick<Plan, 'table' | 'modes' | 'value' | 'weight' | 'merge' | 'onRows'>): Promise<Pass<Entries>> {
  const reading: Reading = {
    unit: table.unit,
    ...(table.decimal && { decimal: table.decimal }),
    marks: { count: 0 },
  }
  const valued = value !== undefined && merge !== 'count'
  const readers = modes.map((mode) => modeReader(mode, table, reading))
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
    return { column, ...(isLabel && { coded: true }) }
  })
  let room = roomFor(0)
  for await (const batch of table.read(wanted)) {
    const { rowCount } = batch
    if (room.kept.length < rowCount) room = roomFor(rowCount)
    const kept = room.kept.subarray(0, rowCount).fill(1)
    const measure = (one: typeof value, into: Float64Array, wanted: boolean): Float64Array | undefined =>
      one && markValues(cellsOf(batch, one.column), batch, one.name, reading, kept, wanted ? into : undefined)
    const values = measure(value, room.values, valued)
    const weights = measure(weight, room.weights, true)
    if (weights) weightless += markWeightless(weights, kept)
    readers.forEach((reader, m) => {
      reader.mark(cellsOf(batch, modes[m].column), batch, kept)
    })
    const codes = readers.map((reader, m) => reader.codes(cellsOf(batch, modes[m].column), batch, kept))
    entries.add(batch, kept, codes, values, weights)
    rows += batch.rowCount
    onRows?.(rows)
  }
  return { readers, entries, rows, weightless, marks: reading.marks }
}

/** What is taken of the rows of a batch, used again for the next one. */
const roomFor = (rowCount: number) => ({
  kept: new Uint8Array(rowCount),
  values: new Float64Array(rowCount),
  weights: new Float64Array(rowCount),
})

/** The labels of a mode, when all of its values have been seen. */
export function finishMode(
  { modes, index, like, newLabels }: Plan,
  m: number,
  reader: ModeReader,
  seen: ModeDictionary,
): FinishedMode {
  const isKnown = like && !(newLabels && like.labels?.[m])
  const known = isKnown ? { labels: like.labels?.[m], type: like.modes?.[m]?.type } : undefined
  return reader.finish(modes[m].index ?? index, known, seen)
}

/** The sizes of the modes, where these are the largest indices. */
export function sizesOf(
  { modes, dims, like }: Plan,
  finished: readonly FinishedMode[],
  largest: readonly number[],
): number[] {
  return modes.map(
    (_, m) => dims?.[m] ?? finished[m].labels?.length ?? Math.max(largest[m] + 1, like?.dims[m] ?? 0),
  )
}

/** The tensor with the names of its modes and labels, not yet checked, and how messages name its entries. */
export function nameEntries(
  { table, modes, value, merge, like }: Plan,
  finished: readonly FinishedMode[],
  { indices, values, weights }: { indices: Uint32Array[]; values: Float32Array; weights?: Float32Array },
  dims: readonly number[],
): { tensor: SparseTensor; where(entry: number, entries: PassedEntries): string } {
  const labels = finished.map((mode) => mode.labels)
  const kept: readonly Mode[] =
    like?.modes ?? modes.map((mode, m) => keptMode(mode, finished[m].type, table.columns))
  const label = (m: number, entry: number): string | number =>
    labels[m]?.[indices[m][entry]] ?? indices[m][entry] + 1
  return {
    tensor: {
      dims,
      indices,
      values,
      ...(weights && { weights }),
      modes: kept,
      ...(labels.some((names) => names) && { labels }),
      ...(value !== undefined && merge !== 'count' && { valueName: value.name }),
    },
    where: (entry, entries) =>
      `${entries.place(entry)}, at ${modes.map(({ name }, m) => `${name} = ${label(m, entry)}`).join(', ')}`,
  }
}

/** The values, if there is room for them; clears `kept` for the rows that have none in any case. */
function markValues(
  cells: Cells,
  batch: Batch,
  name: string,
  reading: Reading,
  kept: Uint8Array,
  into: Float64Array | undefined,
): Float64Array | undefined {
  const values = into && readValues(cells, batch, name, reading, into)
  const numbers = values ?? (cells instanceof Float64Array ? cells : undefined)
  if (numbers) for (let row = 0; row < kept.length; row++) if (Number.isNaN(numbers[row])) kept[row] = 0
  if (!numbers) {
    const { starts, ends } = cells as Texts
    for (let row = 0; row < kept.length; row++) if (ends[row] < starts[row]) kept[row] = 0
  }
  return values
}

/** Rows that count nothing are not kept; returns how many there were. */
function markWeightless(weights: Float64Array, kept: Uint8Array): number {
  let count = 0
  for (let row = 0; row < kept.length; row++)
    if (kept[row] === 1 && Math.fround(weights[row]) === 0) {
      kept[row] = 0
      count++
    }
  return count
}

export function tellLeftOut(
  { table, weight, onRemark }: Plan,
  missing: number,
  marks: Marks,
  rows: number,
): void {
  if (missing > 0)
    onRemark?.(
      remark([
        `${table.name}: ${leftOut(missing)} ${weight ? 'a mode, the value or the weight' : 'a mode or the value'} is empty`,
      ]),
    )
  if (marks.count === 0) return
  const cells = marks.count === 1 ? 'a cell is' : `${marks.count} cells of ${rows} rows are`
  onRemark?.(remark([`${table.name}: ${cells} taken as empty (${marks.first})`], true))
}

export function tellUnknown({ table, onRemark }: Plan, unknown: number): void {
  if (unknown > 0) onRemark?.(remark([`${table.name}: ${leftOut(unknown)} the training data lacks a label`]))
}

const leftOut = (rows: number): string =>
  rows === 1 ? 'one row is left out, since' : `${rows} rows are left out, since`

export function nothingLeft({ name, columns }: Table, rows: number): InputError {
  return new InputError(
    'empty',
    rows === 0
      ? `${name}: there are no rows, only the columns ${columnList(columns)}.`
      : `${name}: no rows are left to make a tensor of; the columns are ${columnList(columns)}.`,
  )
}

export function largest(column: Uint32Array): number {
  let most = 0
  for (let e = 0; e < column.length; e++) if (column[e] > most) most = column[e]
  return most
}

function checkDistinct(indices: readonly Uint32Array[], where: (entry: number) => string): void {
  const firstOf = findDuplicates(indices, indices[0].length)
  if (!firstOf) return
  const first = firstOf.findIndex((first) => first !== 0)
  throw severalValues(where(first), repeatedIn(firstOf))
}

/** How many entries have the coordinates of an earlier one. */
export const repeatedIn = (firstOf: Uint32Array): number =>
  firstOf.reduce((sum, first) => sum + (first === 0 ? 0 : 1), 0)

export function severalValues(where: string, repeated: number): InputError {
  const rows = repeated === 1 ? 'one row repeats' : `${repeated} rows repeat`
  return new InputError(
    'duplicate',
    sentence`${where}: there are several values, and in all ${rows} the coordinates of an earlier one; say how to merge them with ${option('merge', 'sum', 'mean', 'last', 'count')}.`,
  )
}
