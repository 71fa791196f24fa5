/** The CPU engine: wasm kernels on worker threads, in Node and in browsers. */
import { InputError, option, sentence } from '../../base/inputError.ts'
import { node } from '../../base/nodeModules.ts'
import { startIdleThreads } from '../../base/nodeThreads.ts'
import { Communicator, type Ranks, singleProcess } from '../../comm/index.ts'
import type { Observed, SparseTensor } from '../../tensor/index.ts'
import type { Engine, Problem, ProblemSize } from '../engine.ts'
import { CpuProblem } from './cpuProblem.ts'
import { checkLimits } from './memory/limits.ts'
import { MemoryPool, newMemory } from './memory/memoryPool.ts'
import { type CpuPlan, planPartitions } from './memory/plan.ts'
import type { CpuTestOptions } from './options.ts'
import { loadPartitions } from './setup/load.ts'
import { observeAll } from './setup/observeAll.ts'
import { compileKernel } from './threads/compileKernel.ts'
import { paddedRank } from './threads/kernel.ts'
import { canShareMemory, hardwareThreads } from './threads/platform.ts'
import type { Pool } from './threads/pool.ts'
import { poolTransport } from './threads/poolTransport.ts'
import { callingThreadPool, startPool } from './threads/startPool.ts'
import { formGroup } from './threads/threadGroup.ts'
import { isWorthOptimizing, threadsForWork } from './threads/threadsForWork.ts'

export type { CpuEngineOptions } from './options.ts'

/** How a worker thread reaches other processes: a module whose `connect(options)` returns an Exchange. */
export interface Connection {
  /** The module's URL. */
  module: string
  /** Passed to `connect`. */
  options: unknown
}

/** Opens a CPU engine, with its concrete type; threads start when they are first needed. */
export function cpuEngine(options: CpuTestOptions = {}): CpuEngine {
  return new CpuEngine(options)
}

/**
 * The engine that solves problems with the threads of this process, and with other processes if it has a
 * connection.
 */
export class CpuEngine implements Engine {
  /** Worker threads; 1 where memory cannot be shared. */
  readonly threads: number
  /** The fewest partitions per process. */
  readonly #parts: number
  readonly #connection: Connection | undefined
  /** Whether small problems use fewer threads: where none were asked for, and there are no other processes. */
  readonly #adaptsThreads: boolean
  /** Whether every request goes to all threads of a problem, even if fewer would be as fast. */
  readonly #allThreads: boolean
  readonly #memories = new MemoryPool()
  #pool: Pool | undefined
  #connected: Promise<Communicator> | undefined
  #communicator = singleProcess
  #closed = false
  /** Number of problems loaded so far; the next problem gets it as its number. */
  #problems = 0
  /** Per worker, the number of problems that it works on. */
  readonly #busy: number[]

  /** Throws an InputError if an option is not a whole number from 1 to 1024. */
  constructor(options: CpuTestOptions, connection?: Connection) {
    const { threads = hardwareThreads(), parts = 1, allThreads = connection !== undefined } = options
    for (const [name, value] of Object.entries({ threads, parts }))
      if (!Number.isInteger(value) || value < 1 || value > 1024)
        throw new InputError(
          'option',
          sentence`${option(name)} is ${value}; it must be a whole number from 1 to 1024.`,
        )
    this.threads = canShareMemory() ? threads : 1
    this.#parts = parts
    this.#connection = connection
    this.#adaptsThreads = options.threads === undefined && !connection
    this.#allThreads = allThreads
    this.#busy = new Array(this.threads).fill(0)
  }

  /** The engine in words, such as `2 threads` or `3 processes of 2 threads`. */
  get description(): string {
    const threads = `${this.threads} thread${this.threads > 1 ? 's' : ''}`
    return this.processes > 1 ? `${this.processes} processes of ${threads}` : threads
  }

  /** The processes that work on every problem; a single one until `connect` has found others. */
  get communicator(): Communicator {
    return this.#communicator
  }

  /** The rank of this process. */
  get process(): number {
    return this.#communicator.rank
  }

  /** The number of processes. */
  get processes(): number {
    return this.#communicator.size
  }

  /** Plans the memory of a problem in one process: its fraction, if processes share memory. */
  plan(size: ProblemSize): CpuPlan {
    const { sharesMemory, size: processes } = this.#communicator
    if (!sharesMemory) return planPartitions(size, this.threads, this.#parts, processes)
    const plan = planPartitions(size, processes * this.threads, this.#parts, 1)
    const items = plan.items.map((item) => ({ ...item, byteLength: item.byteLength / processes }))
    return { ...plan, items, byteLength: plan.byteLength / processes }
  }

  /**
   * Starts the threads and connects with the other processes, if there are any; does nothing if it was called
   * before. Throws if the engine is closed or the limits of the process are too small.
   */
  async connect(): Promise<Communicator> {
    if (this.#closed) throw new Error('The engine has been closed.')
    if (!this.#pool) checkLimits(this.threads, this.#parts)
    this.#pool ??= canShareMemory()
      ? startPool(this.threads, { canReuse: !this.#connection })
      : callingThreadPool()
    this.#connected ??= connectPool(this.#pool, this.#connection).then((communicator) => {
      this.#communicator = communicator
      return communicator
    })
    return this.#connected
  }

  /**
   * Starts threads and compiles the kernel of a rank in the background; errors surface in `load`. In Node
   * without other processes, the threads are idle ones, which may read files until the engine needs them.
   */
  warm(rank: number): void {
    const prepare = async (): Promise<void> => {
      // Until they are needed here, the threads may read the file. Under tight limits no idle threads are
      // started.
      if (node && !this.#connection && !this.#pool) {
        checkLimits(2 * this.threads, this.#parts)
        startIdleThreads(this.threads)
      } else {
        await this.connect()
        this.#pool!.start(this.#busy.map((_, w) => w))
      }
      await compileKernel(paddedRank(rank))
    }
    prepare().catch(() => {})
  }

  /**
   * Loads a problem on the least busy threads, which it has until it is closed. Throws an InputError if an
   * entry is invalid or the memory does not suffice.
   */
  async load(problem: Problem): Promise<CpuProblem> {
    const start = performance.now()
    // The kernel is compiled and threads start while entries are prepared; an error surfaces below.
    const { tensor, rank } = problem
    const isLong = isWorthOptimizing(tensor.values.length, tensor.dims.length, rank)
    compileKernel(paddedRank(rank), isLong).catch(() => {})
    const communicator = await this.connect()
    const pool = this.#pool!
    const members = this.#chooseWorkers(this.#threadsFor(problem))
    pool.start(members)
    const memories: WebAssembly.Memory[] = []
    const takeMemory = (byteLength: number): WebAssembly.Memory => {
      // Memory that processes share cannot be reused: they close problems in different orders.
      if (communicator.sharesMemory) return newMemory(Math.ceil(byteLength / 65536))
      const memory = this.#memories.take(byteLength)
      memories.push(memory)
      return memory
    }
    const release = (): void => {
      for (const w of members) this.#busy[w]--
      for (const memory of memories) this.#memories.giveBack(memory)
    }
    try {
      const number = this.#problems++
      const settings = { leastParts: this.#parts, allThreads: this.#allThreads }
      const given = { pool, members, communicator, ...settings, takeMemory }
      const { loaded, context } = await communicator.runInOrder(number, 0, async () => {
        const context = { ...given, group: await formGroup(communicator, members.length) }
        return { context, loaded: await loadPartitions(context, number, problem, start) }
      })
      return await CpuProblem.open(context, number, loaded, problem.tensor, release)
    } catch (error) {
      release()
      throw error
    }
  }

  /**
   * Computes the number, range and mean of entries, and the number and mean of those of each row in every mode
   * (LoadedProblem.observed), on the least busy threads.
   * @param rank a rank whose kernel is used; any gives the same
   */
  async observe(tensor: SparseTensor, rank: number): Promise<Observed> {
    const communicator = await this.connect()
    const members = this.#chooseWorkers(this.threads)
    try {
      return await observeAll({ pool: this.#pool!, members, communicator, padded: paddedRank(rank) }, tensor)
    } finally {
      for (const w of members) this.#busy[w]--
    }
  }

  /** The number of threads for a problem: as given or, if it is not, as many as it keeps busy. */
  #threadsFor({ tensor, rank, threads }: Problem): number {
    if (threads === undefined && this.#adaptsThreads)
      return threadsForWork(tensor.values.length, tensor.dims.length, rank, this.threads)
    return Math.min(this.threads, threads ?? this.threads)
  }

  /**
   * Chooses the `count` least busy workers, ascending, and counts a problem more for each. With several
   * processes worker 0 is always among them: it communicates with the others.
   */
  #chooseWorkers(count: number): number[] {
    const priority = (w: number): number => (this.processes > 1 && w === 0 ? 1 : 0)
    const members = this.#busy
      .map((_, w) => w)
      .sort((a, b) => priority(b) - priority(a) || this.#busy[a] - this.#busy[b] || a - b)
      .slice(0, count)
      .sort((a, b) => a - b)
    for (const w of members) this.#busy[w]++
    return members
  }

  /** Disconnects from the other processes and ends the threads; does nothing the second time. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (this.#connection && this.#connected)
      await this.#connected.then(() => this.#pool?.ask([0], () => ({ type: 'disconnect' }))).catch(() => {})
    await this.#pool?.close()
  }
}

/**
 * Connects thread 0 of a pool with the other processes, and passes their ranks to the other threads. Without
 * a connection, returns the communicator of a single process.
 */
async function connectPool(pool: Pool, connection: Connection | undefined): Promise<Communicator> {
  if (!connection) return singleProcess
  const [answer] = await pool.ask([0], () => ({ type: 'connect', ...connection }))
  const ranks = answer as Ranks
  const others = Array.from({ length: pool.threads - 1 }, (_, w) => w + 1)
  await pool.ask(others, () => ({ type: 'connect', ...connection, ranks }))
  return new Communicator(poolTransport(pool), ranks)
}
