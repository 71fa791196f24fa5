/** Dispatches for unlisted cells as zeros: sums over all cells, from UᵀU of every factor (wgsl/zeros.ts). */
import type { ErrorSums } from '../../engine.ts'
import type { Access, Device } from '../device.ts'
import { quadsOf, type Shape, tilesOf } from '../shape.ts'
import type { SubmissionQueue } from '../submission.ts'
import type { Tables } from '../tables.ts'
import type { StepWords } from '../wgsl/step.ts'
import {
  addProductsKernel,
  MOST_PRODUCT_BLOCKS,
  multiplyProductsKernel,
  PRODUCTS_TEAM,
  productQuads,
  productSumsKernel,
} from '../wgsl/zeros.ts'

/** Sums over all cells of a problem on a device whose unlisted cells are zeros. */
export class DeviceZeros {
  /** (tiles × 16) Σ k kᵀ over all cells of a row of the mode of the last `prepare`. */
  readonly cells: GPUBuffer
  readonly #device: Device
  readonly #tables: Tables
  readonly #shape: Shape
  readonly #factors: GPUBuffer
  readonly #queue: SubmissionQueue
  /** (N × tiles × 16) UᵀU of every mode. */
  readonly #products: GPUBuffer
  /** (MOST_PRODUCT_BLOCKS × tiles × 16) */
  readonly #blockProducts: GPUBuffer
  readonly #groups = new Map<string, GPUBindGroup>()

  /** @param own registers a buffer with its owner, which destroys it */
  constructor(
    device: Device,
    tables: Tables,
    shape: Shape,
    factors: GPUBuffer,
    queue: SubmissionQueue,
    own: (buffer: GPUBuffer) => GPUBuffer,
  ) {
    this.#device = device
    this.#tables = tables
    this.#shape = shape
    this.#factors = factors
    this.#queue = queue
    const bytes = 16 * productQuads(shape)
    this.cells = own(device.createStorage(bytes))
    this.#products = own(device.createStorage(shape.order * bytes))
    this.#blockProducts = own(device.createStorage(MOST_PRODUCT_BLOCKS * bytes))
  }

  /** Enqueues the computation of UᵀU of a mode, after its factor has changed. */
  async multiplyColumns(mode: number): Promise<void> {
    const shape = this.#shape
    const { firstRow, rows } = this.#tables.modes[mode]
    const perBlock = Math.ceil(rows / MOST_PRODUCT_BLOCKS)
    const blocks = Math.ceil(rows / perBlock)
    await this.#add(productSumsKernel(shape), [this.#factors, this.#blockProducts], {
      step: { rows: [firstRow, firstRow + rows], count: perBlock },
      groups: blocks,
      layers: Math.ceil(tilesOf(shape) / PRODUCTS_TEAM),
      work: 4 * rows * tilesOf(shape),
    })
    const groups = Math.ceil(productQuads(shape) / PRODUCTS_TEAM)
    const step = { base: mode * productQuads(shape), count: blocks, lambda: 1 }
    await this.#add(addProductsKernel(shape), [this.#blockProducts, this.#products], { step, groups })
  }

  /** Enqueues the computation of `cells`, which a step of a mode needs, from UᵀU of the other modes. */
  async prepare(mode: number): Promise<void> {
    const groups = Math.ceil(productQuads(this.#shape) / PRODUCTS_TEAM)
    await this.#add(multiplyProductsKernel(this.#shape), [this.#products, this.cells], {
      step: { mode },
      groups,
    })
  }

  /**
   * Computes Σ y² and Σ y over all cells: from the products of the columns of all factors, and from their
   * sums.
   * @param totals (N × R') the column sums of every mode, on the device
   */
  async sumAllCells(totals: GPUBuffer): Promise<ErrorSums> {
    const { order, rank } = this.#shape
    for (let mode = 0; mode < order; mode++) await this.multiplyColumns(mode)
    this.#queue.flush()
    const width = 4 * quadsOf(this.#shape)
    const size = 4 * productQuads(this.#shape)
    const [products, columns] = await this.#device.read([
      { buffer: this.#products, byteLength: 4 * order * size },
      { buffer: totals, byteLength: 4 * order * width },
    ])
    const multiply = (numbers: Float32Array, stride: number, at: number): number => {
      let product = 1
      for (let mode = 0; mode < order; mode++) product *= numbers[mode * stride + at]
      return product
    }
    const sums = { squares: 0, absolutes: 0 }
    for (let r = 0; r < rank; r++) sums.absolutes += multiply(columns, width, r)
    let tile = 0
    for (let column = 0; column < quadsOf(this.#shape); column++)
      for (let row = 0; row <= column; row++, tile++)
        for (let at = 0; at < 16; at++)
          sums.squares += (row === column ? 1 : 2) * multiply(products, size, 16 * tile + at)
    return sums
  }

  /** Enqueues a kernel, compiled and bound when it is first used. @param buffers the last one is written */
  async #add(
    code: string,
    buffers: readonly GPUBuffer[],
    dispatch: { step: StepWords; groups: number; layers?: number; work?: number },
  ): Promise<void> {
    const { steps, slot } = this.#queue
    const access: Access[] = buffers.map((_, i) => (i + 1 < buffers.length ? 'read' : 'write'))
    const kernel = await this.#device.compile(code, access)
    const group = this.#groups.get(code) ?? this.#device.bind(kernel, steps, slot, buffers)
    this.#groups.set(code, group)
    await this.#queue.add({ kernel, group, ...dispatch })
  }
}
