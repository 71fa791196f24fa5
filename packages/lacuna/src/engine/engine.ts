/**
 * Where Algorithm 1 runs. The solver sees only this; CPU, GPU and MPI engines differ behind it and pass the same tests.
 *
 * An engine is a place (threads, a GPU, ranks) that serves many problems, one after the other and side by side. It says
 * what a problem would take before anything is taken, loads it, and hands back a LoadedProblem, which tells what the
 * solver must know of the data and does the work.
 */
import type { Communicator } from '../comm/index.ts'
import type { Observed, SparseTensor } from '../tensor/index.ts'

/** A place where problems are solved: threads here, or processes elsewhere. */
export interface Engine {
  /** For people: `2 threads`. */
  readonly description: string
  /** The processes that work on every problem, each with its own shard of the entries; a single process by default. */
  readonly communicator?: Communicator
  /** What a problem of this size would take; throws if the engine could never hold it. */
  plan(size: ProblemSize): EnginePlan
  /** Makes ready for problems of a rank, beside what else is done until there is one; what goes wrong, `load` tells. */
  warm?(rank: number): void
  /** Checks the entries and takes what was planned, or says in a sentence why not. Factors are zero until they are written. */
  load(problem: Problem): Promise<LoadedProblem>
  /** Ends the place. Whoever made the engine closes it. */
  close(): Promise<void>
}

export interface ProblemSize {
  dims: readonly number[]
  entries: number
  /** How many entries the other sets have, by their names. */
  sets?: Readonly<Record<string, number>>
  /** About how many of the training entries are looked at to see the error; none by default. */
  probe?: number
  rank: number
  momentumFactors: boolean
  zeros?: boolean
  posterior?: boolean
  strata?: boolean
  /** Whether the training entries have weights; then other sets are taken to have some, too. */
  weighted?: boolean
}

export interface EnginePlan {
  byteLength: number
  /** In how many parts, each with a memory of its own. */
  parts: number
  /** What it is made of, for people. */
  items: readonly { name: string; byteLength: number }[]
  /** The hardware that would solve it, if the engine has a choice: a GPU's name, or `2 threads`. */
  backend?: string
}

export interface Problem {
  /** Its entries count by their weights, if it has any: those of a set are divided by their mean. So do other sets' errors. */
  tensor: SparseTensor
  /** Other entries of the same tensor, whose errors can be asked for: by any name but 'train' and 'probe'. */
  sets?: Readonly<Record<string, SparseTensor>>
  /**
   * About how many of the training entries make the set 'probe', for a quick look, or how many of so many: where several
   * processes have some each, none knows before. Which ones is decided by seed and coordinates.
   */
  probe?: number | ((entries: number) => number)
  rank: number
  /** Whether the steps need a second matrix beside each factor: Y where MAX_INNER > 1, the past for momentum. */
  momentumFactors: boolean
  /**
   * Whether cells of the tensor that are not listed are zeros, and count like the others, all alike; those of the other sets
   * are unknown. Then 'newton' is the only step, c is 1, and λ draws rows to zero.
   */
  zeros?: boolean
  /** Whether 'posterior' steps are to come, which remember of every row how uncertain it is: R² numbers each. */
  posterior?: boolean | ((entries: number) => boolean)
  /**
   * Whether 'strata' steps are to come, for which the entries lie once more by the cells of a grid; with momentumFactors. Not where
   * entries have weights or cells that are not listed are zeros.
   */
  strata?: boolean | ((entries: number) => boolean)
  /** For a learned prior, per mode, what is known of rows beside their entries. */
  sideInformation?: readonly (SideInformation | undefined)[]
  /** Decides the order of the entries within their rows, and which are in the probe. */
  seed: number
  /** Threads that work on this problem, of those the engine has; all by default. */
  threads?: number
  /**
   * Called where training entries of one process are seen, when they are sorted, to have the same coordinates, or may have:
   * it may refuse them.
   */
  onRepeated?: () => void
}

/** The work at hand. Its operations are done one at a time, in the order in which they are asked for. */
export interface LoadedProblem {
  readonly statistics: Statistics
  /** Whether 'strata' steps can be taken. */
  readonly hasStrata?: boolean
  /** The hardware that solves it, if that makes a difference to the bits: for a model's training record. */
  readonly backend?: string
  /** What an AO iteration costs here, in units of one's own: a schedule compares stages by it, and never by the clock. */
  cost(stage: { sample: number; kind: Step['kind'] }): number
  /** U⁽¹⁾ … U⁽ᴺ⁾, each (I_i × R), row-major, times `factorScale`. Momentum, if any, starts anew. */
  writeFactors(factors: readonly Float32Array[]): Promise<void>
  /** The factors as they are, or those of the last snapshot. */
  readFactors(which?: 'current' | 'snapshot'): Promise<Float32Array[]>
  /** Runs AO iterations (a step of every mode in turn): all, or fewer if it was stopped or the time was up. */
  iterate(run: Iterations): Promise<Iterated>
  /** Ends `iterate` after the AO iteration it is in, and keeps further ones from beginning until told otherwise. */
  stop(stopped?: boolean): void
  /**
   * Makes the columns of the factors as long in every mode as in the others, over the rows that have entries, and gives
   * the other rows the mean of those; steps that are not the paper's need it before they begin, since λ draws rows to
   * that mean. What is multiplied into a column of one mode is divided out of another: the model stays the same.
   *
   * Sums over rows are made of sums over blocks of 64 rows in float32, added in order in float64.
   */
  balance(): Promise<Timed>
  /** Gives the rows without entries the mean of the others, and leaves everything else. */
  fillEmptyRows(): Promise<Timed>
  /** Sums of the residuals over the entries of each of these sets: 'train', 'probe' or one that was loaded. */
  errors(sets: readonly string[]): Promise<Measured>
  /** Remembers the factors where they lie. */
  snapshot(): Promise<void>
  /** Puts the factors of the last snapshot back; momentum starts anew. */
  restore(): Promise<void>
  /** Everything that the next bit depends on; it may be written on another engine, with other threads and parts. */
  readState(): Promise<EngineState>
  writeState(state: EngineState): Promise<void>
  /**
   * What the training entries are like, row by row: of all processes, in data units. `tensor`: the same entries, if they
   * are to be told of by other modes than those that were loaded.
   */
  observed(tensor?: SparseTensor): Promise<Observed>
  /** What has been learned of rows, as of the last 'posterior' step; undefined if there was none. */
  readPrior(): Promise<LearnedPrior | undefined>
  /** Gives back what the problem took. */
  close(): Promise<void>
}

/** Rows a ~ N(μ, Σ) per mode, and noise of variance σ² (c₀ + c₁ y + c₂ y²); all scaled. */
export interface LearnedPrior {
  sigma2: number
  noise: readonly [number, number, number]
  /** Per mode, μ (R) and Σ⁻¹ (R × R). */
  means: Float32Array[]
  precisions: Float32Array[]
}

/** What the solver must know of the data, since it never looks at it. */
export interface Statistics {
  dims: readonly number[]
  /** Of the training entries and of each other set. */
  sets: Readonly<Record<string, SetStatistics>>
  /** Per mode, the rows that no training entry speaks of. */
  emptyRows: readonly Uint32Array[]
  /**
   * Every value is multiplied by this power of two, and every factor by that one, so that float32 works near 1:
   * valueScale = factorScaleᴺ.
   */
  valueScale: number
  factorScale: number
  /** Tells one set of entries from another, whatever their order: over the training and all other entries. */
  digest: string
}

export interface SetStatistics {
  entries: number
  /** What their weights add up to: with weights of the mean 1, about as many as there are; of the probe, more or less. */
  weight: number
  /** Σ w x² and Σ w |x|, scaled. */
  squares: number
  absolutes: number
}

export interface Iterations {
  /** The number k of the first AO iteration: with the seed it decides which entries are sampled. */
  first: number
  count: number
  /** c, the share of each row's entries that a step uses. */
  sample: number
  /** Scaled. */
  lambda: number
  seed: number
  step: Step
  /** Ends after the AO iteration in which so many seconds are over: the first, even if they are none. */
  seconds?: number
}

/** How long something took: by one clock, for all ranks, so that whoever decides by it decides the same everywhere. */
export interface Timed {
  seconds: number
}

export interface Iterated extends Timed {
  /** AO iterations done. */
  done: number
  /** Why they are fewer than were asked for. */
  cut?: 'stopped' | 'seconds'
  /** Of the seconds, those that this process spent on telling others and waiting for them, where there are any. */
  exchanging?: number
}

export interface Measured extends Timed {
  /** As the sets were asked for. */
  sums: ErrorSums[]
}

/** How a row is updated from its sample. */
export type Step =
  | { kind: 'paper'; maxInner: number }
  /** A gradient step under a diagonal bound of the Hessian. */
  | { kind: 'gradient'; momentum: number }
  /** Coordinate descent on the row's quadratic, damped where the sample is small. */
  | { kind: 'newton'; momentum: number; damping: number }
  | PosteriorStep
  | StrataStep

/**
 * An epoch of SGD in strata (kernels/solve/strata.ts): every entry once, moving the rows of all modes together. It knows neither λ nor
 * momentum, and c is 1.
 */
export interface StrataStep {
  kind: 'strata'
  /** η: 1 corrects the entry. */
  rate: number
  /** Σ‖k_m‖² is taken for at least so much, scaled: where all rows are small they would be thrown far. */
  least: number
}

/**
 * A sweep over all entries under a prior that is learned (docs/accuracy.md). Its first one has `begin`, and starts from the
 * factors as they are, just balanced, and λ.
 */
export interface PosteriorStep {
  kind: 'posterior'
  noise: Noise
  loss: Loss
  /** Of the training entries: their number, and their mean, scaled. */
  entries: number
  mean: number
  /** As if rows were certain, and Σ as wide in all directions as they lie apart: instead of λ, where outliers would lead it. */
  isStart?: boolean
  /** Scaled: σ² as λ saw it, Σ (x − y)² of the training entries, and the variance of their values. */
  begin?: { sigma2: number; squares: number; variance: number }
}

/**
 * How noise grows with what is predicted: not at all, its variance in proportion, or as the data say; or that rows of one
 * mode differ in it.
 */
export type Noise = 'gaussian' | 'poisson' | 'row' | 'auto'

/** What a residual costs: its square, or no more than in proportion to its size where it is beyond two deviations. */
export type Loss = 'squares' | 'huber'

/** What is known of the rows of a mode beside their entries: for a prior that is learned. */
export interface SideInformation {
  /** Rows so far apart are neighbours: they are expected to be alike, as much as is learned. */
  lags?: readonly number[]
  /** (I_i × columns), row-major: attributes of the rows, on which their mean depends. */
  features?: Features
}

/** Attributes of a mode's rows as numbers, row-major. */
export interface Features {
  columns: number
  values: Float32Array
}

export interface ErrorSums {
  /** Σ w (x − y)², scaled. */
  squares: number
  /** Σ w |x − y|, scaled. */
  absolutes: number
}

/** All per mode, and scaled. */
export interface EngineState {
  /** (I_i × R) */
  factors: Float32Array[]
  /** (I_i × R), where the problem has momentumFactors. */
  momentumFactors?: Float32Array[]
  /** (R), the mean that λ draws rows to. */
  means: Float32Array[]
  /** (R), v of the gradient step. */
  scales: Float32Array[]
  /** (I_i × R), of the last snapshot, if any. */
  snapshot?: Float32Array[]
  /** Where a prior is learned: (I_i × R × R) E[a aᵀ] of every row, (R × R) Σ⁻¹, (I_i) leverages, and once, what all share. */
  moments?: Float32Array[]
  precisions?: Float32Array[]
  leverages?: Float32Array[]
  shared?: Float32Array[]
  /** … (I_i × R), (I_i), (I_i), and how much each lag counts: what rows' neighbours, attributes and noise are found to be. */
  rowMeans?: Float32Array[]
  couplingWeights?: Float32Array[]
  variances?: Float32Array[]
  lagWeights?: Float32Array[]
}
