/** Means and spreads over the trials. */
import type { Curve, TimingProblem, TimingSeries } from './results.ts'

export interface Band {
  mean: number
  /** The smallest and the largest of the trials. */
  low: number
  high: number
}

export interface MeanPoint {
  epoch: number
  /** Mean over the trials. */
  seconds: number
  observed: Band
  hidden: Band
}

/** Neighbouring points of a mean curve are at least so far apart, as a ratio of epochs. */
const SPACING = 1.02

/**
 * The curves of several trials as one. The paper's solver reports at the same epochs in all trials; the fast one where
 * its samples lead it: its curves are read in between, and a trial that has ended stays where it ended.
 */
export function meanCurve(curves: readonly Curve[]): MeanPoint[] {
  const start = Math.max(...curves.map(({ epoch }) => epoch[0]))
  const all = [...new Set(curves.flatMap(({ epoch }) => epoch))].sort((a, b) => a - b)
  const last = all[all.length - 1]
  const epochs: number[] = []
  for (const epoch of all)
    if (epoch >= start && (epochs.length === 0 || epoch === last || epoch >= SPACING * epochs.at(-1)!))
      epochs.push(epoch)
  return epochs.map((epoch) => {
    const at = curves.map((curve) => readAt(curve, epoch))
    return {
      epoch,
      seconds: bandOf(at.map(({ seconds }) => seconds)).mean,
      observed: bandOf(at.map(({ observed }) => observed)),
      hidden: bandOf(at.map(({ hidden }) => hidden)),
    }
  })
}

/** A curve between its points; errors are interpolated as their logarithms are drawn. */
function readAt(curve: Curve, epoch: number): { seconds: number; observed: number; hidden: number } {
  const { epoch: epochs } = curve
  let right = epochs.findIndex((e) => e >= epoch)
  if (right < 0) right = epochs.length - 1
  const left = Math.max(0, right - 1)
  const span = epochs[right] - epochs[left]
  const share = span > 0 ? Math.min(1, (epoch - epochs[left]) / span) : 1
  const between = (column: readonly number[]): number => column[left] + share * (column[right] - column[left])
  const betweenLogs = (column: readonly number[]): number =>
    column[left] > 0 && column[right] > 0
      ? column[left] ** (1 - share) * column[right] ** share
      : between(column)
  return {
    seconds: between(curve.seconds),
    observed: betweenLogs(curve.observed),
    hidden: betweenLogs(curve.hidden),
  }
}

export function bandOf(numbers: readonly number[]): Band {
  const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length
  return { mean, low: Math.min(...numbers), high: Math.max(...numbers) }
}

export interface TimingPoint {
  problem: TimingProblem['name']
  solver: 'paper' | 'fast'
  rank: number
  threads: number
  seconds: Band
  /** Against the smallest number of threads, as a mean of trials; times that number. */
  speedUp: Band
}

/** Seconds per epoch and speed-ups. */
export function timingPoints(problem: TimingProblem): TimingPoint[] {
  return problem.series.map((one) => {
    const { solver, rank, threads, seconds } = one
    const speedUp = bandOf(speedUps(problem, one))
    return { problem: problem.name, solver, rank, threads, seconds: bandOf(seconds), speedUp }
  })
}

/** How many times as fast as the smallest number of threads, one per trial: runs of the same trial are compared. */
export function speedUps({ series }: TimingProblem, { solver, rank, seconds }: TimingSeries): number[] {
  const same = series.filter((one) => one.solver === solver && one.rank === rank)
  const base = same.reduce((least, one) => (one.threads < least.threads ? one : least))
  return seconds.map((s, trial) => (base.threads * base.seconds[trial]) / s)
}
