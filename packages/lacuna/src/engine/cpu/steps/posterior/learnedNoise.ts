/** Learns how the noise grows with the values, and how it differs between rows (noise.ts), on all threads. */
import { NOISE_BINS } from '../../../../kernels/solve/layout.ts'
import type { PosteriorStep } from '../../../engine.ts'
import type { ThreadProblem } from '../../threads/threadProblem.ts'
import { chooseNoisyMode, fitNoise, rowVariances } from './noise.ts'
import { NOISY_MODE, type PosteriorWork, ROW_SUMS, sharedNumbers, VARIANCE0 } from './posteriorNumbers.ts'

/**
 * Updates c₀, c₁, c₂ of the noise variance: 'poisson' sets them proportional to the prediction, 'auto' fits
 * them to the residuals, other models leave them. All threads call it together.
 */
export function updateNoise(
  { parts, thread, barrier }: ThreadProblem,
  step: PosteriorStep,
  work: PosteriorWork,
): void {
  if (step.noise === 'gaussian' || step.noise === 'row') return
  let coefficients: readonly number[] = [0, 1 / step.mean, 0]
  if (step.noise === 'auto') {
    for (const { kernel, layout } of parts)
      kernel.noiseMoments(layout.control, layout.views[0].descriptor, step.mean, layout.noiseSums)
    barrier()
    if (thread === 0) coefficients = fitNoise(work.gatherBins(), step.mean)
  }
  if (thread === 0) for (const part of parts) sharedNumbers(part).set(coefficients, VARIANCE0)
  barrier()
}

/**
 * Updates the noise variances of the rows of the noisy mode, in all partitions; on thread 0.
 * @param isFirst whether to choose the noisy mode, in which variances differ most; if none is, nothing
 * changes
 */
export function updateRowVariances({ parts }: ThreadProblem, sigma2: number, isFirst: boolean): void {
  const [{ memory, layout }] = parts
  /** The entries by weight, Σ w E[(x − k·a)²] and the noise variance of each row of mode i. */
  const rowsOf = (i: number): [Float64Array, Float64Array, Float32Array] => {
    const { rows, rowLengths, rowSums, variances } = layout.modes[i]
    const lengths = new Uint32Array(memory.buffer, rowLengths, rows)
    const sums = new Float64Array(memory.buffer, rowSums, ROW_SUMS * rows)
    return [
      Float64Array.from(lengths, (n, p) => (n > 0 ? sums[ROW_SUMS * p + 2] : 0)),
      Float64Array.from(lengths, (n, p) => (n > 0 ? sums[ROW_SUMS * p] : 0)),
      new Float32Array(memory.buffer, variances, rows),
    ]
  }
  if (isFirst) {
    const found = layout.modes.map((_, i) => rowVariances(...rowsOf(i), sigma2))
    for (const part of parts)
      sharedNumbers(part)[NOISY_MODE] = chooseNoisyMode(found, (i) => rowsOf(i)[0]) + 1
  }
  const chosen = sharedNumbers(parts[0])[NOISY_MODE] - 1
  if (chosen < 0) return
  const variances = rowVariances(...rowsOf(chosen), sigma2)
  for (const part of parts)
    new Float32Array(part.memory.buffer, part.layout.modes[chosen].variances, variances.length).set(variances)
}

/**
 * Adds the noise bins of all chunks in order: three numbers per bin.
 * @param sums (chunks × NOISE_BINS × 3)
 */
export function addBins(sums: Float64Array): Float64Array {
  const bins = new Float64Array(3 * NOISE_BINS)
  for (let at = 0; at < sums.length; at++) bins[at % bins.length] += sums[at]
  return bins
}
