/**
 * A problem on a GPU. The CPU engine loads the same problem (`cpuProblem`) to continue when there is no device any
 * more, and for sweeps that the device cannot run, on the state read from the device; both are reported.
 */
import { InputError } from '../../base/inputError.ts'
import type { Observed, SparseTensor } from '../../tensor/index.ts'
import { costOf } from '../cpu/index.ts'
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
import type { DeviceProblem } from './deviceProblem.ts'
import {
  type DeviceInput,
  Failover,
  type GpuBackend,
  isLost,
  openOnDevice,
  withoutPrior,
} from './failover.ts'
import type { PreparedEntries } from './setup/prepareEntries.ts'
import type { DeviceStep } from './steps/deviceSteps.ts'

/** A loaded problem of the GPU engine; operations run one at a time, in the order of the calls. */
export class GpuProblem implements LoadedProblem {
  readonly statistics: Statistics
  /** Always false: on a GPU, runs begin without stratified SGD (docs/gpu.md). */
  readonly hasStrata = false
  readonly hasPosterior: boolean
  readonly #input: DeviceInput
  readonly #backend: GpuBackend
  /** Where the state is: every operation on it goes through this. */
  readonly #failover: Failover
  /** Whether sweeps under a learned prior run on the CPU, because the device cannot run them. */
  #sweepsOnCpu = false

  private constructor(input: DeviceInput, backend: GpuBackend, active: DeviceProblem) {
    this.statistics = active.statistics
    this.hasPosterior = input.entries.posterior !== undefined
    this.#input = input
    this.#backend = backend
    this.#failover = new Failover(input, backend, active)
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
    const input = { problem, entries, shape }
    const active = await openOnDevice(device, input)
    try {
      if (active.isRepeated) await problem.onRepeated?.()
    } catch (error) {
      active.close()
      throw error
    }
    return new GpuProblem(input, backend, active)
  }

  /** The name of the hardware that this problem runs on. */
  get backend(): string {
    return this.#backend.description(this.#failover.deviceProblem !== undefined)
  }

  /**
   * The cost of an AO iteration by the CPU's cost model: with a model of the GPU's cost, samples grew sooner
   * but no solution was found faster (docs/gpu.md).
   */
  cost(stage: { sample: number; kind: Step['kind'] }): number {
    const { dims, emptyRows, sets } = this.statistics
    const rows = dims.map((dim, mode) => dim - emptyRows[mode].length)
    return costOf(stage, rows, sets.train.entries, this.#input.shape.rank)
  }

  /** Replaces the factors, without momentum; the backup then has them, too. */
  writeFactors(factors: readonly Float32Array[]): Promise<void> {
    return this.#failover.run(
      async (deviceProblem) => {
        deviceProblem.writeFactors(factors)
        this.#failover.setBackupFactors(factors)
        await deviceProblem.finish()
      },
      (cpuProblem) => cpuProblem.writeFactors(factors),
    )
  }

  /** Reads the current factors, or those of the last snapshot, one matrix (rows × R) per mode. */
  readFactors(which: 'current' | 'snapshot' = 'current'): Promise<Float32Array[]> {
    return this.#failover.run(
      (deviceProblem) => deviceProblem.readFactors(which === 'snapshot' ? 'snapshot' : 'factors'),
      (cpuProblem) => cpuProblem.readFactors(which),
    )
  }

  /** Runs AO iterations on the device; sweeps that it cannot run on the CPU. */
  async iterate(run: Iterations): Promise<Iterated> {
    const { step } = run
    if (step.kind === 'strata') throw new Error('A GPU takes no steps of stratified SGD.')
    if (step.kind === 'posterior' && !(await this.#canSweep())) {
      await this.#failover.runExclusively(() => this.#failover.moveToCpu())
      return this.#failover.runExclusively(async () => (await this.#failover.loadOnCpu()).iterate(run))
    }
    await this.#failover.runExclusively(() => this.#failover.moveToDevice())
    return this.#failover.run(
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
    const { deviceProblem } = this.#failover
    if (!deviceProblem) return false
    if (this.#hasSideInformation) {
      this.#leaveSweepsToCpu('Lags and attributes of rows are learned on the CPU.')
      return false
    }
    try {
      await this.#failover.runExclusively(() => deviceProblem.posterior())
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
    return this.#input.problem.sideInformation?.some((side) => side) ?? false
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
      cut = this.#failover.isStopped
        ? 'stopped'
        : done > 0 && performance.now() >= end
          ? 'seconds'
          : undefined
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
    await this.#failover.takeBackup(deviceProblem, true)
  }

  /** Makes `iterate` end after the current AO iteration, also later calls, until `stop(false)`. */
  stop(stopped = true): void {
    this.#failover.stop(stopped)
  }

  /** Scales the columns to equal norms in all modes, and fills rows without entries; returns the duration. */
  balance(): Promise<Timed> {
    return this.#failover.run(
      (deviceProblem) => measureTime(() => deviceProblem.balance.run()),
      (cpuProblem) => cpuProblem.balance(),
    )
  }

  /** Copies the mean of the rows with entries to those without; returns the duration. */
  async fillEmptyRows(): Promise<Timed> {
    if (this.statistics.emptyRows.every(({ length }) => length === 0)) return { seconds: 0 }
    return this.#failover.run(
      (deviceProblem) => measureTime(() => deviceProblem.balance.fillEmptyRows()),
      (cpuProblem) => cpuProblem.fillEmptyRows(),
    )
  }

  /** Measures the error sums over each of the named sets; throws an Error for a set that was not loaded. */
  async errors(sets: readonly string[]): Promise<Measured> {
    for (const name of sets)
      if (!Object.hasOwn(this.statistics.sets, name)) throw new Error(`No set '${name}' was loaded.`)
    // A probe of all entries has no view of its own.
    const names = sets.map((name) => (name === 'probe' && this.#input.entries.isProbeAll ? 'train' : name))
    const distinct = [...new Set(names)]
    return this.#failover.run(
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
    return this.#failover.run(
      async (deviceProblem) => {
        deviceProblem.snapshot()
        await this.#failover.takeBackup(deviceProblem)
        await deviceProblem.finish()
      },
      (cpuProblem) => cpuProblem.snapshot(),
    )
  }

  /** Sets the factors to those of the last snapshot, without momentum. */
  restore(): Promise<void> {
    return this.#failover.run(
      async (deviceProblem) => {
        deviceProblem.restore()
        await deviceProblem.finish()
      },
      (cpuProblem) => cpuProblem.restore(),
    )
  }

  /** Reads the whole state. */
  readState(): Promise<EngineState> {
    return this.#failover.run(
      async (deviceProblem) => {
        const state = await deviceProblem.readState()
        // The state of a prior that the CPU learns is there.
        return this.#sweepsOnCpu
          ? { ...(await (await this.#failover.loadOnCpu()).readState()), ...state }
          : state
      },
      (cpuProblem) => cpuProblem.readState(),
    )
  }

  /** Replaces the state; the backup is then a copy of it. */
  writeState(state: EngineState): Promise<void> {
    return this.#failover.run(
      async (deviceProblem) => {
        if (state.moments && !this.hasPosterior) throw new Error('The problem has no memory for covariances.')
        if (state.moments && this.#hasSideInformation) {
          this.#leaveSweepsToCpu('Lags and attributes of rows are learned on the CPU.')
          await (await this.#failover.loadOnCpu()).writeState(state)
        }
        const own = this.#sweepsOnCpu ? withoutPrior(state) : state
        await deviceProblem.writeState(own)
        this.#failover.setBackup(own)
        await deviceProblem.finish()
      },
      (cpuProblem) => cpuProblem.writeState(state),
    )
  }

  /** The statistics of the entries of each row (LoadedProblem.observed), computed on the CPU. */
  observed(tensor?: SparseTensor): Promise<Observed> {
    return this.#backend.observe(tensor ?? this.#input.problem.tensor, this.#input.shape.rank)
  }

  /** The prior as of the last 'posterior' step; undefined if there was none. */
  async readPrior(): Promise<LearnedPrior | undefined> {
    const { cpuProblem, active } = this.#failover
    return cpuProblem ? cpuProblem.readPrior() : active?.prior
  }

  /** Closes the problem on the device and on the CPU after the current operation; later calls reject. */
  close(): Promise<void> {
    return this.#failover.close()
  }
}

/** Runs an operation and returns its duration in seconds. */
async function measureTime(work: () => Promise<void>): Promise<Timed> {
  const start = performance.now()
  await work()
  return { seconds: (performance.now() - start) / 1000 }
}
