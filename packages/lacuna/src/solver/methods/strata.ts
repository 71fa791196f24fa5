/**
 * The first phase of the fast method on some problems: stratified SGD (DSGD; Gemulla, Nijkamp, Haas, Sismanis
 * 2011), implemented in kernels/solve/strata.ts. This file decides when it is used, its rate, and when solved
 * rows take over. An epoch visits every entry once and updates the rows of all modes by a Kaczmarz-like step,
 * at about the cost of a quarter epoch of solved rows. It pays where rows are too short for small samples and
 * modes are long; docs/solver.md has the figures. In noise each step overshoots: smaller ones help for some
 * epochs, solved rows with λ help more.
 */
import type { Statistics, StrataStep } from '../../engine/engine.ts'
import type { Settings } from '../settings/settings.ts'
import { firstNewtonSample } from './schedule.ts'

/** Fewest modes of a tensor: the rows of a matrix are better solved from the first, in noise. */
const FEWEST_MODES = 3
/** Most modes of a tensor: with more, cells of the grid of blocks are nearly empty. */
const MOST_MODES = 8
/** Fewest rows of a mode: each is cut into up to 32 blocks. */
const FEWEST_ROWS = 128
/** Least c that solved rows would begin with; below it, small samples of long rows are faster. */
const LEAST_SAMPLE = 0.025
/** Largest c that solved rows would begin with; above it, rows have too few entries for SGD. */
const MOST_SAMPLE = 0.5
/** Most bytes of the entries, which every process holds once more. */
const MOST_BYTES = 2 ** 28
/** Fewest epochs that a run is allowed: with fewer, too few would be left for solved rows with λ. */
export const FEWEST_EPOCHS = 20

/**
 * Whether a run may begin with stratified SGD: three to eight long modes with short rows, squared loss,
 * unknown missing cells, automatic λ and c. Depends on settings and sizes alone, not on threads or processes.
 */
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
  const fraction = firstNewtonSample(dims, entries, rank)
  return (
    dims.length >= FEWEST_MODES &&
    dims.length <= MOST_MODES &&
    Math.min(...dims) >= FEWEST_ROWS &&
    fraction >= LEAST_SAMPLE &&
    fraction <= MOST_SAMPLE &&
    4 * (dims.length + 1) * entries <= MOST_BYTES
  )
}

/** State of stratified SGD; plain data, saved as JSON under these names. */
export interface StrataState {
  /** η, the rate of the steps. */
  rate: number
  /** Progress of the epoch before, while half the rate is on trial. */
  trial?: number
  /** Slow epochs until the next trial. */
  wait: number
  /** Slow epochs to wait after the last failed trial; doubles with each. */
  patience: number
}

/** η of the first epoch; 1 would fit an entry exactly, and took a fifth more epochs without noise. */
const FIRST_RATE = 1.3
/** Progress of an epoch, −Δ log(error), below which it is slow: because of noise, or in a swamp. */
const SLOW = 0.08
/** Progress of an epoch, −Δ log(error), below which solved rows take over. */
const STUCK = 0.02

/** The state of stratified SGD before the first epoch. */
export const newStrata = (): StrataState => ({ rate: FIRST_RATE, wait: 0, patience: 2 })

/**
 * Updates the state in place after an epoch. After a slow epoch half the rate is tried. In noise it helps at
 * once, and stays. In a swamp it does not: the old rate is used again while there is any progress, with
 * longer waits between trials.
 * @param before the error before the epoch
 * @param after the error after it
 * @returns whether stratified SGD continues; if not, solved rows take over
 */
export function updateStrata(state: StrataState, before: number, after: number): boolean {
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

/**
 * Lower bound of Σ‖k_m‖², the divisor of a step, as a fraction of its expectation for random factors of the
 * data's size.
 */
const LEAST_SQUARES = 0.1

/** The engine's step for an epoch of stratified SGD: the rate, and the least divisor of a step. */
export function strataStep({ rate }: StrataState, { dims, sets }: Statistics, rank: number): StrataStep {
  const N = dims.length
  const mean = sets.train.absolutes / sets.train.entries
  // The mean square of random factors of the data's mean (initial.ts).
  const tau2 = (4 / 3) * (mean / rank) ** (2 / N)
  return { kind: 'strata', rate, least: Math.max(1e-30, LEAST_SQUARES * N * rank * tau2 ** (N - 1)) }
}
