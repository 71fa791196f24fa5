/** A problem in the buffers of a device, with the operations that the device runs on it. */
import { InputError } from '../../base/inputError.ts'
import { formatBytes } from '../../base/memory.ts'
import type { Covariances, EngineState, ErrorSums, LearnedPrior, Statistics } from '../engine.ts'
import type { Device } from './device.ts'
import type { DeviceBuffers, DeviceView } from './deviceBuffers.ts'
import { padMatrices, unpadMatrices } from './padding.ts'
import { type BuiltViews, buildViews } from './setup/buildViews.ts'
import type { ViewSlices } from './setup/placeView.ts'
import type { PreparedEntries } from './setup/prepareEntries.ts'
import { quadsOf, type Shape } from './shape.ts'
import { blocksOf, DeviceBalance, warmBalance } from './steps/deviceBalance.ts'
import { DeviceErrors } from './steps/deviceErrors.ts'
import { DevicePosterior } from './steps/devicePosterior.ts'
import { DeviceSteps } from './steps/deviceSteps.ts'
import { DeviceZeros } from './steps/deviceZeros.ts'
import { type PosteriorProblem, warmPosterior } from './steps/posteriorModes.ts'
import type { PosteriorState } from './steps/posteriorState.ts'
import { SubmissionQueue } from './submission.ts'
import type { Tables } from './tables.ts'
import { BLOCK_ROWS } from './wgsl/balance.ts'

/** A problem on a device: its buffers, and the operations on them. */
export class DeviceProblem {
  readonly device: Device
  readonly #tables: Tables
  readonly #shape: Shape
  readonly #hasMomentumFactors: boolean
  readonly #buffers: DeviceBuffers
  readonly #queue: SubmissionQueue
  /** The views of the training entries by every mode. */
  readonly #views: readonly DeviceView[]
  readonly #own: (buffer: GPUBuffer) => GPUBuffer
  /** The covariances that a learned prior would work with; undefined if none is learned. */
  readonly #covariances: Covariances | undefined
  /** Sweeps under a learned prior; undefined before the first. */
  #posterior: DevicePosterior | undefined
  /** All buffers, to be destroyed on closing. */
  readonly #ownedBuffers: GPUBuffer[]
  readonly steps: DeviceSteps
  readonly balance: DeviceBalance
  readonly #errors: DeviceErrors
  /** Sums over all cells; undefined unless unlisted cells are zeros. */
  readonly #zeros: DeviceZeros | undefined

  /** Sizes, sums and scales of the entries. */
  readonly statistics: Statistics
  /** Whether training entries have equal coordinates. */
  readonly isRepeated: boolean

  /** @param created the buffers so far; it receives every further one, so that the caller can destroy them */
  private constructor(
    device: Device,
    built: BuiltViews,
    queue: SubmissionQueue,
    shape: Shape,
    hasMomentumFactors: boolean,
    { zeros, posterior }: PreparedEntries,
    created: GPUBuffer[],
  ) {
    this.#covariances = posterior
    const { tables } = built
    this.statistics = built.statistics
    this.isRepeated = built.isRepeated
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
    this.#queue = queue
    const viewOf = (slices: ViewSlices, words: number): DeviceView => ({
      shape: { ...shape, weighted: words > shape.order },
      slices,
    })
    const views = built.modes.map((slices, i) => viewOf(slices, modes[i].words))
    this.#views = views
    this.#own = own
    const buffers = this.#buffers
    if (zeros) this.#zeros = new DeviceZeros(device, tables, shape, buffers.factors, queue, own)
    this.steps = new DeviceSteps(
      device,
      tables,
      shape,
      hasMomentumFactors,
      buffers,
      views,
      queue,
      this.#zeros,
    )
    this.steps.warm()
    if (posterior) warmPosterior(this.#posteriorProblem(posterior))
    this.balance = new DeviceBalance(device, tables, shape, hasMomentumFactors, buffers, queue, zeros)
    this.#errors = new DeviceErrors(device, tables, this.#buffers.factors, this.#queue)
    this.#errors.add('train', modes[0], views[0], this.#buffers.segments, own, zeros)
    for (const [name, view] of tables.sets)
      this.#errors.add(name, view, viewOf(built.sets.get(name)!, view.words), createFrom(view.segments), own)
  }

  /**
   * Builds the views of the entries on a device, and creates all other buffers. Throws an InputError for an
   * invalid entry, or if the device has too little memory.
   */
  static async open(
    device: Device,
    entries: PreparedEntries,
    shape: Shape,
    hasMomentumFactors: boolean,
  ): Promise<DeviceProblem> {
    const created: GPUBuffer[] = []
    const own = (buffer: GPUBuffer): GPUBuffer => {
      created.push(buffer)
      return buffer
    }
    try {
      warmBalance(device, shape, entries.zeros)
      const queue = new SubmissionQueue(device, shape.order)
      own(queue.steps)
      const built = await buildViews(device, queue, entries, own)
      return await device.watch(
        () => new DeviceProblem(device, built, queue, shape, hasMomentumFactors, entries, created),
      )
    } catch (error) {
      for (const buffer of created) buffer.destroy()
      const isMemory = error instanceof RangeError || (error instanceof InputError && error.code === 'memory')
      if (!isMemory) throw error
      const bytes = formatBytes(deviceBytes(entries, shape, hasMomentumFactors))
      throw new InputError(
        'memory',
        `The graphics card has no room for ${bytes}; use the CPU engine, a smaller rank or fewer entries.`,
        { cause: error },
      )
    }
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

  /**
   * Sweeps under a learned prior, whose buffers are created at the first call. Rejects with an InputError if
   * the device has no room for them. The problem must have been loaded for a learned prior.
   */
  async posterior(): Promise<DevicePosterior> {
    if (!this.#covariances) throw new Error('The problem has no memory for covariances.')
    const problem = { ...this.#posteriorProblem(this.#covariances), own: this.#own }
    this.#posterior ??= await DevicePosterior.open(problem, this.balance)
    return this.#posterior
  }

  /** The parts of this problem that a learned prior works on. @param form the form of its covariances */
  #posteriorProblem(form: Covariances): Omit<PosteriorProblem, 'own'> {
    return {
      device: this.device,
      tables: this.#tables,
      shape: this.#shape,
      form,
      factors: this.#buffers,
      views: this.#views,
      queue: this.#queue,
    }
  }

  /** The prior as of the last sweep; undefined if there was none. */
  get prior(): LearnedPrior | undefined {
    return this.#posterior?.prior
  }

  /**
   * Computes Σ w d² and Σ w |d|, d the residual of an entry, over each of the named sets; where unlisted cells
   * are zeros, over all cells of 'train'.
   */
  async sumErrors(names: readonly string[]): Promise<ErrorSums[]> {
    const sums = await this.#errors.sum(names)
    const train = names.indexOf('train')
    if (!this.#zeros || train < 0) return sums
    await this.balance.sumColumns(false)
    const all = await this.#zeros.sumAllCells(this.#buffers.totals)
    // Rounding may make a difference that is almost zero negative.
    sums[train] = {
      squares: Math.max(0, all.squares + sums[train].squares),
      absolutes: Math.max(0, all.absolutes + sums[train].absolutes),
    }
    return sums
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

  /**
   * Reads the factors, those of the last snapshot, v, the mean rows, the momentum factors, if any, and the state of
   * a learned prior after its first sweep.
   */
  async readState(): Promise<EngineState> {
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
    const currentFactors = matrices(current)
    return {
      factors: currentFactors,
      snapshot: matrices(best),
      scales: scalesAndMeans.filter((_, at) => at % 2 === 0),
      means: scalesAndMeans.filter((_, at) => at % 2 === 1),
      ...(this.#hasMomentumFactors && { momentumFactors: matrices(momentum) }),
      ...(this.#posterior?.hasBegun && (await this.#posterior.readState(currentFactors))),
    }
  }

  /**
   * Replaces the state. Without momentum factors they become equal to the factors; without a snapshot the
   * last one stays.
   */
  async writeState(state: EngineState): Promise<void> {
    const { factors, momentumFactors, means, scales, snapshot } = state
    this.#write(this.#buffers.factors, factors)
    if (this.#hasMomentumFactors) this.#write(this.#buffers.momentumFactors, momentumFactors ?? factors)
    const pairs = scales.flatMap((scale, mode) => [scale, means[mode]])
    const vectors = padMatrices(pairs, this.#shape)
    // The padding of the rank takes no part: any finite v > 0 will do there.
    const width = 4 * quadsOf(this.#shape)
    for (let at = 0; at < vectors.length; at++) if (at % width >= this.#shape.rank) vectors[at] = 1
    this.device.gpu.queue.writeBuffer(this.#buffers.vectors, 0, vectors)
    if (snapshot) this.#write(this.#buffers.snapshot, snapshot)
    if (state.moments) (await this.posterior()).writeState(state as EngineState & PosteriorState)
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

/** Approximate bytes of the buffers of a problem: entries by every mode, once more while they are placed. */
function deviceBytes({ dims, sources }: PreparedEntries, shape: Shape, hasMomentumFactors: boolean): number {
  const entries = sources.reduce((sum, { name, tensor }) => {
    const words = dims.length + (tensor.weights ? 1 : 0)
    const copies = name === 'train' ? dims.length + 2 : 3
    return sum + 4 * words * copies * tensor.values.length
  }, 0)
  const rows = dims.reduce((sum, dim) => sum + dim, 0)
  return entries + (hasMomentumFactors ? 3 : 2) * 16 * rows * quadsOf(shape)
}
