/**
 * What a solver decides, and nothing of how it is done. A run (run.ts) asks for the next round of iterations, has it done
 * by the engine, and shows the solver the report. A solver's state is plain data, so that a run can be kept, moved and
 * resumed.
 */
import type { Step } from '../../engine/engine.ts'
import type { EpochReport } from '../run/report.ts'
import type { StopReason } from '../run/stopping.ts'

export interface Method<State> {
  /** Whether factors are balanced before the first round and after each. */
  balances: boolean
  /** The set whose error is taken for that of the training entries. */
  looksAt: 'train' | 'probe'
  /** `first`: the report on the factors that it starts from; isRandom: whether nobody has learned anything in them. */
  begin(first: EpochReport, isRandom?: boolean): State
  /** The next round. */
  next(state: State, past: Past): Round
  /** Takes note of a round's report, and decides what follows from it. Changes the state. */
  judge(state: State, past: Past, round: Round, report: EpochReport): Verdict
}

/** AO iterations between two looks at the error. */
export interface Round {
  iterations: number
  /** c */
  sample: number
  /** In the data's units. */
  lambda: number
  step: Step
}

/** What was before this round. */
export interface Past {
  /** AO iterations done. */
  iterations: number
  epoch: number
  reports: readonly EpochReport[]
  /** The report on the factors that are kept: at first on those it started from. */
  best: EpochReport
}

export interface Verdict {
  /** Whether the report is told. */
  tell: boolean
  /** Whether these factors are the best so far, and kept. */
  keep: boolean
  /** Whether to go back to those that are kept. */
  back?: boolean
  stop?: StopReason
}
