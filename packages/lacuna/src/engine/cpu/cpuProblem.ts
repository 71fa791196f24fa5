/** A problem of the CPU engine, as the main thread sees it. */
import { CONTROL_STOP, CONTROL_THREADS } from '../../kernels/solve/layout.ts'
import type { Observed, SparseTensor } from '../../tensor/index.ts'
import type {
  EngineState,
  ErrorSums,
  Iterated,
  Iterations,
  LearnedPrior,
  LoadedProblem,
  Measured,
  SetStatistics,
  Statistics,
  Step,
  Timed,
} from '../engine.ts'
import { costOf, costOfBalance, costOfErrors } from './memory/cost.ts'
import { readFactors, readPrior, readWholeState, writeFactors, writeWholeState } from './partitionState.ts'
import type { LoadedPartitions } from './setup/load.ts'
import { observeAll } from './setup/observeAll.ts'
import { type SetUpTimes, stopwatch } from './setup/setUpTimes.ts'
import type { Answer, Request } from './threads/messages.ts'
import { threadsForTask } from './threads/threadsForWork.ts'
import type { ProblemWorkers } from './threads/workers.ts'

/** A problem in the memories of its partitions, and the threads that work on it. */
export class CpuProblem implements LoadedProblem {
  readonly statistics: Statistics
  /** Durations of the phases of loading. */
  readonly setUp: SetUpTimes
  readonly hasStrata: boolean
  readonly hasPosterior: boolean
  readonly #workers: ProblemWorkers
  readonly #number: number
  readonly #loaded: LoadedPartitions
  readonly #tensor: SparseTensor
  readonly #release: () => void
  #open = true
  /** Whether this process has asked to stop the iterations. */
  #isStopped = false
  /** Resolves when the last request has been answered: the next may go to other threads. */
  #answered: Promise<unknown> = Promise.resolve()
  /** Number of requests so far: with the problem's number, the order of requests in all processes. */
  #steps = 0

  private constructor(
    workers: ProblemWorkers,
    number: number,
    loaded: LoadedPartitions,
    tensor: SparseTensor,
    release: () => void,
    statistics: Statistics,
    setUp: SetUpTimes,
  ) {
    this.setUp = setUp
    this.#workers = workers
    this.#number = number
    this.#loaded = loaded
    this.#tensor = tensor
    this.#release = release
    this.statistics = statistics
    this.hasPosterior = loaded.posterior !== undefined
    this.hasStrata = loaded.parts[0].layout.strata !== undefined
  }

  /**
   * Opens a loaded problem: sums its values and weights for the statistics of its sets.
   * @param loaded the problem in the memories of its partitions
   * @param tensor the training entries of this process
   * @param number the number of the problem on its engine
   * @param release called when the threads and memories are no longer needed
   */
  static async open(
    workers: ProblemWorkers,
    number: number,
    loaded: LoadedPartitions,
    tensor: SparseTensor,
    release: () => void,
  ): Promise<CpuProblem> {
    const sets: Record<string, SetStatistics> = {}
    const statistics = { ...loaded.statistics, sets }
    const times = { ...loaded.times, values: 0 }
    const problem = new CpuProblem(workers, number, loaded, tensor, release, statistics, times)
    const lap = stopwatch()
    const views = [...new Set(loaded.viewOf.values())]
    await problem.#ask({ type: 'values', problem: number, views })
    const values = new Map(views.map((v) => [v, problem.#addErrors(v)]))
    const weights = await problem.#sumWeights()
    for (const [name, v] of loaded.viewOf) {
      const entries = loaded.entries.get(name)!
      sets[name] = { entries, weight: weights.get(v) ?? entries, ...values.get(v)! }
    }
    times.values = lap()
    return problem
  }

  /** The estimated cost of an AO iteration: see costOf (memory/cost.ts). */
  cost(stage: { sample: number; kind: Step['kind'] }): number {
    const { dims, emptyRows, sets } = this.statistics
    const rows = dims.map((dim, mode) => dim - emptyRows[mode].length)
    return costOf(stage, rows, sets.train.entries, this.#loaded.rank)
  }

  /** Sets the factors, each (I × R), scaled, in all partitions; resets momentum. */
  async writeFactors(factors: readonly Float32Array[]): Promise<void> {
    await this.#writeOnce(() => writeFactors(this.#loaded, factors))
  }

  /** Copies the current factors, or those of the last snapshot, each (I × R), scaled. */
  async readFactors(which: 'current' | 'snapshot' = 'current'): Promise<Float32Array[]> {
    return readFactors(this.#loaded, which)
  }

  /**
   * Runs AO iterations on all threads.
   * @param skip for a benchmark, the parts of the paper's step to leave out: SKIP_… of
   * kernels/solve/layout.ts
   */
  async iterate(run: Iterations, skip = 0): Promise<Iterated> {
    return (await this.#ask(
      { type: 'iterate', problem: this.#number, run, skip },
      this.#threadsOfSteps(run),
    )) as Iterated
  }

  /** Ends `iterate` after its current AO iteration; with false, allows iterations again. */
  stop(stopped = true): void {
    const { memory, layout } = this.#loaded.parts[0]
    const words = new Int32Array(memory.buffer, layout.control, 64)
    // Several processes may have the control block in common: it counts those that ask to stop.
    if (stopped !== this.#isStopped) Atomics.add(words, CONTROL_STOP / 4, stopped ? 1 : -1)
    this.#isStopped = stopped
  }

  /**
   * Scales the columns to equal norms in all modes, and gives rows without entries the mean of the others.
   */
  async balance(): Promise<Timed> {
    return (await this.#ask({ type: 'balance', problem: this.#number }, this.#threadsOfBalance())) as Timed
  }

  /** Gives rows without entries the mean of the others; 0 seconds if there are none. */
  async fillEmptyRows(): Promise<Timed> {
    if (this.statistics.emptyRows.every(({ length }) => length === 0)) return { seconds: 0 }
    const threads = this.#threadsOfBalance()
    return (await this.#ask({ type: 'fillEmptyRows', problem: this.#number }, threads)) as Timed
  }

  /** Measures the error sums of sets, each once; throws if a set was not loaded. */
  async errors(sets: readonly string[]): Promise<Measured> {
    const views = sets.map((name) => {
      const view = this.#loaded.viewOf.get(name)
      if (view === undefined) throw new Error(`No set '${name}' was loaded.`)
      return view
    })
    const distinct = [...new Set(views)]
    const threads = this.#threadsOfErrors(sets)
    const answer = await this.#ask({ type: 'errors', problem: this.#number, views: distinct }, threads)
    return { sums: views.map((v) => this.#addErrors(v)), ...(answer as Timed) }
  }

  /**
   * The sum of the weights, by view, of each view on which errors are measured and whose entries have
   * weights.
   */
  async #sumWeights(): Promise<Map<number, number>> {
    const { viewOf, weightedViews } = this.#loaded
    const views = [...new Set(viewOf.values())].filter((v) => weightedViews.includes(v))
    if (views.length > 0) await this.#ask({ type: 'weights', problem: this.#number, views })
    return new Map(views.map((v) => [v, this.#addErrors(v).squares]))
  }

  /**
   * The error sums of view v as of its last measurement, added in the order of the chunks, which does not
   * depend on the partitions. Where unlisted cells are zeros, view 0 includes all cells, not below 0.
   */
  #addErrors(v: number): ErrorSums {
    const { errorSums, totals } = this.#loaded
    const { sums } = errorSums[v]
    const [squares, absolutes] = v === 0 && totals ? totals : [0, 0]
    const total = { squares, absolutes }
    for (let at = 0; at < sums.length; at += 2) {
      total.squares += sums[at]
      total.absolutes += sums[at + 1]
    }
    // Rounding may make a difference that is almost zero negative.
    if (v === 0 && totals)
      return { squares: Math.max(0, total.squares), absolutes: Math.max(0, total.absolutes) }
    return total
  }

  /** Saves the current factors in the first partition. */
  async snapshot(): Promise<void> {
    await this.#ask({ type: 'snapshot', problem: this.#number }, 1)
  }

  /** Restores the factors of the last snapshot, and resets momentum. */
  async restore(): Promise<void> {
    await this.#ask({ type: 'restore', problem: this.#number }, 1)
  }

  /** Copies the complete state, with all momentum factors, which each partition has in part. */
  async readState(): Promise<EngineState> {
    if (this.#loaded.momentumFactors)
      await this.#ask({ type: 'gatherMomentumFactors', problem: this.#number })
    return readWholeState(this.#loaded)
  }

  /**
   * Replaces the complete state; without momentum factors, those are set to the factors. Throws if the state
   * has covariances for which no memory was taken.
   */
  async writeState(state: EngineState): Promise<void> {
    if (state.moments && !this.hasPosterior) throw new Error('The problem has no memory for covariances.')
    await this.#writeOnce(() => writeWholeState(this.#loaded, state))
  }

  /**
   * Computes the number, range and mean of the training entries of all processes, and the number and mean of
   * the entries of each row in every mode, in data units. All processes must call it.
   * @param tensor this process's training entries, by the modes to count by: the loaded ones by default, or
   * those before modes were merged or split
   */
  async observed(tensor = this.#tensor): Promise<Observed> {
    const workers = { ...this.#workers, padded: this.#loaded.parts[0].layout.padded }
    return workers.communicator.runInOrder(this.#number, ++this.#steps, () => observeAll(workers, tensor))
  }

  /** The prior as of the last 'posterior' step; undefined before the first. */
  async readPrior(): Promise<LearnedPrior | undefined> {
    return readPrior(this.#loaded)
  }

  /** Frees the threads and memories of the problem; does nothing the second time. */
  async close(): Promise<void> {
    if (!this.#open) return
    this.#open = false
    const { pool, members } = this.#workers
    await pool.ask(members, () => ({ type: 'close', problem: this.#number })).catch(() => {})
    this.#release()
  }

  /**
   * Sends a request to threads of the problem; returns the answer of the first one, which communicates with
   * the other processes. Throws if the problem is closed.
   * @param most the number of threads that gain time
   */
  async #ask(request: Request, most = Infinity): Promise<Answer> {
    if (!this.#open) throw new Error('The problem has been closed.')
    const { pool, members, communicator, group, allThreads } = this.#workers
    const threads = allThreads ? group.threads : Math.min(group.threads, most)
    const answered = this.#answered
    const answers = communicator.runInOrder(this.#number, ++this.#steps, async () => {
      await answered
      if (!group.isShared) this.#setThreads(threads)
      return pool.ask(members.slice(0, threads), () => ({ ...request, threads }))
    })
    this.#answered = answers.catch(() => {})
    return (await answers)[0]
  }

  /** Sets the number of threads that synchronize at barriers; none may be working. */
  #setThreads(threads: number): void {
    for (const { memory, layout } of this.#loaded.parts)
      new Uint32Array(memory.buffer, layout.control, 64)[CONTROL_THREADS / 4] = threads
  }

  /** The threads for AO iterations, by the work between barriers. */
  #threadsOfSteps({ sample, step }: Iterations): number {
    const { kind } = step
    const { layout } = this.#loaded.parts[0]
    const threads = threadsForTask(
      this.cost({ sample, kind }) / layout.modes.length,
      this.#workers.group.threads,
    )
    // Threads with a single block of the grid would wait for each other at every cell.
    return kind === 'strata' ? Math.max(1, Math.min(threads, layout.strata!.blocks / 2)) : threads
  }

  /** The threads for measuring errors on sets. */
  #threadsOfErrors(sets: readonly string[]): number {
    const entries = sets.reduce((sum, name) => sum + this.#loaded.entries.get(name)!, 0)
    return threadsForTask(costOfErrors(entries, this.#loaded.rank), this.#workers.group.threads)
  }

  /** The threads for the passes over all factors that balance them. */
  #threadsOfBalance(): number {
    const rows = this.statistics.dims.reduce((sum, dim) => sum + dim, 0)
    return threadsForTask(costOfBalance(rows, this.#loaded.rank), this.#workers.group.threads)
  }

  /**
   * Writes to the partitions: in each process, or in one of those that share them when no other process reads
   * them any more.
   */
  async #writeOnce(write: () => void): Promise<void> {
    const { communicator, group } = this.#workers
    if (!group.isShared) return write()
    await communicator.runInOrder(this.#number, ++this.#steps, async () => {
      if (group.isLeader) write()
      await group.barrier()
    })
  }
}
