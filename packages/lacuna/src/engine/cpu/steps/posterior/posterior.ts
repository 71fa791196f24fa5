/**
 * Sweeps of variational EM (Bishop 2006, section 10.1) under a learned prior, as one of the threads runs
 * them: rows a ~ N(μ, Σ) per mode with posterior covariances V, and noise that may grow with the values. The
 * kernels compute the posteriors (kernels/solve/rows/posterior.ts, posteriorRow.ts). Every partition has all
 * factors, moments and sums, and derives the same numbers from them in float64; what the next sweep uses is
 * rounded to float32, so that a saved state is complete.
 */
import type { PosteriorStep } from '../../../engine.ts'
import { MOST_LAGS } from '../../memory/layout.ts'
import type { ThreadPartition, ThreadProblem } from '../../threads/threadProblem.ts'
import { addBlocks } from '../balance.ts'
import { FIRST_LAG_WEIGHT } from './coupledRows.ts'
import { clearCovariances, completeRowSums } from './groups.ts'
import { averageMoments, learnMode, writeIsotropic, writePrior, writeUniformMeans } from './learnedMode.ts'
import { updateNoise, updateRowVariances } from './learnedNoise.ts'
import {
  addRowSums,
  LAST_SIGMA2,
  type PosteriorWork,
  SIGMA2,
  SWEEPS,
  sharedNumbers,
  VARIANCE0,
  VARIANCE1,
  VARIANCE2,
} from './posteriorNumbers.ts'
import { firstSigma2, HUBER_DEVIATIONS, HUBER_FACTOR, LEAST_MEAN } from './posteriorRules.ts'

/**
 * Runs a thread's work of one sweep over all modes: the posteriors of the rows and the prior of each mode in
 * turn, then σ² and the noise of rows. A step with `begin` is the first.
 * @param lambda λ of the fit before the first sweep
 */
export function sweepPosterior(
  problem: ThreadProblem,
  step: PosteriorStep,
  lambda: number,
  work: PosteriorWork,
): void {
  const { parts, thread } = problem
  const modes = parts[0].layout.modes.length
  if (step.begin) initialize(problem, step, lambda, work)
  // The noise is fitted to residuals under the Huber weights of the sweep before; the kernels of a run that
  // was resumed since do not have its parameters.
  else setStep(problem, step, false, sharedNumbers(parts[0])[LAST_SIGMA2])
  updateNoise(problem, step, work)
  const sweeps = sharedNumbers(parts[0])[SWEEPS]
  for (let i = 0; i < modes; i++) {
    if (thread === 0) for (const part of parts) writePrior(part, i)
    setStep(problem, step, false)
    problem.barrier()
    work.step(i)
    if (thread === 0 && problem.posterior === 'groups')
      completeRowSums(problem, i, false, step.isStart ?? false)
    learnMode(problem, i, sweeps > 0 && !step.isStart)
  }
  if (thread === 0) {
    const factor = step.loss === 'huber' ? HUBER_FACTOR : 1
    const sigma2 = Math.max(1e-30, addRowSums(parts[0], modes - 1, 0) / step.entries / factor)
    if (step.noise === 'row') updateRowVariances(problem, sigma2 * factor, sweeps === 0)
    for (const part of parts) {
      const numbers = sharedNumbers(part)
      numbers[LAST_SIGMA2] = numbers[SIGMA2]
      numbers[SIGMA2] = sigma2
      numbers[SWEEPS] = sweeps + 1
    }
  }
  problem.barrier()
}

/**
 * Sets the parameters of a posterior step in this thread's kernel instances.
 * @param isFrozen whether rows stay as they are, with constant noise, and only their sums are computed
 * @param sigma2 another σ² than the current one; 0 if it is not known
 */
function setStep(
  { parts, rank, posterior }: ThreadProblem,
  { noise, loss, mean, isStart }: PosteriorStep,
  isFrozen: boolean,
  sigma2 = 0,
): void {
  for (const part of parts) {
    const numbers = sharedNumbers(part)
    part.kernel.setPosterior(
      rank,
      sigma2 || numbers[SIGMA2],
      isFrozen ? 1 : 0,
      isStart ? 1 : 0,
      posterior === 'groups' ? 1 : 0,
    )
    const isWeighted = (noise === 'poisson' || noise === 'auto') && !isFrozen
    part.kernel.setRowNoise(
      noise === 'row' && !isFrozen ? 1 : 0,
      loss === 'huber' && !isFrozen ? HUBER_DEVIATIONS : 0,
    )
    part.kernel.setNoise(
      isWeighted ? 1 : 0,
      numbers[VARIANCE0],
      numbers[VARIANCE1],
      numbers[VARIANCE2],
      LEAST_MEAN * mean,
    )
  }
}

/**
 * Initializes the prior for the first sweep from factors that were fitted with λ: rows are certain; σ² is the
 * sum of squared residuals divided by the residual degrees of freedom; Σ is isotropic with the spread of the
 * rows.
 */
function initialize(problem: ThreadProblem, step: PosteriorStep, lambda: number, work: PosteriorWork): void {
  const { parts, thread, threads } = problem
  const { sigma2 } = step.begin!
  // σ² as of an earlier start with isStart, which outliers do not affect; 0 if there was none.
  const earlierSigma2 = step.loss === 'huber' && !step.isStart ? sharedNumbers(parts[0])[SIGMA2] : 0
  problem.barrier()
  const isGrouped = problem.posterior === 'groups'
  if (!isGrouped)
    for (const { kernel, layout } of parts)
      for (const { factor, moments, rows } of layout.modes)
        kernel.startMoments(factor, moments, rows, thread, threads)
  if (thread === 0)
    for (const part of parts) {
      sharedNumbers(part).fill(0)[SIGMA2] = sigma2
      part.layout.modes.forEach((mode, i) => {
        new Float32Array(part.memory.buffer, mode.leverages, mode.rows).fill(0)
        new Float32Array(part.memory.buffer, mode.variances, mode.rows).fill(1)
        new Float32Array(part.memory.buffer, mode.lagWeights, MOST_LAGS).fill(FIRST_LAG_WEIGHT)
        writeUniformMeans(part, i, new Float32Array(part.memory.buffer, mode.mean, part.layout.padded))
        writeIsotropic(part, i, problem.rank, lambda / sigma2)
        writePrior(part, i)
        if (isGrouped) clearCovariances(part, i)
      })
    }
  if (isGrouped) averageMoments(problem)
  problem.barrier()
  setStep(problem, step, true)
  const { modes } = parts[0].layout
  let determined = 0
  for (let i = 0; i < modes.length; i++) {
    work.step(i)
    if (thread === 0 && isGrouped) completeRowSums(problem, i, true, step.isStart ?? false)
    if (thread === 0) determined += addRowSums(parts[0], i, 1)
    problem.barrier()
  }
  for (const { factor, rows, rowLengths, blockSums } of modes)
    parts[0].kernel.sumSquares(factor, rows, rowLengths, blockSums, thread, threads)
  problem.barrier()
  if (thread === 0) {
    const noise = earlierSigma2 || firstSigma2(step, determined)
    const spreads = modes.map((_, i) => spreadOf(parts[0], i, problem.rank))
    for (const part of parts) {
      sharedNumbers(part)[SIGMA2] = noise
      spreads.forEach((spread, i) => {
        writeIsotropic(part, i, problem.rank, 1 / Math.max(spread, 1e-12))
      })
    }
  }
  problem.barrier()
}

/**
 * The mean square of the rows' distances from their mean, per component, from the squares summed per block.
 */
function spreadOf({ memory, layout, observed }: ThreadPartition, i: number, rank: number): number {
  const mode = layout.modes[i]
  const squares = addBlocks(memory, layout, mode)
  const mean = new Float32Array(memory.buffer, mode.mean, rank)
  let sum = 0
  for (let r = 0; r < rank; r++) sum += squares[r] / observed[i] - mean[r] ** 2
  return sum / rank
}
