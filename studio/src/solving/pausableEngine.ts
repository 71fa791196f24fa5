import type { Engine, ErrorSums, Iterations, Problem } from 'lacuna'

/** How many times as large the error of useless factors is. */
const USELESS = 1000

/** An engine that can hold its breath between rounds. Pausing changes no bit of what is learned. */
export class PausableEngine implements Engine {
  /** Time spent waiting, which is no time of solving. */
  pausedMs = 0
  readonly #engine: Engine
  #problem: Problem | undefined
  #resume: (() => void) | undefined
  #gate: Promise<void> | undefined
  #stopped = false
  #atStart = true
  readonly #leaveStart: boolean

  /**
   * The solver returns the best factors it has seen, by their error. With `leaveStart` those that it starts from are told
   * to be useless: whoever raises λ wants other factors, although they fit less closely.
   */
  constructor(engine: Engine, { leaveStart = false } = {}) {
    this.#engine = engine
    this.#leaveStart = leaveStart
  }

  get paused(): boolean {
    return this.#gate !== undefined
  }

  pause(): void {
    this.#gate ??= new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  resume(): void {
    this.#resume?.()
    this.#gate = undefined
  }

  load(problem: Problem): Promise<void> {
    this.#problem = problem
    return this.#engine.load(problem)
  }

  writeFactors(factors: readonly Float32Array[]): Promise<void> {
    return this.#engine.writeFactors(factors)
  }

  readFactors(): Promise<Float32Array[]> {
    return this.#engine.readFactors()
  }

  async iterate(run: Iterations): Promise<number> {
    const began = performance.now()
    while (this.#gate && !this.#stopped) await this.#gate
    this.pausedMs += performance.now() - began
    this.#atStart = false
    return this.#stopped ? 0 : this.#engine.iterate(run)
  }

  stop(): void {
    this.#stopped = true
    this.#engine.stop()
    this.resume()
  }

  async error(entries: 'train' | 'validation' | 'probe'): Promise<ErrorSums> {
    const { squares, absolutes } = await this.#engine.error(entries)
    const times = this.#leaveStart && this.#atStart ? USELESS : 1
    return { squares: times * times * squares, absolutes: times * absolutes }
  }

  close(): Promise<void> {
    return this.#engine.close()
  }

  /** The factors as they are now, in the data's own units: the engine works on values scaled by a power of two. */
  async currentFactors(): Promise<Float32Array[]> {
    const factors = await this.#engine.readFactors()
    const { valueScale, tensor } = this.#problem!
    const scale = 2 ** -Math.round(Math.log2(valueScale) / tensor.dims.length)
    return scale === 1 ? factors : factors.map((factor) => factor.map((u) => u * scale))
  }
}
