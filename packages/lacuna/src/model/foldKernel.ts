/**
 * The kernel of cross-fitting, in wasm (kernels/folds): the loops over entries of the stages from models to an
 * ensemble, which in JavaScript take twice as long, and longer when they run for the first time. Hidden state:
 * the compiled kernel and one idle instance, since it takes as long to make them as to run a small stage.
 */
import { foldKernel } from '../embedded/foldKernel.js'
import { reshapeColumns } from '../tensor/index.ts'
import type { Factored } from './factored.ts'
import type { FoldKernelExports } from './foldKernelExports.ts'
import { meanInDataUnits } from './predict/link.ts'

/** Arrays that can be written to the memory. */
type NumberArray = Float32Array | Float64Array | Uint32Array | Int32Array | Uint8Array | BigUint64Array

/** Bytes per page of wasm memory. */
const PAGE = 2 ** 16

/** Most entries of a shard: an instance has at most 4 GiB. */
const MOST_PER_SHARD = 2 ** 24

/**
 * Cuts entries into shards, each of which fits into the memory of one instance of the kernel.
 * @param most entries of a shard; 2²⁴ by default
 */
export const shardsOf = (entries: number, most = MOST_PER_SHARD): { from: number; to: number }[] =>
  Array.from({ length: Math.max(1, Math.ceil(entries / most)) }, (_, shard) => ({
    from: shard * most,
    to: Math.min(entries, (shard + 1) * most),
  }))

/** The compiled kernel, once per process. */
let compiled: WebAssembly.Module | undefined
/** An instance that is not in use, if there is one. */
let idle: FoldKernel | undefined
/** Most bytes of memory of an instance that is kept. */
const MOST_IDLE = 2 ** 26

/** Calls `work` with an instance of the kernel; what is in its memory is valid until `work` returns. */
export function useKernel<T>(work: (kernel: FoldKernel) => T): T {
  const kernel = idle ?? new FoldKernel()
  idle = undefined
  try {
    return work(kernel)
  } finally {
    kernel.free()
    if (kernel.run.memory.buffer.byteLength <= MOST_IDLE) idle = kernel
  }
}

/**
 * An instance of the kernel, with memory of its own, which is freed with the instance. Arrays are allocated one
 * behind another, and none is freed before the others.
 */
export class FoldKernel {
  /** The functions of the kernel. */
  readonly run: FoldKernelExports
  /** The first free address. */
  #free: number
  /** The first address that was never allocated: memory from there on is all 0. */
  #unused: number

  constructor() {
    compiled ??= new WebAssembly.Module(Uint8Array.from(atob(foldKernel), (char) => char.charCodeAt(0)))
    this.run = new WebAssembly.Instance(compiled).exports as unknown as FoldKernelExports
    this.#free = this.run.freeFrom()
    this.#unused = this.#free
  }

  /** Frees all that was allocated. */
  free(): void {
    this.#free = this.run.freeFrom()
  }

  /** Allocates memory, all 0; returns its address. Throws a RangeError if there is not enough. */
  allocate(bytes: number): number {
    const address = this.#free
    // The kernel reads up to 16 bytes at a time.
    this.#free += Math.ceil(bytes / 16) * 16 + 16
    const { memory } = this.run
    const missing = this.#free - memory.buffer.byteLength
    // Grows by a quarter at least: every growth makes a new buffer.
    if (missing > 0) memory.grow(Math.ceil(Math.max(missing, memory.buffer.byteLength / 4) / PAGE))
    if (address < this.#unused)
      new Uint8Array(memory.buffer, address, Math.min(this.#unused, this.#free) - address).fill(0)
    this.#unused = Math.max(this.#unused, this.#free)
    return address
  }

  /** Copies an array to the memory; returns its address. */
  put(array: NumberArray): number {
    const address = this.allocate(array.byteLength)
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
    new Uint8Array(this.run.memory.buffer, address).set(bytes)
    return address
  }

  /** Copies arrays to the memory, and a table of their addresses; returns the address of the table. */
  putAll(arrays: readonly NumberArray[]): number {
    return this.put(Uint32Array.from(arrays, (array) => this.put(array)))
  }

  /** Numbers in the memory; valid until more is allocated. */
  floats(address: number, length: number): Float32Array {
    return new Float32Array(this.run.memory.buffer, address, length)
  }

  /** Numbers in the memory; valid until more is allocated. */
  doubles(address: number, length: number): Float64Array {
    return new Float64Array(this.run.memory.buffer, address, length)
  }

  /**
   * Computes the products of factors at cells.
   * @param columns the address of the table of columns of indices, one per mode of the factors
   * @param count number of cells
   * @returns the address of the products (float64)
   */
  products({ rank, factors }: Pick<Factored, 'rank' | 'factors'>, columns: number, count: number): number {
    const out = this.allocate(8 * count)
    this.run.products(this.putAll(factors), columns, factors.length, rank, count, out)
    return out
  }

  /** Words in the memory; valid until more is allocated. */
  words(address: number, length: number): Uint32Array {
    return new Uint32Array(this.run.memory.buffer, address, length)
  }

  /** Bytes in the memory; valid until more is allocated. */
  bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.run.memory.buffer, address, length)
  }
}

/**
 * Predicts many cells by a model, clipped to the range of its training values, as `predictMany` does.
 * @param indices one column of indices per mode
 */
export function predictByKernel(
  model: Factored & { readonly range?: readonly [number, number] },
  indices: readonly Uint32Array[],
): Float32Array {
  const { rank, factors, reshapedModes, link, range: [least, most] = [-Infinity, Infinity] } = model
  const rows = reshapedModes ? reshapeColumns(reshapedModes, indices) : indices
  const predictions = new Float32Array(indices[0].length)
  for (const { from, to } of shardsOf(predictions.length))
    useKernel((kernel) => {
      const columns = kernel.putAll(rows.map((column) => column.subarray(from, to)))
      const out = kernel.products({ rank, factors }, columns, to - from)
      const products = kernel.doubles(out, to - from)
      for (let e = 0; e < products.length; e++) {
        const y = link ? meanInDataUnits(link, products[e]) : products[e]
        predictions[from + e] = Math.min(most, Math.max(least, y))
      }
    })
  return predictions
}
