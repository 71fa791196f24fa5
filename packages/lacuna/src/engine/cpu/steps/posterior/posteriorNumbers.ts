/** What sweeps under a learned prior work on: a problem's parts, and the few numbers that all rows share. */
import type { ThreadPartition } from '../../threads/threadProblem.ts'

/** What the threads must do with each other. */
export interface PosteriorWork {
  /** A step of a mode in all parts, and the exchange after it; afterwards all threads have met. */
  step(mode: number): void
  /** For the first thread: the bins of all chunks of all processes, added up in their order; 3 numbers each. */
  gatherBins(): Float64Array
}

/** Where the numbers stand that all rows share. */
export const SIGMA2 = 0
export const VARIANCE0 = 1
export const VARIANCE1 = 2
export const VARIANCE2 = 3
export const SWEEPS = 4
/** Which mode's rows differ in noise, from 1; 0: none. */
export const NOISY_MODE = 5
export const SHARED_NUMBERS = 8

/** σ², the variances' coefficients, and how many sweeps there were. */
export const numbersOf = ({ memory, layout }: ThreadPartition): Float32Array =>
  new Float32Array(memory.buffer, layout.posterior, SHARED_NUMBERS)

/** σ² and the variances' coefficients among them; undefined before the first sweep. */
export function learnedNoise(
  numbers: Float32Array,
): { sigma2: number; noise: readonly [number, number, number] } | undefined {
  if (!(numbers[SWEEPS] > 0)) return undefined
  const [c0, c1, c2] = [numbers[VARIANCE0], numbers[VARIANCE1], numbers[VARIANCE2]]
  return { sigma2: numbers[SIGMA2], noise: c0 + c1 + c2 > 0 ? [c0, c1, c2] : [1, 0, 0] }
}

/** Of each row: what is left unexplained, how many parameters are determined, and how many entries there are, by weight. */
export const ROW_SUMS = 3

/** Σ over the rows of one of the first two of their sums. */
export function sumOf({ memory, layout }: ThreadPartition, i: number, which: 0 | 1): number {
  const { rows, rowLengths, rowSums } = layout.modes[i]
  const lengths = new Uint32Array(memory.buffer, rowLengths, rows)
  const sums = new Float64Array(memory.buffer, rowSums, ROW_SUMS * rows)
  let sum = 0
  for (let p = 0; p < rows; p++) if (lengths[p] > 0) sum += sums[ROW_SUMS * p + which]
  return sum
}
