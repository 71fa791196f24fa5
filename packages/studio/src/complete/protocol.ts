/** What the page and the worker of this view say to each other. */

import type { ErrorSummary } from 'lacuna'
import type { ColumnSummary, MergePolicy } from 'lacuna/internal'

/** What was found in a file. */
export type Opened =
  | { kind: 'table'; name: string; columns: ColumnSummary[]; choice: TableChoice; problem?: string }
  | { kind: 'tensor'; name: string }
  | { kind: 'model'; name: string; model: ModelSummary }

/** Which columns of a table are the tensor. */
export interface TableChoice {
  modes: string[]
  value?: string
  merge: MergePolicy
  /** How the text is written, where that is not clear: forms of times, and what stands before a fraction. */
  dates?: string[]
  decimal?: ',' | '.'
  /** Of a wide table, the mode that its columns become. */
  melt?: string
}

export interface DataSummary {
  modes: ModeSummary[]
  entries: number
  density: number
  values: { min: number; max: number; mean: number; bins: Bin[] }
  /** What was guessed or left out. */
  remarks: string[]
}

export interface ModeSummary {
  name: string
  size: number
  labelled: boolean
  /** Entries per row: in the order of the rows if they are few, else from the fullest to the emptiest. */
  rows: number[]
  inOrder: boolean
  most: number
  median: number
  empty: number
}

export interface Bin {
  from: number
  to: number
  entries: number
}

export interface ModelSummary {
  rank: number
  /** How many models it is the mean of. */
  models: number
  /** Of models of folds, how good they are on entries that they had not seen. */
  outOfFold?: { rmse: number; by: string; verdict: string; hasNeighbours: boolean }
  modes: { name: string; size: number; labelled: boolean }[]
  train?: ErrorSummary
  validation?: ErrorSummary
  /** Why it stopped, as a person would say it. */
  stopped?: string
  /** Whether there are observed entries to compare with. */
  observed: boolean
}

export interface Component {
  number: number
  /** Of all that is predicted. */
  share: number
  /** Of several models, in how many it is found. */
  found?: { in: number; of: number }
  /** Those that were merged are one. */
  modes: {
    name: string
    /** The model's, by number. */
    modes: readonly number[]
    size: number
    /** The rows that tell it from others; weights relative to the largest, lift: times its usual share. */
    strongest: { label: string; labels: readonly string[]; weight: number; lift: number }[]
    /** The whole column, at most 120 points, relative to its largest. */
    profile: number[]
  }[]
}

export interface Slice {
  rows: string[]
  columns: string[]
  /** NaN where nothing was observed. */
  observed: Float32Array
  predicted: Float32Array
  /** Rows and columns left out because there are too many to see. */
  hiddenRows: number
  hiddenColumns: number
}

export interface Prediction {
  predicted: number
  /** Holds the value with a chance of level. */
  interval?: { low: number; high: number; level: number }
  observed?: number
  /** Modes in which no training entry spoke of the row. */
  unseen: string[]
}

export interface Ranked {
  label: string
  predicted: number
  observed?: number
  /** How many training entries the row has. */
  entries?: number
  /** The components that made it so, by number. */
  components: number[]
}

export interface Folded {
  model: ModelSummary
  /** Per mode, the labels that are new. */
  added: string[][]
}
