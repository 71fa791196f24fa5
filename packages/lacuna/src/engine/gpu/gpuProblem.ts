/**
 * A problem on a GPU, beside the same problem on the CPU (`cpuProblem`). The CPU engine checks the entries
 * and sorts them into views, which are copied to the device; it also runs what the device does not implement,
 * on the state read from the device. When the device is lost, the run continues from the last state that was
 * read, on a new device or else on the CPU. It continues on the CPU, too, when the device runs out of memory,
 * unless the GPU was asked for explicitly.
 */
import { InputError } from '../../base/inputError.ts'
import type { Observed, SparseTensor } from '../../tensor/index.ts'
import type { CpuProblem } from '../cpu/index.ts'
import type {
  EngineState,
  Iterated,
  Iterations,
  LearnedPrior,
  LoadedProblem,
  Measured,
  Statistics,
  Step,
  Timed,
} from '../engine.ts'
import type { Device } from './device.ts'
import { DeviceProblem, type DeviceState } from './deviceProblem.ts'
import type { Shape } from './shape.ts'
import { type DeviceStep, isDeviceStep } from './steps/deviceSteps.ts'
import type { Tables } from './tables.ts'

/** The services of the GPU engine that its problems use. */
export interface GpuBackend {
  /** The device, or a new one if it was lost; undefined if none can be opened. */
  device(): Promise<Device | undefined>
  /** The name of the hardware, with or without a device. */
  description(hasDevice: boolean): string
  /** Reports a notice to the user. */
  report(sentence: string): void
  /** Whether the CPU continues when the device has no memory left. */
  fallsBackToCpu: boolean
}

/** Seconds between states that are read back: at most so much work is lost with a device. */
const SECONDS_BETWEEN_SNAPSHOTS = 2
/** After more losses the problem stays on the CPU. */
const MOST_LOSSES = 3

/** A loaded problem of the GPU engine. */
export class GpuProblem implements LoadedProblem {
  readonly statistics: Statistics
  /** Whether 'strata' steps can be taken, by the CPU's threads. */
  readonly hasStrata: boolean
  readonly #cpuProblem: CpuProblem
  readonly #backend: GpuBackend
  readonly #tables: Tables
  readonly #shape: Omit<Shape, 'subgroup'>
  readonly #momentumFactors: boolean
  /** The problem on the device while the current state is there; undefined while it is on the CPU. */
  #active: DeviceProblem | undefined
  /** The problem on the device while the CPU works on the state: the device keeps the entries. */
  #idle: DeviceProblem | undefined
  /** The last state that was read back, and when (performance.now()). */
  #snapshot: DeviceState | undefined
  #snapshotAt = -Infinity
  /** Whether the snapshot is still to be written to the device. */
  #isBehind = false
  /** An error of the device while it worked on this problem: the state there is invalid. */
  #fault: Error | undefined
  #losses = 0
  #isStopped = false
  #open = true
  /** Mutex: resolves when the current operation has finished, so that operations run one at a time. */
  #lock: Promise<unknown> = Promise.resolve()

  private constructor(
    cpuProblem: CpuProblem,
    backend: GpuBackend,
    tables: Tables,
    shape: Omit<Shape, 'subgroup'>,
    momentumFactors: boolean,
    active: DeviceProblem,
  ) {
    this.statistics = cpuProblem.statistics
    this.hasStrata = cpuProblem.hasStrata
    this.#cpuProblem = cpuProblem
    this.#backend = backend
    this.#tables = tables
    this.#shape = shape
    this.#momentumFactors = momentumFactors
    this.#active = active
  }

  /** Copies the views to the device. */
  static async open(
    cpuProblem: CpuProblem,
    backend: GpuBackend,
    tables: Tables,
    shape: Omit<Shape, 'subgroup'>,
    momentumFactors: boolean,
    device: Device,
  ): Promise<GpuProblem> {
    const active = await DeviceProblem.open(
      device,
      tables,
      { ...shape, subgroup: device.subgroup },
      momentumFactors,
    )
    return new GpuProblem(cpuProblem, backend, tables, shape, momentumFactors, active)
  }

  get backend(): string {
    return this.#backend.description(this.#active !== undefined || this.#idle !== undefined)
  }

  /**
   * The CPU's cost model: with one of the GPU, samples grew sooner and nothing was found faster
   * (docs/gpu.md).
   */
  cost(stage: { sample: number; kind: Step['kind'] }): number {
    return this.#cpuProblem.cost(stage)
  }

  writeFactors(factors: readonly Float32Array[]): Promise<void> {
    return this.#run(
      async (on) => {
        on.writeFactors(factors)
        // After a loss the run would start again from here: means and v follow from the next balance.
        this.#snapshot = { ...(await this.#freshState(on)), factors: factors.map((factor) => factor.slice()) }
        this.#snapshotAt = -Infinity // the next snapshot replaces it at once
        await on.finish()
      },
      () => this.#cpuProblem.writeFactors(factors),
    )
  }

  readFactors(which: 'current' | 'snapshot' = 'current'): Promise<Float32Array[]> {
    return this.#run(
      (on) => on.readFactors(which === 'snapshot' ? 'snapshot' : 'factors'),
      () => this.#cpuProblem.readFactors(which),
    )
  }

  async iterate(run: Iterations): Promise<Iterated> {
    const { step } = run
    if (!isDeviceStep(step)) {
      await this.#exclusively(() => this.#toCpu())
      return this.#exclusively(() => this.#cpuProblem.iterate(run))
    }
    await this.#exclusively(() => this.#toDevice())
    return this.#run(
      (on) => this.#iterate(on, { ...run, step }),
      () => this.#cpuProblem.iterate(run),
    )
  }

  async #iterate(on: DeviceProblem, run: Iterations & { step: DeviceStep }): Promise<Iterated> {
    const start = performance.now()
    const end = start + 1000 * (run.seconds ?? Infinity)
    await on.steps.prepare(run.step.kind, run.sample)
    let done = 0
    let cut: Iterated['cut']
    for (; done < run.count; done++) {
      // At least one iteration, however little time there is: otherwise the run would never end.
      cut = this.#isStopped ? 'stopped' : done > 0 && performance.now() >= end ? 'seconds' : undefined
      if (cut || on.device.lost) break
      await on.steps.add(run, run.first + done)
    }
    await on.finish()
    return { done, cut, seconds: (performance.now() - start) / 1000 }
  }

  stop(stopped = true): void {
    this.#isStopped = stopped
    this.#cpuProblem.stop(stopped)
  }

  balance(): Promise<Timed> {
    return this.#run(
      (on) => measureTime(() => on.balance.run()),
      () => this.#cpuProblem.balance(),
    )
  }

  async fillEmptyRows(): Promise<Timed> {
    if (this.statistics.emptyRows.every(({ length }) => length === 0)) return { seconds: 0 }
    return this.#run(
      (on) => measureTime(() => on.balance.fillEmptyRows()),
      () => this.#cpuProblem.fillEmptyRows(),
    )
  }

  async errors(sets: readonly string[]): Promise<Measured> {
    for (const name of sets)
      if (!Object.hasOwn(this.statistics.sets, name)) throw new Error(`No set '${name}' was loaded.`)
    // A probe of all entries has no view of its own.
    const names = sets.map((name) => (this.#tables.sets.has(name) ? name : 'train'))
    const distinct = [...new Set(names)]
    return this.#run(
      async (on) => {
        const start = performance.now()
        const sums = await on.errors.sum(distinct)
        const seconds = (performance.now() - start) / 1000
        return { sums: names.map((name) => ({ ...sums[distinct.indexOf(name)] })), seconds }
      },
      () => this.#cpuProblem.errors(sets),
    )
  }

  snapshot(): Promise<void> {
    return this.#run(
      async (on) => {
        on.snapshot()
        await this.#takeSnapshot(on)
        await on.finish()
      },
      () => this.#cpuProblem.snapshot(),
    )
  }

  restore(): Promise<void> {
    return this.#run(
      async (on) => {
        on.restore()
        await on.finish()
      },
      () => this.#cpuProblem.restore(),
    )
  }

  readState(): Promise<EngineState> {
    return this.#run(
      async (on) => {
        const state = await on.readState()
        if (!this.#cpuProblem.hasPosterior) return state
        // The state of a learned prior stays on the CPU.
        return { ...(await this.#cpuProblem.readState()), ...state }
      },
      () => this.#cpuProblem.readState(),
    )
  }

  writeState(state: EngineState): Promise<void> {
    return this.#run(
      async (on) => {
        if (state.moments) await this.#cpuProblem.writeState(state)
        on.writeState(state)
        this.#snapshot = copyOf(state)
        this.#snapshotAt = performance.now()
        await on.finish()
      },
      () => this.#cpuProblem.writeState(state),
    )
  }

  observed(tensor?: SparseTensor): Promise<Observed> {
    return this.#cpuProblem.observed(tensor)
  }

  readPrior(): Promise<LearnedPrior | undefined> {
    return this.#cpuProblem.readPrior()
  }

  async close(): Promise<void> {
    if (!this.#open) return
    this.#open = false
    await this.#lock.catch(() => {})
    this.#active?.close()
    this.#idle?.close()
    await this.#cpuProblem.close()
  }

  /** Runs an operation after those before it. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#open) return Promise.reject(new Error('The problem has been closed.'))
    const result = this.#lock.then(work)
    this.#lock = result.catch(() => {})
    return result
  }

  /**
   * Runs an operation where the state is; if the device fails, repeats it from the last snapshot on another
   * device or the CPU.
   */
  #run<T>(onDevice: (on: DeviceProblem) => Promise<T>, onCpu: () => Promise<T>): Promise<T> {
    return this.#exclusively(async () => {
      for (;;) {
        const on = this.#active
        if (!on) return onCpu()
        try {
          return await this.#watch(on, () => onDevice(on))
        } catch (error) {
          await this.#recover(on, error)
        }
      }
    })
  }

  /**
   * Runs an operation on the device and throws if the device reports an error meanwhile. Another problem on
   * the same device may have caused the error: all problems that are working then fail, idle ones do not.
   */
  async #watch<T>(on: DeviceProblem, work: () => Promise<T>): Promise<T> {
    const { device } = on
    if (this.#fault) throw this.#fault
    const before = device.faults.length
    const snapshot = this.#snapshot
    try {
      if (this.#isBehind) on.writeState(this.#snapshot!)
      this.#isBehind = false
      const result = await work()
      if (device.lost) throw new Error(device.lost)
      if (device.faults.length === before) return result
    } catch (error) {
      if (device.faults.length === before) throw error
    }
    this.#snapshot = snapshot // a snapshot of an invalid state is of no use
    this.#fault = device.faults[before]
    throw this.#fault
  }

  /** Moves the state to a new device or to the CPU; throws the error if neither is possible or wanted. */
  async #recover(on: DeviceProblem, error: unknown): Promise<void> {
    if (await isLost(on.device)) return this.#replace(on.device)
    if (!this.#backend.fallsBackToCpu || !(error instanceof InputError) || error.code !== 'memory')
      throw error
    this.#active = undefined
    on.close()
    this.#backend.report(`${error.message} The run goes on from its last snapshot on the CPU.`)
    if (this.#snapshot) await this.#cpuProblem.writeState(this.#snapshot)
  }

  /** Continues on a new device, or on the CPU, after a loss. */
  async #replace(lost: Device): Promise<void> {
    this.#active = undefined
    this.#idle = undefined
    this.#fault = undefined
    const snapshot = this.#snapshot
    const device = ++this.#losses > MOST_LOSSES ? undefined : await this.#backend.device()
    const why = `The graphics card was lost (${lost.lost})`
    if (device) {
      const shape = { ...this.#shape, subgroup: device.subgroup }
      this.#active = await DeviceProblem.open(device, this.#tables, shape, this.#momentumFactors).catch(
        () => undefined,
      )
    }
    this.#backend.report(
      `${why}; the run goes on from its last snapshot on ${this.#active ? 'a new device' : 'the CPU'}.`,
    )
    if (!snapshot) return
    if (this.#active) this.#isBehind = true
    else await this.#cpuProblem.writeState(snapshot)
  }

  /** Moves the state to the CPU; the device keeps the entries. */
  async #toCpu(): Promise<void> {
    const on = this.#active
    if (!on) return
    try {
      await this.#cpuProblem.writeState(await this.#watch(on, () => on.readState()))
      this.#idle = on
      this.#active = undefined
    } catch (error) {
      await this.#recover(on, error)
      await this.#toCpu()
    }
  }

  /** Moves the state back to the device. */
  async #toDevice(): Promise<void> {
    if (this.#active || !this.#idle || this.#idle.device.lost) return
    const state = await this.#cpuProblem.readState()
    this.#active = this.#idle
    this.#idle = undefined
    this.#snapshot = copyOf(state)
    this.#isBehind = true
  }

  async #takeSnapshot(on: DeviceProblem): Promise<void> {
    if (performance.now() - this.#snapshotAt < 1000 * SECONDS_BETWEEN_SNAPSHOTS) return
    this.#snapshot = await on.readState()
    this.#snapshotAt = performance.now()
  }

  /** The state of the last snapshot without momentum, or that of the device if there is no snapshot. */
  async #freshState(on: DeviceProblem): Promise<DeviceState> {
    const { momentumFactors, ...state } = this.#snapshot ?? (await on.readState())
    return state
  }
}

/** A copy of the state that the device holds. */
function copyOf({ factors, momentumFactors, means, scales, snapshot }: EngineState): DeviceState {
  const copies = (arrays: readonly Float32Array[]): Float32Array[] => arrays.map((array) => array.slice())
  return {
    factors: copies(factors),
    means: copies(means),
    scales: copies(scales),
    ...(momentumFactors && { momentumFactors: copies(momentumFactors) }),
    ...(snapshot && { snapshot: copies(snapshot) }),
  }
}

/** Whether a device that failed is lost; WebGPU reports a loss a moment later. */
async function isLost(device: Device): Promise<boolean> {
  const delay = new Promise((resolve) => setTimeout(resolve, 50))
  await Promise.race([device.whenLost, delay])
  return device.lost !== undefined
}

/** Runs an operation and measures its duration. */
async function measureTime(work: () => Promise<void>): Promise<Timed> {
  const start = performance.now()
  await work()
  return { seconds: (performance.now() - start) / 1000 }
}
