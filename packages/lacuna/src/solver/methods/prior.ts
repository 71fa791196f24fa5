/**
 * The last phase of the fast method: variational EM for a learned prior (docs/accuracy.md). Rows of mode i
 * are a ~ N(μ, Σ); the E-step computes the posterior mean and covariance V of every row given the other modes
 * (mean field), the M-step updates μ, Σ and the noise; entries are weighted by IRLS where the noise depends
 * on the value or the loss is Huber's. It follows the λ phase: a prior that is learned earlier would prune
 * components that have not converged yet. Lim & Teh (2007) have the method for matrices.
 */
import type { Covariances, LearnedPrior, PosteriorStep, Statistics } from '../../engine/engine.ts'
import type { LearnedLags, Prior } from '../../model/index.ts'
import type { Settings } from '../settings/settings.ts'
import type { CoupledMode } from '../time/axis.ts'
import type { LambdaRule } from './lambda.ts'

/**
 * Sweeps under a learned prior; on the data sets tested further ones changed held-out errors by less than 1%.
 */
export const PRIOR_SWEEPS = 20
/**
 * Epochs under λ after which sweeps with covariances of groups begin, if the error no longer falls fast: more
 * of them changed held-out errors by less than 0.1%, and are most of the time at high ranks.
 */
export const START_EPOCHS = 20
/** The error falls fast if within five epochs it falls below this fraction. */
export const SLOW_START = 0.75
/** Sweeps of the robust start (Huber loss), which replace sampled steps: with all entries, and V = 0. */
export const START_SWEEPS = 30
/** Relative training error below which data count as noiseless, and no prior is learned. */
export const NOISELESS = 1e-3
/**
 * Every row has its own covariance if entries × modes × R² is at most this: three to four minutes on a core.
 */
const MOST_ROW_WORK = 1.5e10
/**
 * Every row has its own covariance if those of all rows take at most this many bytes; 'auto' learns a prior if
 * prior means and sums of the rows take at most this many.
 */
const MOST_BYTES = 2 ** 30
/** Bytes of the sums of a row, beside its prior mean. */
const SUM_BYTES = 48
/**
 * 'auto' learns a prior if entries × modes × R² is at most this: with covariances of groups about half an
 * hour on a core.
 */
const MOST_WORK = 5e11

/**
 * The covariances that the run's last sweeps, under a learned prior, work with; undefined if it has no such
 * sweeps. They are learned as `prior` says; with 'auto' where there are lags or attributes, or the sweeps
 * take neither long nor much memory. Every row has its own covariance where that takes neither long nor much memory. Depends on
 * settings and sizes alone.
 */
export function covariancesOf(
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
): Covariances | undefined {
  const rows = dims.reduce((sum, dim) => sum + dim, 0)
  // Ranks are padded to multiples of four.
  const squares = (4 * Math.ceil(rank / 4)) ** 2
  const work = entries * dims.length * squares
  const covariances = work <= MOST_ROW_WORK && 4 * rows * squares <= MOST_BYTES ? 'rows' : 'groups'
  if (prior !== 'auto') return prior === 'learned' ? covariances : undefined
  if (solver === 'paper' || missing === 'zero' || lambda !== 'auto' || sample !== 'auto') return undefined
  // Lags and attributes need a learned prior, however long it takes.
  const mustLearn = hasFeatures || Object.keys(lags).length > 0
  const isAffordable = work <= MOST_WORK && rows * (4 * rank + SUM_BYTES) <= MOST_BYTES
  return mustLearn || isAffordable ? covariances : undefined
}

/**
 * The engine's step for a sweep of variational EM, in the engine's units.
 * @param first the training RMSE before the first sweep, in data units; undefined for later ones
 * @param isStart whether it is a sweep of the robust start
 */
export function posteriorStep(
  { noise, loss }: Settings,
  { sets, valueScale }: Statistics,
  { mean, variance, sigma2 }: LambdaRule,
  first: number | undefined,
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
  if (first === undefined) return step
  return {
    ...step,
    begin: {
      sigma2: Math.max(sigma2(first) * valueScale ** 2, 1e-30),
      squares: (first * valueScale) ** 2 * entries,
      variance: variance * valueScale ** 2,
    },
  }
}

/**
 * Least prediction for which the noise is computed, as a fraction of the mean
 * (engine/cpu/steps/posterior/posterior.ts).
 */
const LEAST_MEAN = 0.02

/**
 * Converts the engine's prior to data units, for a model; negative means become 0.
 * @param mean of the training values, in data units
 * @param coupled the reshaped modes with lags
 */
export function priorInDataUnits(
  { sigma2, noise: [c0, c1, c2], means, precisions, lagWeights }: LearnedPrior,
  { valueScale, factorScale }: Statistics,
  mean: number,
  coupled: readonly CoupledMode[] = [],
): Prior {
  const lags = coupled.map(({ mode, axis, unit, side }): LearnedLags => {
    const { lags, isCyclic = false, isAutoregressive = false } = side
    const weights = Array.from(lagWeights![mode].subarray(0, lags.length))
    return { factor: mode, axis, unit, lags, weights, isCyclic, isAutoregressive }
  })
  return {
    kind: 'learned',
    sigma2: sigma2 / valueScale ** 2,
    noise: [c0, c1 * valueScale, c2 * valueScale ** 2],
    least: LEAST_MEAN * Math.max(0, mean),
    means: means.map((row) => row.map((x) => Math.max(0, x / factorScale))),
    precisions: precisions.map((matrix) => matrix.map((x) => x * factorScale ** 2)),
    ...(lags.length > 0 && { lags }),
  }
}
