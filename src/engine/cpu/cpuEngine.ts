import { InputError } from '../../inputError.ts'
import {
  CONTROL_STOP,
  CONTROL_THREADS,
  MODE_COMPANION,
  MODE_FACTOR,
  MODE_MEAN,
  MODE_ORDER,
  MODE_OTHERS,
  MODE_PARTIALS,
  MODE_RECORDS,
  MODE_ROW_START,
  MODE_SCALE,
  MODE_SPLITS,
  MODE_TASK_COUNT,
  MODE_TASKS,
} from '../../kernels/layout.ts'
import type { Engine, EntrySet, ErrorSums, Iterations, Problem } from '../engine.ts'
import { compileKernel, instantiateKernel } from './kernel.ts'
import {
  checkMemory,
  type MemoryPlan,
  type ModePlan,
  partialBytes,
  planMemory,
  scratchBytes,
  type TaskPlan,
  type ViewPlan,
} from './memoryPlan.ts'
import { canShareMemory, hardwareThreads } from './platform.ts'
import { lonePool, type Pool, startPool } from './pool.ts'
import { shareable } from './shareable.ts'
import { cutTasks } from './tasks.ts'
import { viewArrays } from './viewArrays.ts'

export interface CpuEngineOptions {
  /**
   * Worker threads; all cores by default. The result does not depend on it. A page that is not cross-origin isolated
   * cannot share memory with workers: there the calling thread works alone, whatever is asked for.
   */
  threads?: number
  /** Told before memory is taken. */
  onPlan?: (plan: MemoryPlan) => void
}

/** The engine of wasm kernels and worker threads, in Node and in browsers. */
export function cpuEngine(options: CpuEngineOptions = {}): CpuEngine {
  return new CpuEngine(options)
}

export class CpuEngine implements Engine {
  readonly threads: number
  readonly #onPlan: (plan: MemoryPlan) => void
  #loaded: Loaded | undefined

  constructor({ threads = hardwareThreads(), onPlan = () => {} }: CpuEngineOptions) {
    if (!Number.isInteger(threads) || threads < 1 || threads > 1024)
      throw new InputError(
        'option',
        `The number of threads is ${threads}; it must be a whole number from 1 to 1024.`,
      )
    this.threads = canShareMemory() ? threads : 1
    this.#onPlan = onPlan
  }

  async load({ tensor, validation, probe, rank, companions, seed, valueScale }: Problem): Promise<void> {
    const { threads } = this
    const { dims } = tensor
    const plan = planMemory({
      ...{ dims, rank, companions, threads, entries: tensor.values.length },
      validationEntries: validation?.values.length,
      probeEntries: probe?.values.length,
    })
    this.#onPlan(plan)
    checkMemory(plan)
    const pages = Math.ceil(plan.byteLength / 65536)
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
    const module = await compileKernel(plan.padded)
    checkKernel(module, memory, plan)
    const pool = canShareMemory() ? startPool(threads) : lonePool()
    const words = new Uint32Array(memory.buffer)
    this.#loaded = { plan, memory, pool, rank, dims, words, sample: Number.NaN, unbalanced: true }
    words[(plan.control + CONTROL_THREADS) / 4] = threads
    await pool.ask((thread) => ({ type: 'start', thread, module, memory, plan }))
    const sets = {
      train: shareable(tensor),
      validation: validation && shareable(validation),
      probe: probe && shareable(probe),
    }
    await pool.ask(() => ({ type: 'build', sets, seed, valueScale }))
    describeModes(this.#loaded)
  }

  async writeFactors(factors: readonly Float32Array[]): Promise<void> {
    const loaded = this.#problem()
    const { plan, memory, rank, dims } = loaded
    dims.forEach((rows, i) => {
      const { factor, companion } = plan.modes[i]
      const padded = new Float32Array(memory.buffer, factor, rows * plan.padded)
      padded.fill(0) // what was lost beyond float32 must not stay in the padding
      for (let p = 0; p < rows; p++)
        padded.set(factors[i].subarray(p * rank, (p + 1) * rank), p * plan.padded)
      if (companion) new Float32Array(memory.buffer, companion, padded.length).set(padded)
    })
    loaded.unbalanced = true
  }

  async readFactors(): Promise<Float32Array[]> {
    const { plan, memory, rank, dims } = this.#problem()
    return dims.map((rows, i) => {
      const padded = new Float32Array(memory.buffer, plan.modes[i].factor, rows * plan.padded)
      const factor = new Float32Array(rows * rank)
      for (let p = 0; p < rows; p++)
        factor.set(padded.subarray(p * plan.padded, p * plan.padded + rank), p * rank)
      return factor
    })
  }

  /** `skip` leaves out parts of the work for a bench (kernels/layout.ts). */
  async iterate(run: Iterations, skip = 0): Promise<number> {
    const loaded = this.#problem()
    if (loaded.sample !== run.sample) cutModes(loaded, run.sample)
    if (run.step.kind !== 'paper' && loaded.unbalanced) await loaded.pool.ask(() => ({ type: 'balance' }))
    loaded.unbalanced = run.step.kind === 'paper'
    const stop = (loaded.plan.control + CONTROL_STOP) / 4
    Atomics.store(loaded.words, stop, 0)
    const [done] = await loaded.pool.ask(() => ({ type: 'iterate', run, skip }))
    return done
  }

  stop(): void {
    const loaded = this.#loaded
    if (loaded) Atomics.store(loaded.words, (loaded.plan.control + CONTROL_STOP) / 4, 1)
  }

  async error(entries: EntrySet): Promise<ErrorSums> {
    const { plan, memory, words, pool } = this.#problem()
    const view = plan.errors[entries]
    if (!view) throw new Error(`No ${entries} entries were loaded.`)
    await pool.ask(() => ({ type: 'error', entries }))
    const tasks = words[(view.descriptor + MODE_TASK_COUNT) / 4]
    const sums = new Float64Array(memory.buffer, view.sums, 2 * tasks)
    const total = { squares: 0, absolutes: 0 }
    for (let t = 0; t < tasks; t++) {
      total.squares += sums[2 * t]
      total.absolutes += sums[2 * t + 1]
    }
    return total
  }

  async close(): Promise<void> {
    const loaded = this.#loaded
    this.#loaded = undefined
    await loaded?.pool.close()
  }

  #problem(): Loaded {
    if (!this.#loaded) throw new Error('The engine has no problem loaded.')
    return this.#loaded
  }
}

interface Loaded {
  plan: MemoryPlan
  memory: WebAssembly.Memory
  words: Uint32Array
  pool: Pool
  rank: number
  dims: readonly number[]
  /** The sample fraction that the tasks are cut for. */
  sample: number
  /** Whether the columns have changed since they were balanced, by other than the steps that balance them. */
  unbalanced: boolean
}

function checkKernel(module: WebAssembly.Module, memory: WebAssembly.Memory, { padded }: MemoryPlan): void {
  const kernel = instantiateKernel(module, memory)
  if (kernel.partialBytes() !== partialBytes(padded) || kernel.scratchBytes() > scratchBytes(padded))
    throw new Error('The kernels and the memory plan disagree: build again.')
}

/** Tells the kernels where each mode's things lie, and cuts the views that errors are summed over. */
function describeModes(loaded: Loaded): void {
  const { plan } = loaded
  for (const [i, mode] of plan.modes.entries()) describe(loaded, mode, mode.view, i, mode.companion)
  for (const errors of Object.values(plan.errors)) {
    if (!errors) continue
    describe(loaded, errors, errors.view, 0, 0)
    cut(loaded, errors, errors.view, 1)
  }
}

function describe(
  { plan, words, dims }: Loaded,
  { descriptor, tasks, splits }: TaskPlan,
  view: ViewPlan,
  i: number,
  companion: number,
): void {
  const set = (field: number, value: number): void => {
    words[(descriptor + field) / 4] = value
  }
  set(MODE_ORDER, dims.length)
  set(MODE_FACTOR, plan.modes[i].factor)
  set(MODE_COMPANION, companion)
  set(MODE_ROW_START, view.rowStart)
  set(MODE_RECORDS, view.records)
  set(MODE_TASKS, tasks)
  set(MODE_SPLITS, splits)
  set(MODE_PARTIALS, plan.partials)
  set(MODE_SCALE, plan.modes[i].scale)
  set(MODE_MEAN, plan.modes[i].mean)
  const others = plan.modes.filter((_, other) => other !== i)
  for (const [o, { factor }] of others.entries()) set(MODE_OTHERS + 4 * o, factor)
}

function cutModes(loaded: Loaded, sample: number): void {
  for (const mode of loaded.plan.modes as readonly ModePlan[]) cut(loaded, mode, mode.view, sample)
  loaded.sample = sample
}

function cut({ plan, memory, words, dims }: Loaded, place: TaskPlan, view: ViewPlan, sample: number): void {
  const { rowStart } = viewArrays(memory, view, dims.length)
  const tasks = new Uint32Array(memory.buffer, place.tasks, place.taskBytes / 4)
  const splits = new Uint32Array(memory.buffer, place.splits, place.splitBytes / 4)
  words[(place.descriptor + MODE_TASK_COUNT) / 4] = cutTasks(
    rowStart,
    sample,
    plan.padded,
    tasks,
    splits,
  ).tasks
}
