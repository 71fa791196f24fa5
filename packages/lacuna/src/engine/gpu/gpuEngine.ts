/**
 * The GPU engine: a WebGPU device that runs the steps, and the CPU engine's threads beside it, which build
 * the views and run what the device does not implement (sweeps under a learned prior, stratified SGD).
 */
import { InputError } from '../../base/inputError.ts'
import { formatBytes } from '../../base/memory.ts'
import { singleProcess } from '../../comm/index.ts'
import { CpuEngine } from '../cpu/index.ts'
import type { Engine, EnginePlan, LoadedProblem, Problem, ProblemSize } from '../engine.ts'
import { type FoundAdapter, findAdapter } from './adapter.ts'
import { Device, type DeviceOptions } from './device.ts'
import type { GpuBackend } from './failover.ts'
import { GpuProblem } from './gpuProblem.ts'
import type { GpuEngineOptions } from './options.ts'
import { prepareEntries } from './setup/prepareEntries.ts'
import { compileSetUp } from './setup/setUpWork.ts'
import { STAGING_TOTAL } from './setup/uploader.ts'
import { quadsOf } from './shape.ts'
import { BIN_ENTRIES } from './wgsl/setup.ts'

export type { GpuEngineOptions } from './options.ts'

/** All options of the engine: those of users, those of its device, and those of `autoEngine` and tests. */
interface AllOptions extends GpuEngineOptions, DeviceOptions {
  /**
   * The least entries × rank that run on the GPU: smaller problems, and those that do not fit on the GPU, run
   * on the CPU. By default all run on the GPU.
   */
  worthwhileFrom?: number
  /** Whether another device is opened when one is lost; true by default. */
  reopens?: boolean
}

/** Opens the GPU engine for problems of any size; throws an InputError if there is no GPU. */
export async function gpuEngine(options: AllOptions = {}): Promise<GpuEngine> {
  const adapter = await findAdapter()
  return new GpuEngine(adapter, await openDevice(adapter, options), options)
}

/**
 * Opens the GPU engine if there is a GPU that is not a software adapter, and the CPU engine otherwise. That
 * GPU engine runs problems on the CPU that are too small to be worthwhile or too large for the GPU.
 */
export async function autoEngine(options: GpuEngineOptions = {}): Promise<GpuEngine | CpuEngine> {
  const adapter = await findAdapter().catch(rethrowUnlessInputError)
  const { onRemark, ...threads } = options
  if (!adapter || adapter.isSoftware) return new CpuEngine(threads)
  const all: AllOptions = { ...options, worthwhileFrom: WORTHWHILE }
  const device = await openDevice(adapter, all).catch((error) => {
    rethrowUnlessInputError(error)
    onRemark?.(cpuFallbackNotice(error))
  })
  return device ? new GpuEngine(adapter, device, all) : new CpuEngine(threads)
}

/**
 * Opens a device; throws an InputError if that fails: an adapter may be listed although its driver is broken
 * or other programs use all of its memory.
 */
async function openDevice(adapter: FoundAdapter, options: DeviceOptions): Promise<Device> {
  try {
    return await Device.open(adapter, options)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.trim() : String(cause)
    throw new InputError('unavailable', `The graphics card (${adapter.name}) cannot be opened: ${why}`, {
      cause,
    })
  }
}

/** Rethrows an error that is not an InputError; returns undefined for an InputError. */
function rethrowUnlessInputError(error: unknown): undefined {
  if (!(error instanceof InputError)) throw error
}

/** The notice that the CPU runs a problem because of an error of the GPU. */
const cpuFallbackNotice = ({ message }: Error): string =>
  `${message.replace(/[^.]$/, '$&.')} So the CPU does it.`

/**
 * Entries × rank from which on `autoEngine` uses the GPU. Beside an H200, 16 threads take 16 ms for an epoch
 * of 3.3 million entries at R = 10; copying the entries and compiling the kernels takes 0.2 s. With much
 * fewer entries, the threads have finished the model by then.
 */
export const WORTHWHILE = 20_000_000

/** Solves problems on a WebGPU device, with the CPU engine beside it. */
export class GpuEngine implements Engine {
  /** The name of the GPU. */
  readonly name: string
  /** Whether the GPU is emulated on the CPU. */
  readonly isSoftware: boolean
  readonly communicator = singleProcess
  /** The CPU engine that checks and sorts the entries and runs what the device does not implement. */
  readonly cpu: CpuEngine
  readonly #options: AllOptions
  #device: Device | undefined
  /** Resolves to the device that is being opened after a loss, or to undefined if none can be opened. */
  #reopening: Promise<Device | undefined> | undefined
  #closed = false

  constructor({ name, isSoftware }: FoundAdapter, device: Device, options: AllOptions) {
    this.name = name
    this.isSoftware = isSoftware
    this.#device = device
    this.#options = options
    const { threads, parts } = options
    this.cpu = new CpuEngine({ threads, parts })
  }

  /** The open device; undefined after a loss. */
  get device(): Device | undefined {
    return this.#device
  }

  /** Threads of the CPU engine. */
  get threads(): number {
    return this.cpu.threads
  }

  /** The names of the GPU and of the CPU engine beside it. */
  get description(): string {
    return `${this.name} and ${this.cpu.description}`
  }

  /**
   * The backend for a problem of this size, and the memory of the process that it takes; entries and factors are
   * in that of the GPU. Throws an InputError if the factors do not fit into a binding of the GPU.
   */
  plan(size: ProblemSize): EnginePlan {
    if (!this.#runsOnGpu(size)) return { ...this.cpu.plan(size), backend: this.cpu.description }
    this.#checkFactors(size)
    const items = hostItems(size)
    const byteLength = items.reduce((sum, item) => sum + item.byteLength, 0)
    return { parts: 1, items, byteLength, backend: this.description }
  }

  /**
   * Compiles the kernels of the set-up, allocates the buffers through which entries are copied, and starts
   * threads, in the background; errors surface in `load`.
   */
  warm(rank: number): void {
    this.cpu.warm(rank)
    if (!this.#device) return
    this.#device.uploader.warm()
    compileSetUp(this.#device).catch(() => {})
  }

  /**
   * Loads a problem on the GPU, or on the CPU if it is not worthwhile on the GPU. Throws an InputError if it
   * does not fit, unless the engine falls back to the CPU, with a notice.
   */
  async load(problem: Problem): Promise<LoadedProblem> {
    if (this.#closed) throw new Error('The engine has been closed.')
    const { rank, momentumFactors } = problem
    const { dims, values } = problem.tensor
    if (!this.#runsOnGpu({ dims, entries: values.length, rank, momentumFactors }))
      return this.cpu.load(problem)
    this.#checkFactors({ dims, rank })
    const entries = await prepareEntries(problem)
    try {
      const device = await this.#liveDevice()
      if (!device) throw new InputError('unavailable', 'The graphics card was lost, and there is no other.')
      return await GpuProblem.open(problem, entries, this.#backend, device)
    } catch (error) {
      const isOfDevice = error instanceof InputError && ['memory', 'unavailable'].includes(error.code)
      if (!this.#fallsBackToCpu || !isOfDevice) throw error
      this.#options.onRemark?.(cpuFallbackNotice(error))
      return this.cpu.load(problem)
    }
  }

  /** The services of this engine for its problems. */
  get #backend(): GpuBackend {
    return {
      device: () => this.#liveDevice(),
      description: (hasDevice) => (hasDevice ? this.name : `${this.name}, then ${this.cpu.description}`),
      report: (text) => this.#options.onRemark?.(text),
      fallsBackToCpu: this.#fallsBackToCpu,
      loadOnCpu: (problem) => this.cpu.load(problem),
      observe: (tensor, rank) => this.cpu.observe(tensor, rank),
    }
  }

  /**
   * Whether a problem runs on the GPU: every one does if `worthwhileFrom` is undefined, else those that are
   * large enough and fit.
   */
  #runsOnGpu(size: ProblemSize): boolean {
    const { worthwhileFrom } = this.#options
    if (worthwhileFrom === undefined) return true
    const { entries, rank } = size
    return entries * rank >= worthwhileFrom && factorBytes(size) <= this.#maxBindingBytes
  }

  /** Whether the CPU runs what does not fit on the GPU: only in the engine that `autoEngine` opens. */
  get #fallsBackToCpu(): boolean {
    return this.#options.worthwhileFrom !== undefined
  }

  /** Largest binding of the device in bytes; Infinity after a loss. */
  get #maxBindingBytes(): number {
    return this.#device?.maxBindingBytes ?? Infinity
  }

  /**
   * The open device, or a new one if it was lost; undefined if none can be opened or the engine is closed.
   */
  async #liveDevice(): Promise<Device | undefined> {
    if (this.#closed) return undefined
    if (this.#device && !this.#device.lost) return this.#device
    this.#device = undefined
    if (this.#options.reopens === false) return undefined
    this.#reopening ??= findAdapter()
      .then((adapter) => Device.open(adapter, this.#options))
      .catch(() => undefined)
      .then((device) => {
        this.#device = device
        this.#reopening = undefined
        return device
      })
    return this.#reopening
  }

  /** Throws an InputError if the factors of all modes exceed the largest binding of the device. */
  #checkFactors(size: Pick<ProblemSize, 'dims' | 'rank'>): void {
    const { dims, rank } = size
    const maxBytes = this.#maxBindingBytes
    const byteLength = factorBytes(size)
    if (byteLength > maxBytes)
      throw new InputError(
        'memory',
        `The factors of ${dims.join('×')} at rank ${rank} take ${formatBytes(byteLength)}, and this graphics card shows a program ${formatBytes(maxBytes)} at a time; use a smaller rank, or the CPU engine.`,
      )
  }

  /** Closes the CPU engine, then the device. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.cpu.close()
    this.#device?.close()
  }
}

/** Bytes of the factors of all modes, with padded rows; they lie in one buffer. */
const factorBytes = ({ dims, rank }: Pick<ProblemSize, 'dims' | 'rank'>): number =>
  16 * quadsOf({ rank }) * dims.reduce((sum, dim) => sum + dim, 0)

/** The approximate memory of the process beside a problem on a GPU. */
function hostItems(size: ProblemSize): EnginePlan['items'] {
  const { dims, entries, sets = {}, probe = 0, rank, momentumFactors, posterior, weighted } = size
  const rows = dims.reduce((sum, dim) => sum + dim, 0)
  const others = Object.values(sets).reduce((sum, count) => sum + count, probe)
  const bins = rows + (dims.length * entries + others) / BIN_ENTRIES
  const matrices = posterior === 'rows' ? rows : 0
  const state = 4 * rows * rank * (momentumFactors ? 3 : 2) + 4 * matrices * rank ** 2
  return [
    { name: 'staging', byteLength: STAGING_TOTAL },
    // Divided by their mean.
    { name: 'weights', byteLength: weighted ? 4 * (entries + others) : 0 },
    // Rows and segments, four words each; bins, two.
    { name: 'tables', byteLength: 32 * rows + 8 * Math.ceil(bins) },
    // The backup, and a state as it is read from the device.
    { name: 'factors', byteLength: 2 * state },
  ]
}
