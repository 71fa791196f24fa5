/** Dispatches that balance the columns of the factors and fill rows without entries with the mean row. */
import type { Device } from '../device.ts'
import type { DeviceBuffers } from '../deviceBuffers.ts'
import { quadsOf, type Shape } from '../shape.ts'
import type { SubmissionQueue } from '../submission.ts'
import type { Tables } from '../tables.ts'
import {
  BALANCE_TEAM,
  BLOCK_ROWS,
  blockSumsKernel,
  fillKernel,
  meansKernel,
  scaleRowsKernel,
  scalesKernel,
  totalsKernel,
} from '../wgsl/balance.ts'

/** Balances the factors of a problem on a device, by the formulas of engine/cpu/steps/balance.ts. */
export class DeviceBalance {
  readonly #device: Device
  readonly #tables: Tables
  readonly #shape: Shape
  readonly #hasMomentumFactors: boolean
  readonly #zeros: boolean
  readonly #buffers: DeviceBuffers
  readonly #queue: SubmissionQueue
  readonly #groups = new Map<string, GPUBindGroup>()

  /** @param zeros whether unlisted cells are zeros: rows without entries, and those that λ shrinks to, are 0 */
  constructor(
    device: Device,
    tables: Tables,
    shape: Shape,
    hasMomentumFactors: boolean,
    buffers: DeviceBuffers,
    queue: SubmissionQueue,
    zeros: boolean,
  ) {
    this.#zeros = zeros
    this.#device = device
    this.#tables = tables
    this.#shape = shape
    this.#hasMomentumFactors = hasMomentumFactors
    this.#buffers = buffers
    this.#queue = queue
  }

  /**
   * Scales the columns to equal norms in all modes, computes v and the mean rows, and copies the mean row to
   * rows without entries. Resolves when the device is done.
   */
  async run(): Promise<void> {
    const shape = this.#shape
    const { rows, vectors, columnScales, totals, factors, momentumFactors } = this.#buffers
    const count = this.#tables.rows.length / 4
    const groups = Math.ceil((count * quadsOf(shape)) / BALANCE_TEAM)
    const hasMomentumFactors = this.#hasMomentumFactors
    await this.sumColumns(true)
    await this.#add(scalesKernel(shape), [totals], [vectors, columnScales], { count: shape.rank }, 1)
    await this.#add(
      scaleRowsKernel(shape),
      [rows, columnScales],
      [factors, momentumFactors],
      { count, hasMomentumFactors },
      groups,
    )
    await this.average()
    await this.#queue.finish()
  }

  /** Enqueues the mean row of every mode, and copies of it in the rows without entries; keeps `totals`. */
  async average(): Promise<void> {
    await this.sumColumns(false)
    await this.#average(this.#buffers.vectors, 2)
  }

  /** Copies the mean of the rows with entries to those without. Resolves when the device is done. */
  async fillEmptyRows(): Promise<void> {
    await this.sumColumns(false)
    await this.#average(this.#buffers.columnScales, 1) // free between balances
    await this.#queue.finish()
  }

  /** Enqueues the sum of each column, or of its squares, over the rows with entries, to `totals`. */
  async sumColumns(squares: boolean): Promise<void> {
    const shape = this.#shape
    const { rows, blocks, factors, blockSums, modes, totals } = this.#buffers
    const count = blocksOf(this.#tables).length
    const groups = Math.ceil((count * quadsOf(shape)) / BALANCE_TEAM)
    await this.#add(blockSumsKernel(shape, squares), [rows, blocks, factors], [blockSums], { count }, groups)
    await this.#add(totalsKernel(shape), [modes, blockSums], [totals], {}, shape.order * quadsOf(shape))
  }

  /**
   * Writes the mean row of each mode, from `totals`, to the last of its `base` rows in `means`, and copies it
   * to the mode's rows without entries.
   */
  async #average(means: GPUBuffer, base: number): Promise<void> {
    const shape = this.#shape
    const { rows, modes, totals, factors } = this.#buffers
    const count = this.#tables.rows.length / 4
    await this.#add(
      meansKernel(shape, this.#zeros),
      [modes, totals],
      [means],
      { base },
      shape.order * quadsOf(shape),
    )
    if (this.#tables.modes.every((mode) => mode.observed === mode.rows)) return
    const groups = Math.ceil((count * quadsOf(shape)) / BALANCE_TEAM)
    await this.#add(fillKernel(shape), [rows, means], [factors], { base, count }, groups)
  }

  /**
   * Enqueues a kernel, compiled and bound when it is first used.
   * @param read the buffers that it reads, followed in the bindings by those that it writes
   * @param groups its workgroups
   */
  async #add(
    code: string,
    read: readonly GPUBuffer[],
    write: readonly GPUBuffer[],
    step: { count?: number; base?: number; hasMomentumFactors?: boolean },
    groups: number,
  ): Promise<void> {
    const { steps, slot } = this.#queue
    const access = [...read.map(() => 'read' as const), ...write.map(() => 'write' as const)]
    const kernel = await this.#device.compile(code, access)
    const key = code + step.base
    const group = this.#groups.get(key) ?? this.#device.bind(kernel, steps, slot, [...read, ...write])
    this.#groups.set(key, group)
    const sizes = { mode: this.#shape.order, quads: quadsOf(this.#shape) }
    await this.#queue.add({ kernel, group, step: { ...sizes, ...step }, groups })
  }
}

/** Compiles the kernels of balancing in the background. @param zeros whether unlisted cells are zeros */
export function warmBalance(device: Device, shape: Pick<Shape, 'order'>, zeros: boolean): void {
  device.warm(blockSumsKernel(shape, true), 3, 1)
  device.warm(blockSumsKernel(shape, false), 3, 1)
  device.warm(totalsKernel(shape), 2, 1)
  device.warm(scalesKernel(shape), 1, 2)
  device.warm(scaleRowsKernel(shape), 2, 2)
  device.warm(meansKernel(shape, zeros), 2, 1)
  device.warm(fillKernel(shape), 2, 1)
}

/**
 * The blocks of at most BLOCK_ROWS rows, each as its first row and one past its last; none spans two modes.
 */
export function blocksOf({ modes }: Tables): [number, number][] {
  return modes.flatMap(({ firstRow, rows }) =>
    Array.from({ length: Math.ceil(rows / BLOCK_ROWS) }, (_, block): [number, number] => [
      firstRow + block * BLOCK_ROWS,
      firstRow + Math.min(rows, (block + 1) * BLOCK_ROWS),
    ]),
  )
}
