import type { SparseTensor } from '../tensor/index.ts'

/**
 * Where Algorithm 1 runs. The solver sees only this; CPU, GPU and MPI engines differ behind it and pass the same
 * tests. An engine holds one problem: load it once, then write factors, iterate, ask for errors, read factors.
 */
export interface Engine {
  /** Builds the mode views and places the factors, which are zero until they are written. */
  load(problem: Problem): Promise<void>
  /** U⁽¹⁾ … U⁽ᴺ⁾, each (I_i × R), row-major. */
  writeFactors(factors: readonly Float32Array[]): Promise<void>
  readFactors(): Promise<Float32Array[]>
  /** Runs AO iterations (S_NMC over every mode in turn) and says how many: all, or fewer after `stop`. */
  iterate(run: Iterations): Promise<number>
  /** Ends `iterate` after the AO iteration it is in. */
  stop(): void
  /** Sums of the residuals over the training or the validation entries. */
  error(entries: 'train' | 'validation'): Promise<ErrorSums>
  close(): Promise<void>
}

export interface Problem {
  tensor: SparseTensor
  validation?: SparseTensor
  rank: number
  /** The largest MAX_INNER that will be asked for: above 1, Y needs room. */
  maxInner: number
  /** Shuffles the entries within their rows. */
  seed: number
  /** Every value is multiplied by this, a power of two. */
  valueScale: number
}

export interface Iterations {
  /** The number k of the first AO iteration: with the seed it decides which entries are sampled. */
  first: number
  count: number
  /** c, the share of each row's entries that a step uses. */
  sample: number
  lambda: number
  maxInner: number
  seed: number
}

export interface ErrorSums {
  /** Σ (x − y)² */
  squares: number
  /** Σ |x − y| */
  absolutes: number
}
