/**
 * The last phase of the fast method: variational EM for a learned prior (docs/accuracy.md). Rows of mode i
 * are a ~ N(μ, Σ); the E-step computes the posterior mean and covariance V of every row given the other modes
 * (mean field), the M-step updates μ, Σ and the noise; entries are weighted by IRLS where the noise depends
 * on the value or the loss is Huber's. It follows the λ phase: a prior that is learned earlier would prune
 * components that have not converged yet. Lim & Teh (2007) have the method for matrices.
 */
import type { LearnedPrior, PosteriorStep, Statistics } from '../../engine/engine.ts'
import type { Prior } from '../../model/index.ts'
import type { Settings } from '../settings/settings.ts'
import type { LambdaRule } from './lambda.ts'

/**
 * Sweeps under a learned prior; on the data sets tested further ones changed held-out errors by less than 1%.
 */
export const PRIOR_SWEEPS = 20
/** Sweeps of the robust start (Huber loss), which replace sampled steps: with all entries, and V = 0. */
export const START_SWEEPS = 30
/** Relative training error below which data count as noiseless, and no prior is learned. */
export const NOISELESS = 1e-3
/** 'auto' learns a prior if entries × modes × R² is at most this: three to four minutes on a core. */
const MOST_WORK = 1.5e10
/** 'auto' learns a prior if the covariances of all rows take at most this many bytes. */
const MOST_BYTES = 2 ** 30

/**
 * Whether the run ends with sweeps under a learned prior: as `prior` says; with 'auto' where there are lags
 * or attributes, or the sweeps take neither long nor much memory. Depends on settings and sizes alone.
 */
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
  // Lags and attributes need a learned prior, however long it takes.
  if (hasFeatures || Object.keys(lags).length > 0) return true
  const rows = dims.reduce((sum, dim) => sum + dim, 0)
  // Ranks are padded to multiples of four.
  const squares = (4 * Math.ceil(rank / 4)) ** 2
  return entries * dims.length * squares <= MOST_WORK && 4 * rows * squares <= MOST_BYTES
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
 */
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
