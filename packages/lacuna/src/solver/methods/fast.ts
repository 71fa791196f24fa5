/**
 * Past the paper: rows solved with H or stepped under a bound of it, momentum across iterations, c and λ by themselves.
 * docs/solver.md tells what each idea gained; packages/lacuna/src/reference/fast.ts has the steps in float64.
 */
import type { LoadedProblem, Statistics, Step } from '../../engine/engine.ts'
import { type EpochReport, hasFiniteErrors, scoreOf } from '../run/report.ts'
import type { StopReason } from '../run/stopping.ts'
import type { Settings } from '../settings/settings.ts'
import { type LambdaRule, lambdaRule } from './lambda.ts'
import type { Method, Past, Verdict } from './method.ts'
import { learnsPrior, NOISELESS, PRIOR_SWEEPS, posteriorStep, START_SWEEPS } from './prior.ts'
import {
  climb,
  fixedStage,
  ladder,
  newSchedule,
  observe,
  type ScheduleState,
  type Stage,
} from './schedule.ts'
import { FEWEST_EPOCHS, newStrata, observeStrata, type StrataState, strataStep } from './strata.ts'

/** A round, between two looks at the error, is about this much of an epoch … */
const ROUND_EPOCHS = 0.25
/** … the first one this much, and each one after it as much as all before: at first the error falls fast. */
const FIRST_ROUND_EPOCHS = 1 / 16
/** An error this many times the best one so far is no accident: back to the best, with larger samples. */
const DIVERGED = 1.5
/** Below this relative error float32 has nothing more to say. */
const EXACT = 1e-5
/** Progress is judged over this many epochs … */
const PROGRESS_EPOCHS = 5
/** … relative to the error, or to this where the error is smaller: what is left then is not worth many epochs. */
const SMALL = 0.1
/** Damping of small samples: as if so many more entries, evenly over all components, spoke for the row as it is. */
const DAMPING = 1
/** Training entries that are looked at to see the error: so many, or this share of them if that is more. */
const PROBE = { entries: 100_000, share: 1 / 50 }

export interface FastState {
  rounds: number
  schedule: ScheduleState
  /** λ by the rule; averaged with those before it as long as it grows. */
  lambda: number
  /** Of the momentum of a stage: halved whenever the error grows. */
  momentumShare: number
  /** The training error that the next round begins with. */
  before: number
  /** The best score and its epoch. */
  best: { score: number; epoch: number }
  /** The epoch from which progress is judged: that of the last climb. */
  since: number
  /** While it is SGD in strata that leads. */
  strata?: StrataState
  /** How many sweeps there have been instead of λ's; undefined where λ leads. */
  startSweeps?: number
  /** How many sweeps there have been under a learned prior; undefined before there are any. */
  priorSweeps?: number
}

/** hasFeatures: attributes of rows were given. */
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
  // With fewer entries than rows, not even one number for each row is known: there is nothing to learn a prior from.
  const learns = learnsPrior(settings, { dims: statistics.dims, entries, hasFeatures }) && entries >= allRows
  const hasSides = hasFeatures || Object.keys(settings.lags).length > 0
  const chooseLambda = (rmse: number, sample: number): number => lambdaOf(rule, rmse, sample)
  return {
    balances: true,
    errorSet: zeros ? 'train' : 'probe',

    begin(first, isRandom) {
      if (!hasFiniteErrors(first)) throw new Error('The error is no longer finite.')
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
        const first = state.priorSweeps === 0 ? best : undefined
        const step = posteriorStep(settings, statistics, rule, first)
        return { iterations: 1, sample: 1, lambda: state.lambda, step }
      }
      if (state.startSweeps !== undefined) {
        const first = state.startSweeps === 0 ? best : undefined
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
      // A few entries of a row can throw it beyond float32 where no λ holds it.
      const stage = stages[state.schedule.at]
      const isSound = hasFiniteErrors(report)
      const isBest = isSound && scoreOf(report) < scoreOf(past.best)
      const best = isBest ? report : past.best
      const mustRestore = !isSound || report.train.relative > DIVERGED * best.train.relative
      if (mustRestore) {
        climb(state.schedule, stages.length)
        state.momentumShare /= 2
      } else {
        observe(state.schedule, costs, { before: state.before, after: report.train.relative, iterations })
        const lambda = chooseLambda(noiseOf(report), sample)
        const average = (state.lambda + lambda) / 2
        // Rows solved from small samples follow λ at once: averaged, it would be what holds the error up.
        state.lambda = stage.kind === 'newton' && sample < 1 ? Math.min(lambda, average) : average
      }
      const now = mustRestore ? best : report
      state.before = now.train.relative
      const stop = whyStop(state, past, now, report.epoch)
      if (!goesOnWithPrior(stop, best, report.epoch))
        return { isReported: isSound, isBest, mustRestore, stop }
      state.priorSweeps = 0
      return { isReported: isSound, isBest, mustRestore: true }
    },
  }

  function lambdaOf(rule: LambdaRule, rmse: number, sample: number): number {
    // Over all cells there are so many that nothing need hold the rows.
    return zeros ? 0 : rule.choose(rmse, sample < 1 || learns)
  }

  /** Whether λ has led as far as it can, or has had its share of the epochs where these are many. */
  function goesOnWithPrior(stop: StopReason | undefined, best: EpochReport, epoch: number): boolean {
    // Where there are about as many parameters as entries a close fit says nothing.
    const isTelling = entries > 2 * rank * allRows
    const isNoiseless = isTelling && best.train.relative < NOISELESS
    // Neighbours and attributes tell of rows of which no entry does.
    if (!learns || (isNoiseless && !hasSides)) return false
    const { epochs } = settings
    const isTime = epochs >= 2 * PRIOR_SWEEPS && epochs - epoch <= PRIOR_SWEEPS
    return stop === 'tolerance' || stop === 'patience' || stop === 'exact' || isTime
  }

  /** Strata end where they do no more good, with the best factors that they found. */
  function judgeStrata(state: FastState, strata: StrataState, past: Past, report: EpochReport): Verdict {
    const isSound = hasFiniteErrors(report)
    const isBest = isSound && scoreOf(report) < scoreOf(past.best)
    // An error that leaps up at first and then falls has led to no worse places than one that does not.
    const goesOn = isSound && observeStrata(strata, state.before, report.train.relative)
    const mustRestore = !goesOn && !isBest
    const now = mustRestore ? past.best : report
    if (!goesOn) {
      state.strata = undefined
      state.since = report.epoch
      // What small samples are for has been done: the components are near their places. Unless there was nothing but harm.
      if (past.best.epoch > 0 || isBest) state.schedule.at = stages.length - 1
    }
    state.lambda = chooseLambda(noiseOf(now), stages[0].sample)
    state.before = now.train.relative
    return { isReported: isSound, isBest, mustRestore, stop: whyStop(state, past, now, report.epoch) }
  }

  /** Where outliers are, a small training error is no merit: the latest factors are kept. */
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

  /** What is learned is better in the end, though it fits the training entries less well: only validation may disagree. */
  function judgePrior(state: FastState, past: Past, report: EpochReport): Verdict {
    const isSound = hasFiniteErrors(report)
    const isBest = isSound && (!report.validation || scoreOf(report) < scoreOf(past.best))
    state.priorSweeps = state.priorSweeps! + 1
    const isOver = !isSound || state.priorSweeps >= PRIOR_SWEEPS
    const stop = isOver ? 'learned' : report.epoch + 0.5 > settings.epochs ? 'epochs' : undefined
    return { isReported: isSound, isBest, mustRestore: !isSound, stop }
  }

  /** Ends the work when the error has stopped improving, or the epochs are done. */
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
    // One more iteration would end further from it.
    const sample = state.strata ? 1 : stages[state.schedule.at].sample
    return epoch + sample / 2 > epochs ? 'epochs' : undefined
  }
}

/** About how many training entries are looked at to see the error. */
export const probeSize = (entries: number): number =>
  Math.max(PROBE.entries, Math.ceil(entries * PROBE.share))

export const rowsWithEntries = ({ dims, emptyRows }: Statistics): number[] =>
  dims.map((rows, mode) => rows - emptyRows[mode].length)

/**
 * The deviation of the entries from the model. Where the model fits the training entries better than others, the
 * others are nearer to the truth.
 */
function noiseOf({ train, validation }: EpochReport): number {
  return Math.max(train.rmse, validation?.rmse ?? 0)
}

/** What the engine is asked to do in a stage. */
export function stepOf(stage: Stage, momentumShare: number): Step {
  const { kind } = stage
  const momentum = stage.momentum * momentumShare
  return kind === 'newton' ? { kind, momentum, damping: DAMPING } : { kind, momentum }
}
