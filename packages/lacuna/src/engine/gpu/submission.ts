/**
 * What the device is asked to do, in the order in which it is to be done. Many dispatches go in one submission, but none is
 * long: the card also draws the screen, and some systems take a card that does not answer for two seconds for broken. How
 * much goes in one changes nothing in the result, so it may follow the clock.
 */
import type { Device, GpuKernel } from './device.ts'
import { usage } from './device.ts'
import { type StepWords, slotBytes, writeStep } from './wgsl/step.ts'

export interface Dispatch {
  kernel: GpuKernel
  group: GPUBindGroup
  step: StepWords
  /** Workgroups; the first number may be large. */
  groups: number
  layers?: number
  /** About how much it is, in vectors of four that are multiplied; some are so short that it does not matter. */
  work?: number
}

/** Slots for steps: so many dispatches go in a submission. */
const MOST_DISPATCHES = 1024
/** A submission is to take about so long. */
const WANTED_MS = 20
/** What takes less cannot be measured. */
const SHORTEST_MS = 0.05
/** Work of the first submission: next to nothing on a card, half a second where a program stands in for one. */
const FIRST_WORK = 4e6
/** A dispatch takes time even if there is next to nothing to do. */
const LEAST_WORK = 1e5

export class Submitting {
  readonly steps: GPUBuffer
  readonly slot: number
  readonly #device: Device
  readonly #staging: ArrayBuffer
  #pending: Dispatch[] = []
  #work = 0
  #most = FIRST_WORK
  /** Submissions that are not done: the last and the one before. */
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

  /** Waits, if enough is under way. */
  async add(dispatch: Dispatch): Promise<void> {
    if (this.#pending.length === MOST_DISPATCHES) await this.#submit()
    this.#pending.push(dispatch)
    this.#work += Math.max(LEAST_WORK, dispatch.work ?? 0)
    if (this.#work >= this.#most) await this.#submit()
  }

  /** Hands over what has been added; says nothing of when it is done. */
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

  /** Submits, and waits for the submission before the last: so the device always has something to do. */
  async #submit(): Promise<void> {
    const work = this.#work
    const start = performance.now()
    this.flush()
    const before = this.#last
    this.#last = this.#device.done()
    this.#last.catch(() => {}) // nobody may wait for it any more when the device is lost
    await this.#before
    this.#before = before
    await before
    this.#learn(work, performance.now() - start)
  }

  #learn(work: number, ms: number): void {
    if (work < this.#most / 2) return
    const fitting = (work / Math.max(ms, SHORTEST_MS)) * WANTED_MS
    this.#most = Math.min(4 * this.#most, Math.max(this.#most / 4, fitting, 1e6))
  }

  /** Until everything has been done. */
  async finish(): Promise<void> {
    this.flush()
    await this.#device.done()
  }
}
