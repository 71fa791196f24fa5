/** A problem in the buffers of a device, with the operations that the device runs on it. */
import { InputError } from '../../base/inputError.ts'
import { formatBytes } from '../../base/memory.ts'
import type { EngineState } from '../engine.ts'
import type { Device } from './device.ts'
import type { DeviceBuffers, DeviceView } from './deviceBuffers.ts'
import { padMatrices, unpadMatrices } from './padding.ts'
import { quadsOf, type Shape } from './shape.ts'
import { type Slice, sliceRecords } from './steps/batches.ts'
import { blocksOf, DeviceBalance } from './steps/deviceBalance.ts'
import { DeviceErrors } from './steps/deviceErrors.ts'
import { DeviceSteps } from './steps/deviceSteps.ts'
import { SubmissionQueue } from './submission.ts'
import type { Tables, ViewTable } from './tables.ts'
import { BLOCK_ROWS } from './wgsl/balance.ts'

/** The state of a problem on the device: everything but what a learned prior adds, which stays on the CPU. */
export type DeviceState = Pick<EngineState, 'factors' | 'momentumFactors' | 'means' | 'scales' | 'snapshot'>

/** A problem on a device: its buffers, and the operations on them. */
export class DeviceProblem {
  readonly device: Device
  readonly #tables: Tables
  readonly #shape: Shape
  readonly #hasMomentumFactors: boolean
  readonly #buffers: DeviceBuffers
  readonly #queue: SubmissionQueue
  readonly #own: GPUBuffer[]
  readonly steps: DeviceSteps
  readonly balance: DeviceBalance
  readonly errors: DeviceErrors

  /** @param made receives every buffer that is created, so that the caller can destroy them if this throws */
  private constructor(
    device: Device,
    tables: Tables,
    shape: Shape,
    hasMomentumFactors: boolean,
    made: GPUBuffer[],
  ) {
    this.device = device
    this.#tables = tables
    this.#shape = shape
    this.#hasMomentumFactors = hasMomentumFactors
    this.#own = made
    const own = (buffer: GPUBuffer): GPUBuffer => {
      made.push(buffer)
      return buffer
    }
    const fill = (words: Uint32Array): GPUBuffer =>
      own(device.createFilled(words.byteLength, (into) => into.set(words)))
    const { modes, rows } = tables
    const quadBytes = 16 * quadsOf(shape)
    const factorBytes = (rows.length / 4) * quadBytes
    const blocks = blocksOf(tables)
    const segments = new Uint32Array(4 * tables.totalSegments)
    for (const mode of modes) segments.set(mode.segments, 4 * mode.firstSegment)
    let firstBlock = 0
    const modeWords = modes.flatMap(({ rows, observed }) => {
      const count = Math.ceil(rows / BLOCK_ROWS)
      firstBlock += count
      return [firstBlock - count, count, observed, 0]
    })
    this.#buffers = {
      factors: own(device.createStorage(factorBytes)),
      momentumFactors: own(device.createStorage(hasMomentumFactors ? factorBytes : 16)),
      snapshot: own(device.createStorage(factorBytes)),
      rows: fill(rows),
      segments: fill(segments),
      vectors: own(device.createStorage(2 * shape.order * quadBytes)),
      by: own(device.createStorage(shape.order * quadBytes)),
      blocks: fill(Uint32Array.from(blocks.flat())),
      blockSums: own(device.createStorage(blocks.length * quadBytes)),
      totals: own(device.createStorage(shape.order * quadBytes)),
      modes: fill(Uint32Array.from(modeWords)),
      windows: own(device.createStorage(8 * tables.totalSegments)),
      sampled: own(device.createStorage(rows.length)),
      longRows: modes.map(({ longRows }) =>
        longRows.length > 0 ? fill(Uint32Array.from(longRows)) : undefined,
      ),
    }
    this.#queue = new SubmissionQueue(device, shape.order)
    own(this.#queue.steps)
    const upload = (view: ViewTable): DeviceView => ({
      shape: { ...shape, weighted: view.words > shape.order },
      slices: sliceRecords(view, device.mostBinding).map((slice) => ({
        ...slice,
        buffer: own(uploadSlice(device, view, slice)),
      })),
    })
    const views = modes.map(upload)
    this.steps = new DeviceSteps(device, tables, shape, hasMomentumFactors, this.#buffers, views, this.#queue)
    this.balance = new DeviceBalance(device, tables, shape, hasMomentumFactors, this.#buffers, this.#queue)
    this.errors = new DeviceErrors(device, tables, this.#buffers.factors, this.#queue)
    this.errors.add('train', modes[0], views[0], this.#buffers.segments, own)
    for (const [name, view] of tables.sets)
      this.errors.add(name, view, upload(view), fill(view.segments), own)
  }

  /** Creates and fills the buffers; throws an InputError if the device has too little memory. */
  static async open(
    device: Device,
    tables: Tables,
    shape: Shape,
    hasMomentumFactors: boolean,
  ): Promise<DeviceProblem> {
    device.gpu.pushErrorScope('out-of-memory')
    const made: GPUBuffer[] = []
    let problem: DeviceProblem | undefined
    let failure: unknown
    try {
      problem = new DeviceProblem(device, tables, shape, hasMomentumFactors, made)
    } catch (error) {
      failure = error
    }
    const refusal = await device.gpu.popErrorScope()
    if (problem && !refusal) return problem
    for (const buffer of made) buffer.destroy()
    if (failure && !refusal && !(failure instanceof RangeError)) throw failure
    throw new InputError(
      'memory',
      `The graphics card has no room for ${formatBytes(deviceBytes(tables, shape, hasMomentumFactors))}; use the CPU engine, a smaller rank or fewer entries.`,
    )
  }

  close(): void {
    for (const buffer of this.#own) buffer.destroy()
    this.steps.close()
  }

  /** Resolves when all submitted work has been done. */
  finish(): Promise<void> {
    return this.#queue.finish()
  }

  get #rows(): number[] {
    return this.#tables.modes.map(({ rows }) => rows)
  }

  #write(buffer: GPUBuffer, matrices: readonly Float32Array[]): void {
    this.device.gpu.queue.writeBuffer(buffer, 0, padMatrices(matrices, this.#shape))
  }

  writeFactors(factors: readonly Float32Array[]): void {
    this.#write(this.#buffers.factors, factors)
    if (this.#hasMomentumFactors) this.#write(this.#buffers.momentumFactors, factors)
  }

  async readFactors(which: 'factors' | 'snapshot'): Promise<Float32Array[]> {
    const buffer = this.#buffers[which]
    const [all] = await this.device.read([{ buffer, byteLength: this.#factorBytes }])
    return unpadMatrices(all, this.#rows, this.#shape)
  }

  get #factorBytes(): number {
    return 4 * this.#tables.rows.length * quadsOf(this.#shape)
  }

  async readState(): Promise<DeviceState> {
    const { factors, snapshot, vectors, momentumFactors } = this.#buffers
    const { order } = this.#shape
    const byteLength = this.#factorBytes
    const sources = [
      { buffer: factors, byteLength },
      { buffer: snapshot, byteLength },
      { buffer: vectors, byteLength: 32 * order * quadsOf(this.#shape) },
      ...(this.#hasMomentumFactors ? [{ buffer: momentumFactors, byteLength }] : []),
    ]
    const [now, best, pairs, momentum] = await this.device.read(sources)
    const found = unpadMatrices(
      pairs,
      Array.from({ length: 2 * order }, () => 1),
      this.#shape,
    )
    const matrices = (all: Float32Array): Float32Array[] => unpadMatrices(all, this.#rows, this.#shape)
    return {
      factors: matrices(now),
      snapshot: matrices(best),
      scales: found.filter((_, at) => at % 2 === 0),
      means: found.filter((_, at) => at % 2 === 1),
      ...(this.#hasMomentumFactors && { momentumFactors: matrices(momentum) }),
    }
  }

  writeState({ factors, momentumFactors, means, scales, snapshot }: DeviceState): void {
    this.#write(this.#buffers.factors, factors)
    if (this.#hasMomentumFactors) this.#write(this.#buffers.momentumFactors, momentumFactors ?? factors)
    const pairs = scales.flatMap((scale, mode) => [scale, means[mode]])
    const vectors = padMatrices(pairs, this.#shape)
    // The padding of the rank takes no part: any finite v > 0 will do there.
    const width = 4 * quadsOf(this.#shape)
    for (let at = 0; at < vectors.length; at++) if (at % width >= this.#shape.rank) vectors[at] = 1
    this.device.gpu.queue.writeBuffer(this.#buffers.vectors, 0, vectors)
    if (snapshot) this.#write(this.#buffers.snapshot, snapshot)
  }

  snapshot(): void {
    this.#copy([[this.#buffers.factors, this.#buffers.snapshot]])
  }

  restore(): void {
    const { factors, snapshot, momentumFactors } = this.#buffers
    this.#copy([
      [snapshot, factors],
      ...(this.#hasMomentumFactors ? [[snapshot, momentumFactors] as const] : []),
    ])
  }

  #copy(pairs: readonly (readonly [GPUBuffer, GPUBuffer])[]): void {
    const encoder = this.device.gpu.createCommandEncoder()
    for (const [from, to] of pairs) encoder.copyBufferToBuffer(from, 0, to, 0, this.#factorBytes)
    this.device.gpu.queue.submit([encoder.finish()])
  }
}

function uploadSlice(device: Device, { words, pieces }: ViewTable, { records }: Slice): GPUBuffer {
  const [from, to] = records
  return device.createFilled(4 * words * (to - from), (into) => {
    for (const piece of pieces) {
      const begin = Math.max(from, piece.first)
      const end = Math.min(to, piece.first + piece.words.length / words)
      if (begin < end)
        into.set(
          piece.words.subarray(words * (begin - piece.first), words * (end - piece.first)),
          words * (begin - from),
        )
    }
  })
}

/** Approximate bytes of the buffers of a problem. */
function deviceBytes({ modes, sets, rows }: Tables, shape: Shape, hasMomentumFactors: boolean): number {
  const records = [...modes, ...sets.values()].reduce(
    (sum, { entries, words, segments }) => sum + 4 * words * entries + 4 * segments.length,
    0,
  )
  return records + (hasMomentumFactors ? 3 : 2) * 4 * rows.length * quadsOf(shape)
}
