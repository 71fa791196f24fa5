/**
 * Descriptions of tensors: sizes, density, values, entries per row, and whether the values look like counts.
 */
import { option, type Sentence, sentence } from '../base/inputError.ts'
import type { SparseTensor } from './sparseTensor.ts'

/** Size, density, values and entries per row of a tensor; plain data. */
export interface TensorDescription {
  /** N, the number of modes. */
  order: number
  /** I_1 … I_N, the sizes of the modes. */
  dims: readonly number[]
  /** Number of entries. */
  entries: number
  /** The number of entries divided by the number of cells. */
  density: number
  /** Range, mean and root mean square of the values; `negative` and `zero` count those values. */
  values: { min: number; max: number; mean: number; rms: number; negative: number; zero: number }
  /** Statistics of the weights, if there are any. */
  weights?: { min: number; max: number; mean: number }
  /** Per mode, the numbers of entries of its rows; min, median and mean leave empty rows out. */
  modes: (RowDescription & ModeDescription)[]
}

/** How the entries are distributed over the rows of a mode. */
interface RowDescription {
  /** Number of rows. */
  rows: number
  /** Rows without entries. */
  empty: number
  /** Fewest entries of a row that has any. */
  min: number
  /** Median of the entries of rows that have any. */
  median: number
  /** Mean of the entries of rows that have any. */
  mean: number
  /** Most entries of a row. */
  max: number
}

/** Name, type and labels of a mode. */
interface ModeDescription {
  /** Name of the mode, if known. */
  name?: string
  /** SQL type of its labels, if known. */
  type?: string
  /** Number of labels, the first and the last one; undefined in a mode without labels. */
  labels?: { count: number; first: string; last: string }
}

/** Describes a tensor: size, density, values, and the entries per row of every mode. */
export function describeTensor(tensor: SparseTensor): TensorDescription {
  const { dims, indices, values, weights, modes, labels } = tensor
  const entries = values.length
  const cells = dims.reduce((product, dim) => product * dim, 1)
  return {
    order: dims.length,
    dims,
    entries,
    density: entries / cells,
    values: describeValues(values),
    ...(weights && { weights: describeWeights(weights) }),
    modes: dims.map((rows, mode) => ({
      ...modes?.[mode],
      ...describeLabels(labels?.[mode]),
      ...describeRows(indices[mode], rows),
    })),
  }
}

function describeLabels(labels: readonly string[] | undefined): ModeDescription {
  return labels ? { labels: { count: labels.length, first: labels[0], last: labels[labels.length - 1] } } : {}
}

/** Returns the range, mean and root mean square of the values, and the numbers of negative ones and zeros. */
function describeValues(values: Float32Array): TensorDescription['values'] {
  let [min, max, sum, squares, negative, zero] = [Infinity, -Infinity, 0, 0, 0, 0]
  for (let e = 0; e < values.length; e++) {
    const x = values[e]
    if (x < min) min = x
    if (x > max) max = x
    if (x < 0) negative++
    if (x === 0) zero++
    sum += x
    squares += x * x
  }
  return { min, max, mean: sum / values.length, rms: Math.sqrt(squares / values.length), negative, zero }
}

function describeWeights(weights: Float32Array): TensorDescription['weights'] {
  const { min, max, mean } = describeValues(weights)
  return { min, max, mean }
}

/**
 * Describes how entries are distributed over the rows of a mode.
 * @param column the row of each entry
 * @param rows the size of the mode
 */
function describeRows(column: Uint32Array, rows: number): RowDescription {
  const used = rowLengths(column)
  return {
    rows,
    empty: rows - used.length,
    min: used[0],
    median: used[used.length >> 1],
    max: used[used.length - 1],
    mean: column.length / used.length,
  }
}

/** Returns the number of rows of a mode that have entries. */
export function rowsWithEntries({ indices }: SparseTensor, mode: number): number {
  return rowLengths(indices[mode]).length
}

/**
 * Returns the number of entries of each row that has any, ascending. Sorts a copy of the column instead of
 * counting by row, so that a mode with few used rows takes little memory.
 * @param column the row of each entry
 */
function rowLengths(column: Uint32Array): Uint32Array {
  const sorted = column.slice().sort()
  const lengths = new Uint32Array(sorted.length)
  let used = 0
  for (let e = 0; e < sorted.length; e++) {
    if (e > 0 && sorted[e] !== sorted[e - 1]) used++
    lengths[used]++
  }
  return lengths.subarray(0, used + 1).sort()
}

/** The most different values whose frequencies `looksLikeCounts` counts, to bound its memory. */
const MANY_COUNTS = 2 ** 12

/**
 * Whether the values look like numbers of events, of a tensor that does not list all cells: whole numbers
 * from 1, and either rows of a table were counted (modes have names, the values have none), or 1 occurs more
 * than once and is the most frequent value. Ratings, of which 1 is rare, do not look like counts.
 */
export function looksLikeCounts({ dims, values, modes, valueName }: SparseTensor): boolean {
  const cells = dims.reduce((product, dim) => product * dim, 1)
  if (values.length >= cells) return false
  const frequencies = new Map<number, number>()
  for (const x of values) {
    if (!(x >= 1 && Number.isInteger(x))) return false
    if (frequencies.size < MANY_COUNTS || frequencies.has(x))
      frequencies.set(x, (frequencies.get(x) ?? 0) + 1)
  }
  if (modes && valueName === undefined) return true
  const ones = frequencies.get(1) ?? 0
  return ones > 1 && [...frequencies.values()].every((frequency) => frequency <= ones)
}

/**
 * Returns the notice that unlisted cells are unknown and not zero if the values look like counts, else
 * undefined.
 */
export function countsRemark(tensor: SparseTensor): Sentence | undefined {
  if (!looksLikeCounts(tensor)) return undefined
  return sentence`The values look like counts of events. A cell without an entry is unknown, not zero: the model learns how many events there were where there were any, and predicts as many for cells that nobody listed. If no entry means no event, say so with ${option('missing', 'zero')}.`
}
