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
 *
 * Steps and their results are in steps.ts, the state that a checkpoint saves in state.ts.
 */
import type { Communicator } from '../comm/index.ts'
import type { Observed, SparseTensor } from '../tensor/index.ts'
import type { Covariances, EngineState, LearnedPrior } from './state.ts'
import type { Iterated, Iterations, Measured, Step, Timed } from './steps.ts'

export * from './state.ts'
export type * from './steps.ts'

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

/** Statistics of a loaded problem: all that the solver uses of the data, since it never reads a tensor. */
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
