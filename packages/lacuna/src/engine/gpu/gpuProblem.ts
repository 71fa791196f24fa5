/**
 * A problem on a GPU. The CPU engine loads the same problem (`cpuProblem`) to continue when there is no device any
 * more, and for sweeps that the device cannot run, on the state read from the device; both are reported.
 *
 * A **backup** is a copy of the device's state in the memory of the process; it is taken now and then, with a
 * snapshot of the run. When the device is lost, the run continues from the backup, on a new device or else on
 * the CPU. It continues on the CPU, too, when the device runs out of memory, unless the GPU was asked for
 * explicitly.
 */
import { InputError } from '../../base/inputError.ts'
import type { Observed, SparseTensor } from '../../tensor/index.ts'
import { type CpuProblem, costOf } from '../cpu/index.ts'
import type {
  EngineState,
  Iterated,
  Iterations,
  LearnedPrior,
  LoadedProblem,
  Measured,
  PosteriorStep,
  Problem,
  Statistics,
  Step,
  Timed,
} from '../engine.ts'
import type { Device } from './device.ts'
import { DeviceProblem } from './deviceProblem.ts'
import type { PreparedEntries } from './setup/prepareEntries.ts'
import type { Shape } from './shape.ts'
import type { DeviceStep } from './steps/deviceSteps.ts'

/** The services of the GPU engine that its problems use. */
export interface GpuBackend {
  /** The device, or a new one if it was lost; undefined if none can be opened. */
  device(): Promise<Device | undefined>
  /** The name of the hardware: the GPU, followed by the CPU if the problem has no device any more. */
  description(hasDevice: boolean): string
  /** Reports a notice to the user. */
  report(sentence: string): void
  /** Whether the CPU continues when the device has no memory left. */
  fallsBackToCpu: boolean
  /** Loads a problem on the CPU. */
  loadOnCpu(problem: Problem): Promise<CpuProblem>
  /** Computes the statistics of entries by row (LoadedProblem.observed) on the CPU. */
  observe(tensor: SparseTensor, rank: number): Promise<Observed>
}

/** The least time between backups in seconds: reading the state back takes time itself. */
const SECONDS_BETWEEN_BACKUPS = 2
/** The least time between backups, as a multiple of the time that the last one took. */
const BACKUP_FACTOR = 20
/** The number of lost devices that are replaced; after another loss the problem stays on the CPU. */
const MOST_LOSSES = 3

/** A loaded problem of the GPU engine; operations run one at a time, in the order of the calls. */
export class GpuProblem implements LoadedProblem {
  readonly statistics: Statistics
  /** Always false: on a GPU, runs begin without stratified SGD (docs/gpu.md). */
  readonly hasStrata = false
  readonly hasPosterior: boolean
  readonly #problem: Problem
  readonly #entries: PreparedEntries
  readonly #backend: GpuBackend
  readonly #shape: Omit<Shape, 'subgroup'>
  /** The same problem on the CPU; undefined until it is needed. */
  #cpuProblem: CpuProblem | undefined
  /** The problem on the device if the current state is there; undefined while it is on the CPU. */
  #active: DeviceProblem | undefined
  /** The problem on the device while the current state is on the CPU: the device still has the entries. */
  #idle: DeviceProblem | undefined
  /** The last backup; undefined before the first. */
  #backup: EngineState | undefined
  /** When the next snapshot replaces the backup, at the earliest (performance.now()). */
  #nextBackup = -Infinity
  /** Whether the backup must be written to the device before its next operation. */
  #mustWriteBackup = false
  /**
   * The error that the device reported while it worked on this problem, which makes the state there invalid.
   */
  #fault: Error | undefined
  /** Whether sweeps under a learned prior run on the CPU, because the device cannot run them. */
  #sweepsOnCpu = false
  /** The number of devices that were lost. */
  #losses = 0
  #isStopped = false
  #open = true
  /** Mutex: resolves when the current operation has finished, so that operations run one at a time. */
  #lock: Promise<unknown> = Promise.resolve()

  private constructor(
    problem: Problem,
    entries: PreparedEntries,
    backend: GpuBackend,
    shape: Omit<Shape, 'subgroup'>,
    active: DeviceProblem,
  ) {
    this.statistics = active.statistics
    this.hasPosterior = entries.posterior !== undefined
    this.#problem = problem
    this.#entries = entries
    this.#backend = backend
    this.#shape = shape
    this.#active = active
  }

  /**
   * Loads a problem on a device. Throws an InputError for an invalid entry, or if the device has too little
   * memory.
   * @param entries the problem's entries, prepared
   * @param backend services of the GPU engine: replaces a lost device, reports notices
   */
  static async open(
    problem: Problem,
    entries: PreparedEntries,
    backend: GpuBackend,
    device: Device,
  ): Promise<GpuProblem> {
    const weighted = entries.sources[0].tensor.weights !== undefined
    const shape = { order: entries.dims.length, rank: problem.rank, weighted }
    const active = await openOn(device, problem, entries, shape)
    try {
      if (active.isRepeated) await problem.onRepeated?.()
    } catch (error) {
      active.close()
      throw error
    }
    return new GpuProblem(problem, entries, backend, shape, active)
  }

  /** The name of the hardware that this problem runs on. */
  get backend(): string {
    return this.#backend.description(this.#active !== undefined || this.#idle !== undefined)
  }

  /**
   * The cost of an AO iteration by the CPU's cost model: with a model of the GPU's cost, samples grew sooner
   * but no solution was found faster (docs/gpu.md).
   */
  cost(stage: { sample: number; kind: Step['kind'] }): number {
    const { dims, emptyRows, sets } = this.statistics
    const rows = dims.map((dim, mode) => dim - emptyRows[mode].length)
    return costOf(stage, rows, sets.train.entries, this.#shape.rank)
  }

  /** Replaces the factors, without momentum; the backup then has them, too. */
  writeFactors(factors: readonly Float32Array[]): Promise<void> {
    return this.#run(
      async (deviceProblem) => {
        deviceProblem.writeFactors(factors)
        // After a loss the run starts again from these factors; the next balance makes means and v from them.
        const { momentumFactors, ...state } = this.#backup ?? noState(factors, this.#shape.rank)
        this.#backup = { ...state, factors: factors.map((factor) => factor.slice()) }
        this.#nextBackup = -Infinity // the next snapshot takes a new backup at once
        await deviceProblem.finish()
      },
      (cpuProblem) => cpuProblem.writeFactors(factors),
    )
  }

  /** Reads the current factors, or those of the last snapshot, one matrix (rows × R) per mode. */
  readFactors(which: 'current' | 'snapshot' = 'current'): Promise<Float32Array[]> {
    return this.#run(
      (deviceProblem) => deviceProblem.readFactors(which === 'snapshot' ? 'snapshot' : 'factors'),
      (cpuProblem) => cpuProblem.readFactors(which),
    )
  }

  /** Runs AO iterations on the device; sweeps that it cannot run on the CPU. */
  async iterate(run: Iterations): Promise<Iterated> {
    const { step } = run
    if (step.kind === 'strata') throw new Error('A GPU takes no steps of stratified SGD.')
    if (step.kind === 'posterior' && !(await this.#canSweep())) {
      await this.#exclusively(() => this.#toCpu())
      return this.#exclusively(async () => (await this.#loadOnCpu()).iterate(run))
    }
    await this.#exclusively(() => this.#toDevice())
    return this.#run(
      (deviceProblem) => this.#iterate(deviceProblem, { ...run, step }),
      (cpuProblem) => cpuProblem.iterate(run),
    )
  }

  /**
   * Whether the device can run sweeps under a learned prior: not with side information, or if it has no room
   * for the covariances. Reports why it cannot, once.
   */
  async #canSweep(): Promise<boolean> {
    if (this.#sweepsOnCpu) return false
    const deviceProblem = this.#active ?? this.#idle
    if (!deviceProblem) return false
    if (this.#hasSideInformation) {
      this.#leaveSweepsToCpu('Lags and attributes of rows are learned on the CPU.')
      return false
    }
    try {
      await this.#exclusively(() => deviceProblem.posterior())
    } catch (error) {
      // A lost device is replaced when the sweep is tried.
      if (await isLost(deviceProblem.device)) return true
      if (!(error instanceof InputError)) throw error
      this.#leaveSweepsToCpu(error.message)
    }
    return !this.#sweepsOnCpu
  }

  /** Whether any mode has lags or attributes, from which only the CPU learns. */
  get #hasSideInformation(): boolean {
    return this.#problem.sideInformation?.some((side) => side) ?? false
  }

  /** Makes the CPU run all sweeps under a learned prior, and reports the reason, once. */
  #leaveSweepsToCpu(reason: string): void {
    if (this.#sweepsOnCpu) return
    this.#sweepsOnCpu = true
    this.#backend.report(`${reason} So the CPU's threads run the sweeps under the learned prior.`)
  }

  /** Runs AO iterations on the device until the count, the time limit, a stop or a loss of the device. */
  async #iterate(
    deviceProblem: DeviceProblem,
    run: Iterations & { step: DeviceStep | PosteriorStep },
  ): Promise<Iterated> {
    const start = performance.now()
    const end = start + 1000 * (run.seconds ?? Infinity)
    const { step } = run
    if (step.kind !== 'posterior') await deviceProblem.steps.prepare(step.kind, run.sample)
    let done = 0
    let cut: Iterated['cut']
    for (; done < run.count; done++) {
      // At least one iteration, however little time there is: otherwise the run would never end.
      cut = this.#isStopped ? 'stopped' : done > 0 && performance.now() >= end ? 'seconds' : undefined
      if (cut || deviceProblem.device.lost) break
      if (step.kind === 'posterior') await this.#sweep(deviceProblem, step, run.lambda)
      else await deviceProblem.steps.add({ ...run, step }, run.first + done)
    }
    await deviceProblem.finish()
    return { done, cut, seconds: (performance.now() - start) / 1000 }
  }

  /** Runs a sweep under a learned prior. The first is followed by a backup, without which no other could follow. */
  async #sweep(deviceProblem: DeviceProblem, step: PosteriorStep, lambda: number): Promise<void> {
    await (await deviceProblem.posterior()).sweep(step, lambda)
    if (!step.begin) return
    this.#nextBackup = -Infinity
    await this.#takeBackup(deviceProblem)
  }

  /** Makes `iterate` end after the current AO iteration, also later calls, until `stop(false)`. */
  stop(stopped = true): void {
    this.#isStopped = stopped
    this.#cpuProblem?.stop(stopped)
  }

  /** Scales the columns to equal norms in all modes, and fills rows without entries; returns the duration. */
  balance(): Promise<Timed> {
    return this.#run(
      (deviceProblem) => measureTime(() => deviceProblem.balance.run()),
      (cpuProblem) => cpuProblem.balance(),
    )
  }

  /** Copies the mean of the rows with entries to those without; returns the duration. */
  async fillEmptyRows(): Promise<Timed> {
    if (this.statistics.emptyRows.every(({ length }) => length === 0)) return { seconds: 0 }
    return this.#run(
      (deviceProblem) => measureTime(() => deviceProblem.balance.fillEmptyRows()),
      (cpuProblem) => cpuProblem.fillEmptyRows(),
    )
  }

  /** Measures the error sums over each of the named sets; throws an Error for a set that was not loaded. */
  async errors(sets: readonly string[]): Promise<Measured> {
    for (const name of sets)
      if (!Object.hasOwn(this.statistics.sets, name)) throw new Error(`No set '${name}' was loaded.`)
    // A probe of all entries has no view of its own.
    const names = sets.map((name) => (name === 'probe' && this.#entries.isProbeAll ? 'train' : name))
    const distinct = [...new Set(names)]
    return this.#run(
      async (deviceProblem) => {
        const start = performance.now()
        const sums = await deviceProblem.sumErrors(distinct)
        const seconds = (performance.now() - start) / 1000
        return { sums: names.map((name) => ({ ...sums[distinct.indexOf(name)] })), seconds }
      },
      (cpuProblem) => cpuProblem.errors(sets),
    )
  }

  /** Stores a copy of the factors for `restore`, on the device, and takes a backup if the last one is old. */
  snapshot(): Promise<void> {
    return this.#run(
      async (deviceProblem) => {
        deviceProblem.snapshot()
        await this.#takeBackup(deviceProblem)
        await deviceProblem.finish()
      },
      (cpuProblem) => cpuProblem.snapshot(),
    )
  }

  /** Sets the factors to those of the last snapshot, without momentum. */
  restore(): Promise<void> {
    return this.#run(
      async (deviceProblem) => {
        deviceProblem.restore()
        await deviceProblem.finish()
      },
      (cpuProblem) => cpuProblem.restore(),
    )
  }

  /** Reads the whole state. */
  readState(): Promise<EngineState> {
    return this.#run(
      async (deviceProblem) => {
        const state = await deviceProblem.readState()
        // The state of a prior that the CPU learns is there.
        return this.#sweepsOnCpu ? { ...(await (await this.#loadOnCpu()).readState()), ...state } : state
      },
      (cpuProblem) => cpuProblem.readState(),
    )
  }

  /** Replaces the state; the backup is then a copy of it. */
  writeState(state: EngineState): Promise<void> {
    return this.#run(
      async (deviceProblem) => {
        if (state.moments && !this.hasPosterior) throw new Error('The problem has no memory for covariances.')
        if (state.moments && this.#hasSideInformation) {
          this.#leaveSweepsToCpu('Lags and attributes of rows are learned on the CPU.')
          await (await this.#loadOnCpu()).writeState(state)
        }
        const own = this.#sweepsOnCpu ? withoutPrior(state) : state
        await deviceProblem.writeState(own)
        this.#backup = copyOf(own)
        this.#nextBackup = performance.now() + 1000 * SECONDS_BETWEEN_BACKUPS
        await deviceProblem.finish()
      },
      (cpuProblem) => cpuProblem.writeState(state),
    )
  }

  /** The statistics of the entries of each row (LoadedProblem.observed), computed on the CPU. */
  observed(tensor?: SparseTensor): Promise<Observed> {
    return this.#backend.observe(tensor ?? this.#problem.tensor, this.#shape.rank)
  }

  /** The prior as of the last 'posterior' step; undefined if there was none. */
  async readPrior(): Promise<LearnedPrior | undefined> {
    return this.#cpuProblem ? this.#cpuProblem.readPrior() : this.#active?.prior
  }

  /** Closes the problem on the device and on the CPU after the current operation; later calls reject. */
  async close(): Promise<void> {
    if (!this.#open) return
    this.#open = false
    await this.#lock.catch(() => {})
    this.#active?.close()
    this.#idle?.close()
    await this.#cpuProblem?.close()
  }

  /** Runs an operation after all earlier ones have finished; rejects if the problem has been closed. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#open) return Promise.reject(new Error('The problem has been closed.'))
    const result = this.#lock.then(work)
    this.#lock = result.catch(() => {})
    return result
  }

  /**
   * Runs an operation where the current state is. If the device is lost or, where the CPU may take over, has
   * no memory left, repeats the operation from the last backup on a new device or the CPU.
   */
  #run<T>(
    onDevice: (deviceProblem: DeviceProblem) => Promise<T>,
    onCpu: (cpuProblem: CpuProblem) => Promise<T>,
  ): Promise<T> {
    return this.#exclusively(async () => {
      for (;;) {
        const deviceProblem = this.#active
        if (!deviceProblem) return onCpu(await this.#loadOnCpu())
        try {
          return await this.#watch(deviceProblem, () => onDevice(deviceProblem))
        } catch (error) {
          await this.#recover(deviceProblem, error)
        }
      }
    })
  }

  /**
   * Runs an operation on the device, after writing the backup to it if that is due. Throws if the device is
   * lost or reports an error meanwhile; the backup is then that of before. Another problem on the same device
   * may have caused the error: all problems that are working then fail, idle ones do not.
   */
  async #watch<T>(deviceProblem: DeviceProblem, work: () => Promise<T>): Promise<T> {
    const { device } = deviceProblem
    if (this.#fault) throw this.#fault
    const faultsBefore = device.faults.length
    const backup = this.#backup
    try {
      if (this.#mustWriteBackup) await deviceProblem.writeState(this.#backup!)
      this.#mustWriteBackup = false
      const result = await work()
      if (device.lost) throw new Error(device.lost)
      if (device.faults.length === faultsBefore) return result
    } catch (error) {
      if (device.faults.length === faultsBefore) throw error
    }
    this.#backup = backup // a backup of an invalid state is of no use
    this.#fault = device.faults[faultsBefore]
    throw this.#fault
  }

  /**
   * Continues after an error of the device: on a new device or the CPU if the device is lost, on the CPU if
   * it has no memory left and the CPU may take over. Rethrows every other error.
   */
  async #recover(deviceProblem: DeviceProblem, error: unknown): Promise<void> {
    if (await isLost(deviceProblem.device)) return this.#replace(deviceProblem.device)
    if (!this.#backend.fallsBackToCpu || !(error instanceof InputError) || error.code !== 'memory')
      throw error
    this.#active = undefined
    deviceProblem.close()
    this.#backend.report(`${error.message} The run goes on from its last snapshot on the CPU.`)
    const cpuProblem = await this.#loadOnCpu()
    if (this.#backup) await cpuProblem.writeState(this.#backup)
  }

  /**
   * Continues from the backup on a new device after a loss; on the CPU if none can be opened, or after more
   * than MOST_LOSSES losses. Reports that to the user.
   */
  async #replace(lost: Device): Promise<void> {
    this.#active = undefined
    this.#idle = undefined
    this.#fault = undefined
    const backup = this.#backup
    const device = ++this.#losses > MOST_LOSSES ? undefined : await this.#backend.device()
    const why = `The graphics card was lost (${lost.lost})`
    if (device)
      this.#active = await openOn(device, this.#problem, this.#entries, this.#shape).catch(() => undefined)
    this.#backend.report(
      `${why}; the run goes on from its last snapshot on ${this.#active ? 'a new device' : 'the CPU'}.`,
    )
    if (!backup) return
    if (this.#active) this.#mustWriteBackup = true
    else await (await this.#loadOnCpu()).writeState(backup)
  }

  /** The same problem on the CPU, which is loaded when it is first needed. */
  async #loadOnCpu(): Promise<CpuProblem> {
    if (!this.#cpuProblem) {
      // The device has checked the entries, and `onRepeated` has been called.
      this.#cpuProblem = await this.#backend.loadOnCpu({ ...this.#problem, onRepeated: undefined })
      this.#cpuProblem.stop(this.#isStopped)
    }
    return this.#cpuProblem
  }

  /** Moves the current state to the CPU, if it is on the device, which keeps the entries. */
  async #toCpu(): Promise<void> {
    const deviceProblem = this.#active
    if (!deviceProblem) return
    try {
      const cpuProblem = await this.#loadOnCpu()
      await cpuProblem.writeState(await this.#watch(deviceProblem, () => deviceProblem.readState()))
      this.#idle = deviceProblem
      this.#active = undefined
    } catch (error) {
      await this.#recover(deviceProblem, error)
      await this.#toCpu()
    }
  }

  /**
   * Moves the state from the CPU back to an idle device, if there is one: it is written with the next
   * operation.
   */
  async #toDevice(): Promise<void> {
    if (this.#active || !this.#idle || this.#idle.device.lost) return
    // The state of a prior that the CPU learns stays there.
    const state = withoutPrior(await this.#cpuProblem!.readState())
    this.#active = this.#idle
    this.#idle = undefined
    this.#backup = copyOf(state)
    this.#mustWriteBackup = true
  }

  /** Reads the state back as the backup, unless the last one is too young. */
  async #takeBackup(deviceProblem: DeviceProblem): Promise<void> {
    const start = performance.now()
    if (start < this.#nextBackup) return
    this.#backup = await deviceProblem.readState()
    const end = performance.now()
    this.#nextBackup = end + Math.max(1000 * SECONDS_BETWEEN_BACKUPS, BACKUP_FACTOR * (end - start))
  }
}

/** The state before the first balance: no means, and v = 1. */
const noState = (factors: readonly Float32Array[], rank: number): EngineState => ({
  factors: [...factors],
  means: factors.map(() => new Float32Array(rank)),
  scales: factors.map(() => new Float32Array(rank).fill(1)),
})

/** Loads a problem on a device. */
const openOn = (
  device: Device,
  { momentumFactors }: Problem,
  entries: PreparedEntries,
  shape: Omit<Shape, 'subgroup'>,
): Promise<DeviceProblem> =>
  DeviceProblem.open(device, entries, { ...shape, subgroup: device.subgroup }, momentumFactors)

/** The state without what a learned prior has. */
const withoutPrior = ({ factors, momentumFactors, means, scales, snapshot }: EngineState): EngineState => ({
  factors,
  momentumFactors,
  means,
  scales,
  snapshot,
})

/** Copies the arrays of a state. */
const copyOf = (state: EngineState): EngineState =>
  Object.fromEntries(
    Object.entries(state).map(([name, arrays]: [string, readonly Float32Array[] | undefined]) => [
      name,
      arrays?.map((array) => array.slice()),
    ]),
  ) as unknown as EngineState

/** Whether a device that failed is lost; waits up to 50 ms, since WebGPU reports a loss a moment later. */
async function isLost(device: Device): Promise<boolean> {
  const delay = new Promise((resolve) => setTimeout(resolve, 50))
  await Promise.race([device.whenLost, delay])
  return device.lost !== undefined
}

/** Runs an operation and returns its duration in seconds. */
async function measureTime(work: () => Promise<void>): Promise<Timed> {
  const start = performance.now()
  await work()
  return { seconds: (performance.now() - start) / 1000 }
}
