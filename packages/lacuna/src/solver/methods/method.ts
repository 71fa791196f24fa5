/**
 * The interface of the solver's methods, which decide what is done but not how. A run (run/rounds.ts) asks
 * for the next round, runs it on the engine, and passes the report to the method. A method's state is plain
 * data, so that runs can be saved and resumed.
 */
import type { Step } from '../../engine/engine.ts'
import type { EpochReport } from '../run/report.ts'
import type { StopReason } from '../run/stopping.ts'

/** Decides rounds and what follows from their reports. */
export interface Method<State> {
  /** Whether factors are balanced before the first round and after each. */
  balances: boolean
  /** The set whose error is reported as that of the training entries. */
  errorSet: 'train' | 'probe'
  /**
   * The state before the first round.
   * @param first the report on the initial factors
   * @param isRandom whether these are random, not given
   */
  begin(first: EpochReport, isRandom?: boolean): State
  /** The next round. */
  next(state: State, past: Past): Round
  /** Updates the state in place by a round's report, and decides what follows. */
  judge(state: State, past: Past, round: Round, report: EpochReport): Verdict
}

/** AO iterations between two measurements of the error. */
export interface Round {
  /** AO iterations. */
  iterations: number
  /** c, the fraction of each row's entries that a step uses. */
  sample: number
  /** λ in data units. */
  lambda: number
  /** The step that each iteration makes in every mode. */
  step: Step
}

/** The run before a round. */
export interface Past {
  /** AO iterations done. */
  iterations: number
  /** Passes over the training entries so far. */
  epoch: number
  /** All reports so far. */
  reports: readonly EpochReport[]
  /** The report on the snapshot: at first on the initial factors. */
  best: EpochReport
}

/** The decision of a method after a round. */
export interface Verdict {
  /** Whether the round is reported. */
  isReported: boolean
  /** Whether the current factors are the best so far: then the snapshot is replaced. */
  isBest: boolean
  /** Whether the snapshot is restored. */
  mustRestore?: boolean
  /** Why the run ends, if it does. */
  stop?: StopReason
}
