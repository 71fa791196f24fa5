/**
 * Where the state of a GPU problem is, on the device or on the CPU, and how an operation continues when the device
 * fails.
 *
 * A **backup** is a copy of the device's state in the memory of the process; it is taken now and then, with a
 * snapshot of the run. When the device is lost, the run continues from the backup, on a new device or else on
 * the CPU. It continues on the CPU, too, when the device runs out of memory, unless the GPU was asked for
 * explicitly.
 */
import { InputError } from '../../base/inputError.ts'
import type { Observed, SparseTensor } from '../../tensor/index.ts'
import type { CpuProblem } from '../cpu/index.ts'
import type { EngineState, Problem } from '../engine.ts'
import type { Device } from './device.ts'
import { DeviceProblem } from './deviceProblem.ts'
import type { PreparedEntries } from './setup/prepareEntries.ts'
import type { Shape } from './shape.ts'

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

/** A problem as it is opened on a device, and opened again on a new one. */
export interface DeviceInput {
  problem: Problem
  /** The problem's entries, prepared. */
  entries: PreparedEntries
  shape: Omit<Shape, 'subgroup'>
}

/** The least time between backups in seconds: reading the state back takes time itself. */
const SECONDS_BETWEEN_BACKUPS = 2
/** The least time between backups, as a multiple of the time that the last one took. */
const BACKUP_FACTOR = 20
/** The number of lost devices that are replaced; after another loss the problem stays on the CPU. */
const MOST_LOSSES = 3

/** The state of a GPU problem on the device or the CPU; operations run one at a time, in the order of the calls. */
export class Failover {
  readonly #input: DeviceInput
  readonly #backend: GpuBackend
  /** The problem on the CPU, for operations that the GPU does not implement; undefined until it is needed. */
  #cpuProblem: CpuProblem | undefined
  /** The problem on the device if the current state is there; undefined while it is on the CPU. */
  #active: DeviceProblem | undefined
  /** The problem on the device while the current state is on the CPU: the device still has the entries. */
  #idle: DeviceProblem | undefined
  /** The last backup; undefined before the first. */
  #backup: EngineState | undefined
  /** The earliest time at which a snapshot replaces the backup (performance.now()). */
  #nextBackup = -Infinity
  /** Whether the backup must be written to the device before its next operation. */
  #mustWriteBackup = false
  /**
   * The error that the device reported while it worked on this problem, which makes the state there invalid.
   */
  #fault: Error | undefined
  /** The number of devices that were lost. */
  #losses = 0
  #isStopped = false
  #open = true
  /** Mutex: resolves when the current operation has finished, so that operations run one at a time. */
  #lock: Promise<unknown> = Promise.resolve()

  constructor(input: DeviceInput, backend: GpuBackend, active: DeviceProblem) {
    this.#input = input
    this.#backend = backend
    this.#active = active
  }

  /** The problem on the device, with the current state or without; undefined if there is no device any more. */
  get deviceProblem(): DeviceProblem | undefined {
    return this.#active ?? this.#idle
  }

  /** The problem on the device if the current state is there; undefined while it is on the CPU. */
  get active(): DeviceProblem | undefined {
    return this.#active
  }

  /** The problem on the CPU; undefined until it is needed. */
  get cpuProblem(): CpuProblem | undefined {
    return this.#cpuProblem
  }

  /** Whether iterations must end, and none may begin. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Sets `isStopped`, and stops iterations on the CPU. */
  stop(stopped: boolean): void {
    this.#isStopped = stopped
    this.#cpuProblem?.stop(stopped)
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
  runExclusively<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#open) return Promise.reject(new Error('The problem has been closed.'))
    const result = this.#lock.then(work)
    this.#lock = result.catch(() => {})
    return result
  }

  /**
   * Runs an operation where the current state is. If the device is lost or, where the CPU may take over, has
   * no memory left, repeats the operation from the last backup on a new device or the CPU.
   */
  run<T>(
    onDevice: (deviceProblem: DeviceProblem) => Promise<T>,
    onCpu: (cpuProblem: CpuProblem) => Promise<T>,
  ): Promise<T> {
    return this.runExclusively(async () => {
      for (;;) {
        const deviceProblem = this.#active
        if (!deviceProblem) return onCpu(await this.loadOnCpu())
        try {
          return await this.#runChecked(deviceProblem, () => onDevice(deviceProblem))
        } catch (error) {
          await this.#recover(deviceProblem, error)
        }
      }
    })
  }

  /**
   * Runs an operation on the device, after writing the backup to it if that is due. Throws if the device is
   * lost or reports an error meanwhile; the backup from before the operation is then restored. Another problem on the same device
   * may have caused the error: all problems that are working then fail, idle ones do not.
   */
  async #runChecked<T>(deviceProblem: DeviceProblem, work: () => Promise<T>): Promise<T> {
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
    const cpuProblem = await this.loadOnCpu()
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
    if (device) this.#active = await openOnDevice(device, this.#input).catch(() => undefined)
    this.#backend.report(
      `${why}; the run goes on from its last snapshot on ${this.#active ? 'a new device' : 'the CPU'}.`,
    )
    if (!backup) return
    if (this.#active) this.#mustWriteBackup = true
    else await (await this.loadOnCpu()).writeState(backup)
  }

  /** Returns the problem on the CPU; loads it when it is first needed. */
  async loadOnCpu(): Promise<CpuProblem> {
    if (!this.#cpuProblem) {
      // The device has checked the entries, and `onRepeated` has been called.
      this.#cpuProblem = await this.#backend.loadOnCpu({ ...this.#input.problem, onRepeated: undefined })
      this.#cpuProblem.stop(this.#isStopped)
    }
    return this.#cpuProblem
  }

  /** Moves the current state to the CPU, if it is on the device, which keeps the entries. */
  async moveToCpu(): Promise<void> {
    const deviceProblem = this.#active
    if (!deviceProblem) return
    try {
      const cpuProblem = await this.loadOnCpu()
      await cpuProblem.writeState(await this.#runChecked(deviceProblem, () => deviceProblem.readState()))
      this.#idle = deviceProblem
      this.#active = undefined
    } catch (error) {
      await this.#recover(deviceProblem, error)
      await this.moveToCpu()
    }
  }

  /**
   * Moves the state from the CPU back to an idle device, if there is one: it is written with the next
   * operation.
   */
  async moveToDevice(): Promise<void> {
    if (this.#active || !this.#idle || this.#idle.device.lost) return
    // The state of a prior that the CPU learns stays there.
    const state = withoutPrior(await this.#cpuProblem!.readState())
    this.#active = this.#idle
    this.#idle = undefined
    this.#backup = copyOf(state)
    this.#mustWriteBackup = true
  }

  /**
   * Reads the state back as the backup, unless the last one is too young.
   * @param isForced whether its age does not matter; false by default
   */
  async takeBackup(deviceProblem: DeviceProblem, isForced = false): Promise<void> {
    if (isForced) this.#nextBackup = -Infinity
    const start = performance.now()
    if (start < this.#nextBackup) return
    this.#backup = await deviceProblem.readState()
    const end = performance.now()
    this.#nextBackup = end + Math.max(1000 * SECONDS_BETWEEN_BACKUPS, BACKUP_FACTOR * (end - start))
  }

  /** Makes a copy of a state that was written to the device the backup. */
  setBackup(state: EngineState): void {
    this.#backup = copyOf(state)
    this.#nextBackup = performance.now() + 1000 * SECONDS_BETWEEN_BACKUPS
  }

  /** Replaces the factors of the backup, without momentum: after a loss the run starts again from them. */
  setBackupFactors(factors: readonly Float32Array[]): void {
    // The next balance makes means and v from the factors.
    const { momentumFactors, ...state } = this.#backup ?? noState(factors, this.#input.shape.rank)
    this.#backup = { ...state, factors: factors.map((factor) => factor.slice()) }
    this.#nextBackup = -Infinity // the next snapshot takes a new backup at once
  }
}

/** The state before the first balance: no means, and v = 1. */
const noState = (factors: readonly Float32Array[], rank: number): EngineState => ({
  factors: [...factors],
  means: factors.map(() => new Float32Array(rank)),
  scales: factors.map(() => new Float32Array(rank).fill(1)),
})

/** Loads a problem on a device. */
export const openOnDevice = (
  device: Device,
  { problem, entries, shape }: DeviceInput,
): Promise<DeviceProblem> =>
  DeviceProblem.open(device, entries, { ...shape, subgroup: device.subgroup }, problem.momentumFactors)

/** A state without the arrays of a learned prior. */
export const withoutPrior = ({
  factors,
  momentumFactors,
  means,
  scales,
  snapshot,
}: EngineState): EngineState => ({
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
export async function isLost(device: Device): Promise<boolean> {
  const delay = new Promise((resolve) => setTimeout(resolve, 50))
  await Promise.race([device.whenLost, delay])
  return device.lost !== undefined
}
