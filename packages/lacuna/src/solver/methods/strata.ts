/**
 * Where the fast solver begins with SGD in strata (kernels/solve/strata.ts), how far each epoch goes, and when it hands over to the
 * solved rows. An epoch visits every entry once and moves the rows of all modes, each seeing the moves before it, for about
 * what a sampled quarter of an epoch of solved rows costs. That pays where the rows are too short for small samples of them
 * and the modes too long for each other's moves to be awaited; docs/solver.md has the figures. In noise each move overshoots:
 * smaller ones help for some epochs, and solved rows with λ more.
 */
import type { Statistics, StrataStep } from '../../engine/engine.ts'
import type { Settings } from '../settings/settings.ts'
import { sampleOfRows } from './schedule.ts'

/** A matrix has too few modes: in noise its rows are better solved for from the first. With too many, cells are next to empty. */
const FEWEST_MODES = 3
const MOST_MODES = 8
/** A mode must have so many rows: all are cut into up to 32 blocks. */
const FEWEST_ROWS = 128
/** Where solved rows would begin with less than this share of the entries, small samples of long rows are faster … */
const LEAST_SAMPLE = 0.025
/** … and with more than that, rows have so few entries that only solving for them uses what these say. */
const MOST_SAMPLE = 0.5
/** Every process holds all entries once more, in at most so many bytes. */
const MOST_BYTES = 2 ** 28
/** A run of fewer epochs, all told, would have too few left for rows with λ. */
export const FEWEST_EPOCHS = 20

/** Whether a run may begin with strata: from nothing that depends on who does the work. */
export function usesStrata(
  {
    solver,
    missing,
    lambda,
    sample,
    loss,
    rank,
  }: Pick<Settings, 'solver' | 'missing' | 'lambda' | 'sample' | 'loss' | 'rank'>,
  { dims, entries }: { dims: readonly number[]; entries: number },
): boolean {
  const isPlain = solver === 'fast' && missing !== 'zero' && loss === 'squares'
  if (!isPlain || lambda !== 'auto' || sample !== 'auto') return false
  const share = sampleOfRows(dims, entries, rank)
  return (
    dims.length >= FEWEST_MODES &&
    dims.length <= MOST_MODES &&
    Math.min(...dims) >= FEWEST_ROWS &&
    share >= LEAST_SAMPLE &&
    share <= MOST_SAMPLE &&
    4 * (dims.length + 1) * entries <= MOST_BYTES
  )
}

/** Where strata stand: plain data. */
export interface StrataState {
  /** η */
  rate: number
  /** While half the rate is tried: the progress of the epoch before. */
  trial?: number
  /** Slow epochs until the next trial, and how many there will be after it. */
  wait: number
  patience: number
}

/** A little more than what corrects an entry: without noise 1 took a fifth more epochs. */
const FIRST_RATE = 1.3
/** Progress, −Δ log(error), of an epoch that is slow: for noise, or in a swamp … */
const SLOW = 0.08
/** … and of one after which rows are better solved for. */
const STUCK = 0.02

export const newStrata = (): StrataState => ({ rate: FIRST_RATE, wait: 0, patience: 2 })

/**
 * Takes note of an epoch that brought the error from `before` to `after`; returns whether strata go on. When an epoch is slow,
 * half the rate is tried. In noise it helps at once, and stays. In a swamp it does not: on with the rate as it was, while
 * there is any progress, and longer each time before the next trial.
 */
export function observeStrata(state: StrataState, before: number, after: number): boolean {
  const progress = Math.log(before / Math.max(after, 1e-30))
  const { trial } = state
  state.trial = undefined
  if (progress >= SLOW) return true
  if (trial !== undefined) {
    state.rate *= 2
    state.patience *= 2
    state.wait = state.patience
    return trial >= STUCK
  }
  if (state.wait > 0) {
    state.wait--
    return progress >= STUCK
  }
  state.trial = progress
  state.rate /= 2
  return true
}

/** Of Σ‖k_m‖² of factors as large as the data say, the share that it is taken for at least. */
const LEAST_SQUARES = 0.1

/** An epoch. */
export function strataStep({ rate }: StrataState, { dims, sets }: Statistics, rank: number): StrataStep {
  const N = dims.length
  const mean = sets.train.absolutes / sets.train.entries
  // The mean square of random factors of the data's mean (initial.ts).
  const tau2 = (4 / 3) * (mean / rank) ** (2 / N)
  return { kind: 'strata', rate, least: Math.max(1e-30, LEAST_SQUARES * N * rank * tau2 ** (N - 1)) }
}
