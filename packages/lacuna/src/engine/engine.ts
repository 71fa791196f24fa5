/**
 * The interface between the solver and the hardware. The solver (solver/) decides which steps to take and
 * when to stop; an engine holds the entries and factors and computes. The CPU, GPU and MPI engines implement
 * this interface and pass one test suite (test/lacuna/engine/suite.ts).
 *
 * An engine serves many problems, one after the other and concurrently:
 *
 *     engine.plan(size)      the memory that a problem would take, before any is allocated
 *     engine.load(problem)   checks the entries, allocates memory and builds the views → LoadedProblem
 *     loaded.iterate(…)      AO iterations of Algorithm 2, with one of five kinds of step
 *     loaded.errors(['train', 'validation'])
 *     loaded.readFactors()
 *
 * Shapes: a tensor has N modes with I_1 … I_N rows; the rank is R. "Scaled" quantities are in the engine's
 * units: values are multiplied by `valueScale` and factors by `factorScale` (Statistics), so that float32
 * works near 1.
 */
import type { Communicator } from '../comm/index.ts'
import { GROUPS } from '../kernels/solve/layout.ts'
import type { Observed, SparseTensor } from '../tensor/index.ts'

/** A backend that solves problems: the threads of a process, a GPU, or the processes of an MPI job. */
export interface Engine {
  /** The hardware in words, such as `2 threads`. */
  readonly description: string
  /**
   * The processes that work on every problem, each with its own shard of the entries; a single process by
   * default.
   */
  readonly communicator?: Communicator
  /**
   * The memory that a problem of this size would take; throws an InputError if the engine could never hold
   * it.
   */
  plan(size: ProblemSize): EnginePlan
  /**
   * Starts threads and compiles kernels for problems of a rank in the background. Errors surface in `load`.
   */
  warm?(rank: number): void
  /**
   * Checks the entries, allocates memory and builds the views; throws an InputError if it cannot. The factors
   * are zero.
   */
  load(problem: Problem): Promise<LoadedProblem>
  /** Ends threads and frees the device. The caller that opened the engine closes it. */
  close(): Promise<void>
}

/** The sizes that determine the memory of a problem. */
export interface ProblemSize {
  /** I_1 … I_N, the rows of each mode. */
  dims: readonly number[]
  /** Number of training entries. */
  entries: number
  /** Number of entries of each other set, by name. */
  sets?: Readonly<Record<string, number>>
  /** Approximate number of training entries in the probe; none by default. */
  probe?: number
  /** R */
  rank: number
  /** Whether steps need a second matrix per factor. */
  momentumFactors: boolean
  /** Whether unlisted cells are zeros; false by default. */
  zeros?: boolean
  /** The covariances that 'posterior' steps will need; undefined if there will be no such steps. */
  posterior?: Covariances
  /** Whether 'strata' steps will follow, which need a second copy of the entries; false by default. */
  strata?: boolean
  /** Whether the training entries have weights; then the other sets are planned with weights, too. */
  weighted?: boolean
}

/** The memory that a problem would take. */
export interface EnginePlan {
  /** Bytes in total. */
  byteLength: number
  /** Number of partitions, each with its own memory. */
  parts: number
  /** Bytes by purpose, for messages to users. */
  items: readonly { name: string; byteLength: number }[]
  /** The hardware that would solve it, if the engine has a choice: a GPU's name, or `2 threads`. */
  backend?: string
}

/** A problem to load: the entries and the structures that later steps need. */
export interface Problem {
  /**
   * The training entries. Their weights, if any, are divided by their mean and multiply every term of the
   * sums.
   */
  tensor: SparseTensor
  /**
   * Other sets of entries of the same tensor, for `errors`. Every name but 'train' and 'probe' is allowed.
   */
  sets?: Readonly<Record<string, SparseTensor>>
  /**
   * Approximate number of training entries in the set 'probe', on which errors are measured quickly; or a
   * function of the number of training entries of all processes. Seed and coordinates determine which entries
   * are in it. No probe by default.
   */
  probe?: number | ((entries: number) => number)
  /** R */
  rank: number
  /**
   * Whether steps need a second matrix per factor: the paper's Y where MAX_INNER > 1, or the previous rows
   * for momentum.
   */
  momentumFactors: boolean
  /**
   * Whether unlisted cells are zeros with weight 1 instead of unknown. Cells of the other sets count as
   * unknown. 'newton' is then the only kind of step, c is 1, and λ shrinks rows towards zero. False by
   * default.
   */
  zeros?: boolean
  /**
   * The covariances that 'posterior' steps will need, or a function of the number of entries; undefined if
   * there will be no such steps.
   */
  posterior?: Covariances | ((entries: number) => Covariances | undefined)
  /**
   * Whether 'strata' steps will follow, which need a second copy of the entries, and `momentumFactors`; or a
   * function of the number of entries. Ignored if the entries have weights or unlisted cells are zeros.
   */
  strata?: boolean | ((entries: number) => boolean)
  /** Per mode, side information for a learned prior. */
  sideInformation?: readonly (SideInformation | undefined)[]
  /** Determines the order of the entries within their rows, and which entries are in the probe. */
  seed: number
  /** Number of the engine's threads that work on this problem; all by default. */
  threads?: number
  /**
   * Called in all processes if sorting finds training entries with equal coordinates, or with coordinates that
   * may be equal. It may throw, or return a promise that rejects, to refuse the problem.
   */
  onRepeated?: () => unknown
}

/** A problem in the memory of an engine. Its operations run one at a time, in the order of the calls. */
export interface LoadedProblem {
  /** Sizes, sums and scales of the loaded entries. */
  readonly statistics: Statistics
  /** Whether 'strata' steps can be taken; false by default. */
  readonly hasStrata?: boolean
  /** Whether 'posterior' steps can be taken; false by default. */
  readonly hasPosterior?: boolean
  /** The hardware that solves it, if that makes a difference to the bits: for a model's training record. */
  readonly backend?: string
  /**
   * The estimated cost of an AO iteration, in arbitrary units, with the sample fraction c and a kind of step.
   * A schedule compares stages by it, and never by measured times, so that decisions are reproducible.
   */
  cost(stage: { sample: number; kind: Step['kind'] }): number
  /** Sets the factors U⁽¹⁾ … U⁽ᴺ⁾, each (I_i × R), row-major, scaled. Resets momentum. */
  writeFactors(factors: readonly Float32Array[]): Promise<void>
  /** The current factors, or those of the last snapshot: each (I_i × R), row-major, scaled. */
  readFactors(which?: 'current' | 'snapshot'): Promise<Float32Array[]>
  /** Runs AO iterations (one step of every mode each); returns early if it is stopped or the time is up. */
  iterate(run: Iterations): Promise<Iterated>
  /**
   * Ends `iterate` after its current AO iteration and prevents further ones, until it is called with false.
   */
  stop(stopped?: boolean): void
  /**
   * Balances the factors: scales the columns to equal norms in all modes, over the rows with entries, which
   * leaves the model unchanged; and gives rows without entries the mean of the others. λ shrinks rows towards
   * that mean, so every step except the paper's needs a balance before it. Sums over rows are made in blocks
   * of 64 rows in float32, added in order in float64.
   */
  balance(): Promise<Timed>
  /** Gives rows without entries the mean of the others, and changes nothing else. */
  fillEmptyRows(): Promise<Timed>
  /** Error sums over the entries of each of these sets: 'train', 'probe', or the name of a loaded set. */
  errors(sets: readonly string[]): Promise<Measured>
  /** Saves the current factors inside the engine. */
  snapshot(): Promise<void>
  /** Restores the factors of the last snapshot and resets momentum. */
  restore(): Promise<void>
  /**
   * The complete state: with it, another engine, with other threads and partitions, continues with the same
   * bits.
   */
  readState(): Promise<EngineState>
  /** Replaces the complete state; covariances need a problem with `hasPosterior`. */
  writeState(state: EngineState): Promise<void>
  /**
   * Computes the number, range and mean of the training entries of all processes, and the number and mean of
   * the entries of each row in every mode, in data units. All processes must call it.
   * @param tensor this process's training entries, by the modes to count by: the loaded ones by default, or
   * those before modes were merged or split
   */
  observed(tensor?: SparseTensor): Promise<Observed>
  /** The prior as of the last 'posterior' step; undefined if there was none. */
  readPrior(): Promise<LearnedPrior | undefined>
  /** Frees the memory and threads of the problem. */
  close(): Promise<void>
}

/**
 * A learned prior: rows a ~ N(μ, Σ) per mode, and noise of variance σ² (c₀ + c₁ y + c₂ y²) at the prediction
 * y; all scaled.
 */
export interface LearnedPrior {
  /** σ² */
  sigma2: number
  /** c₀, c₁, c₂ */
  noise: readonly [number, number, number]
  /** Per mode, μ (R). */
  means: Float32Array[]
  /** Per mode, Σ⁻¹ (R × R). */
  precisions: Float32Array[]
  /** Per mode, the weight w or θ of each of its lags; undefined if there is no side information. */
  lagWeights?: Float32Array[]
}

/** Statistics of a loaded problem: all that the solver knows of the data, since it never reads a tensor. */
export interface Statistics {
  /** I_1 … I_N */
  dims: readonly number[]
  /** Statistics of the training entries ('train'), the probe and the other sets, by name. */
  sets: Readonly<Record<string, SetStatistics>>
  /** Per mode, the rows without training entries. */
  emptyRows: readonly Uint32Array[]
  /** The power of two by which values are multiplied: factorScaleᴺ. */
  valueScale: number
  /** The power of two by which factors are multiplied. */
  factorScale: number
  /** An order-independent hash of the entries of all sets, by which a checkpoint recognizes its data. */
  digest: string
}

/** Statistics of a set of entries. */
export interface SetStatistics {
  /** Number of entries; where unlisted cells are zeros, the training cells, listed or not. */
  entries: number
  /**
   * The sum of the weights, whose mean over a set is 1: about the number of entries; in the probe more or
   * less.
   */
  weight: number
  /** Σ w x², scaled. */
  squares: number
  /** Σ w |x|, scaled. */
  absolutes: number
}

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

/**
 * The posterior covariances that sweeps of variational EM work with: those of every row, R² numbers each, or
 * means over groups of rows with about as many entries (kernels/solve/rows/groups.ts).
 */
export type Covariances = 'rows' | 'groups'

/** The matrices (R × R) of a mode in a state with covariances of groups: V of each group, and the mean of a aᵀ. */
export const GROUP_MATRICES = GROUPS + 1

/** The loss of a residual: its square, or the Huber loss, which is linear beyond two standard deviations. */
export type Loss = 'squares' | 'huber'

/** Side information of the rows of a mode, for a learned prior. */
export interface SideInformation {
  /** Distances between rows that the prior couples; the strength of each is learned. */
  lags?: readonly number[]
  /**
   * Whether each row is regressed on those before it at the lags, which ascend, instead of being coupled to
   * those on both sides; false by default. Not on a circle.
   */
  isAutoregressive?: boolean
  /** Whether the rows with lags form a circle, the last one next to the first; false by default. */
  isCyclic?: boolean
  /** (I_i) The rows in the order in which distances count; their own order by default. */
  order?: Uint32Array
  /** Attributes of the rows, on which their prior mean depends. */
  features?: Features
}

/** Numeric attributes of a mode's rows. */
export interface Features {
  /** Number of attributes. */
  columns: number
  /** (I_i × columns), row-major. */
  values: Float32Array
}

/** Error sums over a set of entries with predictions y. */
export interface ErrorSums {
  /** Σ w (x − y)², scaled. */
  squares: number
  /** Σ w |x − y|, scaled. */
  absolutes: number
}

/** The complete state of a problem: arrays per mode, scaled. */
export interface EngineState {
  /** (I_i × R) */
  factors: Float32Array[]
  /** (I_i × R), if the problem has momentum factors. */
  momentumFactors?: Float32Array[]
  /** (R) The mean rows towards which λ shrinks. */
  means: Float32Array[]
  /** (R) v of the gradient step. */
  scales: Float32Array[]
  /** (I_i × R) The factors of the last snapshot, if any. */
  snapshot?: Float32Array[]
  /**
   * Under a learned prior, the second moments E[a aᵀ] of every row (I_i × R × R); or V of each group of rows
   * and the mean of a aᵀ over the entries (GROUP_MATRICES × R × R).
   */
  moments?: Float32Array[]
  /** (R × R) Under a learned prior, Σ⁻¹. */
  precisions?: Float32Array[]
  /** (I_i) Under a learned prior, the leverages of the rows. */
  leverages?: Float32Array[]
  /** One array, for all modes: numbers of the learned prior, such as σ². */
  shared?: Float32Array[]
  /** (I_i × R) Under a learned prior, the prior mean of every row. */
  rowMeans?: Float32Array[]
  /** (I_i) Under a learned prior, t of every row, 1 + Σ w if it is coupled: its prior precision is t Σ⁻¹. */
  couplingWeights?: Float32Array[]
  /** (I_i) Under a learned prior, the noise variance of every row's entries, in units of σ². */
  variances?: Float32Array[]
  /** Under a learned prior, the weight w, or under an autoregressive prior θ, of each lag of the mode. */
  lagWeights?: Float32Array[]
}
