/**
 * Sweeps under a learned prior, as threads do them (kernels/posterior.ts, posteriorRow.ts): rows a ~ N(μ, Σ) per mode, what
 * is left uncertain of each, and noise that may grow with the values. Everyone has all factors, moments and sums, and
 * decides the same from them; in float64, but what is kept for the next sweep is rounded to float32, so that a state that
 * is saved is all there is.
 */
import { NOISE_BINS } from '../../kernels/layout.ts'
import type { PosteriorStep, RowSide } from '../engine.ts'
import { addBlocks } from './balance.ts'
import { inverted } from './inverse.ts'
import type { Kernel } from './kernel.ts'
import { gramBlocks, MOST_LAGS, type PartLayout } from './layout.ts'
import { chooseMode, fitNoise, rowVariances } from './noise.ts'
import { FIRST_LAG_WEIGHT, learnRowMeans, type ModeRows } from './rowMeans.ts'

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
  /** What is known of rows beside their entries, per mode. */
  sides?: readonly (RowSide | undefined)[]
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
/** Where residuals are not believed without bound: up to so many deviations they are. */
const HUBER_DEVIATIONS = 2
/** Of normal residuals, the mean of squares weighted so is this share of σ². */
const HUBER_SHARE = 0.9545

/** Where the numbers stand that all rows share. */
const SIGMA2 = 0
const VARIANCE0 = 1
const VARIANCE1 = 2
const VARIANCE2 = 3
const SWEEPS = 4
/** Which mode's rows differ in noise, from 1; 0: none. */
const NOISY_MODE = 5
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
    learn(problem, i, sweeps > 0 && !step.isStart)
  }
  if (thread === 0) {
    const share = step.loss === 'huber' ? HUBER_SHARE : 1
    const sigma2 = Math.max(1e-30, sumOf(parts[0], modes - 1, 0) / step.entries / share)
    if (step.noise === 'row') renewVariances(problem, sigma2 * share, sweeps === 0)
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

function setStep(
  { parts, rank }: PosteriorProblem,
  { noise, loss, mean, isStart }: PosteriorStep,
  isFrozen: boolean,
): void {
  for (const part of parts) {
    const numbers = numbersOf(part)
    part.kernel.setPosterior(rank, numbers[SIGMA2], isFrozen ? 1 : 0, isStart ? 1 : 0)
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
 * Starts from factors that λ has led to: nothing is uncertain yet, σ² is what the entries leave unexplained, divided by
 * those that are not used up by parameters, and Σ is as wide in all directions as the rows lie apart.
 */
function begin(problem: PosteriorProblem, step: PosteriorStep, lambda: number, work: PosteriorWork): void {
  const { parts, thread, threads } = problem
  const { sigma2, squares, variance } = step.begin!
  // What a start has found of the noise, outliers apart.
  const known = step.loss === 'huber' && !step.isStart ? numbersOf(parts[0])[SIGMA2] : 0
  problem.meet()
  for (const { kernel, layout } of parts)
    for (const { factor, moments, rows } of layout.modes)
      kernel.startMoments(factor, moments, rows, thread, threads)
  if (thread === 0)
    for (const part of parts) {
      numbersOf(part).fill(0)[SIGMA2] = sigma2
      part.layout.modes.forEach((mode, i) => {
        new Float32Array(part.memory.buffer, mode.leverages, mode.rows).fill(0)
        new Float32Array(part.memory.buffer, mode.variances, mode.rows).fill(1)
        new Float32Array(part.memory.buffer, mode.lagWeights, MOST_LAGS).fill(FIRST_LAG_WEIGHT)
        writeMeans(part, i, new Float32Array(part.memory.buffer, mode.mean, part.layout.padded))
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
    const found = known || (step.isStart ? variance : isTelling ? squares / free : most)
    const noise = Math.max(1e-30, found)
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
  if (step.noise === 'gaussian' || step.noise === 'row') return
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

/** How much noisier some rows are than others, of the mode in which they differ most. */
function renewVariances({ parts }: PosteriorProblem, sigma2: number, isFirst: boolean): void {
  const [{ memory, layout }] = parts
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
    for (const part of parts) numbersOf(part)[NOISY_MODE] = chooseMode(found, (i) => rowsOf(i)[0]) + 1
  }
  const chosen = numbersOf(parts[0])[NOISY_MODE] - 1
  if (chosen < 0) return
  const variances = rowVariances(...rowsOf(chosen), sigma2)
  for (const part of parts)
    new Float32Array(part.memory.buffer, part.layout.modes[chosen].variances, variances.length).set(variances)
}

/** Of each row: what is left unexplained, how many parameters are determined, and how many entries there are, by weight. */
const ROW_SUMS = 3

/** Σ over the rows of one of the first two of their sums. */
function sumOf({ memory, layout }: PosteriorPart, i: number, which: 0 | 1): number {
  const { rows, rowLengths, rowSums } = layout.modes[i]
  const lengths = new Uint32Array(memory.buffer, rowLengths, rows)
  const sums = new Float64Array(memory.buffer, rowSums, ROW_SUMS * rows)
  let sum = 0
  for (let p = 0; p < rows; p++) if (lengths[p] > 0) sum += sums[ROW_SUMS * p + which]
  return sum
}

/**
 * μ and, but after the first sweep, Σ of a mode from its rows and what is uncertain of them; where rows have neighbours or
 * attributes, what these say of each (rowMeans.ts). Rows without entries get what is expected of them.
 */
function learn(problem: PosteriorProblem, i: number, isWhole: boolean): void {
  const { parts, thread, threads, sides, meet } = problem
  const [first] = parts
  const mode = first.layout.modes[i]
  const { perBlock } = gramBlocks(mode.rows)
  const { factor, rows, rowLengths, blockSums, moments, productSums } = mode
  first.kernel.sumRows(factor, rows, rowLengths, blockSums, thread, threads)
  if (isWhole) first.kernel.sumMoments(moments, rows, rowLengths, perBlock, productSums, thread, threads)
  meet()
  if (thread === 0) {
    const mean = addBlocks(first.memory, first.layout, mode).map((sum) => sum / first.observed[i])
    for (const { memory, layout } of parts)
      new Float32Array(memory.buffer, layout.modes[i].mean, layout.padded).set(mean)
    const side = sides?.[i]
    if (side) learnSide(problem, i, side, mean, isWhole)
    else {
      const precision = isWhole ? precisionOf(first, i, problem.rank, mean) : undefined
      for (const part of parts) {
        if (precision) writePrecision(part, i, precision)
        writeMeans(part, i, mean)
      }
    }
  }
  meet()
  if (sides?.[i]) return
  for (const { kernel, layout, observed } of parts) {
    const { factor, rows, rowLengths, mean } = layout.modes[i]
    if (observed[i] < rows) kernel.fillEmptyRows(factor, rows, rowLengths, mean, thread, threads)
  }
}

/** The same mean for all rows. */
function writeMeans({ memory, layout }: PosteriorPart, i: number, mean: ArrayLike<number>): void {
  const { rows, rowMeans, ties } = layout.modes[i]
  const { padded } = layout
  const means = new Float32Array(memory.buffer, rowMeans, rows * padded)
  means.set(mean)
  for (let done = padded; done < means.length; done *= 2) means.copyWithin(done, 0, done)
  new Float32Array(memory.buffer, ties, rows).fill(1)
}

/** Means, ties and lags' weights of a mode, and Σ⁻¹ where it is learned; in all parts. */
function learnSide(
  { parts, rank }: PosteriorProblem,
  i: number,
  side: RowSide,
  mean: Float64Array,
  isWhole: boolean,
): void {
  const [first] = parts
  const { padded } = first.layout
  const rows = modeRows(first, i, rank)
  const products = isWhole ? productsOf(first, i) : undefined
  const weights = new Float32Array(first.memory.buffer, first.layout.modes[i].lagWeights, MOST_LAGS)
  const learned = learnRowMeans(rows, side, mean, weights, products)
  const precision =
    learned.covariance && invertedPadded(shrunk(learned.covariance, rows.observed, rank), rank, padded)
  for (const part of parts) {
    const { memory, layout } = part
    const { factor, rowMeans, ties, lagWeights } = layout.modes[i]
    if (precision) writePrecision(part, i, precision)
    new Float32Array(memory.buffer, rowMeans, learned.means.length).set(learned.means)
    new Float32Array(memory.buffer, ties, rows.count).set(learned.ties)
    new Float32Array(memory.buffer, lagWeights, MOST_LAGS).set(learned.weights)
    const rowsThere = new Float32Array(memory.buffer, factor, rows.count * padded)
    for (const p of learned.filled)
      rowsThere.set(learned.rows.subarray(p * padded, p * padded + rank), p * padded)
  }
}

/** A mode's rows as thread 0 sees them. */
function modeRows({ memory, layout, observed }: PosteriorPart, i: number, rank: number): ModeRows {
  const { factor, moments, rows, rowLengths } = layout.modes[i]
  const { padded } = layout
  return {
    count: rows,
    observed: observed[i],
    rank,
    padded,
    lengths: new Uint32Array(memory.buffer, rowLengths, rows),
    factor: new Float32Array(memory.buffer, factor, rows * padded),
    moments: new Float32Array(memory.buffer, moments, rows * padded * padded),
  }
}

/** Σ⁻¹ (R × R, padded), Σ being the mean of (a − μ)(a − μ)ᵀ + V over the rows with entries. */
function precisionOf(part: PosteriorPart, i: number, rank: number, mean: Float64Array): Float64Array {
  const { padded } = part.layout
  const n = part.observed[i]
  const products = productsOf(part, i)
  const covariance = new Float64Array(rank * rank)
  for (let r = 0; r < rank; r++)
    for (let s = r; s < rank; s++) covariance[r * rank + s] = products[r * padded + s] / n - mean[r] * mean[s]
  return invertedPadded(shrunk(covariance, n, rank), rank, padded)
}

/** Σ M over the rows with entries (R × R, padded; on and above the diagonal). */
function productsOf({ memory, layout }: PosteriorPart, i: number): Float64Array {
  const { padded, modes } = layout
  const size = padded * padded
  const total = new Float64Array(size)
  for (let block = 0; block < gramBlocks(modes[i].rows).count; block++) {
    const sums = new Float64Array(memory.buffer, modes[i].productSums + 8 * block * size, size)
    for (let at = 0; at < size; at++) total[at] += sums[at]
  }
  return total
}

/** From what is on and above the diagonal: the rest, and a little less beside the diagonal where rows are few. */
function shrunk(upper: Float64Array, rows: number, rank: number): Float64Array {
  const covariance = upper.slice()
  const share = rows / (rows + SHRINKAGE * rank)
  for (let r = 0; r < rank; r++)
    for (let s = r + 1; s < rank; s++)
      covariance[r * rank + s] = covariance[s * rank + r] = share * upper[r * rank + s]
  return covariance
}

function invertedPadded(covariance: Float64Array, rank: number, padded: number): Float64Array {
  let trace = 0
  for (let r = 0; r < rank; r++) trace += covariance[r * rank + r]
  const inverse = inverted(covariance, rank, (NARROWEST * Math.max(trace, 0)) / rank + 1e-30)
  const precision = new Float64Array(padded * padded)
  for (let r = 0; r < rank; r++)
    for (let s = 0; s < rank; s++) precision[r * padded + s] = inverse[r * rank + s]
  return precision
}

function writePrecision({ memory, layout }: PosteriorPart, i: number, precision: Float64Array): void {
  new Float32Array(memory.buffer, layout.modes[i].precision, precision.length).set(precision)
}

/** Adds up the bins of all chunks, in their order. */
export function addBins(sums: Float64Array): Float64Array {
  const bins = new Float64Array(3 * NOISE_BINS)
  for (let at = 0; at < sums.length; at++) bins[at % bins.length] += sums[at]
  return bins
}
