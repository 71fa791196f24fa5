/** The rules of sweeps under a learned prior that do not depend on the engine. */
import type { PosteriorStep } from '../../../engine.ts'

/** The most noise at the first sweep, as a fraction of the variance of the values. */
const MOST_NOISE = 0.1
/** The least prediction in the noise model, as a fraction of the mean value: smaller ones have its noise. */
export const LEAST_MEAN = 0.02
/** Standard deviations from which on the Huber loss is linear. */
export const HUBER_DEVIATIONS = 2
/** The mean of Huber-weighted squares of normal residuals, as a fraction of σ². */
export const HUBER_FACTOR = 0.9545

/**
 * σ² of the first sweep: the sum of squared residuals divided by the residual degrees of freedom. With
 * `isStart` it is the variance of the values.
 * @param step a step with `begin`
 * @param determined the number of parameters that the entries determine under λ
 */
export function firstSigma2({ begin, entries, isStart }: PosteriorStep, determined: number): number {
  const { squares, variance } = begin!
  const free = Math.max(0, entries - determined)
  const most = MOST_NOISE * variance
  // A fit that uses up the degrees of freedom leaves none to estimate the noise.
  const isInformative = 2 * free > entries && free * most > squares
  return Math.max(1e-30, isStart ? variance : isInformative ? squares / free : most)
}
