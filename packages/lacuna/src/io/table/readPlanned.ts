/**
 * A table read as a tensor, in one sequence of steps for one thread, several threads and several processes:
 * one pass encodes the rows; the dictionary of each mode is completed, sorted and becomes its labels; codes
 * become indices; the entries are checked, and those of equal coordinates merged.
 */
import { InputError, remark } from '../../base/inputError.ts'
import { uint32Array } from '../../base/sharedArrays.ts'
import { type Communicator, singleProcess } from '../../comm/index.ts'
import type { Mode, SparseTensor } from '../../tensor/index.ts'
import { abbreviate } from '../text/index.ts'
import { checkEntries } from './checkEntries.ts'
import { mergeOverProcesses } from './columns/mergeDictionaries.ts'
import type { FinishedMode } from './columns/modeIndices.ts'
import type { ModeDictionary, ModeReader } from './columns/modeReader.ts'
import { toStoredMode } from './columns/modes.ts'
import { type EncodedEntries, type EncodedRows, encodeRows } from './encodeRows.ts'
import type { ReadPlan } from './readPlan.ts'
import { columnList, type Table } from './source/rows.ts'

/** The threads or processes that read the rows; by default this thread alone. */
export interface RowsDriver {
  /** Encodes the rows by threads; undefined where that is not possible, and this thread encodes them. */
  encodeRows?(plan: ReadPlan): Promise<EncodedRows | undefined>
  /** Whether all coordinates differ, found by threads; undefined where that is not known. */
  areDistinct?(indices: readonly Uint32Array[]): Promise<boolean | undefined>
  /** The processes that read the table together; the plan's table has the rows of this process. */
  comm?: Communicator
}

/**
 * Reads the rows of a plan as a tensor. Throws if no entries are left.
 * @returns the tensor; of several processes, the entries of this process, with sizes and labels of all
 */
export async function readPlanned(plan: ReadPlan, driver: RowsDriver = {}): Promise<SparseTensor> {
  const { table } = plan
  const { comm = singleProcess } = driver
  const encoded = await comm.failTogether(
    async () => (await driver.encodeRows?.(plan)) ?? (await encodeRows(plan)),
    'unnamed',
  )
  const { readers, entries } = encoded
  const rows = await reportRows(plan, encoded, comm)
  const modes: FinishedMode[] = []
  const indexOfCode: Uint32Array[] = []
  for (const [m, reader] of readers.entries()) {
    const { dictionary, codes } = await mergeOverProcesses(comm, plan.modes[m].name, reader.dictionary())
    const mode = await comm.failTogether(() => finishMode(plan, m, reader, dictionary), 'unnamed')
    modes.push(mode)
    indexOfCode.push(codes ? composeCodes(codes, mode.indexOfCode) : mode.indexOfCode)
  }
  const { unknown, ...found } = await entries.finish(indexOfCode)
  // Without unknown labels every code occurs in an entry, so that the largest index is among those of all codes.
  const own = unknown === 0 ? indexOfCode.map(largestOf) : found.indices.map(largestOf)
  const counts = await comm.allGatherNumbers(unknown, found.values.length, ...own)
  const sum = (column: number): number => counts.reduce((total, numbers) => total + numbers[column], 0)
  reportUnknownLabels(plan, modes, sum(0))
  if (sum(1) === 0) throw noEntries(table, rows)
  const most = own.map((_, m) => Math.max(...counts.map((numbers) => numbers[2 + m])))
  if (!plan.like && modes.some(({ mark }) => mark !== undefined))
    for (const [m, mode] of modes.entries()) {
      if (!mode.labels) continue
      const labels = await dropUnusedLabels(mode.labels, found.indices[m], comm)
      modes[m] = { ...mode, labels }
      most[m] = labels.length - 1
    }
  const tensor = nameEntries(plan, modes, found, sizesOf(plan, modes, most))
  const where = (entry: number): string => describeEntry(plan, tensor, entry, entries)
  return checkEntries(tensor, plan, { where, largest: most, areDistinct: driver.areDistinct, comm })
}

/** Composes two maps of codes: returns indexOfCode[codes[code]] for each code. */
export function composeCodes(codes: Uint32Array, indexOfCode: Uint32Array): Uint32Array {
  const composed = uint32Array(codes.length)
  for (let code = 0; code < codes.length; code++) composed[code] = indexOfCode[codes[code]]
  return composed
}

/**
 * Makes the distinct values of mode m its labels or indices; by those of `like`, unless labels are to be new.
 */
function finishMode(
  { modes, index, like, newLabels }: ReadPlan,
  m: number,
  reader: ModeReader,
  dictionary: ModeDictionary,
): FinishedMode {
  const isKnown = like && !(newLabels && like.labels?.[m])
  const known = isKnown ? { labels: like.labels?.[m], type: like.modes?.[m]?.type } : undefined
  return reader.finish(modes[m].index ?? index, known, dictionary)
}

/**
 * The sizes of the modes: those of the plan, else the numbers of labels, else the largest indices or the
 * sizes of `like`.
 * @param largest per mode, the largest index of all entries, from 0
 */
function sizesOf(
  { modes, dims, like }: ReadPlan,
  finished: readonly FinishedMode[],
  largest: readonly number[],
): number[] {
  return modes.map(
    (_, m) => dims?.[m] ?? finished[m].labels?.length ?? Math.max(largest[m] + 1, like?.dims[m] ?? 0),
  )
}

/** Entries as a tensor with modes, labels and the name of its values, not yet checked. */
function nameEntries(
  { table, modes, value, merge, like }: ReadPlan,
  finished: readonly FinishedMode[],
  entries: Pick<SparseTensor, 'indices' | 'values' | 'weights'>,
  dims: readonly number[],
): SparseTensor {
  const labels = finished.map((mode) => mode.labels)
  const named: readonly Mode[] =
    like?.modes ?? modes.map((mode, m) => toStoredMode(mode, finished[m].type, table.columns))
  return {
    dims,
    ...entries,
    modes: named,
    ...(labels.some((names) => names) && { labels }),
    ...(value !== undefined && merge !== 'count' && { valueName: value.name }),
  }
}

/** An entry as messages name it: file, line and labels. */
function describeEntry(
  { modes }: ReadPlan,
  { indices, labels }: SparseTensor,
  entry: number,
  entries: EncodedEntries,
): string {
  const label = (m: number): string | number => labels?.[m]?.[indices[m][entry]] ?? indices[m][entry] + 1
  return `${entries.locate(entry)}, at ${modes.map(({ name }, m) => `${name} = ${label(m)}`).join(', ')}`
}

/**
 * Reports how many rows of all processes were left out and why; returns how many rows there are. Throws if
 * none is valid.
 */
async function reportRows(
  plan: ReadPlan,
  { entries, rows, weightless, marks }: EncodedRows,
  comm: Communicator,
): Promise<number> {
  const { table, weight, onRemark } = plan
  const counts = await comm.allGatherNumbers(rows, entries.count, weightless, marks.count)
  const [all, valid, withoutWeight, marked] = [0, 1, 2, 3].map((i) =>
    counts.reduce((sum, numbers) => sum + numbers[i], 0),
  )
  const missing = all - valid - withoutWeight
  if (missing > 0)
    onRemark?.(
      remark(
        [
          `${table.name}: ${leftOutClause(missing)} ${weight ? 'a mode, the value or the weight' : 'a mode or the value'} is empty`,
        ],
        false,
        true,
      ),
    )
  if (marked > 0) {
    const rank = counts.findIndex((numbers) => numbers[3] > 0)
    const example = await comm.broadcastText(rank, () => marks.first ?? '')
    const cells = marked === 1 ? 'a cell is' : `${marked} cells of ${all} rows are`
    onRemark?.(remark([`${table.name}: ${cells} taken as empty (${example})`], true))
  }
  if (withoutWeight > 0)
    onRemark?.(remark([`${table.name}: ${leftOutClause(withoutWeight)} the weight ${weight?.name} is 0`]))
  if (valid === 0) throw noEntries(table, all)
  return all
}

/**
 * Reports the number of rows left out because the training data lacks a label, or because a label is a mark
 * for a missing value, if there are any.
 */
function reportUnknownLabels(plan: ReadPlan, modes: readonly FinishedMode[], rows: number): void {
  if (rows === 0) return
  const marked = modes.flatMap(({ mark }, m) =>
    mark === undefined ? [] : [`${plan.modes[m].name} is "${abbreviate(mark)}", which is taken as empty`],
  )
  const why = marked.length > 0 ? marked.join(', or ') : 'the training data lacks a label'
  plan.onRemark?.(remark([`${plan.table.name}: ${leftOutClause(rows)} ${why}`], marked.length > 0))
}

/**
 * Drops the labels of a mode that no entry of any process has, since all their rows were left out.
 * @param indices of this process's entries in the mode; changed to count the remaining labels
 */
async function dropUnusedLabels(
  labels: readonly string[],
  indices: Uint32Array,
  comm: Communicator,
): Promise<string[]> {
  const isUsed = new Uint8Array(labels.length)
  for (const index of indices) isUsed[index] = 1
  const unused = await comm.allGatherTexts(
    JSON.stringify(labels.flatMap((_, index) => (isUsed[index] ? [] : [index]))),
  )
  const dropped = unused
    .map((text): number[] => JSON.parse(text))
    .reduce((all, own) => {
      const both = new Set(own)
      return all.filter((index) => both.has(index))
    })
  const isDropped = new Set(dropped)
  const newIndex = new Uint32Array(labels.length)
  let count = 0
  for (let index = 0; index < labels.length; index++) newIndex[index] = isDropped.has(index) ? 0 : count++
  for (let e = 0; e < indices.length; e++) indices[e] = newIndex[indices[e]]
  return labels.filter((_, index) => !isDropped.has(index))
}

/** The beginning of a notice about a number of rows that are left out: '2 rows are left out, since'. */
const leftOutClause = (rows: number): string =>
  rows === 1 ? 'one row is left out, since' : `${rows} rows are left out, since`

/** The error for a table without entries. @param rows the number of its rows, none of which is left */
function noEntries({ name, columns }: Table, rows: number): InputError {
  return new InputError(
    'empty',
    rows === 0
      ? `${name}: there are no rows, only the columns ${columnList(columns)}.`
      : `${name}: no rows are left to make a tensor of; the columns are ${columnList(columns)}.`,
  )
}

/** The largest number of a column; 0 if it is empty. */
function largestOf(column: Uint32Array): number {
  let most = 0
  for (let e = 0; e < column.length; e++) if (column[e] > most) most = column[e]
  return most
}
