/** An open WebGPU device: its limits, its subgroups, its buffers and compiled kernels. */
import { InputError } from '../../base/inputError.ts'
import { nameWait } from '../../base/waits.ts'
import type { FoundAdapter } from './adapter.ts'
import { Uploader } from './setup/uploader.ts'

/** Flags of GPUBufferUsage; Node has no globals for them. */
export const usage = { mapRead: 1, copySource: 4, copyTarget: 8, uniform: 64, storage: 128 } as const
/** GPUShaderStage.COMPUTE and GPUMapMode.READ, for which Node has no globals. */
const COMPUTE = 4
const READ = 1

/**
 * A compiled kernel. Binding 0 is the uniform with the parameters of a dispatch (wgsl/step.ts), at a dynamic
 * offset; storage buffers follow from binding 1 on.
 */
export interface GpuKernel {
  pipeline: GPUComputePipeline
  layout: GPUBindGroupLayout
}

/** How a kernel accesses a buffer. */
export type Access = 'read' | 'write'

/** The access of a kernel to buffers that it reads, and to those behind them, which it writes. */
export const accessOf = (read: number, write: number): Access[] => [
  ...Array<Access>(read).fill('read'),
  ...Array<Access>(write).fill('write'),
]

/** Limits on what is used of a device, so that tests can run as on a smaller one. */
export interface DeviceOptions {
  /** Whether subgroups are used if the device has them; true by default. */
  subgroups?: boolean
  /** Upper limit in bytes on the binding of a buffer, if the device allows more; unlimited by default. */
  maxBindingBytes?: number
}

/** An open device: creates and reads buffers, and compiles and binds kernels. */
export class Device {
  readonly name: string
  readonly gpu: GPUDevice
  /** Neighbouring invocations that share a subgroup; 1 if there are no subgroups. */
  subgroup = 1
  /** Largest binding of a buffer in bytes. */
  readonly maxBindingBytes: number
  /** Most workgroups in one dimension of a dispatch. */
  readonly maxWorkgroups: number
  /** The reason of a loss; undefined while the device works. */
  lost: string | undefined
  /** Resolves, after `lost` is set, when the device is lost or closed. */
  readonly whenLost: Promise<void>
  /**
   * Uncaptured errors so far, in order. WebGPU does not attribute them to an operation: an operation has
   * failed if there are more after it than before.
   */
  readonly faults: Error[] = []
  /** Copies arrays to buffers. */
  readonly uploader: Uploader
  /** Whether the device is emulated on the CPU. */
  readonly #isSoftware: boolean
  readonly #kernels = new Map<string, Promise<GpuKernel>>()
  readonly #layouts = new Map<string, GPUBindGroupLayout>()

  private constructor(gpu: GPUDevice, { name, isSoftware }: FoundAdapter, maxBindingBytes: number) {
    this.gpu = gpu
    this.name = name
    this.#isSoftware = isSoftware
    this.uploader = new Uploader(gpu)
    const { maxStorageBufferBindingSize, maxBufferSize, maxComputeWorkgroupsPerDimension } = gpu.limits
    this.maxBindingBytes = Math.min(maxBindingBytes, maxStorageBufferBindingSize, maxBufferSize)
    this.maxWorkgroups = maxComputeWorkgroupsPerDimension
    gpu.addEventListener('uncapturederror', ({ error }) => {
      this.faults.push(/memory/i.test(error.message) ? memoryError() : gpuError(error))
    })
    this.whenLost = gpu.lost.then(({ message }) => {
      this.lost = message || 'it was lost'
    })
  }

  /**
   * Opens a device with the largest buffers that the adapter allows. Subgroups are used only if consecutive
   * invocations share one.
   */
  static async open(found: FoundAdapter, options: DeviceOptions = {}): Promise<Device> {
    const { adapter } = found
    const { subgroups = true, maxBindingBytes = Infinity } = options
    const { limits, features, info } = adapter
    const hasSubgroups = subgroups && features.has('subgroups') && info.subgroupMinSize >= 4
    const gpu = await adapter.requestDevice({
      ...(hasSubgroups && { requiredFeatures: ['subgroups'] }),
      requiredLimits: {
        maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
        maxBufferSize: limits.maxBufferSize,
      },
    })
    const device = new Device(gpu, found, maxBindingBytes)
    const size = Math.min(32, info.subgroupMinSize ?? 1)
    try {
      if (hasSubgroups && (await device.#hasLinearSubgroups(size))) device.subgroup = size
    } catch (error) {
      device.close()
      throw error
    }
    return device
  }

  /** Destroys the device and all of its buffers. */
  close(): void {
    this.gpu.destroy()
  }

  /**
   * Compiles a kernel, once per code; throws an Error with the compiler's messages.
   * @param code WGSL whose entry point is `main`
   * @param access how the kernel accesses each storage buffer, from binding 1 on
   */
  compile(code: string, access: readonly Access[]): Promise<GpuKernel> {
    const known = this.#kernels.get(code)
    if (known) return known
    const compiled = this.#compile(code, this.#layoutOf(access))
    this.#kernels.set(code, compiled)
    return compiled
  }

  /**
   * Compiles a kernel that will probably be needed, in the background: drivers take tens of milliseconds for one,
   * and compile several at once. A software adapter compiles on the cores that it works on, so only when needed.
   * @param read how many storage buffers it reads, from binding 1 on
   * @param write how many it writes, behind those
   * @param last how many it reads, behind those
   */
  warm(code: string, read: number, write: number, last = 0): void {
    if (this.#isSoftware) return
    this.compile(code, [...accessOf(read, write), ...accessOf(last, 0)]).catch(() => {})
  }

  /** Compiles a kernel for a layout of bindings, without the cache. */
  async #compile(code: string, layout: GPUBindGroupLayout): Promise<GpuKernel> {
    const module = this.gpu.createShaderModule({ code })
    try {
      const pipeline = await this.gpu.createComputePipelineAsync({
        layout: this.gpu.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module, entryPoint: 'main' },
      })
      return { pipeline, layout }
    } catch (cause) {
      const { messages } = await module.getCompilationInfo()
      const faults = messages.map(
        ({ lineNum, message }) => `${message} (${code.split('\n')[lineNum - 1]?.trim()})`,
      )
      throw new Error(`A kernel does not compile: ${faults.join('; ')}`, { cause })
    }
  }

  /** The layout of a uniform at binding 0 and storage buffers from binding 1 on; cached. */
  #layoutOf(access: readonly Access[]): GPUBindGroupLayout {
    const key = access.join()
    const known = this.#layouts.get(key)
    if (known) return known
    const layout = this.gpu.createBindGroupLayout({
      entries: [
        { binding: 0, visibility: COMPUTE, buffer: { type: 'uniform', hasDynamicOffset: true } },
        ...access.map((kind, i) => ({
          binding: i + 1,
          visibility: COMPUTE,
          buffer: { type: kind === 'read' ? ('read-only-storage' as const) : ('storage' as const) },
        })),
      ],
    })
    this.#layouts.set(key, layout)
    return layout
  }

  /**
   * Creates the bind group of a kernel.
   * @param steps the buffer of the parameters of dispatches
   * @param slot bytes of the parameters of one dispatch
   * @param buffers the storage buffers, from binding 1 on
   */
  bind({ layout }: GpuKernel, steps: GPUBuffer, slot: number, buffers: readonly GPUBuffer[]): GPUBindGroup {
    return this.gpu.createBindGroup({
      layout,
      entries: [
        { binding: 0, resource: { buffer: steps, size: slot } },
        ...buffers.map((buffer, i) => ({ binding: i + 1, resource: { buffer } })),
      ],
    })
  }

  /** Creates a storage buffer of zeros, of at least `byteLength` bytes. */
  createStorage(byteLength: number): GPUBuffer {
    return this.gpu.createBuffer({
      size: bufferSize(byteLength),
      usage: usage.storage | usage.copySource | usage.copyTarget,
    })
  }

  /**
   * Creates a storage buffer of at least `byteLength` bytes; `fill` writes its first byteLength / 4 words.
   */
  createFilled(byteLength: number, fill: (words: Uint32Array) => void): GPUBuffer {
    const buffer = this.gpu.createBuffer({
      size: bufferSize(byteLength),
      usage: usage.storage | usage.copySource | usage.copyTarget,
      mappedAtCreation: true,
    })
    try {
      fill(new Uint32Array(buffer.getMappedRange(), 0, byteLength / 4))
    } catch (error) {
      buffer.destroy()
      throw error
    }
    buffer.unmap()
    return buffer
  }

  /**
   * Runs `work` and returns its result. Throws an InputError if it exhausts the memory of the device, and an
   * Error if it is invalid; neither becomes an uncaptured error.
   */
  async watch<T>(work: () => T): Promise<T> {
    // Other operations cannot come in between: the scopes are closed before the first await.
    this.gpu.pushErrorScope('validation')
    this.gpu.pushErrorScope('out-of-memory')
    let errors: Promise<[GPUError | null, GPUError | null]>
    let result: T
    try {
      result = work()
    } finally {
      errors = Promise.all([this.gpu.popErrorScope(), this.gpu.popErrorScope()])
      errors.catch(() => {}) // not awaited if the work throws
    }
    const [outOfMemory, invalid] = await errors
    if (outOfMemory) throw memoryError()
    if (invalid) throw gpuError(invalid)
    return result
  }

  /** Reads the first `byteLength` bytes of each buffer as float32, after all work submitted before. */
  async read(sources: readonly { buffer: GPUBuffer; byteLength: number }[]): Promise<Float32Array[]> {
    const total = sources.reduce((sum, { byteLength }) => sum + bufferSize(byteLength), 0)
    let staging: GPUBuffer | undefined
    const copied = this.watch(() => {
      staging = this.gpu.createBuffer({ size: total, usage: usage.mapRead | usage.copyTarget })
      const encoder = this.gpu.createCommandEncoder()
      let at = 0
      for (const { buffer, byteLength } of sources) {
        encoder.copyBufferToBuffer(buffer, 0, staging, at, bufferSize(byteLength))
        at += bufferSize(byteLength)
      }
      this.gpu.queue.submit([encoder.finish()])
      const mapped = nameWait('data of the GPU', staging.mapAsync(READ))
      mapped.catch(() => {}) // `watch` reports the error
      return { staging, mapped }
    })
    try {
      const { staging, mapped } = await copied
      await mapped
      const all = staging.getMappedRange()
      let from = 0
      return sources.map(({ byteLength }) => {
        const numbers = new Float32Array(all, from, byteLength / 4).slice()
        from += bufferSize(byteLength)
        return numbers
      })
    } finally {
      staging?.destroy()
    }
  }

  /** Resolves when all submitted work has been done. */
  whenDone(): Promise<unknown> {
    return nameWait('the GPU to finish its work', this.gpu.queue.onSubmittedWorkDone())
  }

  /** Whether consecutive invocations share a subgroup, as the kernels assume; WebGPU does not promise it. */
  async #hasLinearSubgroups(size: number): Promise<boolean> {
    const code = `enable subgroups;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(subgroup_invocation_id) own: u32) {
  let other = subgroupShuffleXor(lane, ${size / 2}u);
  found[lane] = select(0u, 1u, own % ${size}u == lane % ${size}u && other == (lane ^ ${size / 2}u));
}`
    const kernel = await this.compile(code, ['write'])
    const found = this.createStorage(4 * 128)
    const steps = this.gpu.createBuffer({ size: 256, usage: usage.uniform })
    const encoder = this.gpu.createCommandEncoder()
    const pass = encoder.beginComputePass()
    pass.setPipeline(kernel.pipeline)
    pass.setBindGroup(0, this.bind(kernel, steps, 256, [found]), [0])
    pass.dispatchWorkgroups(1)
    pass.end()
    this.gpu.queue.submit([encoder.finish()])
    const [answers] = await this.read([{ buffer: found, byteLength: 4 * 128 }])
    return new Uint32Array(answers.buffer).every((answer) => answer === 1)
  }
}

/** The error for a device that has no memory left. */
const memoryError = (): InputError =>
  new InputError('memory', 'The graphics card has no memory left; use the CPU engine, or a smaller rank.')

/** The error for any other failure that WebGPU reports. */
const gpuError = ({ message }: GPUError): Error =>
  new Error(`The graphics card does not do its work: ${message}`)

/** The size of a buffer for `byteLength` bytes: a multiple of 16, and never 0. */
const bufferSize = (byteLength: number): number => Math.max(16, Math.ceil(byteLength / 16) * 16)
