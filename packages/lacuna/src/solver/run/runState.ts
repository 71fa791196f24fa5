/** The state of a run, and its result: plain data but for the model. */
import type { EngineState } from '../../engine/engine.ts'
import type { CpModel, ErrorSummary } from '../../model/index.ts'
import type { FastState } from '../methods/fast.ts'
import type { Round } from '../methods/method.ts'
import type { PaperState } from '../methods/paper.ts'
import type { Choice, FoldChoice, Selection } from '../select/trials.ts'
import type { Settings } from '../settings/settings.ts'
import type { EpochReport } from './report.ts'
import type { StopReason } from './stopping.ts'

/**
 * Everything that a run depends on except its entries: with them it continues anywhere, with the same bits.
 */
export interface RunState {
  /** The settings of the run, defaults included. */
  settings: Settings
  /**
   * Digest of the entries, those of validation and watched sets included, by which a checkpoint recognizes
   * them.
   */
  digest: string
  /** Rounds, reports and the state of the method. */
  progress: Progress
  /** Factors and everything else that the engine holds. */
  engine: EngineState
}

/** How far a run is: plain data, saved as JSON under these names. */
export interface Progress {
  /** k, AO iterations done. */
  iterations: number
  /** Passes over the training entries in finished rounds. */
  epoch: number
  /** Seconds of solving, errors included. */
  seconds: number
  /** Seconds in steps alone, without measuring errors. */
  updateSeconds: number
  /** All reports so far. */
  reports: EpochReport[]
  /** The report on the snapshot, the best factors so far. */
  best: EpochReport
  /** Whether the snapshot is better than the factors it started from. */
  learned: boolean
  /** The current round, and how many of its iterations are done. */
  round?: Round & { done: number }
  /** State of the method. */
  method: FastState | PaperState
  /** Why the run ended. */
  stopped?: StopReason
  /** The trials by which settings were chosen before the run, for the record of a resumed one. */
  selection?: Selection
}

/** Passes over the training entries so far; fractional within a round. */
export const epochsOf = ({ epoch, round }: Pick<Progress, 'epoch' | 'round'>): number =>
  epoch + (round ? round.done * round.sample : 0)

/** The result of a run: the model, its errors, and why the run stopped. M are the names of the modes. */
export interface Completion<M extends string = string> {
  /**
   * The model with the best factors: those of the smallest validation error if there are validation entries.
   */
  model: CpModel<M>
  /** The settings of the run, defaults included. */
  settings: Settings
  /** All reports, the first one first. */
  epochs: EpochReport[]
  /** Error of the model on the training entries. */
  train: ErrorSummary
  /** Error of the model on the validation entries, if there are any. */
  validation?: ErrorSummary
  /** Errors of the model on the watched sets, by name. */
  watch?: Record<string, ErrorSummary>
  /** Seconds of solving, errors included. */
  seconds: number
  /** Why the run stopped. */
  stopped: StopReason
  /** Trials and the chosen settings, if settings were chosen by trials. */
  choice?: Choice
  /** The ranks that were tried, with `rank: 'auto'`. */
  ranks?: FoldChoice
}
