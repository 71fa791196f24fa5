/**
 * The fast method: rows solved with H, or gradient steps under the Collatz–Wielandt bound of λ_max(H);
 * momentum across iterations; automatic c and λ; stratified SGD before (strata.ts) and variational EM after
 * (prior.ts). docs/solver.md has the gain of each idea; packages/lacuna/src/reference/fast.ts has the steps
 * in float64.
 */
import type { LoadedProblem, Statistics, Step } from '../../engine/engine.ts'
import { type EpochReport, hasFiniteErrors, notFiniteAtStart, scoreOf } from '../run/report.ts'
import type { StopReason } from '../run/stopping.ts'
import type { Settings } from '../settings/settings.ts'
import { lambdaRule } from './lambda.ts'
import type { Method, Past, Verdict } from './method.ts'
import {
  covariancesOf,
  NOISELESS,
  PRIOR_SWEEPS,
  posteriorStep,
  SLOW_START,
  START_EPOCHS,
  START_SWEEPS,
} from './prior.ts'
import {
  climb,
  fixedStage,
  ladder,
  newSchedule,
  type ScheduleState,
  type Stage,
  updateSchedule,
} from './schedule.ts'
import { FEWEST_EPOCHS, newStrata, type StrataState, strataStep, updateStrata } from './strata.ts'

/** Length of a round, the steps between two measurements of the error, in epochs. */
const ROUND_EPOCHS = 0.25
/**
 * Length of the first round in epochs; each later one is as long as all before it, up to ROUND_EPOCHS: at
 * first the error falls fast.
 */
const FIRST_ROUND_EPOCHS = 1 / 16
/** Divergence: above this multiple of the best error the best factors are restored, and samples grow. */
const DIVERGED = 1.5
/** Relative training error below which float32 cannot improve the fit: the run ends. */
const EXACT = 1e-5
/** Epochs over which the progress for the tolerance is measured. */
const PROGRESS_EPOCHS = 5
/** Progress is relative to the error, or to this where the error is smaller: then little is left to gain. */
const SMALL = 0.1
/**
 * Damping of small samples, in entries: as if this many more, evenly over all components, were fitted by the
 * row as it is.
 */
const DAMPING = 1
/** Size of the probe: this many training entries, or this fraction of them if that is more. */
const PROBE = { entries: 100_000, fraction: 1 / 50 }

/** State of the fast method; plain data, saved as JSON under these names. */
export interface FastState {
  /** Rounds of sampled steps so far. */
  rounds: number
  /** Current stage of the schedule. */
  schedule: ScheduleState
  /** λ by the rule, averaged with earlier ones while it grows. */
  lambda: number
  /** Factor of the stages' momentum; halved whenever the error diverges. */
  momentumShare: number
  /** Relative training error before the next round. */
  before: number
  /** The best score and its epoch. */
  best: { score: number; epoch: number }
  /** Epoch from which progress is measured: that of the last change of stage. */
  since: number
  /** State of stratified SGD while the run is in that phase. */
  strata?: StrataState
  /** Sweeps so far of the robust start (Huber loss), in place of sampled steps; undefined in other phases. */
  startSweeps?: number
  /** Sweeps so far under the learned prior; undefined before that phase. */
  priorSweeps?: number
  /** Training RMSE of the factors that the sweeps start from, in data units; by default that of the best. */
  startRmse?: number
}

/**
 * Makes the fast method for a problem: sampled steps by the schedule, before them stratified SGD or the
 * robust start, after them sweeps under a learned prior.
 * @param hasFeatures whether attributes of rows are given
 */
export function fastMethod(
  settings: Settings,
  problem: LoadedProblem,
  hasFeatures = false,
): Method<FastState> {
  const { rank } = settings
  const { statistics } = problem
  const { entries } = statistics.sets.train
  const rows = rowsWithEntries(statistics)
  const zeros = settings.missing === 'zero'
  const sample = zeros ? 1 : settings.sample
  const stages = sample === 'auto' ? ladder(rows, entries, rank) : [fixedStage(sample, rank)]
  const costs = stages.map((stage) => problem.cost(stage))
  const rule = lambdaRule(statistics, rank)
  const allRows = rows.reduce((sum, count) => sum + count, 0)
  // With fewer entries than rows there is nothing to learn a prior from. The settings may have changed since
  // the problem was loaded, with or without memory for covariances.
  const covariances = covariancesOf(settings, { dims: statistics.dims, entries, hasFeatures })
  const learns = covariances !== undefined && (problem.hasPosterior ?? false) && entries >= allRows
  const hasSideInformation = hasFeatures || Object.keys(settings.lags).length > 0
  // With missing: 'zero' every row has enough cells without regularization.
  const chooseLambda = (rmse: number, sample: number): number =>
    zeros ? 0 : rule.choose(rmse, sample < 1 || learns)
  return {
    balances: true,
    errorSet: zeros ? 'train' : 'probe',

    begin(first, isRandom) {
      if (!hasFiniteErrors(first)) throw notFiniteAtStart()
      return {
        rounds: 0,
        schedule: newSchedule(),
        lambda: chooseLambda(noiseOf(first), stages[0].sample),
        momentumShare: 1,
        before: first.train.relative,
        best: { score: scoreOf(first), epoch: 0 },
        since: 0,
        ...(problem.hasStrata && isRandom && settings.epochs >= FEWEST_EPOCHS && { strata: newStrata() }),
        ...(learns && settings.loss === 'huber' && { startSweeps: 0 }),
      }
    },

    next(state, { epoch, best }) {
      if (state.priorSweeps !== undefined) {
        const first = state.priorSweeps === 0 ? (state.startRmse ?? best.train.rmse) : undefined
        const step = posteriorStep(settings, statistics, rule, first)
        return { iterations: 1, sample: 1, lambda: state.lambda, step }
      }
      if (state.startSweeps !== undefined) {
        const first = state.startSweeps === 0 ? best.train.rmse : undefined
        const step = posteriorStep(settings, statistics, rule, first, true)
        return { iterations: 1, sample: 1, lambda: state.lambda, step }
      }
      if (state.strata) {
        const step = strataStep(state.strata, statistics, rank)
        return { iterations: 1, sample: 1, lambda: state.lambda, step }
      }
      const stage = stages[state.schedule.at]
      const length = Math.min(ROUND_EPOCHS, FIRST_ROUND_EPOCHS * 2 ** Math.max(0, state.rounds - 1))
      const left = settings.epochs - epoch
      return {
        iterations: Math.max(1, Math.round(Math.min(length, left) / stage.sample)),
        sample: stage.sample,
        lambda: settings.lambda === 'auto' ? state.lambda : settings.lambda,
        step: stepOf(stage, state.momentumShare),
      }
    },

    judge(state, past, { iterations, sample }, report) {
      if (state.priorSweeps !== undefined) return judgePrior(state, past, report)
      if (state.startSweeps !== undefined) return judgeStart(state, report)
      state.rounds++
      if (state.strata) return judgeStrata(state, state.strata, past, report)
      // Without enough λ a row with few entries can overflow float32.
      const stage = stages[state.schedule.at]
      const isSound = hasFiniteErrors(report)
      const isBest = isSound && scoreOf(report) < scoreOf(past.best)
      const best = isBest ? report : past.best
      const mustRestore = !isSound || report.train.relative > DIVERGED * best.train.relative
      if (mustRestore) {
        climb(state.schedule, stages.length)
        state.momentumShare /= 2
      } else {
        updateSchedule(state.schedule, costs, {
          before: state.before,
          after: report.train.relative,
          iterations,
        })
        const lambda = chooseLambda(noiseOf(report), sample)
        const average = (state.lambda + lambda) / 2
        // Rows solved from small samples use a smaller λ at once: averaging would keep the error up.
        state.lambda = stage.kind === 'newton' && sample < 1 ? Math.min(lambda, average) : average
      }
      const now = mustRestore ? best : report
      state.before = now.train.relative
      const stop = whyStop(state, past, now, report.epoch)
      if (!beginsPrior(stop, best, report, past)) return { isReported: isSound, isBest, mustRestore, stop }
      state.priorSweeps = 0
      // Validation selects among the sweeps, never the factors that they start from: at a high rank those with
      // the smallest validation error are underfitted, and components that are pruned there do not return.
      if (mustRestore || !report.validation) return { isReported: isSound, isBest, mustRestore: true }
      state.startRmse = report.train.rmse
      return { isReported: true, isBest }
    },
  }

  /**
   * Whether the sweeps under a learned prior begin: a prior is learned, the data are not noiseless, and λ has
   * led as far as it can or only the epochs of the sweeps are left.
   * @param stop why the run would end without them; undefined if it would continue
   * @param best the report on the best factors so far
   */
  function beginsPrior(
    stop: StopReason | undefined,
    best: EpochReport,
    { epoch, train }: EpochReport,
    { reports }: Past,
  ): boolean {
    // With about as many parameters as entries a small training error does not mean that there is no noise.
    const isDetermined = entries > 2 * rank * allRows
    const isNoiseless = isDetermined && best.train.relative < NOISELESS
    // Lags and attributes also predict rows without entries.
    if (!learns || (isNoiseless && !hasSideInformation)) return false
    const { epochs } = settings
    const isTime = epochs >= 2 * PRIOR_SWEEPS && epochs - epoch <= PRIOR_SWEEPS
    // An error that still falls fast may be that of data without noise.
    const before = reports.findLast((earlier) => earlier.epoch <= epoch - PROGRESS_EPOCHS)
    const isSlow = !before || train.relative > SLOW_START * before.train.relative
    const isReady = covariances === 'groups' && epoch >= START_EPOCHS && isSlow
    return stop === 'tolerance' || stop === 'patience' || stop === 'exact' || isTime || isReady
  }

  /** Judges an epoch of stratified SGD, which ends with its best factors when it makes no more progress. */
  function judgeStrata(state: FastState, strata: StrataState, past: Past, report: EpochReport): Verdict {
    const isSound = hasFiniteErrors(report)
    const isBest = isSound && scoreOf(report) < scoreOf(past.best)
    // An error that rises at first and then falls leads to equally good factors: it is no divergence.
    const goesOn = isSound && updateStrata(strata, state.before, report.train.relative)
    const mustRestore = !goesOn && !isBest
    const now = mustRestore ? past.best : report
    if (!goesOn) {
      state.strata = undefined
      state.since = report.epoch
      // Small samples are no longer needed, as components are near their final state; unless the error only
      // grew.
      if (past.best.epoch > 0 || isBest) state.schedule.at = stages.length - 1
    }
    state.lambda = chooseLambda(noiseOf(now), stages[0].sample)
    state.before = now.train.relative
    return { isReported: isSound, isBest, mustRestore, stop: whyStop(state, past, now, report.epoch) }
  }

  /**
   * Judges a sweep of the robust start (Huber loss). The latest factors count as the best, since with
   * outliers a small training error is no merit; the last sweep is followed by those under a learned prior.
   */
  function judgeStart(state: FastState, report: EpochReport): Verdict {
    const isSound = hasFiniteErrors(report)
    state.startSweeps = state.startSweeps! + 1
    const most = Math.min(START_SWEEPS, Math.max(1, settings.epochs - PRIOR_SWEEPS))
    if (isSound && state.startSweeps < most)
      return {
        isReported: true,
        isBest: true,
        mustRestore: false,
        stop: report.epoch + 0.5 > settings.epochs ? 'epochs' : undefined,
      }
    state.priorSweeps = 0
    return { isReported: isSound, isBest: isSound, mustRestore: true }
  }

  /**
   * Judges a sweep under a learned prior. It counts as better than what was before, although it fits the
   * training entries less well, unless the validation error is larger.
   */
  function judgePrior(state: FastState, past: Past, report: EpochReport): Verdict {
    const isSound = hasFiniteErrors(report)
    const isBest = isSound && (!report.validation || scoreOf(report) < scoreOf(past.best))
    state.priorSweeps = state.priorSweeps! + 1
    const isOver = !isSound || state.priorSweeps >= PRIOR_SWEEPS
    const stop = isOver ? 'learned' : report.epoch + 0.5 > settings.epochs ? 'epochs' : undefined
    return { isReported: isSound, isBest, mustRestore: !isSound, stop }
  }

  /**
   * Why the run ends: the error no longer improves, or all epochs are done; undefined if it continues.
   * Updates `state.best`, and climbs to the next stage where the error no longer improves in this one.
   * @param now the report on the factors with which the run continues
   */
  function whyStop(
    state: FastState,
    { reports }: Past,
    now: EpochReport,
    epoch: number,
  ): StopReason | undefined {
    const { epochs, tolerance, patience } = settings
    if (scoreOf(now) < state.best.score) state.best = { score: scoreOf(now), epoch }
    if (now.train.relative < EXACT) return 'exact'
    if (now.validation && epoch - state.best.epoch >= patience) return 'patience'
    const past = reports.findLast((earlier) => earlier.epoch <= epoch - PROGRESS_EPOCHS)
    if (past && past.epoch >= state.since) {
      const gain = (past.train.relative - now.train.relative) / PROGRESS_EPOCHS
      const isSettled = gain < tolerance * Math.max(now.train.relative, SMALL)
      if (isSettled && state.schedule.at === stages.length - 1 && tolerance > 0) return 'tolerance'
      if (isSettled) {
        climb(state.schedule, stages.length)
        state.since = epoch
      }
    }
    // The run stops here if one more iteration would end further from the limit of epochs.
    const sample = state.strata ? 1 : stages[state.schedule.at].sample
    return epoch + sample / 2 > epochs ? 'epochs' : undefined
  }
}

/** About how many training entries are in the probe, the fixed sample on which errors are measured. */
export const probeSize = (entries: number): number =>
  Math.max(PROBE.entries, Math.ceil(entries * PROBE.fraction))

/** Per mode, the number of rows with training entries. */
export const rowsWithEntries = ({ dims, emptyRows }: Statistics): number[] =>
  dims.map((rows, mode) => rows - emptyRows[mode].length)

/**
 * Estimate of the standard deviation of the noise: the larger RMSE of training and validation entries. The
 * training error alone is too small where the model overfits.
 */
function noiseOf({ train, validation }: EpochReport): number {
  return Math.max(train.rmse, validation?.rmse ?? 0)
}

/** The engine's step for a stage. @param momentumFactor multiplies the momentum of the stage */
export function stepOf(stage: Stage, momentumFactor: number): Step {
  const { kind } = stage
  const momentum = stage.momentum * momentumFactor
  return kind === 'newton' ? { kind, momentum, damping: DAMPING } : { kind, momentum }
}
