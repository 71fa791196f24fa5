/** Sums of errors over views, as dispatches: per segment, then over blocks of segments, which the CPU adds up. */
import type { ErrorSums } from '../engine.ts'
import type { Device } from './device.ts'
import type { DeviceView } from './deviceProblem.ts'
import { quadsOf, teamFor } from './shape.ts'
import type { Submitting } from './submission.ts'
import type { Tables, ViewTable } from './tables.ts'
import { ERROR_BLOCK, errorsKernel, foldErrorsKernel } from './wgsl/errors.ts'

/** A view whose errors can be asked for. */
interface ErrorView extends DeviceView {
  segments: GPUBuffer
  count: number
  entries: number
  errors: GPUBuffer
  folded: GPUBuffer
}

export class Erring {
  readonly #device: Device
  readonly #tables: Tables
  readonly #factors: GPUBuffer
  readonly #submitting: Submitting
  readonly #views = new Map<string, ErrorView>()

  constructor(device: Device, tables: Tables, factors: GPUBuffer, submitting: Submitting) {
    this.#device = device
    this.#tables = tables
    this.#factors = factors
    this.#submitting = submitting
  }

  /** own: says whose buffers are. */
  add(
    name: string,
    view: ViewTable,
    uploaded: DeviceView,
    segments: GPUBuffer,
    own: (buffer: GPUBuffer) => GPUBuffer,
  ): void {
    const count = view.segments.length / 4
    this.#views.set(name, {
      ...uploaded,
      segments,
      count,
      entries: view.entries,
      errors: own(this.#device.storage(8 * count)),
      folded: own(this.#device.storage(8 * Math.ceil(count / ERROR_BLOCK))),
    })
  }

  async errors(names: readonly string[]): Promise<ErrorSums[]> {
    const views = names.map((name) => this.#views.get(name)!)
    for (const view of views) await this.#sumErrors(view)
    this.#submitting.flush()
    const found = await this.#device.read(
      views.map(({ folded, count }) => ({ buffer: folded, byteLength: 8 * Math.ceil(count / ERROR_BLOCK) })),
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

  async #sumErrors({ shape, slices, segments, count, entries, errors, folded }: ErrorView): Promise<void> {
    const { steps, slot } = this.#submitting
    const team = teamFor(shape, entries / count)
    const kernel = await this.#device.compile(errorsKernel(shape, team), ['read', 'read', 'read', 'write'])
    const others = this.#tables.modes.slice(1).map(({ firstRow }) => firstRow)
    for (const { buffer, segments: range, records } of slices) {
      const group = this.#device.bind(kernel, steps, slot, [buffer, this.#factors, segments, errors])
      const step = { segments: range, firstRecord: records[0], others }
      const work = quadsOf(shape) * (records[1] - records[0])
      await this.#submitting.add({ kernel, group, step, groups: range[1] - range[0], work })
    }
    const fold = await this.#device.compile(foldErrorsKernel(shape), ['read', 'write'])
    const group = this.#device.bind(fold, steps, slot, [errors, folded])
    await this.#submitting.add({
      kernel: fold,
      group,
      step: { count },
      groups: Math.ceil(count / ERROR_BLOCK),
    })
  }
}
