/** Columns made equally long in every mode, and rows without entries filled with means: as dispatches. */
import type { Device } from './device.ts'
import type { DeviceBuffers } from './deviceProblem.ts'
import { quadsOf, type Shape } from './shape.ts'
import type { Submitting } from './submission.ts'
import type { Tables } from './tables.ts'
import {
  BALANCE_TEAM,
  BLOCK_ROWS,
  blockSumsKernel,
  fillKernel,
  meansKernel,
  scaleRowsKernel,
  scalesKernel,
  totalsKernel,
} from './wgsl/balance.ts'

export class Balancing {
  readonly #device: Device
  readonly #tables: Tables
  readonly #shape: Shape
  readonly #hasMomentumFactors: boolean
  readonly #buffers: DeviceBuffers
  readonly #submitting: Submitting
  readonly #groups = new Map<string, GPUBindGroup>()

  constructor(
    device: Device,
    tables: Tables,
    shape: Shape,
    hasMomentumFactors: boolean,
    buffers: DeviceBuffers,
    submitting: Submitting,
  ) {
    this.#device = device
    this.#tables = tables
    this.#shape = shape
    this.#hasMomentumFactors = hasMomentumFactors
    this.#buffers = buffers
    this.#submitting = submitting
  }

  async balance(): Promise<void> {
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
    await this.#submitting.finish()
  }

  async fillEmptyRows(): Promise<void> {
    await this.#sumColumns(false)
    await this.#average(this.#buffers.by, 1)
    await this.#submitting.finish()
  }

  /** Sums over the rows with entries of each column, or of its squares, into `totals`. */
  async #sumColumns(squares: boolean): Promise<void> {
    const shape = this.#shape
    const { rows, blocks, factors, blockSums, modes, totals } = this.#buffers
    const count = blocksOf(this.#tables).length
    const groups = Math.ceil((count * quadsOf(shape)) / BALANCE_TEAM)
    await this.#add(blockSumsKernel(shape, squares), [rows, blocks, factors], [blockSums], { count }, groups)
    await this.#add(totalsKernel(shape), [modes, blockSums], [totals], {}, shape.order * quadsOf(shape))
  }

  /** Means from totals into a buffer that has `base` vectors per mode, the last of them; rows without entries get them. */
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
    const { steps, slot } = this.#submitting
    const access = [...read.map(() => 'read' as const), ...write.map(() => 'write' as const)]
    const kernel = await this.#device.compile(code, access)
    const key = code + step.base
    const group = this.#groups.get(key) ?? this.#device.bind(kernel, steps, slot, [...read, ...write])
    this.#groups.set(key, group)
    const sizes = { mode: this.#shape.order, quads: quadsOf(this.#shape) }
    await this.#submitting.add({ kernel, group, step: { ...sizes, ...step }, groups })
  }
}

/** Blocks of rows of one mode each, of all modes' rows. */
export function blocksOf({ modes }: Tables): [number, number][] {
  return modes.flatMap(({ firstRow, rows }) =>
    Array.from({ length: Math.ceil(rows / BLOCK_ROWS) }, (_, block): [number, number] => [
      firstRow + block * BLOCK_ROWS,
      firstRow + Math.min(rows, (block + 1) * BLOCK_ROWS),
    ]),
  )
}
