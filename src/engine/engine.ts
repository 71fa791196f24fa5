import type { SparseTensor } from '../tensor/index.ts'

/**
 * Where Algorithm 1 runs. The solver sees only this; CPU, GPU and MPI engines differ behind it and pass the same
 * tests. An engine holds one problem: load it once, then write factors, iterate, ask for errors, read factors.
 */
export interface Engine {
  /** Builds the mode views and places the factors, which are zero until they are written. */
  load(problem: Problem): Promise<void>
  /** U⁽¹⁾ … U⁽ᴺ⁾, each (I_i × R), row-major. Momentum, if any, starts anew. */
  writeFactors(factors: readonly Float32Array[]): Promise<void>
  readFactors(): Promise<Float32Array[]>
  /** Runs AO iterations (a step of every mode in turn) and says how many: all, or fewer after `stop`. */
  iterate(run: Iterations): Promise<number>
  /** Ends `iterate` after the AO iteration it is in. */
  stop(): void
  /** Sums of the residuals over the training entries or over one of the other sets loaded. */
  error(entries: EntrySet): Promise<ErrorSums>
  close(): Promise<void>
}

/** The entries an error can be asked for. */
export type EntrySet = 'train' | 'validation' | 'probe'

export interface Problem {
  tensor: SparseTensor
  validation?: SparseTensor
  /** Some of the training entries, for a quick look at the error. */
  probe?: SparseTensor
  rank: number
  /** Whether the steps need a second matrix beside each factor: Y where MAX_INNER > 1, the past for momentum. */
  companions: boolean
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
  seed: number
  step: Step
}

/**
 * How a row is updated from its sample. After the last iteration with a step that is not the paper's, the columns of the
 * factors are balanced, as long in every mode over the rows that have entries, and the other rows are the mean of those.
 */
export type Step =
  | { kind: 'paper'; maxInner: number }
  /** A gradient step under a diagonal bound of the Hessian. */
  | { kind: 'gradient'; momentum: number }
  /** Coordinate descent on the row's quadratic, damped where the sample is small. */
  | { kind: 'newton'; momentum: number; damping: number }

export interface ErrorSums {
  /** Σ (x − y)² */
  squares: number
  /** Σ |x − y| */
  absolutes: number
}
