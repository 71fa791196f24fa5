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

/** Balances the factors of a problem on a device: same formulas as engine/cpu/steps/balance.ts. */
export class DeviceBalance {
  readonly #device: Device
  readonly #tables: Tables
  readonly #shape: Shape
  readonly #hasMomentumFactors: boolean
  readonly #buffers: DeviceBuffers
  readonly #queue: SubmissionQueue
  readonly #groups = new Map<string, GPUBindGroup>()

  constructor(
    device: Device,
    tables: Tables,
    shape: Shape,
    hasMomentumFactors: boolean,
    buffers: DeviceBuffers,
    queue: SubmissionQueue,
  ) {
    this.#device = device
    this.#tables = tables
    this.#shape = shape
    this.#hasMomentumFactors = hasMomentumFactors
    this.#buffers = buffers
    this.#queue = queue
  }

  /**
   * Gives the columns equal norms in all modes, computes v and the mean rows, and fills rows without entries.
   */
  async run(): Promise<void> {
    const shape = this.#shape
    const { rows, vectors, by, totals, factors, momentumFactors } = this.#buffers
    const count = this.#tables.rows.length / 4
    const groups = Math.ceil((count * quadsOf(shape)) / BALANCE_TEAM)
    const hasMomentumFactors = this.#hasMomentumFactors
    await this.#sumColumns(true)
    await this.#add(scalesKernel(shape), [totals], [vectors, by], { count: shape.rank }, 1)
    await this.#add(
      scaleRowsKernel(shape),
      [rows, by],
      [factors, momentumFactors],
      { count, hasMomentumFactors },
      groups,
    )
    await this.#sumColumns(false)
    await this.#average(vectors, 2)
    await this.#queue.finish()
  }

  /** Gives rows without entries the mean of the others. */
  async fillEmptyRows(): Promise<void> {
    await this.#sumColumns(false)
    await this.#average(this.#buffers.by, 1)
    await this.#queue.finish()
  }

  /** Writes the sum of each column, or of its squares, over the rows with entries to `totals`. */
  async #sumColumns(squares: boolean): Promise<void> {
    const shape = this.#shape
    const { rows, blocks, factors, blockSums, modes, totals } = this.#buffers
    const count = blocksOf(this.#tables).length
    const groups = Math.ceil((count * quadsOf(shape)) / BALANCE_TEAM)
    await this.#add(blockSumsKernel(shape, squares), [rows, blocks, factors], [blockSums], { count }, groups)
    await this.#add(totalsKernel(shape), [modes, blockSums], [totals], {}, shape.order * quadsOf(shape))
  }

  /**
   * Writes the mean rows to `means`, which has `base` vectors per mode, as the last of them; fills rows
   * without entries with them.
   */
  async #average(means: GPUBuffer, base: number): Promise<void> {
    const shape = this.#shape
    const { rows, modes, totals, factors } = this.#buffers
    const count = this.#tables.rows.length / 4
    await this.#add(meansKernel(shape), [modes, totals], [means], { base }, shape.order * quadsOf(shape))
    if (this.#tables.modes.every((mode) => mode.observed === mode.rows)) return
    const groups = Math.ceil((count * quadsOf(shape)) / BALANCE_TEAM)
    await this.#add(fillKernel(shape), [rows, means], [factors], { base, count }, groups)
  }

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

/** The first row and the end of each block of rows; no block has rows of two modes. */
export function blocksOf({ modes }: Tables): [number, number][] {
  return modes.flatMap(({ firstRow, rows }) =>
    Array.from({ length: Math.ceil(rows / BLOCK_ROWS) }, (_, block): [number, number] => [
      firstRow + block * BLOCK_ROWS,
      firstRow + Math.min(rows, (block + 1) * BLOCK_ROWS),
    ]),
  )
}
