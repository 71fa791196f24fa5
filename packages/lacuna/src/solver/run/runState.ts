/** What a run is at any moment, and what comes of it: plain data but for the model. */
import type { EngineState } from '../../engine/engine.ts'
import type { CpModel, ErrorSummary } from '../../model/index.ts'
import type { FastState } from '../methods/fast.ts'
import type { Round } from '../methods/method.ts'
import type { PaperState } from '../methods/paper.ts'
import type { Choice } from '../select/choose.ts'
import type { Settings } from '../settings/settings.ts'
import type { EpochReport } from './report.ts'
import type { StopReason } from './stopping.ts'

/** Everything that a run depends on but the entries: with them it can go on elsewhere, bit for bit. */
export interface RunState {
  settings: Settings
  /** Tells the entries, those of validation and watched sets included, from others. */
  digest: string
  progress: Progress
  engine: EngineState
}

/** Plain data. */
export interface Progress {
  /** k, AO iterations done. */
  iterations: number
  /** Of whole rounds. */
  epoch: number
  seconds: number
  updateSeconds: number
  reports: EpochReport[]
  /** On the factors that are kept. */
  best: EpochReport
  /** Whether these are better than the ones it started from. */
  learned: boolean
  /** The round at hand, and how much of it is done. */
  round?: Round & { done: number }
  method: FastState | PaperState
  stopped?: StopReason
}

/** What came of a run: the model, its errors, and why it stopped. */
export interface Completion {
  model: CpModel
  settings: Settings
  epochs: EpochReport[]
  /** Errors of the model. */
  train: ErrorSummary
  validation?: ErrorSummary
  watch?: Record<string, ErrorSummary>
  seconds: number
  stopped: StopReason
  /** Where settings were chosen by trials. */
  choice?: Choice
}
