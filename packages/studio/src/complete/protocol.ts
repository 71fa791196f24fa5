/** The types of what the page of the Complete view and its worker exchange. */
import type { ErrorSummary } from 'lacuna'
import type { ColumnSummary, MergePolicy, NegativePolicy } from 'lacuna/internal'

/**
 * The content of an opened file: a table, a tensor or a model. `problem`: why the columns could not be
 * guessed.
 */
export type Opened =
  | { kind: 'table'; name: string; columns: ColumnSummary[]; choice: TableChoice; problem?: string }
  | { kind: 'tensor'; name: string }
  | { kind: 'model'; name: string; model: ModelSummary }

/** The user's choice of how a table becomes a tensor. */
export interface TableChoice {
  /** The columns, or binnings of columns such as week(day), that are the modes. */
  modes: string[]
  /** The column of values; without one, rows are counted. */
  value?: string
  merge: MergePolicy
  /** Formats of dates that are not ISO 8601. */
  dates?: string[]
  /** The decimal sign, if it is not to be guessed. */
  decimal?: ',' | '.'
  /** The name of the mode that the remaining columns of a wide table become. */
  melt?: string
}

/** Settings for reading a file. */
export interface ReadSettings {
  /** Set for a table. */
  choice?: TableChoice
  negative: NegativePolicy
  /** The merge policy of anything but a table, whose choice has its own. */
  merge: MergePolicy
}

/** A tensor as the page describes it. */
export interface DataSummary {
  modes: ModeSummary[]
  entries: number
  /** The fraction of the cells that are observed. */
  density: number
  values: { min: number; max: number; mean: number; bins: Bin[] }
  /** Sentences about what was guessed or left out while reading. */
  remarks: string[]
}

/** A mode of the data, with the distribution of its entries. */
export interface ModeSummary {
  name: string
  size: number
  /** Whether rows have labels; else they are numbered from 1. */
  labelled: boolean
  /**
   * Entries per row: in the order of the rows if they are few, else a sample from the fullest to the emptiest
   * row.
   */
  rows: number[]
  /** Whether `rows` is in the order of the rows. */
  inOrder: boolean
  /** The largest number of entries of a row. */
  most: number
  /** The median number of entries per row. */
  median: number
  /** The number of rows without entries. */
  empty: number
}

/** A bin of a histogram. `from` and `to` are equal where a bin is a single value. */
export interface Bin {
  from: number
  to: number
  entries: number
}

/** A model as the page describes it. */
export interface ModelSummary {
  rank: number
  /** The number of models: more than one for an ensemble. */
  models: number
  /** For an ensemble, its error on entries that its models had not seen. */
  outOfFold?: { rmse: number; by: string; verdict: string; hasNeighbours: boolean }
  modes: { name: string; size: number; labelled: boolean }[]
  train?: ErrorSummary
  validation?: ErrorSummary
  /** Why the run stopped, as a clause. */
  stopped?: string
  /** Whether the worker has observed entries to compare with. */
  observed: boolean
}

/** A component of a model. */
export interface Component {
  /** From 1. */
  number: number
  /** The fraction of all predictions that is due to it. */
  share: number
  /** In how many models of an ensemble it is found. */
  found?: { in: number; of: number }
  /** The modes of the factors; modes that were merged are one. */
  modes: {
    name: string
    /** The numbers of the tensor's modes that it consists of. */
    modes: readonly number[]
    size: number
    /**
     * The characteristic rows; weights are relative to the largest, `lift` is its share relative to the usual
     * one.
     */
    strongest: { label: string; labels: readonly string[]; weight: number; lift: number }[]
    /** The column of the factor, reduced to at most 120 points, relative to its largest value. */
    profile: number[]
  }[]
}

/** A matrix of the tensor: two modes vary, the others are fixed. */
export interface Slice {
  /** Labels of the rows that are shown. */
  rows: string[]
  /** Labels of the columns that are shown. */
  columns: string[]
  /** Observed values (rows × columns); NaN where nothing was observed. */
  observed: Float32Array
  /** Predictions (rows × columns). */
  predicted: Float32Array
  /** The number of rows left out because there are too many to show. */
  hiddenRows: number
  /** The number of columns left out. */
  hiddenColumns: number
}

/** The prediction of a cell. */
export interface Prediction {
  predicted: number
  /** A prediction interval, which contains the value with probability `level`. */
  interval?: { low: number; high: number; level: number }
  observed?: number
  /** The names of the modes whose row has no training entry. */
  unobservedModes: string[]
}

/** A row among the largest predictions along a mode. */
export interface Ranked {
  label: string
  predicted: number
  observed?: number
  /** The number of training entries of the row. */
  entries?: number
  /** The numbers of the components that contribute most. */
  components: number[]
}

/** The result of a fold-in. */
export interface FoldInOutcome {
  /** The model with the new rows. */
  model: ModelSummary
  /** Per mode, the labels of the new rows. */
  added: string[][]
}
