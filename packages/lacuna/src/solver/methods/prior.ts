/**
 * The last sweeps of the fast solver: under a prior that is learned (docs/accuracy.md). λ leads the components to their
 * places; learned earlier, the prior would prune those that are still looking for them.
 */
import type { LearnedPrior, PosteriorStep, Statistics } from '../../engine/engine.ts'
import type { Prior } from '../../model/index.ts'
import type { EpochReport } from '../run/report.ts'
import type { Settings } from '../settings/settings.ts'
import type { LambdaRule } from './lambda.ts'

/** Sweeps under a learned prior: on the data at hand further ones changed held-out errors by less than a hundredth. */
export const PRIOR_SWEEPS = 20
/** Sweeps that take the place of λ's where outliers would lead it: as if rows were certain, and with all entries. */
export const START_SWEEPS = 30
/** Where λ leaves an error below this there is no noise to speak of, and nothing to be learned from what is left. */
export const NOISELESS = 1e-3
/** 'auto' learns a prior where entries × modes × R² is at most this, which takes three to four minutes on a core … */
const MOST_WORK = 1.5e10
/** … and where remembering how uncertain each row is takes at most so many bytes. */
const MOST_BYTES = 2 ** 30

/** Whether a prior is learned in the end. */
export function learnsPrior(
  {
    solver,
    prior,
    lambda,
    sample,
    missing,
    rank,
    lags,
  }: Pick<Settings, 'solver' | 'prior' | 'lambda' | 'sample' | 'missing' | 'rank' | 'lags'>,
  { dims, entries, hasFeatures }: { dims: readonly number[]; entries: number; hasFeatures?: boolean },
): boolean {
  if (prior !== 'auto') return prior === 'learned'
  if (solver === 'paper' || missing === 'zero' || lambda !== 'auto' || sample !== 'auto') return false
  // What is asked for, and cannot be had otherwise, is done however long it takes.
  if (hasFeatures || Object.keys(lags).length > 0) return true
  const rows = dims.reduce((sum, dim) => sum + dim, 0)
  // Ranks are padded to multiples of four.
  const squares = (4 * Math.ceil(rank / 4)) ** 2
  return entries * dims.length * squares <= MOST_WORK && 4 * rows * squares <= MOST_BYTES
}

/** A sweep; the first one goes out from the factors that this report is on. */
export function posteriorStep(
  { noise, loss }: Settings,
  { sets, valueScale }: Statistics,
  { mean, variance, sigma2 }: LambdaRule,
  first: EpochReport | undefined,
  isStart = false,
): PosteriorStep {
  const { entries } = sets.train
  const step: PosteriorStep = {
    kind: 'posterior',
    noise: isStart ? 'gaussian' : noise,
    loss,
    entries,
    mean: mean * valueScale,
    ...(isStart && { isStart }),
  }
  if (!first) return step
  const { rmse } = first.train
  return {
    ...step,
    begin: {
      sigma2: Math.max(sigma2(rmse) * valueScale ** 2, 1e-30),
      squares: (rmse * valueScale) ** 2 * entries,
      variance: variance * valueScale ** 2,
    },
  }
}

/** Predictions below this share of the mean are taken for as noisy as this (engine/cpu/steps/posterior/posterior.ts). */
const LEAST_MEAN = 0.02

/** What a model keeps of the prior, for rows to come: in data units. */
export function priorInDataUnits(
  { sigma2, noise: [c0, c1, c2], means, precisions }: LearnedPrior,
  { valueScale, factorScale }: Statistics,
  mean: number,
): Prior {
  return {
    kind: 'learned',
    sigma2: sigma2 / valueScale ** 2,
    noise: [c0, c1 * valueScale, c2 * valueScale ** 2],
    least: LEAST_MEAN * Math.max(0, mean),
    means: means.map((row) => row.map((x) => Math.max(0, x / factorScale))),
    precisions: precisions.map((matrix) => matrix.map((x) => x * factorScale ** 2)),
  }
}
