/**
 * The operations of an engine as the solver asks for them: AO iterations with one of five kinds of step, and
 * measurements of errors.
 */

/** AO iterations to run. */
export interface Iterations {
  /** The number k of the first AO iteration; with the seed it determines which entries are sampled. */
  first: number
  /** Number of AO iterations. */
  count: number
  /** c, the fraction of each row's entries that a step uses. */
  sample: number
  /** λ, scaled. */
  lambda: number
  /** The seed of the samples. */
  seed: number
  /** The kind of step and its parameters. */
  step: Step
  /** Time limit in seconds: ends after the AO iteration in which it is reached, the first at the earliest. */
  seconds?: number
}

/** The duration of an operation, by the clock of rank 0, so that all processes decide alike. */
export interface Timed {
  /** Wall-clock seconds. */
  seconds: number
}

/** The result of `iterate`. */
export interface Iterated extends Timed {
  /** Number of AO iterations done. */
  done: number
  /** Why fewer were done than requested: `stop` was called, or the time limit was reached. */
  cut?: 'stopped' | 'seconds'
  /** The part of `seconds` that this process spent on communication with others, waiting included. */
  exchanging?: number
}

/** The result of `errors`. */
export interface Measured extends Timed {
  /** The sums of each set, in the order of the request. */
  sums: ErrorSums[]
}

/** The kind of update of a row from its sample. */
export type Step =
  /** Algorithm 1 of the paper, with `maxInner` inner iterations. */
  | { kind: 'paper'; maxInner: number }
  /** A gradient step under a diagonal bound of the Hessian (kernels/solve/rows/gradientRow.ts). */
  | { kind: 'gradient'; momentum: number }
  /**
   * Coordinate descent on the row's quadratic, damped where the sample is small
   * (kernels/solve/rows/newtonRow.ts).
   */
  | { kind: 'newton'; momentum: number; damping: number }
  | PosteriorStep
  | StrataStep

/**
 * An epoch of stratified SGD (Gemulla et al. 2011; kernels/solve/strata.ts): a Kaczmarz step for every entry,
 * which moves the rows of all modes together. It uses neither λ nor momentum, and c is 1.
 */
export interface StrataStep {
  kind: 'strata'
  /** η, the relaxation of the Kaczmarz step: 1 corrects the entry to first order. */
  rate: number
  /** Lower bound of Σ‖k_m‖², scaled: prevents large steps where all rows of an entry are small. */
  least: number
}

/**
 * A sweep of variational EM over all entries, under a learned prior (docs/accuracy.md). The first sweep has
 * `begin`; it starts from balanced factors and λ.
 */
export interface PosteriorStep {
  kind: 'posterior'
  noise: Noise
  loss: Loss
  /** Number of training entries. */
  entries: number
  /** Mean of the training values, scaled. */
  mean: number
  /**
   * Whether rows are treated as certain and Σ as isotropic with their spread: used where outliers would
   * mislead λ.
   */
  isStart?: boolean
  /**
   * For the first sweep, scaled: σ² as estimated with λ, Σ (x − y)² of the training entries, and the variance
   * of their values.
   */
  begin?: { sigma2: number; squares: number; variance: number }
}

/**
 * The noise model: constant variance, variance proportional to the prediction, variance per row of one mode,
 * or learned growth.
 */
export type Noise = 'gaussian' | 'poisson' | 'row' | 'auto'

/** The loss of a residual: its square, or the Huber loss, which is linear beyond two standard deviations. */
export type Loss = 'squares' | 'huber'

/** Error sums over a set of entries with predictions y. */
export interface ErrorSums {
  /** Σ w (x − y)², scaled. */
  squares: number
  /** Σ w |x − y|, scaled. */
  absolutes: number
}
