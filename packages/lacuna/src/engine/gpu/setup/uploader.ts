/**
 * Copies arrays to buffers of a device through a ring of staging buffers that stay mapped between uses: the
 * system allocates and pins their pages once, and the device copies one while the next is filled.
 */
import { nameWait } from '../../../base/waits.ts'

/** Bytes of a staging buffer. */
const STAGING_BYTES = 2 ** 24
/** Number of staging buffers. */
const STAGING_BUFFERS = 4
/** Bytes of all staging buffers. */
export const STAGING_TOTAL = STAGING_BUFFERS * STAGING_BYTES
/** Bytes below which the queue of the device copies an array itself. */
const FEW_BYTES = 2 ** 22
/** GPUBufferUsage.MAP_WRITE | COPY_SRC and GPUMapMode.WRITE, for which Node has no globals. */
const STAGING_USAGE = 2 | 4
const WRITE = 2

/** A staging buffer, and when it is mapped again. */
interface Staging {
  buffer: GPUBuffer
  mapped: Promise<unknown>
}

/** Copies arrays to buffers of a device. */
export class Uploader {
  readonly #gpu: GPUDevice
  readonly #ring: Staging[] = []
  #next = 0

  constructor(gpu: GPUDevice) {
    this.#gpu = gpu
  }

  /** Creates the staging buffers, unless they exist. */
  warm(): void {
    while (this.#ring.length < STAGING_BUFFERS) {
      const buffer = this.#gpu.createBuffer({
        size: STAGING_BYTES,
        usage: STAGING_USAGE,
        mappedAtCreation: true,
      })
      this.#ring.push({ buffer, mapped: Promise.resolve() })
    }
  }

  /**
   * Writes words to a buffer, from byte `offset` on; resolves when the array may be changed. Rejects if the
   * device is lost.
   */
  async write(buffer: GPUBuffer, offset: number, words: Uint32Array | Float32Array): Promise<void> {
    if (words.byteLength < FEW_BYTES) {
      // WebGPU does not take arrays of shared memory.
      const copy = words.buffer instanceof ArrayBuffer ? (words as Uint32Array<ArrayBuffer>) : words.slice()
      this.#gpu.queue.writeBuffer(buffer, offset, copy as Uint32Array<ArrayBuffer>)
      return
    }
    this.warm()
    const bits = new Uint32Array(words.buffer, words.byteOffset, words.length)
    for (let from = 0; from < bits.length; from += STAGING_BYTES / 4) {
      const staging = this.#ring[this.#next++ % STAGING_BUFFERS]
      // Each use of a staging buffer follows the one before it, also those of other problems.
      const copied = staging.mapped.then(() =>
        this.#copy(staging.buffer, bits.subarray(from, from + STAGING_BYTES / 4), buffer, offset + 4 * from),
      )
      staging.mapped = copied.then(({ mapped }) => mapped)
      staging.mapped.catch(() => {}) // unhandled otherwise if no caller awaits it when the device is lost
      await copied
    }
  }

  /** Fills a mapped staging buffer, and submits its copy; `mapped` resolves when it is mapped again. */
  #copy(staging: GPUBuffer, words: Uint32Array, to: GPUBuffer, offset: number): { mapped: Promise<unknown> } {
    new Uint32Array(staging.getMappedRange(), 0, words.length).set(words)
    staging.unmap()
    const encoder = this.#gpu.createCommandEncoder()
    encoder.copyBufferToBuffer(staging, 0, to, offset, words.byteLength)
    this.#gpu.queue.submit([encoder.finish()])
    return { mapped: nameWait('the GPU to copy entries', staging.mapAsync(WRITE)) }
  }
}
