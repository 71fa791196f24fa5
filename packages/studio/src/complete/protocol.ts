/** The types of what the page of the Complete view and its worker exchange. */
import type { ErrorSummary } from 'lacuna'
import type { LinkName, Loss, MergePolicy, NegativePolicy, Noise } from 'lacuna/internal'
import type { Question, TableChoice, Understanding } from './understanding/index.ts'

/** The arrays of a file that may be the data. */
export interface ArrayList {
  /** Their number. */
  count: number
  /** The first of them: the name of each, and a text with its name, shape and type. */
  listed: { name: string; text: string }[]
  /** The one that is read unless another is chosen; undefined if nothing can be guessed. */
  guess?: string
}

/**
 * The content of an opened file: a table, a tensor or a model. `problem`: why the columns could not be
 * guessed. `arrays`: those to choose from, if there are several.
 */
export type Opened =
  | { kind: 'table'; name: string; understanding: Understanding; choice: TableChoice; problem?: string }
  | { kind: 'tensor'; name: string; arrays?: ArrayList }
  | { kind: 'model'; name: string; model: ModelSummary }

/** Settings for reading a file. */
export interface ReadSettings {
  /** Set for a table. */
  choice?: TableChoice
  /** The array to read of a file of several (ArrayList). */
  variable?: string
  negative: NegativePolicy
  /** The merge policy of anything but a table, whose choice has its own. */
  merge: MergePolicy
}

/** A quick run learns one model, or one per fold; the best one searches settings and combines models. */
export type RunKind = 'quick' | 'best'

/** Settings of a run. Those after `seed` are behind “More”; undefined ones have the defaults of the library. */
export interface LearnSettings {
  /** The number of components of a quick run; 'auto' finds it by cross-validation. The best run searches it. */
  rank: number | 'auto'
  lambda: number | 'auto'
  /** The fraction of the entries that is held out to check the model. */
  heldOut: number
  seed: number
  /** The time limit of the best run, in seconds. */
  seconds: number
  /** The number of models of a quick run, each without one fold; undefined for one model. */
  folds?: number
  noise?: Noise
  loss?: Loss
  link?: LinkName
  /** Whether cells that are not listed are zeros. */
  missing?: 'zero'
  /** Distances in time at which rows are similar, as on the command line: hour=1,24. */
  lags?: string
  /** The attributes of rows that are used (sideTables.ts), a line per table, as on the command line. */
  features?: string
}

/** A model as it is stored. */
export interface StoredModel {
  /** The model as it was learned, as an .npz file. */
  bytes: Uint8Array
  /** The lines of the rows that were folded in since. */
  folded?: string[]
}

/** Settings that the best run has tried, and their error. */
export interface TrialSummary {
  /** The settings in words. */
  name: string
  /** The error on entries that the models were fitted without. */
  rmse: number
  /** The standard error of `rmse`. */
  spread: number
  /** The number of models that were fitted; fewer than all where the trial was given up, or only screened. */
  folds: number
}

/** A comparison with baselines on entries that a model has not seen. */
export interface Verdict {
  /** The entries, in words: the held-out entries, say. */
  on: string
  /** The number of these entries; undefined if they are all, each left out once. */
  entries?: number
  rmse: number
  /** Errors of predictions without a model on the same entries. */
  baselines: { name: string; rmse: number }[]
  /** Whether the error is below that of the best baseline by enough. */
  isWorthUsing: boolean
  /** The comparison as a sentence. */
  text: string
}

/** How predictions compare with what was observed. */
export interface Calibration {
  /** Entries that the model has not seen, in ten groups by prediction: the means of both. */
  groups: { entries: number; predicted: number; observed: number }[]
  /** For an ensemble: the fraction of the entries within their prediction interval of this level. */
  coverage?: { level: number; fraction: number }
}

/** The evaluation of a model on a test file. */
export interface TestResult {
  /** The name of the file. */
  name: string
  verdict: Verdict
  calibration: Calibration
  /** Sentences about what was left out while reading. */
  remarks: string[]
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
  /**
   * Questions about a table that came up when it was read; until they are answered, their first answers are
   * assumed.
   */
  questions?: Question[]
  /** Whether the rows of a table are kept in memory, so that another choice does not read the file again. */
  isKept?: boolean
  /** Whether the values look like counts of events, of which those of zero are not listed. */
  isCounts?: boolean
}

/** How the cells of the data are missing, over two modes. */
export interface GapMap {
  /** The vertical axis. */
  rows: GapAxis
  /** The horizontal axis. */
  columns: GapAxis
  /** The fraction of observed cells per bin (rows × columns). */
  fractions: Float32Array
  /** The fraction of observed cells of all. */
  total: number
}

/** An axis of a gap map. */
export interface GapAxis {
  /** The number of the mode. */
  mode: number
  /** Whether rows are sorted by their entries, fullest first; else they are in their own order. */
  isSorted: boolean
  /** The bins: how many rows each has, and the first and the last of them. */
  bins: { size: number; first: string; last: string }[]
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

/** A mode of a model. */
export interface ModelMode {
  name: string
  /** The number of rows that the model was learned with. */
  size: number
  /** The number of rows of the user's own, which follow them; undefined for none. */
  own?: number
  /** Whether rows have labels; else they are numbered from 1. */
  labelled: boolean
  /** Whether rows are times: days, weeks, hours … */
  isTime: boolean
}

/** A model as the page describes it. */
export interface ModelSummary {
  rank: number
  /** The number of models: more than one for an ensemble. */
  models: number
  /** For an ensemble, its error on entries that its models had not seen. */
  outOfFold?: { rmse: number; by: string; verdict: string; hasNeighbours: boolean }
  modes: ModelMode[]
  /** Whether predictions have intervals. */
  hasIntervals: boolean
  /** The smallest and the largest training value; unknown in old files. */
  range?: readonly [number, number]
  train?: ErrorSummary
  validation?: ErrorSummary
  /** Why the run stopped, as a clause. */
  stopped?: string
  /** The comparison with baselines; undefined where no entries were left to compare on. */
  verdict?: Verdict
  calibration?: Calibration
  /** Why there is no verdict, as a clause. */
  notJudged?: string
  /** Settings that were chosen by trials, in words. */
  chosen?: string
  /** Descriptions of what the time limit left out. */
  leftOut?: string[]
  /** Whether the worker has the observed entries of the data; values of rows of the user's own do not count. */
  observed: boolean
}
