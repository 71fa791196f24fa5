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

/** The part of the engine's state that lies on the device; what a learned prior adds stays on the CPU. */
export type DeviceState = Pick<EngineState, 'factors' | 'momentumFactors' | 'means' | 'scales' | 'snapshot'>

/** A problem on a device: its buffers, and the operations on them. */
export class DeviceProblem {
  readonly device: Device
  readonly #tables: Tables
  readonly #shape: Shape
  readonly #hasMomentumFactors: boolean
  readonly #buffers: DeviceBuffers
  readonly #queue: SubmissionQueue
  /** All buffers, to be destroyed on closing. */
  readonly #ownedBuffers: GPUBuffer[]
  readonly steps: DeviceSteps
  readonly balance: DeviceBalance
  readonly errors: DeviceErrors

  /**
   * @param created receives every buffer that is created, so that the caller can destroy them if this throws
   */
  private constructor(
    device: Device,
    tables: Tables,
    shape: Shape,
    hasMomentumFactors: boolean,
    created: GPUBuffer[],
  ) {
    this.device = device
    this.#tables = tables
    this.#shape = shape
    this.#hasMomentumFactors = hasMomentumFactors
    this.#ownedBuffers = created
    const own = (buffer: GPUBuffer): GPUBuffer => {
      created.push(buffer)
      return buffer
    }
    const createFrom = (words: Uint32Array): GPUBuffer =>
      own(device.createFilled(words.byteLength, (target) => target.set(words)))
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
      rows: createFrom(rows),
      segments: createFrom(segments),
      vectors: own(device.createStorage(2 * shape.order * quadBytes)),
      columnScales: own(device.createStorage(shape.order * quadBytes)),
      blocks: createFrom(Uint32Array.from(blocks.flat())),
      blockSums: own(device.createStorage(blocks.length * quadBytes)),
      totals: own(device.createStorage(shape.order * quadBytes)),
      modes: createFrom(Uint32Array.from(modeWords)),
      windows: own(device.createStorage(8 * tables.totalSegments)),
      sampled: own(device.createStorage(rows.length)),
      longRows: modes.map(({ longRows }) =>
        longRows.length > 0 ? createFrom(Uint32Array.from(longRows)) : undefined,
      ),
    }
    this.#queue = new SubmissionQueue(device, shape.order)
    own(this.#queue.steps)
    const upload = (view: ViewTable): DeviceView => ({
      shape: { ...shape, weighted: view.words > shape.order },
      slices: sliceRecords(view, device.maxBindingBytes).map((slice) => ({
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
      this.errors.add(name, view, upload(view), createFrom(view.segments), own)
  }

  /** Creates and fills the buffers; throws an InputError if the device has too little memory. */
  static async open(
    device: Device,
    tables: Tables,
    shape: Shape,
    hasMomentumFactors: boolean,
  ): Promise<DeviceProblem> {
    device.gpu.pushErrorScope('out-of-memory')
    const created: GPUBuffer[] = []
    let problem: DeviceProblem | undefined
    let failure: unknown
    try {
      problem = new DeviceProblem(device, tables, shape, hasMomentumFactors, created)
    } catch (error) {
      failure = error
    }
    const refusal = await device.gpu.popErrorScope()
    if (problem && !refusal) return problem
    for (const buffer of created) buffer.destroy()
    if (failure && !refusal && !(failure instanceof RangeError)) throw failure
    throw new InputError(
      'memory',
      `The graphics card has no room for ${formatBytes(deviceBytes(tables, shape, hasMomentumFactors))}; use the CPU engine, a smaller rank or fewer entries.`,
    )
  }

  /** Destroys all buffers; the device stays open. */
  close(): void {
    for (const buffer of this.#ownedBuffers) buffer.destroy()
    this.steps.close()
  }

  /** Resolves when all submitted work has been done. */
  finish(): Promise<void> {
    return this.#queue.finish()
  }

  /** The number of rows of each mode. */
  get #rowCounts(): number[] {
    return this.#tables.modes.map(({ rows }) => rows)
  }

  /** Writes matrices (rows × R), one per mode, to a buffer, with padded rows. */
  #write(buffer: GPUBuffer, matrices: readonly Float32Array[]): void {
    this.device.gpu.queue.writeBuffer(buffer, 0, padMatrices(matrices, this.#shape))
  }

  /** Replaces the factors; the momentum factors become equal to them, so that there is no momentum. */
  writeFactors(factors: readonly Float32Array[]): void {
    this.#write(this.#buffers.factors, factors)
    if (this.#hasMomentumFactors) this.#write(this.#buffers.momentumFactors, factors)
  }

  /** Reads the current factors, or those of the last snapshot, one matrix (rows × R) per mode. */
  async readFactors(which: 'factors' | 'snapshot'): Promise<Float32Array[]> {
    const buffer = this.#buffers[which]
    const [padded] = await this.device.read([{ buffer, byteLength: this.#factorBytes }])
    return unpadMatrices(padded, this.#rowCounts, this.#shape)
  }

  /** Bytes of the padded factors of all modes. */
  get #factorBytes(): number {
    return 4 * this.#tables.rows.length * quadsOf(this.#shape)
  }

  /** Reads the factors, those of the last snapshot, v, the mean rows and the momentum factors, if any. */
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
    const [current, best, pairs, momentum] = await this.device.read(sources)
    const scalesAndMeans = unpadMatrices(
      pairs,
      Array.from({ length: 2 * order }, () => 1),
      this.#shape,
    )
    const matrices = (padded: Float32Array): Float32Array[] =>
      unpadMatrices(padded, this.#rowCounts, this.#shape)
    return {
      factors: matrices(current),
      snapshot: matrices(best),
      scales: scalesAndMeans.filter((_, at) => at % 2 === 0),
      means: scalesAndMeans.filter((_, at) => at % 2 === 1),
      ...(this.#hasMomentumFactors && { momentumFactors: matrices(momentum) }),
    }
  }

  /**
   * Replaces the state. Without momentum factors they become equal to the factors; without a snapshot the
   * last one stays.
   */
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

  /** Copies the factors to the snapshot, on the device. */
  snapshot(): void {
    this.#copy([[this.#buffers.factors, this.#buffers.snapshot]])
  }

  /** Copies the snapshot back to the factors, and to the momentum factors: there is no momentum then. */
  restore(): void {
    const { factors, snapshot, momentumFactors } = this.#buffers
    this.#copy([
      [snapshot, factors],
      ...(this.#hasMomentumFactors ? [[snapshot, momentumFactors] as const] : []),
    ])
  }

  /** Copies factor buffers: pairs of source and target. */
  #copy(pairs: readonly (readonly [GPUBuffer, GPUBuffer])[]): void {
    const encoder = this.device.gpu.createCommandEncoder()
    for (const [from, to] of pairs) encoder.copyBufferToBuffer(from, 0, to, 0, this.#factorBytes)
    this.device.gpu.queue.submit([encoder.finish()])
  }
}

/** Creates a buffer with the records of a slice, which may lie in several pieces of the view. */
function uploadSlice(device: Device, { words, pieces }: ViewTable, { records }: Slice): GPUBuffer {
  const [from, to] = records
  return device.createFilled(4 * words * (to - from), (target) => {
    for (const piece of pieces) {
      const begin = Math.max(from, piece.first)
      const end = Math.min(to, piece.first + piece.words.length / words)
      if (begin < end)
        target.set(
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
