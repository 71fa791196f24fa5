/** The sparse tensor: observed entries in coordinate format, with labels and names of its modes. */
/** The meaning of a mode, such as the column of a table that its labels come from. */
export interface Mode {
  /** Its name: that of a column, an expression of one such as week(seen), or any other. */
  readonly name: string
  /** The SQL type of the column, of which the labels are texts; only for modes of tables. */
  readonly type?: string
  /** How its labels are computed from a column, if the column has another name. */
  readonly from?: ModeSource
}

/** How the labels of a mode are computed from a column of a table. */
export interface ModeSource {
  /** The name of the column. */
  readonly column: string
  /** The binning function: week, hour, bins … */
  readonly binning?: string
  /** The argument of the binning function: width of bins, number of decimals, or first time. */
  readonly argument?: number
  /** The formats of the column's times, if they are not ISO 8601. */
  readonly dates?: readonly string[]
  /** The time zone, as in Europe/Berlin, by whose clocks times are binned; UTC by default. */
  readonly timezone?: string
}

/** The observed entries of a tensor X of order N: the paper's Ω and the values of X on it. */
export interface SparseTensor {
  /** I_1 … I_N, the size of each mode. */
  readonly dims: readonly number[]
  /** One column of 0-based indices per mode, each `values.length` long. */
  readonly indices: readonly Uint32Array[]
  /** The value of each entry. */
  readonly values: Float32Array
  /**
   * The weight of each entry, above 0: one of weight 2 counts as much as two equal entries. All 1 by default.
   */
  readonly weights?: Float32Array
  /** Per mode, a label for each index; `undefined` for a mode without labels. */
  readonly labels?: readonly (readonly string[] | undefined)[]
  /** The names and sources of the modes, if known. */
  readonly modes?: readonly Mode[]
  /** The column or SQL expression of the values, for tensors of tables. */
  readonly valueName?: string
  /**
   * A duplicate check that reading has left to later steps (`deferDuplicateCheck`): throws if two entries
   * have equal coordinates. Engines call it when they find duplicates, and functions that pick entries before
   * they do. Absent once checked. Where the entries are spread over processes, it is a promise, and all
   * processes must call it.
   */
  readonly deferredDuplicateCheck?: () => void | Promise<void>
}

/** The bytes of a tensor's indices, values and weights. */
export const tensorBytes = ({ indices, values, weights }: SparseTensor): number =>
  4 * (indices.length + (weights ? 2 : 1)) * values.length

/** The treatment of negative values: an error, kept as they are, or set to zero. */
export type NegativePolicy = 'error' | 'keep' | 'clip'
/** The treatment of entries with equal coordinates: an error, or merged into their sum, mean or last one. */
export type DuplicatePolicy = 'error' | 'sum' | 'mean' | 'last'

/** All values of NegativePolicy. */
export const negativePolicies: readonly NegativePolicy[] = ['error', 'keep', 'clip']
/** All values of DuplicatePolicy. */
export const duplicatePolicies: readonly DuplicatePolicy[] = ['error', 'sum', 'mean', 'last']

/** How `sparseTensor` treats negative values and duplicates. */
export interface TensorOptions {
  /** Negative values are an error (default), kept (noise around zero), or clipped to zero. */
  negative?: NegativePolicy
  /** Repeated coordinates are an error (default), or merged: their sum, mean, or the last one. */
  duplicates?: DuplicatePolicy
  /** True if the coordinates are known to differ, which saves the search for duplicates; false by default. */
  distinct?: boolean
  /** How a message names an entry, e.g. `ratings.tns, line 12`; by default `entry 11`. */
  where?: (entry: number) => string
}

/** The largest index, and the largest number of entries: indices are 32-bit. */
export const MAX_INDEX = 2 ** 32 - 2
/** The most modes of a tensor; a file that claims more of them is no tensor. */
export const MAX_ORDER = 256

/**
 * Prints the coordinates of a cell for messages, counted from 1: `(3, 1, 7)`.
 * @param cell its indices, from 0
 */
export const cellText = (cell: readonly number[]): string => `(${cell.map((index) => index + 1).join(', ')})`

/**
 * Returns the smallest size of a mode that holds a column of indices: the largest index plus one; 1 if there
 * are none.
 */
export function largestPlusOne(column: Uint32Array): number {
  let largest = 0
  for (let e = 0; e < column.length; e++) if (column[e] > largest) largest = column[e]
  return largest + 1
}
