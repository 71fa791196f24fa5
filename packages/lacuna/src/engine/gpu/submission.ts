/**
 * The queue of dispatches to a device. Many dispatches go into one submission, but no submission takes long:
 * the GPU also draws the screen, and some systems reset a GPU that does not respond for two seconds. The size
 * of a submission changes nothing in the result, so it may depend on the clock.
 */
import type { Device, GpuKernel } from './device.ts'
import { usage } from './device.ts'
import { type StepWords, slotBytes, writeStep } from './wgsl/step.ts'

/** One dispatch of a kernel. */
export interface Dispatch {
  kernel: GpuKernel
  group: GPUBindGroup
  step: StepWords
  /** Workgroups; may exceed what a device allows in one dimension. */
  groups: number
  layers?: number
  /** Approximate work, in multiplications of vectors of four; 0 by default. */
  work?: number
}

/** Dispatches per submission, each with a slot for its step words. */
const MOST_DISPATCHES = 1024
/** The duration that a submission should take. */
const WANTED_MS = 20
/** Shorter durations cannot be measured. */
const SHORTEST_MS = 0.05
/** Work of the first submission: next to nothing on a GPU, half a second on a software adapter. */
const FIRST_WORK = 4e6
/** The least that a dispatch counts, since even an empty one takes time. */
const LEAST_WORK = 1e5

/** Collects dispatches and submits them in pieces of about 20 ms. */
export class SubmissionQueue {
  readonly steps: GPUBuffer
  readonly slot: number
  readonly #device: Device
  readonly #staging: ArrayBuffer
  #pending: Dispatch[] = []
  #work = 0
  #most = FIRST_WORK
  /** Resolve when the last submission, and the one before it, are done. */
  #last: Promise<unknown> = Promise.resolve()
  #before: Promise<unknown> = Promise.resolve()

  constructor(device: Device, order: number) {
    this.#device = device
    this.slot = slotBytes(order)
    this.steps = device.gpu.createBuffer({
      size: MOST_DISPATCHES * this.slot,
      usage: usage.uniform | usage.copyTarget,
    })
    this.#staging = new ArrayBuffer(MOST_DISPATCHES * this.slot)
  }

  /** Adds a dispatch; waits while two submissions are under way. */
  async add(dispatch: Dispatch): Promise<void> {
    if (this.#pending.length === MOST_DISPATCHES) await this.#submit()
    this.#pending.push(dispatch)
    this.#work += Math.max(LEAST_WORK, dispatch.work ?? 0)
    if (this.#work >= this.#most) await this.#submit()
  }

  /** Submits the pending dispatches without waiting. */
  flush(): void {
    const { gpu, mostGroups } = this.#device
    if (this.#pending.length === 0) return
    this.#pending.forEach(({ step }, i) => {
      writeStep(this.#staging, i * this.slot, step)
    })
    gpu.queue.writeBuffer(this.steps, 0, this.#staging, 0, this.#pending.length * this.slot)
    const encoder = gpu.createCommandEncoder()
    const pass = encoder.beginComputePass()
    let current: GPUComputePipeline | undefined
    this.#pending.forEach(({ kernel, group, groups, layers = 1 }, i) => {
      if (groups === 0) return
      if (kernel.pipeline !== current) pass.setPipeline(kernel.pipeline)
      current = kernel.pipeline
      pass.setBindGroup(0, group, [i * this.slot])
      const x = Math.min(groups, mostGroups)
      pass.dispatchWorkgroups(x, Math.ceil(groups / x), layers)
    })
    pass.end()
    gpu.queue.submit([encoder.finish()])
    this.#pending = []
    this.#work = 0
  }

  /** Submits, and waits for the submission before the last, so that the device always has work. */
  async #submit(): Promise<void> {
    const work = this.#work
    const start = performance.now()
    this.flush()
    const before = this.#last
    this.#last = this.#device.whenDone()
    this.#last.catch(() => {}) // nobody may wait for it any more when the device is lost
    await this.#before
    this.#before = before
    await before
    this.#learn(work, performance.now() - start)
  }

  /** Adapts the work of a submission to the measured speed. */
  #learn(work: number, ms: number): void {
    if (work < this.#most / 2) return
    const fitting = (work / Math.max(ms, SHORTEST_MS)) * WANTED_MS
    this.#most = Math.min(4 * this.#most, Math.max(this.#most / 4, fitting, 1e6))
  }

  /** Submits the pending dispatches and resolves when all are done. */
  async finish(): Promise<void> {
    this.flush()
    await this.#device.whenDone()
  }
}
