/** The M-step of a mode: μ and Σ from the posteriors of its rows, and prior means from side information. */

import { invertSymmetric } from '../../../../base/inverse.ts'
import { GROUPS } from '../../../../kernels/solve/layout.ts'
import type { SideInformation } from '../../../engine.ts'
import { gramBlocks } from '../../memory/areaSizes.ts'
import { MOST_LAGS } from '../../memory/layout.ts'
import type { ThreadPartition, ThreadProblem } from '../../threads/threadProblem.ts'
import { addBlocks } from '../balance.ts'
import { averageCovariances, groupedRows, groupMatrix } from './groups.ts'
import type { ModeRows } from './modeRows.ts'
import { SIGMA2, sharedNumbers } from './posteriorNumbers.ts'
import { learnRowMeans } from './rowMeans.ts'

/** Shrinkage of Σ's off-diagonal elements, in rows per component: they count as n / (n + R / 8), n rows. */
const SHRINKAGE = 1 / 8
/** The least width of Σ in any direction, as a fraction of the mean width: float32 cannot resolve less. */
const NARROWEST = 1e-6

/**
 * Learns μ and, if `learnsCovariance`, Σ of a mode from the posteriors of its rows; with side information
 * also the prior mean of each row (rowMeans.ts). Rows without entries get their prior mean. All threads call
 * it together.
 * @param learnsCovariance whether Σ is learned, too
 */
export function learnMode(problem: ThreadProblem, i: number, learnsCovariance: boolean): void {
  const { parts, thread, threads, sideInformation, barrier } = problem
  const [first] = parts
  const mode = first.layout.modes[i]
  const { factor, rows, rowLengths, blockSums } = mode
  first.kernel.sumRows(factor, rows, rowLengths, blockSums, thread, threads)
  if (problem.posterior === 'groups') sumGrouped(problem, i, learnsCovariance)
  else if (learnsCovariance)
    first.kernel.sumMoments(
      mode.moments,
      rows,
      rowLengths,
      gramBlocks(rows).perBlock,
      mode.productSums,
      thread,
      threads,
    )
  barrier()
  if (thread === 0 && problem.posterior === 'groups') writeMeanMoment(problem, i)
  if (thread === 0) {
    const mean = addBlocks(first.memory, first.layout, mode).map((sum) => sum / first.observed[i])
    for (const { memory, layout } of parts)
      new Float32Array(memory.buffer, layout.modes[i].mean, layout.padded).set(mean)
    const side = sideInformation?.[i]
    if (side) learnFromSideInformation(problem, i, side, mean, learnsCovariance)
    else {
      const precision = learnsCovariance ? precisionOf(first, i, problem.rank, mean) : undefined
      for (const part of parts) {
        if (precision) writePrecision(part, i, precision)
        writeUniformMeans(part, i, mean)
      }
    }
  }
  barrier()
  if (sideInformation?.[i]) return
  for (const { kernel, layout, observed } of parts) {
    const { factor, rows, rowLengths, mean } = layout.modes[i]
    if (observed[i] < rows) kernel.fillEmptyRows(factor, rows, rowLengths, mean, thread, threads)
  }
}

/**
 * Averages V within the groups of mode i; sums a aᵀ over its entries where the other modes' rows need their
 * mean, and over its rows if `learnsCovariance`. All threads call it together.
 */
function sumGrouped(problem: ThreadProblem, i: number, learnsCovariance: boolean): void {
  const { parts, thread, threads } = problem
  const [{ kernel, layout }] = parts
  const { factor, rows, rowLengths, productSums, weightedSums } = layout.modes[i]
  const { perBlock } = gramBlocks(rows)
  averageCovariances(problem, i)
  if (layout.modes.length > 2)
    kernel.sumOuterProducts(factor, rows, rowLengths, 1, perBlock, weightedSums, thread, threads)
  if (learnsCovariance)
    kernel.sumOuterProducts(factor, rows, rowLengths, 0, perBlock, productSums, thread, threads)
}

/** Computes the mean of a aᵀ over the entries of every mode. All threads call it together. */
export function averageMoments(problem: ThreadProblem): void {
  const { parts, thread, threads, barrier } = problem
  const [{ kernel, layout }] = parts
  barrier()
  for (const { factor, rows, rowLengths, weightedSums } of layout.modes)
    kernel.sumOuterProducts(
      factor,
      rows,
      rowLengths,
      1,
      gramBlocks(rows).perBlock,
      weightedSums,
      thread,
      threads,
    )
  barrier()
  if (thread === 0) for (const [i] of layout.modes.entries()) writeMeanMoment(problem, i)
}

/** Writes the mean of a aᵀ over the entries of mode i to all partitions, from its sums over blocks of rows. */
function writeMeanMoment({ parts }: ThreadProblem, i: number): void {
  const [first] = parts
  if (first.layout.modes.length < 3) return
  const { rows, rowLengths, weightedSums } = first.layout.modes[i]
  const lengths = new Uint32Array(first.memory.buffer, rowLengths, rows)
  let entries = 0
  for (let p = 0; p < rows; p++) entries += lengths[p]
  const mean = addBlocksOfMatrices(first, i, weightedSums).map((sum) => sum / entries)
  for (const part of parts) groupMatrix(part, i, GROUPS).set(mean)
}

/** Writes the same prior mean (R) for all rows of mode i, and coupling weights of 1. */
export function writeUniformMeans(
  { memory, layout }: ThreadPartition,
  i: number,
  mean: ArrayLike<number>,
): void {
  const { rows, rowMeans, couplingWeights } = layout.modes[i]
  const { padded } = layout
  const means = new Float32Array(memory.buffer, rowMeans, rows * padded)
  means.set(mean)
  for (let done = padded; done < means.length; done *= 2) means.copyWithin(done, 0, done)
  new Float32Array(memory.buffer, couplingWeights, rows).fill(1)
}

/**
 * Learns prior means, coupling weights, lag weights and, if `learnsCovariance`, Σ⁻¹ of a mode with side
 * information; writes them, and the rows without entries, to all partitions. Runs on thread 0.
 */
function learnFromSideInformation(
  { parts, rank }: ThreadProblem,
  i: number,
  side: SideInformation,
  mean: Float64Array,
  learnsCovariance: boolean,
): void {
  const [first] = parts
  const { padded } = first.layout
  const rows = modeRows(first, i, rank)
  const products = learnsCovariance ? sumMomentsOf(first, i) : undefined
  const own = first.layout.modes[i]
  const weights = new Float32Array(first.memory.buffer, own.lagWeights, MOST_LAGS)
  const previous = new Float32Array(first.memory.buffer, own.rowMeans, rows.count * padded)
  const learned = learnRowMeans(rows, side, mean, weights, previous, products)
  const precision =
    learned.covariance &&
    invertPadded(shrinkOffDiagonal(learned.covariance, rows.observed, rank), rank, padded)
  for (const part of parts) {
    const { memory, layout } = part
    const { factor, rowMeans, couplingWeights, lagWeights } = layout.modes[i]
    if (precision) writePrecision(part, i, precision)
    new Float32Array(memory.buffer, rowMeans, learned.means.length).set(learned.means)
    new Float32Array(memory.buffer, couplingWeights, rows.count).set(learned.couplingWeights)
    new Float32Array(memory.buffer, lagWeights, MOST_LAGS).set(learned.weights)
    const rowsThere = new Float32Array(memory.buffer, factor, rows.count * padded)
    for (const p of learned.emptyRows)
      rowsThere.set(learned.rows.subarray(p * padded, p * padded + rank), p * padded)
  }
}

/** The rows of a mode, as arrays over the memory of a partition. */
function modeRows({ memory, layout, observed }: ThreadPartition, i: number, rank: number): ModeRows {
  const { factor, moments, covariances, groups, rows, rowLengths } = layout.modes[i]
  const { padded } = layout
  const size = padded * padded
  return {
    count: rows,
    observed: observed[i],
    rank,
    padded,
    lengths: new Uint32Array(memory.buffer, rowLengths, rows),
    factor: new Float32Array(memory.buffer, factor, rows * padded),
    ...(covariances
      ? {
          groups: new Uint32Array(memory.buffer, groups, rows),
          moments: new Float32Array(memory.buffer, covariances, GROUPS * size),
        }
      : { moments: new Float32Array(memory.buffer, moments, rows * size) }),
  }
}

/**
 * Σ⁻¹ of mode i (R × R, padded); Σ is the mean of (a − μ)(a − μ)ᵀ + V over the rows with entries, shrunk off
 * its diagonal.
 * @param mean μ
 */
function precisionOf(part: ThreadPartition, i: number, rank: number, mean: Float64Array): Float64Array {
  const { padded } = part.layout
  const n = part.observed[i]
  const products = sumMomentsOf(part, i)
  const covariance = new Float64Array(rank * rank)
  for (let r = 0; r < rank; r++)
    for (let s = r; s < rank; s++) covariance[r * rank + s] = products[r * padded + s] / n - mean[r] * mean[s]
  return invertPadded(shrinkOffDiagonal(covariance, n, rank), rank, padded)
}

/** Σ M over the rows of mode i with entries (R × R, padded; on and above the diagonal). */
function sumMomentsOf(part: ThreadPartition, i: number): Float64Array {
  const { productSums, covariances } = part.layout.modes[i]
  const total = addBlocksOfMatrices(part, i, productSums)
  if (!covariances) return total
  groupedRows(part, i).sizes.forEach((size, group) => {
    if (size === 0) return
    const V = groupMatrix(part, i, group)
    for (let at = 0; at < total.length; at++) total[at] += size * V[at]
  })
  return total
}

/** Adds sums over the blocks of rows of mode i, in order (R × R, padded; on and above the diagonal). */
function addBlocksOfMatrices({ memory, layout }: ThreadPartition, i: number, address: number): Float64Array {
  const { padded, modes } = layout
  const size = padded * padded
  const total = new Float64Array(size)
  for (let block = 0; block < gramBlocks(modes[i].rows).count; block++) {
    const sums = new Float64Array(memory.buffer, address + 8 * block * size, size)
    for (let at = 0; at < size; at++) total[at] += sums[at]
  }
  return total
}

/**
 * Returns a covariance, given on and above the diagonal, as a whole symmetric matrix (R × R), with its
 * off-diagonal elements shrunk where rows are few.
 * @param rows the number of rows that it was learned from
 */
export function shrinkOffDiagonal(upper: Float64Array, rows: number, rank: number): Float64Array {
  const covariance = upper.slice()
  const shrinkage = rows / (rows + SHRINKAGE * rank)
  for (let r = 0; r < rank; r++)
    for (let s = r + 1; s < rank; s++)
      covariance[r * rank + s] = covariance[s * rank + r] = shrinkage * upper[r * rank + s]
  return covariance
}

/** Returns the padded inverse of a covariance (R × R), whose diagonal is raised a little: NARROWEST. */
export function invertPadded(covariance: Float64Array, rank: number, padded: number): Float64Array {
  let trace = 0
  for (let r = 0; r < rank; r++) trace += covariance[r * rank + r]
  const inverse = invertSymmetric(covariance, rank, (NARROWEST * Math.max(trace, 0)) / rank + 1e-30)
  const precision = new Float64Array(padded * padded)
  for (let r = 0; r < rank; r++)
    for (let s = 0; s < rank; s++) precision[r * padded + s] = inverse[r * rank + s]
  return precision
}

/** Writes Σ⁻¹ (padded) of mode i to a partition. */
function writePrecision({ memory, layout }: ThreadPartition, i: number, precision: Float64Array): void {
  new Float32Array(memory.buffer, layout.modes[i].precision, precision.length).set(precision)
}

/** Writes an isotropic Σ⁻¹ of mode i: `precision` on its diagonal. */
export function writeIsotropic(
  { memory, layout }: ThreadPartition,
  i: number,
  rank: number,
  precision: number,
): void {
  const { padded, modes } = layout
  const matrix = new Float32Array(memory.buffer, modes[i].precision, padded * padded).fill(0)
  for (let r = 0; r < rank; r++) matrix[r * padded + r] = precision
}

/** Writes σ² Σ⁻¹ of mode i for the kernels, from the current σ² and Σ⁻¹. */
export function writePrior(part: ThreadPartition, i: number): void {
  const { memory, layout } = part
  const size = layout.padded ** 2
  const precision = new Float32Array(memory.buffer, layout.modes[i].precision, size)
  const prior = new Float32Array(memory.buffer, layout.modes[i].prior, size)
  const sigma2 = sharedNumbers(part)[SIGMA2]
  for (let at = 0; at < size; at++) prior[at] = sigma2 * precision[at]
}
