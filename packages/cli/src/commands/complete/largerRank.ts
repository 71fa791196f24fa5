/** Whether a larger rank than the default would do better, tried on entries that are held out. */
import { type Completion, complete, split } from 'lacuna'
import { formatNumber } from '../../print/format.ts'
import type { LearningContext } from './context.ts'
import { EPOCHS, HELD_OUT, type Verdict } from './verdict.ts'

/** Most entries × modes × R² of the trial: about one or two seconds on two cores. */
const MOST_WORK = 1e8
/** The rank of the trial, relative to that of the run. */
const TRIAL_FACTOR = 2
/** The rank that is proposed; one that is too large does not hurt. */
const PROPOSED_RANK = 64
/** A larger rank is proposed if the error of the trial is below this fraction of that of the run. */
const BETTER = 0.98

/** A command that learns with a larger rank, and why. */
export interface LargerRank {
  /** The options to add to those that were typed. */
  words: string[]
  /** The reason: both errors in words. */
  what: string
}

/**
 * Learns a short model of twice the default rank without the entries on which the run was judged, and compares the
 * errors there. Returns undefined if that is no better, or would take long, or the rank was given.
 */
export async function proposeLargerRank(
  { sets, settings, options, communicator, progress, interruption: { signal } }: LearningContext,
  { settings: { rank, epochs, seed }, choice, stopped }: Completion,
  verdict: Verdict | undefined,
): Promise<LargerRank | undefined> {
  const { train, test, validation } = sets
  const isPossible =
    verdict?.isWorthUsing &&
    options.rank === undefined &&
    options.output !== undefined &&
    !options.quiet &&
    communicator.size === 1 &&
    (options.engine ?? 'cpu') === 'cpu' &&
    settings.initial === undefined &&
    settings.seconds === undefined &&
    settings.missing !== 'zero' &&
    !train.weights &&
    !choice &&
    stopped !== 'aborted'
  const trialRank = TRIAL_FACTOR * rank
  const work = train.values.length * train.dims.length * (4 * Math.ceil(trialRank / 4)) ** 2
  if (!isPossible || work > MOST_WORK || trialRank >= PROPOSED_RANK) return undefined
  progress.update(`Trying rank ${trialRank} on entries that are held out …`)
  const heldOut = test ?? validation
  const parts = heldOut ? { train, test: heldOut } : split(train, { test: HELD_OUT }, seed)
  const short = { ...settings, rank: trialRank, epochs: Math.min(epochs, EPOCHS), choose: false, signal }
  const { model } = await complete(parts.train, short)
  const { rmse } = model.error(parts.test)
  if (signal.aborted || !(rmse < BETTER * verdict.rmse)) return undefined
  return {
    words: ['--rank', String(PROPOSED_RANK)],
    what: `on ${verdict.on} rank ${trialRank} has an RMSE of ${formatNumber(rmse)}, rank ${rank} one of ${formatNumber(verdict.rmse)}`,
  }
}
