/**
 * Dispatches that sum errors over views: per segment, then over blocks of segments, which the CPU adds in
 * float64.
 */
import type { ErrorSums } from '../../engine.ts'
import type { Device } from '../device.ts'
import type { DeviceView } from '../deviceBuffers.ts'
import { quadsOf, teamFor } from '../shape.ts'
import type { SubmissionQueue } from '../submission.ts'
import type { Tables, ViewTable } from '../tables.ts'
import { ERROR_BLOCK, errorsKernel, reduceErrorsKernel } from '../wgsl/errors.ts'

/** A view on the device, with buffers for its error sums. */
interface ErrorView extends DeviceView {
  /** Whether the sums are those of listed cells less what zeros would have there. */
  zeros: boolean
  /** (count × 4) ViewTable.segments */
  segments: GPUBuffer
  /** Segments of the view. */
  count: number
  entries: number
  /** (count × 2) Σ w d² and Σ w |d| of each segment. */
  errors: GPUBuffer
  /** (⌈count / ERROR_BLOCK⌉ × 2) The sums over each block of segments. */
  reduced: GPUBuffer
}

/** Sums errors over the sets of a problem on a device. */
export class DeviceErrors {
  readonly #device: Device
  readonly #tables: Tables
  readonly #factors: GPUBuffer
  readonly #queue: SubmissionQueue
  readonly #views = new Map<string, ErrorView>()

  constructor(device: Device, tables: Tables, factors: GPUBuffer, queue: SubmissionQueue) {
    this.#device = device
    this.#tables = tables
    this.#factors = factors
    this.#queue = queue
  }

  /**
   * Registers a set of entries under a name, and creates the buffers for its sums.
   * @param own registers a buffer with its owner, which destroys it
   * @param zeros whether unlisted cells are zeros: `sum` then gives the difference that the listed cells make
   */
  add(
    name: string,
    view: ViewTable,
    uploaded: DeviceView,
    segments: GPUBuffer,
    own: (buffer: GPUBuffer) => GPUBuffer,
    zeros = false,
  ): void {
    const count = view.segments.length / 4
    const team = teamFor(uploaded.shape, view.entries / count)
    this.#device.warm(errorsKernel(uploaded.shape, team, zeros), 3, 1)
    this.#device.warm(reduceErrorsKernel(uploaded.shape), 1, 1)
    this.#views.set(name, {
      ...uploaded,
      zeros,
      segments,
      count,
      entries: view.entries,
      errors: own(this.#device.createStorage(8 * count)),
      reduced: own(this.#device.createStorage(8 * Math.ceil(count / ERROR_BLOCK))),
    })
  }

  /** Computes Σ w d² and Σ w |d|, d the residual of an entry, over each of the named sets. */
  async sum(names: readonly string[]): Promise<ErrorSums[]> {
    const views = names.map((name) => this.#views.get(name)!)
    for (const view of views) await this.#sumErrors(view)
    this.#queue.flush()
    const found = await this.#device.read(
      views.map(({ reduced, count }) => ({
        buffer: reduced,
        byteLength: 8 * Math.ceil(count / ERROR_BLOCK),
      })),
    )
    return found.map((sums) => {
      const total = { squares: 0, absolutes: 0 }
      for (let at = 0; at < sums.length; at += 2) {
        total.squares += sums[at]
        total.absolutes += sums[at + 1]
      }
      return total
    })
  }

  /** Enqueues the kernels that sum the errors of a view. */
  async #sumErrors(view: ErrorView): Promise<void> {
    const { shape, slices, zeros, segments, count, entries, errors, reduced } = view
    const { steps, slot } = this.#queue
    const team = teamFor(shape, entries / count)
    const kernel = await this.#device.compile(errorsKernel(shape, team, zeros), [
      'read',
      'read',
      'read',
      'write',
    ])
    const others = this.#tables.modes.slice(1).map(({ firstRow }) => firstRow)
    for (const { buffer, segments: range, records } of slices) {
      const group = this.#device.bind(kernel, steps, slot, [buffer, this.#factors, segments, errors])
      const step = { segments: range, firstRecord: records[0], others }
      const work = quadsOf(shape) * (records[1] - records[0])
      await this.#queue.add({ kernel, group, step, groups: range[1] - range[0], work })
    }
    const reduce = await this.#device.compile(reduceErrorsKernel(shape), ['read', 'write'])
    const group = this.#device.bind(reduce, steps, slot, [errors, reduced])
    await this.#queue.add({
      kernel: reduce,
      group,
      step: { count },
      groups: Math.ceil(count / ERROR_BLOCK),
    })
  }
}
