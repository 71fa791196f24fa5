/** The types of questions about a model and of the worker's answers. */
import type { ModelSummary } from './protocol.ts'

/** A component of a model. */
export interface Component {
  /** Number from 1, the largest share first. */
  number: number
  /** The fraction of all predictions that is due to it. */
  share: number
  /** The number of models of an ensemble in which it is found. */
  found?: { in: number; of: number }
  /** The modes of the factors; modes that were merged are one. */
  modes: ComponentMode[]
}

/** A component in one mode. */
export interface ComponentMode {
  name: string
  /** The numbers of the tensor's modes that it consists of. */
  modes: readonly number[]
  size: number
  /** Whether the order of the rows means something, so that its profile is a curve. */
  isOrdered: boolean
  /** Whether rows are places of the map. */
  isPlace: boolean
  /**
   * The characteristic rows, by decreasing weight; weights are relative to the largest, `lift` is the
   * component's share of the row relative to its share of all.
   */
  strongest: { label: string; labels: readonly string[]; weight: number; lift: number; entries?: number }[]
  /** The column of the factor, in at most 120 points. */
  profile: ProfilePoint[]
}

/** A point of a profile: a row, or the largest of several consecutive rows. */
export interface ProfilePoint {
  /** The position of the row from 0. */
  row: number
  /** The label of the row that has the value. */
  label: string
  /** Relative to the largest value of the column. */
  value: number
  /** All components together, relative to their largest value: what is usual. */
  usual: number
}

/** A map of the places of a model: a grid of cells. */
export interface PlaceMap {
  south: number
  north: number
  west: number
  east: number
  rows: number
  columns: number
  /** The cells in which anything was observed, from the north-west, row by row. */
  cells: Uint32Array
  /** All components together in each of `cells`, relative to the largest. */
  total: Float32Array
  /** Per component, by number, its value in each of `cells`, relative to its largest. */
  components: Float32Array[]
  /** Whether latitude and longitude were learned apart, so that components are stripes. */
  isCrossed: boolean
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
  /** The part of the predictions that is due to the chosen component (rows × columns), if one is. */
  component?: Float32Array
  /** The number of rows left out because there are too many to show. */
  hiddenRows: number
  /** The number of columns left out. */
  hiddenColumns: number
}

/** A prediction interval, which contains the value with probability `level`. */
export interface Interval {
  low: number
  high: number
  level: number
}

/** The prediction of a cell. */
export interface Prediction {
  predicted: number
  interval?: Interval
  observed?: number
  /** The names of the modes whose row has no training entry. */
  unobservedModes: string[]
  /** The components that make up the prediction, the largest first, with their fractions of it. */
  components: { number: number; fraction: number }[]
}

/** A row among the largest predictions along a mode. */
export interface Ranked {
  label: string
  /** The prediction, limited to the range of the observed values. */
  predicted: number
  /** The prediction before it is limited to that range; rows are ranked by it. */
  score: number
  interval?: Interval
  observed?: number
  /** The number of training entries of the row. */
  entries?: number
  /** The components that explain it, with their fractions of the prediction. */
  components: { number: number; fraction: number }[]
  /** Rows of the same mode that were rated and resemble it most, where a row of one's own is asked for. */
  because?: string[]
}

/** The rows that a ranking leaves out. */
export interface RankFilter {
  /** Leaves out rows whose cell was observed. */
  skipObserved: boolean
  /** Leaves out rows with fewer training entries. */
  minEntries: number
}

/** The row that a text names. */
export interface RowMatch {
  /** Its name as it is shown; undefined if there is none. */
  label?: string
  /** Names that are like the text, if there is none. */
  near: string[]
  /** A sentence that there is none. */
  problem?: string
}

/** A row of the user's own as it is typed, and what would suit it. */
export interface OwnRow {
  name: string
  /** The label that is being typed. */
  text: string
  /** The value beside it, as text. */
  value: string
  given: readonly { label: string; value: number }[]
  /** The ranking that was asked for last. */
  best?: readonly Ranked[]
  /** The name and values that it is for, as text. */
  asked?: string
  /** The name under which it was folded in; the row of this name is replaced when it is asked for again. */
  folded?: string
}

/** Rows of the user's own that were folded in together. */
export interface OwnRows {
  /** Per mode, their labels. */
  labels: string[][]
}

/** The result of a fold-in. */
export interface FoldInOutcome {
  /** The model; its modes count the new rows apart. */
  model: ModelSummary
  /** Per mode, the labels of the new rows. */
  added: string[][]
}

/** A value that the user gives for a new row: the labels of the other modes, and the value. */
export interface GivenEntry {
  /** Per mode; the label of the new row's own mode is ignored. */
  labels: string[]
  value: number
}

/** The content of a table to save. */
export type ExportRequest =
  | { kind: 'cells' }
  | { kind: 'gaps' }
  | { kind: 'observed' }
  | { kind: 'slice'; labels: string[]; rows: number; columns: number; onlyGaps: boolean }
  | { kind: 'top'; mode: number; forMode: number; most: number; minEntries: number; skipObserved: boolean }
  | { kind: 'queries'; text: string }
  | { kind: 'wide'; labels: string[]; rows: number; columns: number }

/** A saved table, with what was left out of it. */
export interface ExportedTable {
  file: Blob
  rows: number
  /** A sentence about what the table does not have, if anything. */
  remark?: string
}

/** How far a model can be trusted. */
export interface Validation {
  /** The entries whose residuals are shown. */
  of: 'held-out' | 'training'
  entries: number
  rmse: number
  /** A histogram of the residuals, observed − predicted. */
  residuals: { from: number; to: number; entries: number }[]
  /** Mean of the observed values in groups of similar predictions. */
  calibration: { predicted: number; observed: number; spread: number; entries: number }[]
  /** The entries with the largest residuals. */
  worst: { labels: string[]; observed: number; predicted: number; residual: number }[]
  /** Per mode, the rows with the largest leverage: whose factor rows weigh most. */
  leverage: { mode: string; rows: { label: string; leverage: number; entries?: number }[] }[]
  /** Core consistency (Bro and Kiers 2003), at most 1; undefined where it was not computed. */
  coreConsistency?: number
  /** Mean factor match score between the models of an ensemble. */
  stability?: { match: number; found: { number: number; in: number; of: number; match: number }[] }
}
