/**
 * Sweeps of variational EM under a learned prior on a device (engine/cpu/steps/posterior/posterior.ts). The
 * posteriors of the rows, and sums over them, are computed on the device; μ, Σ and σ², R × R numbers per mode, in
 * float64 in the process. A sweep reads those sums once, at its end.
 */
import { GROUPS, NOISE_BINS } from '../../../kernels/solve/layout.ts'
import {
  chooseNoisyMode,
  firstSigma2,
  fitNoise,
  HUBER_DEVIATIONS,
  HUBER_FACTOR,
  invertPadded,
  LEAST_MEAN,
  posteriorNumbers,
  rowVariances,
  shrinkOffDiagonal,
} from '../../cpu/index.ts'
import type { EngineState, LearnedPrior, PosteriorStep } from '../../engine.ts'
import { quadsOf } from '../shape.ts'
import { priorNumbers } from '../wgsl/posteriorRows.ts'
import type { PosteriorWords } from '../wgsl/step.ts'
import type { DeviceBalance } from './deviceBalance.ts'
import { blocksBefore } from './posteriorBuffers.ts'
import { addNoiseBins, PosteriorModes, type PosteriorProblem } from './posteriorModes.ts'
import {
  type PosteriorState,
  type PriorArrays,
  readPosteriorState,
  writePosteriorState,
} from './posteriorState.ts'
import { readTiles, tileNumbers } from './tiles.ts'

const { SIGMA2, VARIANCE0, SWEEPS, NOISY_MODE, LAST_SIGMA2, SHARED_NUMBERS, readNoise } = posteriorNumbers

/** Runs sweeps of variational EM of a problem on a device. */
export class DevicePosterior {
  readonly #problem: PosteriorProblem
  readonly #balance: DeviceBalance
  readonly #modes: PosteriorModes
  /** σ², c and others: engine/cpu/steps/posterior/posteriorNumbers.ts. */
  readonly #numbers = new Float32Array(SHARED_NUMBERS)
  /** Per mode, μ (R). */
  readonly #means: Float32Array[]
  /** Per mode, Σ⁻¹ (R × R). */
  readonly #precisions: Float32Array[]
  /** Per mode, the noise variance of each row in units of σ². */
  readonly #variances: Float32Array[]

  private constructor(problem: PosteriorProblem, balance: DeviceBalance) {
    const { tables, shape } = problem
    this.#problem = problem
    this.#balance = balance
    this.#modes = new PosteriorModes(problem)
    this.#means = tables.modes.map(() => new Float32Array(shape.rank))
    this.#precisions = tables.modes.map(() => new Float32Array(shape.rank ** 2))
    this.#variances = tables.modes.map(({ rows }) => new Float32Array(rows).fill(1))
  }

  /**
   * Creates the buffers of a learned prior. Rejects with an InputError if the device has too little memory, or may
   * not bind as much as they take.
   */
  static open(problem: PosteriorProblem, balance: DeviceBalance): Promise<DevicePosterior> {
    return problem.device.watch(() => new DevicePosterior(problem, balance))
  }

  /** Whether there has been a sweep, or a state of one was written. */
  get hasBegun(): boolean {
    return this.#numbers[SIGMA2] > 0
  }

  /** The prior as of the last sweep; undefined before the first. */
  get prior(): LearnedPrior | undefined {
    const noise = readNoise(this.#numbers)
    if (!noise) return undefined
    const copies = (arrays: readonly Float32Array[]): Float32Array[] => arrays.map((array) => array.slice())
    return { ...noise, means: copies(this.#means), precisions: copies(this.#precisions) }
  }

  /**
   * Runs a sweep over all modes. A step with `begin` is the first. Resolves when the device is done.
   * @param lambda λ of the fit before the first sweep
   */
  async sweep(step: PosteriorStep, lambda: number): Promise<void> {
    const { tables, form } = this.#problem
    const modes = this.#modes
    const numbers = this.#numbers
    await modes.drawWindows()
    if (step.begin) await this.#begin(step, lambda)
    await this.#updateNoise(step)
    const sweeps = numbers[SWEEPS]
    this.#writePriors()
    const words = this.#wordsOf(step, false)
    for (const [i] of tables.modes.entries()) {
      await modes.updateRows(i, words)
      await modes.addRowSums(i)
      if (form === 'rows') continue
      await modes.averageGroups(i)
      await modes.averageMoment(i)
    }
    for (const [i] of tables.modes.entries()) await modes.sumProducts(i)
    await this.#balance.average()
    const learnsCovariance = sweeps > 0 && !step.isStart
    const { totals } = await this.#learnModes(learnsCovariance)
    const factor = step.loss === 'huber' ? HUBER_FACTOR : 1
    const sigma2 = Math.max(1e-30, totals[totals.length - 1].expected / step.entries / factor)
    if (step.noise === 'row') await this.#updateRowVariances(sigma2 * factor, sweeps === 0)
    numbers[LAST_SIGMA2] = numbers[SIGMA2]
    numbers[SIGMA2] = sigma2
    numbers[SWEEPS] = sweeps + 1
    this.#resetMomentum()
    await this.#problem.queue.finish()
  }

  /**
   * Initializes the prior for the first sweep from factors that were fitted with λ: rows are certain; σ² is the
   * sum of squared residuals divided by the residual degrees of freedom; Σ is isotropic with the spread of the
   * rows.
   */
  async #begin(step: PosteriorStep, lambda: number): Promise<void> {
    const { device, tables, shape, factors } = this.#problem
    const { covariances, groupMatrices, leverages } = this.#modes.buffers
    const { sigma2 } = step.begin!
    // σ² as of an earlier start with isStart, which outliers do not affect; 0 if there was none.
    const earlierSigma2 = step.loss === 'huber' && !step.isStart ? this.#numbers[SIGMA2] : 0
    this.#numbers.fill(0)[SIGMA2] = sigma2
    const width = 4 * quadsOf(shape)
    const [vectors] = await device.read([{ buffer: factors.vectors, byteLength: 8 * shape.order * width }])
    this.#means.forEach((mean, i) => {
      mean.set(vectors.subarray((2 * i + 1) * width, (2 * i + 1) * width + shape.rank))
    })
    for (const precision of this.#precisions) writeIsotropic(precision, shape.rank, lambda / sigma2)
    for (const variances of this.#variances) variances.fill(1)
    this.#writeVariances()
    const encoder = device.gpu.createCommandEncoder()
    for (const buffer of [covariances, groupMatrices, leverages]) encoder.clearBuffer(buffer)
    device.gpu.queue.submit([encoder.finish()])
    this.#writePriors()
    if (this.#problem.form === 'groups')
      for (const [i] of tables.modes.entries()) await this.#modes.averageMoment(i)
    const words = this.#wordsOf(step, true)
    for (const [i] of tables.modes.entries()) {
      await this.#modes.updateRows(i, words)
      await this.#modes.addRowSums(i)
      await this.#modes.sumProducts(i)
    }
    const { totals, products } = await this.#readSums()
    const determined = totals.reduce((sum, mode) => sum + mode.determined, 0)
    this.#numbers[SIGMA2] = earlierSigma2 || firstSigma2(step, determined)
    products.forEach((squares, i) => {
      let spread = 0
      for (let r = 0; r < shape.rank; r++)
        spread += squares[r * shape.rank + r] / tables.modes[i].observed / shape.rank
      writeIsotropic(this.#precisions[i], shape.rank, 1 / Math.max(spread, 1e-12))
    })
  }

  /** The parameters of a step. @param isFrozen whether rows stay, with constant noise */
  #wordsOf(step: PosteriorStep, isFrozen: boolean, sigma2 = this.#numbers[SIGMA2]): PosteriorWords {
    const { noise, loss, mean, isStart = false } = step
    const [c0, c1, c2] = this.#numbers.subarray(VARIANCE0, VARIANCE0 + 3)
    const isGrowing = (noise === 'poisson' || noise === 'auto') && !isFrozen
    return {
      sigma2,
      variance: isGrowing ? [c0, c1, c2] : undefined,
      leastMean: LEAST_MEAN * mean,
      deviations: loss === 'huber' && !isFrozen ? HUBER_DEVIATIONS : 0,
      isVarying: noise === 'row' && !isFrozen,
      isFrozen,
      isCertain: isStart,
    }
  }

  /** Updates c₀, c₁, c₂ of the noise variance (engine/cpu/steps/posterior/learnedNoise.ts). */
  async #updateNoise(step: PosteriorStep): Promise<void> {
    if (step.noise === 'gaussian' || step.noise === 'row') return
    let coefficients: readonly number[] = [0, 1 / step.mean, 0]
    if (step.noise === 'auto') {
      const { device, queue } = this.#problem
      const { noiseBins } = this.#modes.buffers
      // The noise is fitted to residuals under the Huber weights of the sweep before.
      const sigma2 = (!step.begin && this.#numbers[LAST_SIGMA2]) || this.#numbers[SIGMA2]
      const words = this.#wordsOf(step, step.begin !== undefined, sigma2)
      const groups = await this.#modes.binResiduals(step.mean, words)
      queue.flush()
      const [written] = await device.read([{ buffer: noiseBins, byteLength: 16 * NOISE_BINS * groups }])
      coefficients = fitNoise(addNoiseBins(written, groups), step.mean)
    }
    this.#numbers.set(coefficients, VARIANCE0)
  }

  /** Writes σ²Σ⁻¹ and μ of every mode to the device. */
  #writePriors(): void {
    const { device, shape } = this.#problem
    const { rank } = shape
    const padded = 4 * quadsOf(shape)
    this.#modes.buffers.priors.forEach((buffer, i) => {
      const prior = new Float32Array(priorNumbers(shape))
      for (let r = 0; r < rank; r++)
        for (let s = 0; s < rank; s++)
          prior[r * padded + s] = this.#numbers[SIGMA2] * this.#precisions[i][r * rank + s]
      prior.set(this.#means[i], padded * padded)
      device.gpu.queue.writeBuffer(buffer, 0, prior)
    })
  }

  /** Writes the noise variances of all rows to the device. */
  #writeVariances(): void {
    const { device, tables } = this.#problem
    tables.modes.forEach(({ firstRow }, i) => {
      const variances = this.#variances[i] as Float32Array<ArrayBuffer>
      device.gpu.queue.writeBuffer(this.#modes.buffers.variances, 4 * firstRow, variances)
    })
  }

  /** Reads the sums over the rows of every mode, after all work so far. */
  async #readSums() {
    const { device, tables, shape, form, factors, queue } = this.#problem
    const { rowTotals, products, groupMatrices } = this.#modes.buffers
    const { order, rank } = shape
    const size = tileNumbers(shape)
    queue.flush()
    const [rows, matrices, columns, groups] = await device.read([
      { buffer: rowTotals, byteLength: 8 * blocksBefore(tables, order) },
      { buffer: products, byteLength: 8 * order * size },
      { buffer: factors.totals, byteLength: 16 * order * quadsOf(shape) },
      { buffer: groupMatrices, byteLength: form === 'groups' ? 4 * order * (GROUPS + 1) * size : 16 },
    ])
    const totals = tables.modes.map((_, i) => {
      const sums = { expected: 0, determined: 0 }
      for (let block = blocksBefore(tables, i); block < blocksBefore(tables, i + 1); block++) {
        sums.expected += rows[2 * block]
        sums.determined += rows[2 * block + 1]
      }
      return sums
    })
    /** Σ V over the rows of mode i with entries. */
    const covarianceOf = (i: number): Float64Array => {
      if (form === 'rows') return readTiles(matrices, (2 * i + 1) * size, rank)
      const sum = new Float64Array(rank * rank)
      this.#modes.groups[i].sizes.forEach((rowsOfGroup, group) => {
        if (rowsOfGroup === 0) return
        const V = readTiles(groups, (i * (GROUPS + 1) + group) * size, rank)
        for (let at = 0; at < sum.length; at++) sum[at] += rowsOfGroup * V[at]
      })
      return sum
    }
    const width = 4 * quadsOf(shape)
    return {
      totals,
      products: tables.modes.map((_, i) => readTiles(matrices, 2 * i * size, rank)),
      columns: tables.modes.map((_, i) => columns.subarray(i * width, i * width + rank)),
      covarianceOf,
    }
  }

  /** Learns μ and, if `learnsCovariance`, Σ of every mode from the posteriors of its rows. */
  async #learnModes(learnsCovariance: boolean) {
    const { tables, shape } = this.#problem
    const { rank } = shape
    const sums = await this.#readSums()
    tables.modes.forEach(({ observed }, i) => {
      const mean = Float64Array.from(sums.columns[i], (sum) => sum / observed)
      if (learnsCovariance) {
        const [products, V] = [sums.products[i], sums.covarianceOf(i)]
        // The products are around the previous mean.
        const by = mean.map((u, r) => u - this.#means[i][r])
        const covariance = new Float64Array(rank * rank)
        for (let r = 0; r < rank; r++)
          for (let s = r; s < rank; s++) {
            const at = r * rank + s
            covariance[at] = (products[at] + V[at]) / observed - by[r] * by[s]
          }
        this.#precisions[i].set(invertPadded(shrinkOffDiagonal(covariance, observed, rank), rank, rank))
      }
      this.#means[i].set(mean)
    })
    return sums
  }

  /** Updates the noise variances of the rows of the noisy mode. @param isFirst whether to choose that mode */
  async #updateRowVariances(sigma2: number, isFirst: boolean): Promise<void> {
    const { device, tables } = this.#problem
    const { rowSums } = this.#modes.buffers
    const [sums] = await device.read([{ buffer: rowSums, byteLength: 4 * tables.rows.length }])
    /** The entries by weight, Σ w E[(x − k·a)²] and the noise variance of each row of mode i. */
    const rowsOf = (i: number): [Float64Array, Float64Array, Float32Array] => {
      const { firstRow, rows } = tables.modes[i]
      const column = (position: number): Float64Array =>
        Float64Array.from({ length: rows }, (_, p) =>
          tables.rows[4 * (firstRow + p) + 2] > 0 ? sums[4 * (firstRow + p) + position] : 0,
        )
      return [column(2), column(0), this.#variances[i]]
    }
    if (isFirst) {
      const found = tables.modes.map((_, i) => rowVariances(...rowsOf(i), sigma2))
      this.#numbers[NOISY_MODE] = chooseNoisyMode(found, (i) => rowsOf(i)[0]) + 1
    }
    const chosen = this.#numbers[NOISY_MODE] - 1
    if (chosen < 0) return
    this.#variances[chosen].set(rowVariances(...rowsOf(chosen), sigma2))
    this.#writeVariances()
  }

  /** Makes the momentum factors equal to the factors. */
  #resetMomentum(): void {
    const { device, factors, queue } = this.#problem
    if (factors.momentumFactors.size < factors.factors.size) return
    queue.flush()
    const encoder = device.gpu.createCommandEncoder()
    encoder.copyBufferToBuffer(factors.factors, 0, factors.momentumFactors, 0, factors.factors.size)
    device.gpu.queue.submit([encoder.finish()])
  }

  /** Reads the state of the prior. @param current the factors, each (I × R) */
  readState(current: readonly Float32Array[]): Promise<PosteriorState> {
    return readPosteriorState(this.#problem, this.#modes.buffers, this.#prior, current)
  }

  /** Replaces the state of the prior. */
  writeState(state: PosteriorState & Pick<EngineState, 'factors'>): void {
    writePosteriorState(this.#problem, this.#modes.buffers, this.#prior, state)
    this.#writeVariances()
  }

  /** The arrays of the prior in the process. */
  get #prior(): PriorArrays {
    return {
      numbers: this.#numbers,
      means: this.#means,
      precisions: this.#precisions,
      variances: this.#variances,
    }
  }
}

/** Writes an isotropic precision (R × R): `value` on its diagonal. */
function writeIsotropic(precision: Float32Array, rank: number, value: number): void {
  precision.fill(0)
  for (let r = 0; r < rank; r++) precision[r * rank + r] = value
}
