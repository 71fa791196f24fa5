/**
 * The queue of dispatches to a device. Many dispatches go into one submission, but no submission takes long:
 * the GPU also draws the screen, and some systems reset a GPU that does not respond for two seconds. The size
 * of a submission changes nothing in the result, so it may depend on the clock.
 */
import type { Device, GpuKernel } from './device.ts'
import { usage } from './device.ts'
import { type StepWords, slotBytes, writeStep } from './wgsl/step.ts'

/** A kernel with its bindings and its number of workgroups. */
export interface Dispatch {
  kernel: GpuKernel
  group: GPUBindGroup
  /** Its parameters: those of a step, or the words of another kernel's own. */
  step: StepWords | Uint32Array
  /** Workgroups per layer; may exceed what a device allows in one dimension. */
  groups: number
  /** Workgroups in the second dimension, if `groups` are those of the first; by default it continues the first. */
  rows?: number
  /** Workgroups in the third dimension; 1 by default. */
  layers?: number
  /** Approximate work, in multiplications of quads (shape.ts); 0 by default. */
  work?: number
}

/** Most dispatches per submission; each has a slot for its parameters. */
const MOST_DISPATCHES = 1024
/** The duration in milliseconds that a submission should take. */
const WANTED_MS = 20
/** The shortest duration in milliseconds that can be measured. */
const SHORTEST_MS = 0.05
/** Work of the first submission: next to nothing on a GPU, half a second on a software adapter. */
const FIRST_WORK = 4e6
/** The least work that a dispatch counts for, since even an empty one takes time. */
const LEAST_WORK = 1e5

/** Collects dispatches and submits them, in order, in submissions of about 20 ms. */
export class SubmissionQueue {
  /** The uniform buffer of the parameters of the dispatches of a submission; the caller destroys it. */
  readonly steps: GPUBuffer
  /** Bytes of the parameters of one dispatch in `steps`. */
  readonly slot: number
  readonly #device: Device
  readonly #staging: ArrayBuffer
  #pending: Dispatch[] = []
  /** Work of the pending dispatches. */
  #work = 0
  /** Work from which on the pending dispatches are submitted; adapted to the speed of the device. */
  #maxWork = FIRST_WORK
  /** Resolves when the last submission is done. */
  #last: Promise<unknown> = Promise.resolve()
  /** Resolves when the submission before the last is done. */
  #beforeLast: Promise<unknown> = Promise.resolve()

  /** @param order the number of modes, which determines the size of a slot */
  constructor(device: Device, order: number) {
    this.#device = device
    this.slot = slotBytes(order)
    this.steps = device.gpu.createBuffer({
      size: MOST_DISPATCHES * this.slot,
      usage: usage.uniform | usage.copyTarget,
    })
    this.#staging = new ArrayBuffer(MOST_DISPATCHES * this.slot)
  }

  /**
   * Adds a dispatch, and submits when there is enough work; then waits while two submissions are under way.
   */
  async add(dispatch: Dispatch): Promise<void> {
    if (this.#pending.length === MOST_DISPATCHES) await this.#submit()
    this.#pending.push(dispatch)
    this.#work += Math.max(LEAST_WORK, dispatch.work ?? 0)
    if (this.#work >= this.#maxWork) await this.#submit()
  }

  /** Submits the pending dispatches without waiting for them. */
  flush(): void {
    const { gpu, maxWorkgroups } = this.#device
    if (this.#pending.length === 0) return
    this.#pending.forEach(({ step }, i) => {
      if (step instanceof Uint32Array) new Uint32Array(this.#staging, i * this.slot).set(step)
      else writeStep(this.#staging, i * this.slot, step)
    })
    gpu.queue.writeBuffer(this.steps, 0, this.#staging, 0, this.#pending.length * this.slot)
    const encoder = gpu.createCommandEncoder()
    const pass = encoder.beginComputePass()
    let current: GPUComputePipeline | undefined
    this.#pending.forEach(({ kernel, group, groups, rows, layers = 1 }, i) => {
      if (groups === 0) return
      if (kernel.pipeline !== current) pass.setPipeline(kernel.pipeline)
      current = kernel.pipeline
      pass.setBindGroup(0, group, [i * this.slot])
      const x = Math.min(groups, maxWorkgroups)
      pass.dispatchWorkgroups(x, rows ?? Math.ceil(groups / x), layers)
    })
    pass.end()
    gpu.queue.submit([encoder.finish()])
    this.#pending = []
    this.#work = 0
  }

  /**
   * Submits the pending dispatches, and waits for the submission before them: the device always has work, but
   * never more than two submissions.
   */
  async #submit(): Promise<void> {
    const work = this.#work
    const start = performance.now()
    this.flush()
    const before = this.#last
    this.#last = this.#device.whenDone()
    this.#last.catch(() => {}) // unhandled otherwise if no caller awaits it when the device is lost
    await this.#beforeLast
    this.#beforeLast = before
    await before
    this.#adaptWork(work, performance.now() - start)
  }

  /** Adapts the work of a submission, by a factor of at most 4, to one that took `ms` milliseconds. */
  #adaptWork(work: number, ms: number): void {
    if (work < this.#maxWork / 2) return
    const fitting = (work / Math.max(ms, SHORTEST_MS)) * WANTED_MS
    this.#maxWork = Math.min(4 * this.#maxWork, Math.max(this.#maxWork / 4, fitting, 1e6))
  }

  /** Submits the pending dispatches and resolves when all submitted work is done. */
  async finish(): Promise<void> {
    this.flush()
    await this.#device.whenDone()
  }
}
