/**
 * Rounds of a run: asks its method for the next round, runs it on the engine, measures the errors and acts on
 * the verdict.
 */
import type { Iterations, Timed } from '../../engine/engine.ts'
import { withWorstErrors } from '../methods/errorMeter.ts'
import type { Round } from '../methods/method.ts'
import { methodOf } from '../methods/methodOf.ts'
import type { Settings } from '../settings/settings.ts'
import type { OpenedRun } from './openedRun.ts'
import type { EpochReport } from './report.ts'
import type { Progress } from './runState.ts'

/**
 * Largest λ in the engine's units: on data scaled to about 1 any larger one leaves nothing but zeros, and
 * float32 must hold its square.
 */
const LARGEST_LAMBDA = 1e15
/** An iteration that would end after this multiple of the time limit is not begun. */
const MOST_OVERTIME = 1.05

/**
 * Runs rounds until one is to be reported, and updates the progress of the run.
 * @param seconds limit of the time in steps; a round that takes longer is continued by the next call
 * @returns the report; undefined if the run has ended, was interrupted, or the time was up
 */
export async function advanceRounds(run: OpenedRun, seconds: number): Promise<EpochReport | undefined> {
  const { progress, problem, method, settings } = run
  for (;;) {
    if (progress.stopped) return undefined
    const past = { ...progress, best: progress.best }
    progress.round ??= { ...method.next(progress.method, past), done: 0 }
    const { round } = progress
    const left = settings.seconds - progress.seconds
    if (left <= 0 || isTooLong(run, round)) {
      progress.stopped = 'seconds'
      return undefined
    }
    const { done, cut, ...took } = await problem.iterate({
      ...iterationsOf(run, round),
      seconds: Math.min(seconds, left),
    })
    addSeconds(progress, took)
    run.pace.cost += done * problem.cost({ sample: round.sample, kind: round.step.kind })
    run.pace.seconds += took.seconds
    progress.updateSeconds += took.seconds
    progress.iterations += done
    round.done += done
    const isOver = progress.seconds >= settings.seconds
    if (round.done < round.iterations && !(cut === 'seconds' && isOver)) return undefined

    progress.epoch += round.done * round.sample
    progress.round = undefined
    // After a posterior step the covariances would have to be balanced, too; the prior makes balancing
    // unnecessary.
    if (method.balances && round.step.kind !== 'posterior') addSeconds(progress, await problem.balance())
    const report = await measureRound(run, round)
    const verdict = method.judge(progress.method, past, { ...round, iterations: round.done }, report)
    if (verdict.isBest) {
      await problem.snapshot()
      progress.best = report
      progress.learned = true
    }
    if (verdict.mustRestore) {
      await problem.restore()
      if (method.balances) addSeconds(progress, await problem.balance())
    }
    progress.stopped = verdict.stop ?? (progress.seconds >= settings.seconds ? 'seconds' : undefined)
    if (verdict.isReported) {
      progress.reports.push(report)
      return report
    }
  }
}

/**
 * Whether an iteration of a round would end much after the time limit, by the pace of those before it; false
 * if nothing has been learned yet: then there would be no result.
 */
function isTooLong({ problem, progress, settings, pace }: OpenedRun, { sample, step }: Round): boolean {
  if (settings.seconds === Infinity || !progress.learned || pace.cost === 0) return false
  const seconds = (problem.cost({ sample, kind: step.kind }) * pace.seconds) / pace.cost
  return progress.seconds + seconds > MOST_OVERTIME * settings.seconds
}

/**
 * Measures the errors of the current factors and makes a report on a round; the time counts to that of the
 * run.
 * @param round its c and λ, for the report
 */
export async function measureRound(
  { progress, measureErrors }: OpenedRun,
  { sample, lambda }: Pick<Round, 'sample' | 'lambda'>,
): Promise<EpochReport> {
  const { seconds, ...errors } = await measureErrors()
  addSeconds(progress, { seconds })
  return {
    epoch: progress.epoch,
    seconds: progress.seconds,
    updateSeconds: progress.updateSeconds,
    ...errors,
    sample,
    lambda,
  }
}

/**
 * Uses other settings from the next round on. If λ or c change, or the run had ended, its method begins anew
 * from the current factors, and every later report counts as better than those before.
 */
export async function changeSettings(run: OpenedRun, settings: Settings): Promise<void> {
  const { problem, options, progress, settings: before } = run
  run.settings = settings
  run.method = methodOf(settings, problem, options)
  if (
    progress.stopped === undefined &&
    before.lambda === settings.lambda &&
    before.sample === settings.sample
  )
    return
  progress.stopped = undefined
  if (progress.round) progress.epoch += progress.round.done * progress.round.sample
  progress.round = undefined
  if (run.method.balances) await problem.balance()
  await problem.snapshot()
  const now = await measureRound(run, { sample: 0, lambda: 0 })
  progress.method = run.method.begin(now)
  progress.best = withWorstErrors(now)
}

/**
 * The iterations of a round that are not done yet, for the engine: λ in its units, at most LARGEST_LAMBDA.
 */
function iterationsOf(
  { problem, progress, settings }: OpenedRun,
  { iterations, done, sample, lambda, step }: Round & { done: number },
): Iterations {
  const { dims, factorScale } = problem.statistics
  return {
    first: progress.iterations,
    count: iterations - done,
    sample,
    // With factors multiplied by f and values by fᴺ, the problem stays the same if λ is multiplied by
    // f^(2N − 2).
    lambda: Math.min(LARGEST_LAMBDA, lambda * factorScale ** (2 * dims.length - 2)),
    seed: settings.seed,
    step,
  }
}

function addSeconds(progress: Progress, { seconds }: Timed): void {
  progress.seconds += seconds
}
