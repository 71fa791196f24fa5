/** The device, the queue and the temporary buffers with which the views of a problem are built. */
import { accessOf, type Device, type GpuKernel } from '../device.ts'
import type { SubmissionQueue } from '../submission.ts'
import {
  countBinsKernel,
  countRowsKernel,
  ENTRY_TEAM,
  placeKernel,
  type SourceWords,
  sortBinsKernel,
  valueSumsKernel,
  writeSource,
} from '../wgsl/setup.ts'
import type { EntrySource, PreparedEntries } from './prepareEntries.ts'

/** Work of an entry in a pass, in multiplications of quads (submission.ts). */
export const WORK_PER_ENTRY = 1

/** The kernels of the set-up, compiled. */
type SetUpKernels = Record<'countRows' | 'countBins' | 'place' | 'sortBins' | 'valueSums', GpuKernel>

/** Compiles the kernels of the set-up, which are the same for all problems. */
export async function compileSetUp(device: Device): Promise<SetUpKernels> {
  const [countRows, countBins, place, sortBins, valueSums] = await Promise.all([
    device.compile(countRowsKernel, accessOf(2, 1)),
    device.compile(countBinsKernel, accessOf(3, 1)),
    device.compile(placeKernel, accessOf(3, 3)),
    device.compile(sortBinsKernel, accessOf(3, 2)),
    device.compile(valueSumsKernel, accessOf(1, 1)),
  ])
  return { countRows, countBins, place, sortBins, valueSums }
}

/**
 * Some entries of a set on the device, in columns of `count` words: indices, values, and if there are any,
 * weights of the mean 1 and weights as they are, for the digest.
 */
export interface Chunk {
  buffer: GPUBuffer
  /** The number of its first entry. */
  first: number
  count: number
}

/** Enqueues kernels of the set-up, and owns the buffers that it needs only meanwhile. */
export class SetUpWork {
  readonly device: Device
  readonly kernels: SetUpKernels
  readonly entries: PreparedEntries
  readonly queue: SubmissionQueue
  readonly #temporary: GPUBuffer[] = []

  constructor(device: Device, queue: SubmissionQueue, kernels: SetUpKernels, entries: PreparedEntries) {
    this.device = device
    this.queue = queue
    this.kernels = kernels
    this.entries = entries
  }

  /** Destroys all temporary buffers. */
  close(): void {
    for (const buffer of this.#temporary) buffer.destroy()
  }

  /**
   * Creates temporary buffers of zeros; rejects with an InputError if the device has no room for them. Many
   * at a time, since to ask whether there was room takes about a millisecond.
   */
  create(...byteLengths: number[]): Promise<GPUBuffer[]> {
    return this.device.watch(() =>
      byteLengths.map((byteLength) => {
        const buffer = this.device.createStorage(byteLength)
        this.#temporary.push(buffer)
        return buffer
      }),
    )
  }

  /** Writes words to a buffer, from its first byte on. */
  write(buffer: GPUBuffer, words: Uint32Array): Promise<void> {
    return this.device.uploader.write(buffer, 0, words)
  }

  /** Enqueues a kernel of the set-up. @param buffers in the order of its bindings */
  add(
    kernel: GpuKernel,
    buffers: readonly GPUBuffer[],
    words: SourceWords,
    groups: number,
    work: number,
  ): Promise<void> {
    const { steps, slot } = this.queue
    const group = this.device.bind(kernel, steps, slot, buffers)
    return this.queue.add({ kernel, group, step: writeSource(words), groups, work })
  }

  /**
   * Enqueues a kernel that passes over the entries of chunks.
   * @param buffers its bindings after the chunk
   */
  async addForEntries(
    kernel: GpuKernel,
    { tensor }: EntrySource,
    chunks: readonly Chunk[],
    buffers: readonly GPUBuffer[],
    words: Partial<SourceWords>,
  ): Promise<void> {
    const { keys } = this.entries
    const order = tensor.dims.length
    const isWeighted = tensor.weights !== undefined
    for (const { buffer, first, count } of chunks) {
      const common = {
        order,
        words: wordsOfRecord(this.entries.dims, tensor),
        count,
        stride: count,
        firstEntry: first,
        hashKey: keys.hash,
        probeKey: keys.probe,
        isWeighted,
      }
      const groups = Math.ceil(count / ENTRY_TEAM)
      await this.add(kernel, [buffer, ...buffers], { ...common, ...words }, groups, WORK_PER_ENTRY * count)
    }
  }
}

/** Words of the records of a set's entries: the indices in the other modes, the value, the weight if any. */
export const wordsOfRecord = (dims: readonly number[], { weights }: EntrySource['tensor']): number =>
  dims.length + (weights ? 1 : 0)
