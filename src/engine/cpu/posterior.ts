/**
 * Sweeps under a learned prior, as threads do them (kernels/posterior.ts, posteriorRow.ts): rows a ~ N(μ, Σ) per mode, what
 * is left uncertain of each, and noise that may grow with the values. Everyone has all factors, moments and sums, and
 * decides the same from them; in float64, but what is kept for the next sweep is rounded to float32, so that a state that
 * is saved is all there is.
 */
import { NOISE_BINS } from '../../kernels/layout.ts'
import type { PosteriorStep } from '../engine.ts'
import { addBlocks } from './balance.ts'
import type { Kernel } from './kernel.ts'
import { gramBlocks, type PartLayout } from './layout.ts'
import { fitNoise } from './noise.ts'

export interface PosteriorPart {
  kernel: Kernel
  memory: WebAssembly.Memory
  layout: PartLayout
  observed: readonly number[]
}

export interface PosteriorProblem {
  parts: readonly PosteriorPart[]
  thread: number
  threads: number
  rank: number
  meet(): void
}

/** What the threads must do with each other. */
export interface PosteriorWork {
  /** A step of a mode in all parts, and the exchange after it; afterwards all threads have met. */
  step(mode: number): void
  /** For the first thread: the bins of all chunks of all processes, added up in their order; 3 numbers each. */
  gatherBins(): Float64Array
}

/** The noise can take no more than this share of the variance of the values before the first sweep. */
const MOST_NOISE = 0.1
/** Σ's diagonal is known this many rows better than what lies beside it, per component. */
const SHRINKAGE = 1 / 8
/** No direction of Σ is narrower than this share of the mean one: float32 would not see it. */
const NARROWEST = 1e-6
/** Predictions below this share of the mean are taken for as noisy as this. */
const LEAST_MEAN = 0.02

/** Where the numbers stand that all rows share. */
const SIGMA2 = 0
const VARIANCE0 = 1
const VARIANCE1 = 2
const VARIANCE2 = 3
const SWEEPS = 4
export const SHARED_NUMBERS = 8

/** σ² and the variances' coefficients among them; undefined before the first sweep. */
export function learnedNoise(
  numbers: Float32Array,
): { sigma2: number; noise: readonly [number, number, number] } | undefined {
  if (!(numbers[SWEEPS] > 0)) return undefined
  const [c0, c1, c2] = [numbers[VARIANCE0], numbers[VARIANCE1], numbers[VARIANCE2]]
  return { sigma2: numbers[SIGMA2], noise: c0 + c1 + c2 > 0 ? [c0, c1, c2] : [1, 0, 0] }
}

export function sweepPosterior(
  problem: PosteriorProblem,
  step: PosteriorStep,
  lambda: number,
  work: PosteriorWork,
): void {
  const { parts, thread } = problem
  const modes = parts[0].layout.modes.length
  if (step.begin) begin(problem, step, lambda, work)
  renewNoise(problem, step, work)
  const sweeps = numbersOf(parts[0])[SWEEPS]
  for (let i = 0; i < modes; i++) {
    if (thread === 0) for (const part of parts) writePrior(part, i)
    setStep(problem, step, false)
    problem.meet()
    work.step(i)
    learn(problem, i, sweeps > 0)
  }
  if (thread === 0) {
    const sigma2 = Math.max(1e-30, sumOf(parts[0], modes - 1, 0) / step.entries)
    for (const part of parts) {
      numbersOf(part)[SIGMA2] = sigma2
      numbersOf(part)[SWEEPS] = sweeps + 1
    }
  }
  problem.meet()
}

/** σ², the variances' coefficients, and how many sweeps there were. */
const numbersOf = ({ memory, layout }: PosteriorPart): Float32Array =>
  new Float32Array(memory.buffer, layout.posterior, SHARED_NUMBERS)

function setStep({ parts, rank }: PosteriorProblem, { noise, mean }: PosteriorStep, isFrozen: boolean): void {
  for (const part of parts) {
    const numbers = numbersOf(part)
    part.kernel.setPosterior(rank, numbers[SIGMA2], isFrozen ? 1 : 0)
    const isWeighted = noise !== 'gaussian' && !isFrozen
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
 * Starts from factors that λ has led to: nothing is uncertain yet, σ² is what the entries leave unexplained, divided by
 * those that are not used up by parameters, and Σ is as wide in all directions as the rows lie apart.
 */
function begin(problem: PosteriorProblem, step: PosteriorStep, lambda: number, work: PosteriorWork): void {
  const { parts, thread, threads } = problem
  const { sigma2, squares, variance } = step.begin!
  for (const { kernel, layout } of parts)
    for (const { factor, moments, rows } of layout.modes)
      kernel.startMoments(factor, moments, rows, thread, threads)
  if (thread === 0)
    for (const part of parts) {
      numbersOf(part).fill(0)[SIGMA2] = sigma2
      part.layout.modes.forEach((mode, i) => {
        new Float32Array(part.memory.buffer, mode.leverages, mode.rows).fill(0)
        writeIsotropic(part, i, problem.rank, lambda / sigma2)
        writePrior(part, i)
      })
    }
  problem.meet()
  setStep(problem, step, true)
  const { modes } = parts[0].layout
  let determined = 0
  for (let i = 0; i < modes.length; i++) {
    work.step(i)
    if (thread === 0) determined += sumOf(parts[0], i, 1)
    problem.meet()
  }
  for (const { factor, rows, rowLengths, blockSums } of modes)
    parts[0].kernel.sumSquares(factor, rows, rowLengths, blockSums, thread, threads)
  problem.meet()
  if (thread === 0) {
    const free = Math.max(0, step.entries - determined)
    const most = MOST_NOISE * variance
    // What is fitted by using up the entries says nothing of the noise.
    const isTelling = 2 * free > step.entries && free * most > squares
    const noise = Math.max(1e-30, isTelling ? squares / free : most)
    const spreads = modes.map((_, i) => spreadOf(parts[0], i, problem.rank))
    for (const part of parts) {
      numbersOf(part)[SIGMA2] = noise
      spreads.forEach((spread, i) => {
        writeIsotropic(part, i, problem.rank, 1 / Math.max(spread, 1e-12))
      })
    }
  }
  problem.meet()
}

/** The mean square of the rows' distances from their mean, per component. */
function spreadOf({ memory, layout, observed }: PosteriorPart, i: number, rank: number): number {
  const mode = layout.modes[i]
  const squares = addBlocks(memory, layout, mode)
  const mean = new Float32Array(memory.buffer, mode.mean, rank)
  let sum = 0
  for (let r = 0; r < rank; r++) sum += squares[r] / observed[i] - mean[r] ** 2
  return sum / rank
}

function writeIsotropic({ memory, layout }: PosteriorPart, i: number, rank: number, precision: number): void {
  const { padded, modes } = layout
  const matrix = new Float32Array(memory.buffer, modes[i].precision, padded * padded).fill(0)
  for (let r = 0; r < rank; r++) matrix[r * padded + r] = precision
}

/** σ² Σ⁻¹ for the kernels. */
function writePrior(part: PosteriorPart, i: number): void {
  const { memory, layout } = part
  const size = layout.padded ** 2
  const precision = new Float32Array(memory.buffer, layout.modes[i].precision, size)
  const prior = new Float32Array(memory.buffer, layout.modes[i].prior, size)
  const sigma2 = numbersOf(part)[SIGMA2]
  for (let at = 0; at < size; at++) prior[at] = sigma2 * precision[at]
}

/** How the noise grows with the values, as of now. */
function renewNoise(
  { parts, thread, meet }: PosteriorProblem,
  step: PosteriorStep,
  work: PosteriorWork,
): void {
  if (step.noise === 'gaussian') return
  let found: readonly number[] = [0, 1 / step.mean, 0]
  if (step.noise === 'auto') {
    for (const { kernel, layout } of parts)
      kernel.noiseMoments(layout.control, layout.views[0].descriptor, step.mean, layout.noiseSums)
    meet()
    if (thread === 0) found = fitNoise(work.gatherBins(), step.mean)
  }
  if (thread === 0) for (const part of parts) numbersOf(part).set(found, VARIANCE0)
  meet()
}

/** Σ over the rows of one of their two sums. */
function sumOf({ memory, layout }: PosteriorPart, i: number, which: 0 | 1): number {
  const { rows, rowLengths, rowSums } = layout.modes[i]
  const lengths = new Uint32Array(memory.buffer, rowLengths, rows)
  const sums = new Float64Array(memory.buffer, rowSums, 2 * rows)
  let sum = 0
  for (let p = 0; p < rows; p++) if (lengths[p] > 0) sum += sums[2 * p + which]
  return sum
}

/** μ and, but after the first sweep, Σ of a mode from its rows and what is uncertain of them; rows without entries get μ. */
function learn({ parts, thread, threads, rank, meet }: PosteriorProblem, i: number, isWhole: boolean): void {
  const [first] = parts
  const mode = first.layout.modes[i]
  const { perBlock } = gramBlocks(mode.rows)
  const { factor, rows, rowLengths, blockSums, moments, productSums } = mode
  first.kernel.sumRows(factor, rows, rowLengths, blockSums, thread, threads)
  if (isWhole) first.kernel.sumMoments(moments, rows, rowLengths, perBlock, productSums, thread, threads)
  meet()
  if (thread === 0) {
    const mean = addBlocks(first.memory, first.layout, mode).map((sum) => sum / first.observed[i])
    const precision = isWhole ? precisionOf(first, i, rank, mean) : undefined
    for (const { memory, layout } of parts) {
      const { padded } = layout
      new Float32Array(memory.buffer, layout.modes[i].mean, padded).set(mean)
      if (precision)
        new Float32Array(memory.buffer, layout.modes[i].precision, padded * padded).set(precision)
    }
  }
  meet()
  for (const { kernel, layout, observed } of parts) {
    const { factor, rows, rowLengths, mean } = layout.modes[i]
    if (observed[i] < rows) kernel.fillEmptyRows(factor, rows, rowLengths, mean, thread, threads)
  }
}

/** Σ⁻¹ (R × R, padded), Σ being the mean of (a − μ)(a − μ)ᵀ + V over the rows with entries. */
function precisionOf(
  { memory, layout, observed }: PosteriorPart,
  i: number,
  rank: number,
  mean: Float64Array,
): Float64Array {
  const { padded, modes } = layout
  const size = padded * padded
  const n = observed[i]
  const total = new Float64Array(size)
  for (let block = 0; block < gramBlocks(modes[i].rows).count; block++) {
    const sums = new Float64Array(memory.buffer, modes[i].productSums + 8 * block * size, size)
    for (let at = 0; at < size; at++) total[at] += sums[at]
  }
  const covariance = new Float64Array(rank * rank)
  const shrunk = n / (n + SHRINKAGE * rank)
  let trace = 0
  for (let r = 0; r < rank; r++)
    for (let s = r; s < rank; s++) {
      const value = total[r * padded + s] / n - mean[r] * mean[s]
      covariance[r * rank + s] = covariance[s * rank + r] = r === s ? value : shrunk * value
      if (r === s) trace += value
    }
  const floor = (NARROWEST * Math.max(trace, 0)) / rank + 1e-30
  const inverse = inverted(covariance, rank, floor)
  const precision = new Float64Array(size)
  for (let r = 0; r < rank; r++)
    for (let s = 0; s < rank; s++) precision[r * padded + s] = inverse[r * rank + s]
  return precision
}

/** The inverse of a symmetric matrix (n × n) with at least `floor` more on its diagonal: as much as it takes. */
function inverted(matrix: Float64Array, n: number, floor: number): Float64Array {
  const L = new Float64Array(n * n)
  for (let added = floor; !factorized(matrix, n, added, L); added *= 10);
  // T = L⁻¹, by columns.
  const T = new Float64Array(n * n)
  for (let j = 0; j < n; j++) {
    T[j * n + j] = 1 / L[j * n + j]
    for (let i = j + 1; i < n; i++) {
      let sum = 0
      for (let k = j; k < i; k++) sum += L[i * n + k] * T[j * n + k]
      T[j * n + i] = -sum / L[i * n + i]
    }
  }
  const inverse = new Float64Array(n * n)
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = 0
      for (let k = i; k < n; k++) sum += T[i * n + k] * T[j * n + k]
      inverse[i * n + j] = inverse[j * n + i] = sum
    }
  return inverse
}

function factorized(matrix: Float64Array, n: number, added: number, L: Float64Array): boolean {
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let rest = matrix[i * n + j] + (i === j ? added : 0)
      for (let k = 0; k < j; k++) rest -= L[i * n + k] * L[j * n + k]
      if (i === j && !(rest > 0)) return false
      L[i * n + j] = i === j ? Math.sqrt(rest) : rest / L[j * n + j]
    }
  return true
}

/** Adds up the bins of all chunks, in their order. */
export function addBins(sums: Float64Array): Float64Array {
  const bins = new Float64Array(3 * NOISE_BINS)
  for (let at = 0; at < sums.length; at++) bins[at % bins.length] += sums[at]
  return bins
}
