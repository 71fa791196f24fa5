/** Options of a cross-fit: its folds, how it is saved, and when it ends early. */
import type { FoldError } from '../../../model/index.ts'
import type { FoldBy, SampledCells } from '../../../tensor/index.ts'
import type { EpochReport } from '../../run/report.ts'
import type { RunState } from '../../run/runState.ts'
import type { Deadline } from './deadline.ts'

/** Default number of folds. */
export const FOLDS = 5

/** How folds are made, and callbacks on the progress of their models. */
export interface CrossFitOptions {
  /** Number of folds, 2 to 100; 5 by default. */
  folds?: number
  /** What stays together in a fold; by default as cells are missing. */
  by?: FoldBy
  /** Random starts per model, of which the one with the smallest training error continues; 1 by default. */
  starts?: number
  /** Called after every epoch of a model, with the number of its fold from 0; none by default. */
  onEpoch?: (fold: number, report: EpochReport) => void
  /** Called when a model is finished, with the number of its fold from 0; none by default. */
  onModel?: (fold: number) => void
}

/** How unfinished models of a cross-fit are saved. */
export interface FoldCheckpointing {
  /**
   * Per fold, the state of its run if it has begun: runs continue from it, and it is updated before `save`.
   */
  states: (RunState | undefined)[]
  /** Seconds until the next save. */
  secondsLeft(): number
  /** Writes `states`. */
  save(): Promise<void>
}

/**
 * The conditions that end a cross-fit before all of its models are fitted, and the weights of entries in its
 * errors.
 */
export interface FoldJudgement {
  /**
   * Called with the errors of the first 1, 2 … folds, but not of all; the cross-fit is given up where it
   * returns true.
   */
  isHopeless: (first: readonly FoldError[]) => boolean
  /** Weights of the entries in capped errors; all 1 by default. */
  weights?: Float32Array
  /** Its time limit; none by default. */
  limit?: FoldLimit
  /** Where unlisted cells are zeros: the sample that `tensor` has the cells of. */
  sampled?: SampledCells
}

/** The time limit of a cross-fit. */
export interface FoldLimit {
  /** The time by which its models must be fitted. */
  deadline: Deadline
  /** Whether models are cut off then, each in its turn; else the cross-fit is given up. */
  cutsModels: boolean
  /** Models of all entries that follow the cross-fit within the limit. */
  modelsAfter: number
}
