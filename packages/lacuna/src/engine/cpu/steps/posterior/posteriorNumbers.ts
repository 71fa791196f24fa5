/** The numbers of a learned prior that all rows share, and the operations of a sweep. */
import type { ThreadPartition } from '../../threads/threadProblem.ts'

/** The operations of a sweep that involve all threads and processes. */
export interface PosteriorWork {
  /**
   * Runs a step of a mode in all partitions and the exchange after it; all threads have synchronized
   * afterwards.
   */
  step(mode: number): void
  /**
   * Called on the first thread: the noise bins of all chunks of all processes, added in order; three numbers
   * each.
   */
  gatherBins(): Float64Array
}

// Positions of the shared numbers.

/** σ² */
export const SIGMA2 = 0
/** c₀ of the noise variance σ² (c₀ + c₁ y + c₂ y²). */
export const VARIANCE0 = 1
/** c₁ */
export const VARIANCE1 = 2
/** c₂ */
export const VARIANCE2 = 3
/** The number of sweeps. */
export const SWEEPS = 4
/** The mode whose rows differ in noise, from 1; 0 if there is none. */
export const NOISY_MODE = 5
/** σ² of the sweep before; 0 before the second one. */
export const LAST_SIGMA2 = 6
/** The number of shared numbers. */
export const SHARED_NUMBERS = 8

/** The shared numbers of a partition (σ², c, sweeps, noisy mode), as an array over its memory. */
export const sharedNumbers = ({ memory, layout }: ThreadPartition): Float32Array =>
  new Float32Array(memory.buffer, layout.posterior, SHARED_NUMBERS)

/**
 * Reads σ² and c₀, c₁, c₂ from the shared numbers; undefined before the first sweep. Constant noise has 1, 0,
 * 0.
 */
export function readNoise(
  numbers: Float32Array,
): { sigma2: number; noise: readonly [number, number, number] } | undefined {
  if (!(numbers[SWEEPS] > 0)) return undefined
  const [c0, c1, c2] = [numbers[VARIANCE0], numbers[VARIANCE1], numbers[VARIANCE2]]
  return { sigma2: numbers[SIGMA2], noise: c0 + c1 + c2 > 0 ? [c0, c1, c2] : [1, 0, 0] }
}

/**
 * The number of sums per row: Σ w E[(x − k·a)²], the number of determined parameters, and the number of
 * entries by weight.
 */
export const ROW_SUMS = 3

/**
 * Adds one of the sums per row over the rows of mode i that have entries.
 * @param position 0: Σ w E[(x − k·a)²]; 1: the number of determined parameters
 */
export function addRowSums({ memory, layout }: ThreadPartition, i: number, position: 0 | 1): number {
  const { rows, rowLengths, rowSums } = layout.modes[i]
  const lengths = new Uint32Array(memory.buffer, rowLengths, rows)
  const sums = new Float64Array(memory.buffer, rowSums, ROW_SUMS * rows)
  let sum = 0
  for (let p = 0; p < rows; p++) if (lengths[p] > 0) sum += sums[ROW_SUMS * p + position]
  return sum
}
