import { InputError, option, sentence } from '../../inputError.ts'
import type { Engine, Problem, ProblemSize } from '../engine.ts'
import { CpuProblem } from './cpuProblem.ts'
import { loadParts } from './load.ts'
import { Memories } from './memories.ts'
import { type CpuPlan, planParts } from './plan.ts'
import { canShareMemory, hardwareThreads } from './platform.ts'
import { lonePool, type Pool, startPool } from './pool.ts'

export interface CpuEngineOptions {
  /**
   * Worker threads; all cores by default. The result does not depend on it. A page that is not cross-origin isolated
   * cannot share memory with workers: there the calling thread works alone, whatever is asked for.
   */
  threads?: number
  /** The fewest parts that a problem is cut into; one by default, and more where a part would exceed 4 GiB. */
  parts?: number
}

/** The engine of wasm kernels and worker threads, in Node and in browsers. */
export function cpuEngine(options: CpuEngineOptions = {}): CpuEngine {
  return new CpuEngine(options)
}

export class CpuEngine implements Engine {
  readonly threads: number
  readonly #parts: number
  #pool: Pool | undefined
  #closed = false
  #problems = 0
  readonly #memories = new Memories()
  /** Per worker, how many problems it works on. */
  readonly #busy: number[]

  constructor({ threads = hardwareThreads(), parts = 1 }: CpuEngineOptions) {
    for (const [name, value] of Object.entries({ threads, parts }))
      if (!Number.isInteger(value) || value < 1 || value > 1024)
        throw new InputError(
          'option',
          sentence`${option(name)} is ${value}; it must be a whole number from 1 to 1024.`,
        )
    this.threads = canShareMemory() ? threads : 1
    this.#parts = parts
    this.#busy = new Array(this.threads).fill(0)
  }

  get description(): string {
    return `${this.threads} thread${this.threads > 1 ? 's' : ''}`
  }

  plan(size: ProblemSize): CpuPlan {
    return planParts(size, this.threads, this.#parts)
  }

  async load(problem: Problem): Promise<CpuProblem> {
    if (this.#closed) throw new Error('The engine has been closed.')
    this.#pool ??= canShareMemory() ? startPool(this.threads) : lonePool()
    const pool = this.#pool
    const members = this.#take(Math.min(this.threads, problem.threads ?? this.threads))
    const memories: WebAssembly.Memory[] = []
    const takeMemory = (byteLength: number): WebAssembly.Memory => {
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
      const loaded = await loadParts(pool, members, number, problem, this.#parts, takeMemory)
      return await CpuProblem.open(pool, members, number, loaded, release)
    } catch (error) {
      release()
      throw error
    }
  }

  /** The workers that have least to do. */
  #take(count: number): number[] {
    const members = this.#busy
      .map((_, w) => w)
      .sort((a, b) => this.#busy[a] - this.#busy[b] || a - b)
      .slice(0, count)
      .sort((a, b) => a - b)
    for (const w of members) this.#busy[w]++
    return members
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#pool?.close()
  }
}
