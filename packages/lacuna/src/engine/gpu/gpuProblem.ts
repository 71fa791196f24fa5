/**
 * A problem on a graphics card, beside the same problem on the CPU. The CPU engine checks the entries, counts and sorts them
 * into views, which are copied to the card; and it does what the card does not: sweeps under a learned prior, on the state
 * that the card hands over. When the card is lost, the work goes on from the last state that was read, on a new device or
 * else on the CPU; there too when the card runs out of memory, unless it was the card that was asked for.
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
import { type DeviceStep, isDeviceStep } from './steps.ts'
import type { Tables } from './tables.ts'

/** What a problem needs of its engine. */
export interface GpuBackend {
  /** The device, or a new one if it was lost; undefined if there is none any more. */
  device(): Promise<Device | undefined>
  /** What there is, with or without a device. */
  description(hasDevice: boolean): string
  /** Tells people what happened. */
  report(sentence: string): void
  /** Whether the CPU does what the card has no memory for. */
  fallsBackToCpu: boolean
}

/** Work since the last state that was read, in seconds: so much is lost with a device. */
const SECONDS_BETWEEN_SNAPSHOTS = 2
/** A card that is lost so often is left alone. */
const MOST_LOSSES = 3

export class GpuProblem implements LoadedProblem {
  readonly statistics: Statistics
  /** The threads take such steps. */
  readonly hasStrata: boolean
  readonly #cpuProblem: CpuProblem
  readonly #backend: GpuBackend
  readonly #tables: Tables
  readonly #shape: Omit<Shape, 'subgroup'>
  readonly #momentumFactors: boolean
  /** Where the state is: on the device as long as there is one here, else on the CPU. */
  #on: DeviceProblem | undefined
  /** The device has the entries, even while the CPU works. */
  #idle: DeviceProblem | undefined
  #snapshot: DeviceState | undefined
  #snapshotAt = -Infinity
  /** Whether the device is still to get the snapshot. */
  #isBehind = false
  /** What the device did not do for this problem: its state there is worth nothing. */
  #fault: Error | undefined
  #losses = 0
  #isStopped = false
  #open = true
  /** What is under way. */
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(
    cpuProblem: CpuProblem,
    backend: GpuBackend,
    tables: Tables,
    shape: Omit<Shape, 'subgroup'>,
    momentumFactors: boolean,
    on: DeviceProblem,
  ) {
    this.statistics = cpuProblem.statistics
    this.hasStrata = cpuProblem.hasStrata
    this.#cpuProblem = cpuProblem
    this.#backend = backend
    this.#tables = tables
    this.#shape = shape
    this.#momentumFactors = momentumFactors
    this.#on = on
  }

  static async open(
    cpuProblem: CpuProblem,
    backend: GpuBackend,
    tables: Tables,
    shape: Omit<Shape, 'subgroup'>,
    momentumFactors: boolean,
    device: Device,
  ): Promise<GpuProblem> {
    const on = await DeviceProblem.open(
      device,
      tables,
      { ...shape, subgroup: device.subgroup },
      momentumFactors,
    )
    return new GpuProblem(cpuProblem, backend, tables, shape, momentumFactors, on)
  }

  get backend(): string {
    return this.#backend.description(this.#on !== undefined || this.#idle !== undefined)
  }

  /** The CPU's: with a card's own, samples grew sooner and nothing was found faster (docs/gpu.md). */
  cost(stage: { sample: number; kind: Step['kind'] }): number {
    return this.#cpuProblem.cost(stage)
  }

  writeFactors(factors: readonly Float32Array[]): Promise<void> {
    return this.#do(
      async (on) => {
        on.writeFactors(factors)
        // A lost device would have to begin from here: means and v follow from the next balance.
        this.#snapshot = { ...(await this.#freshState(on)), factors: factors.map((factor) => factor.slice()) }
        this.#snapshotAt = -Infinity // what is kept next is a better one
        await on.finish()
      },
      () => this.#cpuProblem.writeFactors(factors),
    )
  }

  readFactors(which: 'current' | 'snapshot' = 'current'): Promise<Float32Array[]> {
    return this.#do(
      (on) => on.readFactors(which === 'snapshot' ? 'snapshot' : 'factors'),
      () => this.#cpuProblem.readFactors(which),
    )
  }

  async iterate(run: Iterations): Promise<Iterated> {
    const { step } = run
    if (!isDeviceStep(step)) {
      await this.#inTurn(() => this.#toCpu())
      return this.#inTurn(() => this.#cpuProblem.iterate(run))
    }
    await this.#inTurn(() => this.#toDevice())
    return this.#do(
      (on) => this.#iterate(on, { ...run, step }),
      () => this.#cpuProblem.iterate(run),
    )
  }

  async #iterate(on: DeviceProblem, run: Iterations & { step: DeviceStep }): Promise<Iterated> {
    const start = performance.now()
    const end = start + 1000 * (run.seconds ?? Infinity)
    await on.stepping.prepare(run.step.kind, run.sample)
    let done = 0
    let cut: Iterated['cut']
    for (; done < run.count; done++) {
      // At least one, however little time there is: otherwise it would never end.
      cut = this.#isStopped ? 'stopped' : done > 0 && performance.now() >= end ? 'seconds' : undefined
      if (cut || on.device.lost) break
      await on.stepping.add(run, run.first + done)
    }
    await on.finish()
    return { done, ...(cut && { cut }), seconds: (performance.now() - start) / 1000 }
  }

  stop(stopped = true): void {
    this.#isStopped = stopped
    this.#cpuProblem.stop(stopped)
  }

  balance(): Promise<Timed> {
    return this.#do(
      (on) => timed(() => on.balancing.balance()),
      () => this.#cpuProblem.balance(),
    )
  }

  async fillEmptyRows(): Promise<Timed> {
    if (this.statistics.emptyRows.every(({ length }) => length === 0)) return { seconds: 0 }
    return this.#do(
      (on) => timed(() => on.balancing.fillEmptyRows()),
      () => this.#cpuProblem.fillEmptyRows(),
    )
  }

  async errors(sets: readonly string[]): Promise<Measured> {
    for (const name of sets)
      if (!Object.hasOwn(this.statistics.sets, name)) throw new Error(`No set '${name}' was loaded.`)
    // Where the probe is all of them, it is the training entries.
    const names = sets.map((name) => (this.#tables.sets.has(name) ? name : 'train'))
    const distinct = [...new Set(names)]
    return this.#do(
      async (on) => {
        const start = performance.now()
        const sums = await on.erring.errors(distinct)
        const seconds = (performance.now() - start) / 1000
        return { sums: names.map((name) => ({ ...sums[distinct.indexOf(name)] })), seconds }
      },
      () => this.#cpuProblem.errors(sets),
    )
  }

  snapshot(): Promise<void> {
    return this.#do(
      async (on) => {
        on.snapshot()
        await this.#takeSnapshot(on)
        await on.finish()
      },
      () => this.#cpuProblem.snapshot(),
    )
  }

  restore(): Promise<void> {
    return this.#do(
      async (on) => {
        on.restore()
        await on.finish()
      },
      () => this.#cpuProblem.restore(),
    )
  }

  readState(): Promise<EngineState> {
    return this.#do(
      async (on) => {
        const state = await on.readState()
        if (!this.#cpuProblem.hasPosterior) return state
        // What a learned prior adds never leaves the CPU.
        return { ...(await this.#cpuProblem.readState()), ...state }
      },
      () => this.#cpuProblem.readState(),
    )
  }

  writeState(state: EngineState): Promise<void> {
    return this.#do(
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
    await this.#turn.catch(() => {})
    this.#on?.close()
    this.#idle?.close()
    await this.#cpuProblem.close()
  }

  /** One thing at a time, in the order in which they are asked for. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#open) return Promise.reject(new Error('The problem has been closed.'))
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }

  /** Does something where the state is; if the device fails meanwhile, again from the last snapshot, elsewhere. */
  #do<T>(onDevice: (on: DeviceProblem) => Promise<T>, onCpu: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      for (;;) {
        const on = this.#on
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
   * Does something on the device that is done when it ends. Faults meanwhile may be those of another problem that is at work there:
   * both take them for theirs, problems that rest do not.
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
    this.#snapshot = snapshot // not one of a state that is wrong
    this.#fault = device.faults[before]
    throw this.#fault
  }

  /** Finds another place for the state; throws the error if there is none, or none is wanted. */
  async #recover(on: DeviceProblem, error: unknown): Promise<void> {
    if (await isLost(on.device)) return this.#replace(on.device)
    if (!this.#backend.fallsBackToCpu || !(error instanceof InputError) || error.code !== 'memory')
      throw error
    this.#on = undefined
    on.close()
    this.#backend.report(`${error.message} The run goes on from its last snapshot on the CPU.`)
    if (this.#snapshot) await this.#cpuProblem.writeState(this.#snapshot)
  }

  async #replace(lost: Device): Promise<void> {
    this.#on = undefined
    this.#idle = undefined
    this.#fault = undefined
    const snapshot = this.#snapshot
    const device = ++this.#losses > MOST_LOSSES ? undefined : await this.#backend.device()
    const why = `The graphics card was lost (${lost.lost})`
    if (device) {
      const shape = { ...this.#shape, subgroup: device.subgroup }
      this.#on = await DeviceProblem.open(device, this.#tables, shape, this.#momentumFactors).catch(
        () => undefined,
      )
    }
    this.#backend.report(
      `${why}; the run goes on from its last snapshot on ${this.#on ? 'a new device' : 'the CPU'}.`,
    )
    if (!snapshot) return
    if (this.#on) this.#isBehind = true
    else await this.#cpuProblem.writeState(snapshot)
  }

  async #toCpu(): Promise<void> {
    const on = this.#on
    if (!on) return
    try {
      await this.#cpuProblem.writeState(await this.#watch(on, () => on.readState()))
      this.#idle = on
      this.#on = undefined
    } catch (error) {
      await this.#recover(on, error)
      await this.#toCpu()
    }
  }

  async #toDevice(): Promise<void> {
    if (this.#on || !this.#idle || this.#idle.device.lost) return
    const state = await this.#cpuProblem.readState()
    this.#on = this.#idle
    this.#idle = undefined
    this.#snapshot = copyOf(state)
    this.#isBehind = true
  }

  async #takeSnapshot(on: DeviceProblem): Promise<void> {
    if (performance.now() - this.#snapshotAt < 1000 * SECONDS_BETWEEN_SNAPSHOTS) return
    this.#snapshot = await on.readState()
    this.#snapshotAt = performance.now()
  }

  /** As it is before anything was learned, or as it was. */
  async #freshState(on: DeviceProblem): Promise<DeviceState> {
    const { momentumFactors, ...state } = this.#snapshot ?? (await on.readState())
    return state
  }
}

/** Only the device's own; arrays of the caller are copied. */
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

/** A device that fails may be lost, of which one hears a moment later. */
async function isLost(device: Device): Promise<boolean> {
  const aMoment = new Promise((resolve) => setTimeout(resolve, 50))
  await Promise.race([device.whenLost, aMoment])
  return device.lost !== undefined
}

async function timed(work: () => Promise<void>): Promise<Timed> {
  const start = performance.now()
  await work()
  return { seconds: (performance.now() - start) / 1000 }
}
