/** Means, medians and ranges over the trials of an experiment. */
import type { Curve, TimingProblem, TimingSeries } from './results.ts'

/** The mean, median and spread of a number over the trials. */
export interface Band {
  mean: number
  /** The middle value: one slow trial on a busy machine does not move it. */
  median: number
  /** A quarter of the values is at most this, and a quarter at least the other. */
  quartiles: readonly [number, number]
  /** The smallest value. */
  low: number
  /** The largest value. */
  high: number
}

/** A point of a mean curve. */
export interface MeanPoint {
  epoch: number
  /** Mean over the trials. */
  seconds: number
  observed: Band
  hidden: Band
}

/** The least ratio of the epochs of neighbouring points of a mean curve. */
const SPACING = 1.02

/**
 * Returns the mean curve of several trials, with the range of the errors. The paper's solver reports at the
 * same epochs in all trials, the fast solver does not: its curves are interpolated. A trial that has ended
 * contributes its last point.
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
    const at = curves.map((curve) => interpolate(curve, epoch))
    return {
      epoch,
      seconds: bandOf(at.map(({ seconds }) => seconds)).mean,
      observed: bandOf(at.map(({ observed }) => observed)),
      hidden: bandOf(at.map(({ hidden }) => hidden)),
    }
  })
}

/** Interpolates a curve at an epoch: seconds linearly, errors by their logarithms. */
function interpolate(curve: Curve, epoch: number): { seconds: number; observed: number; hidden: number } {
  const { epoch: epochs } = curve
  let right = epochs.findIndex((e) => e >= epoch)
  if (right < 0) right = epochs.length - 1
  const left = Math.max(0, right - 1)
  const span = epochs[right] - epochs[left]
  const fraction = span > 0 ? Math.min(1, (epoch - epochs[left]) / span) : 1
  const between = (column: readonly number[]): number =>
    column[left] + fraction * (column[right] - column[left])
  const betweenLogs = (column: readonly number[]): number =>
    column[left] > 0 && column[right] > 0
      ? column[left] ** (1 - fraction) * column[right] ** fraction
      : between(column)
  return {
    seconds: between(curve.seconds),
    observed: betweenLogs(curve.observed),
    hidden: betweenLogs(curve.hidden),
  }
}

/** The mean, median and spread of some numbers. */
export function bandOf(numbers: readonly number[]): Band {
  const sorted = [...numbers].sort((a, b) => a - b)
  const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length
  const [lower, median, upper] = [0.25, 0.5, 0.75].map((fraction) => quantile(sorted, fraction))
  return { mean, median, quartiles: [lower, upper], low: sorted[0], high: sorted[sorted.length - 1] }
}

/** The quantile of sorted numbers, interpolated linearly. */
function quantile(sorted: readonly number[], fraction: number): number {
  const at = fraction * (sorted.length - 1)
  const [left, right] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
  return left + (at - Math.floor(at)) * (right - left)
}

/** Time and speed-up of a solver with a rank and a number of threads. */
export interface TimingPoint {
  problem: TimingProblem['name']
  solver: 'paper' | 'fast'
  rank: number
  threads: number
  /** Seconds per epoch. */
  seconds: Band
  /** Relative to the run with the fewest threads, times that number of threads. */
  speedUp: Band
}

/** Seconds per epoch and speed-ups of every series of a problem. */
export function timingPoints(problem: TimingProblem): TimingPoint[] {
  return problem.series.map((one) => {
    const { solver, rank, threads, seconds } = one
    const speedUp = bandOf(speedUps(problem, one))
    return { problem: problem.name, solver, rank, threads, seconds: bandOf(seconds), speedUp }
  })
}

/** The speed-up of a series per trial: each trial is compared with the same trial on the fewest threads. */
export function speedUps({ series }: TimingProblem, { solver, rank, seconds }: TimingSeries): number[] {
  const same = series.filter((one) => one.solver === solver && one.rank === rank)
  const base = same.reduce((least, one) => (one.threads < least.threads ? one : least))
  return seconds.map((s, trial) => (base.threads * base.seconds[trial]) / s)
}
