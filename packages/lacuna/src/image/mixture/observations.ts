/**
 * What is known of one patch, and Gaussian inference from it. With observations x = W z + noise of a patch z
 * ~ N(0, Σ) the covariance of x is S = W Σ Wᵀ + σ² I (observations × observations); its Cholesky factor gives
 * the likelihood of x, and S⁻¹x the posterior mean Σ Wᵀ S⁻¹x.
 */
import { kindOf, type PatchClass, type PatchShape } from './classes.ts'
import type { View } from './views.ts'

/** σ: standard deviation of noise, and of what no class explains, where white is 1. */
const NOISE = 0.01
/** Most observations of a patch that are used: the nearest to holes. */
const MOST_OBSERVATIONS = 40
/** Observations that are spread over the patch before the others. */
export const SPREAD = 12

/** Buffers for the observations of one patch at a time, and for inference from them. */
export class Observations {
  /** Number of observations. */
  count = 0
  /** Pixel of each observation within the patch. */
  readonly pixels: Uint16Array
  /** Observed values. */
  readonly values: Float64Array
  /** S⁻¹ times the observed values, after `solve`. */
  readonly solution: Float64Array
  /** Weights of each plane in the observations (planes × size); of planes of the view only. */
  readonly weights: Float64Array[]
  readonly #shape: PatchShape
  /** Signal of each observation. */
  readonly #signals: Uint8Array
  /** Distance of each observation to the nearest hole. */
  readonly #distances: Uint8Array
  /** Cholesky factor of S (count × count), below its diagonal. */
  readonly #factor = new Float64Array(MOST_OBSERVATIONS ** 2)
  /** Inverses of the factor's diagonal. */
  readonly #inverses = new Float64Array(MOST_OBSERVATIONS)
  /** Scratch for one column of S⁻¹. */
  readonly #column = new Float64Array(MOST_OBSERVATIONS)
  #view: View | undefined

  /** Makes buffers for patches of one shape. @param planes number of planes of the picture */
  constructor(shape: PatchShape, planes: number) {
    this.#shape = shape
    const size = shape.rows * shape.columns * planes
    this.pixels = new Uint16Array(size)
    this.values = new Float64Array(size)
    this.solution = new Float64Array(size)
    this.weights = Array.from({ length: planes }, () => new Float64Array(MOST_OBSERVATIONS))
    this.#signals = new Uint8Array(size)
    this.#distances = new Uint8Array(size)
  }

  /**
   * Takes the observations of the patch at a pixel.
   * @param corner position of the patch's first pixel
   * @param width of the picture
   * @param distances of the picture's pixels to the nearest hole
   */
  take(view: View, corner: number, width: number, distances: Uint8Array): void {
    const { rows, columns } = this.#shape
    this.#view = view
    let n = 0
    for (let s = 0; s < view.signals.length; s++) {
      const { known, values } = view.signals[s]
      for (let i = 0; i < rows; i++)
        for (let j = 0, p = corner + i * width; j < columns; j++, p++) {
          if (!known[p]) continue
          this.pixels[n] = i * columns + j
          this.values[n] = values[p]
          this.#signals[n] = s
          this.#distances[n++] = distances[p]
        }
    }
    this.count = n
    if (n > MOST_OBSERVATIONS) this.#takeNearest()
    this.#spread()
    for (const plane of view.planes) {
      const weights = view.signals.map((signal) => signal.weights[plane])
      for (let i = 0; i < this.count; i++) this.weights[plane][i] = weights[this.#signals[i]]
    }
  }

  /**
   * Reduces the observations to those nearest to holes, in their order. Of those at the last distance the first ones are
   * used; where planes have masks of their own, as many evenly spread ones, so that no plane is left out.
   */
  #takeNearest(): void {
    const counts = new Uint32Array(256)
    for (let i = 0; i < this.count; i++) counts[this.#distances[i]]++
    let limit = 0
    let room = MOST_OBSERVATIONS
    while (counts[limit] <= room) room -= counts[limit++]
    const isOneSignal = this.#view!.signals.length === 1
    let n = 0
    let tie = 0
    /** Whether the next observation at the last distance is used. */
    const isUsed = (): boolean => {
      if (isOneSignal) return tie++ < room
      const before = Math.floor((tie * room) / counts[limit])
      return Math.floor((++tie * room) / counts[limit]) > before
    }
    for (let i = 0; i < this.count; i++)
      if (this.#distances[i] < limit || (this.#distances[i] === limit && isUsed())) this.#move(i, n++)
    this.count = n
  }

  /** Reorders the observations such that the first few are spread over the patch. */
  #spread(): void {
    const { count: n } = this
    for (let i = 0; i < Math.min(n, SPREAD); i++) {
      const from = i + Math.floor((i * (n - i)) / SPREAD)
      const [pixel, value, signal] = [this.pixels[i], this.values[i], this.#signals[i]]
      this.#move(from, i)
      ;[this.pixels[from], this.values[from], this.#signals[from]] = [pixel, value, signal]
    }
  }

  /** Copies an observation to another position. */
  #move(from: number, to: number): void {
    this.pixels[to] = this.pixels[from]
    this.values[to] = this.values[from]
    this.#signals[to] = this.#signals[from]
  }

  /**
   * Factorizes S for a class; returns half the logarithm of its determinant.
   * @param n how many of the observations are used, from the first; all by default
   */
  factorize({ covariances }: PatchClass, n = this.count): number {
    const { pixels } = this
    const [L, inverses, view] = [this.#factor, this.#inverses, this.#view!]
    const size = this.#shape.rows * this.#shape.columns
    for (const [first, plane] of view.planes.entries()) {
      const covariance = covariances[kindOf(plane)]
      const weights = this.weights[plane]
      for (let i = 0; i < n; i++) {
        const row = pixels[i] * size
        for (let j = 0; j <= i; j++) {
          const added = weights[i] * weights[j] * covariance[row + pixels[j]]
          L[i * n + j] = first === 0 ? added : L[i * n + j] + added
        }
      }
    }
    let halfLog = 0
    for (let i = 0; i < n; i++) {
      const row = i * n
      let square = L[row + i] + NOISE * NOISE
      for (let j = 0; j < i; j++) {
        const other = j * n
        let rest = L[row + j]
        for (let k = 0; k < j; k++) rest -= L[row + k] * L[other + k]
        rest *= inverses[j]
        L[row + j] = rest
        square -= rest * rest
      }
      halfLog += Math.log(square) / 2
      inverses[i] = 1 / Math.sqrt(square)
    }
    return halfLog
  }

  /** Solves L y = x with the factor of S, y into `solution`; returns xᵀ S⁻¹ x = yᵀ y. */
  squaredNorm(n = this.count): number {
    const { values, solution: y } = this
    const [L, inverses] = [this.#factor, this.#inverses]
    let norm = 0
    for (let i = 0; i < n; i++) {
      let rest = values[i]
      for (let k = 0; k < i; k++) rest -= L[i * n + k] * y[k]
      y[i] = rest * inverses[i]
      norm += y[i] * y[i]
    }
    return norm
  }

  /** Solves S a = x with the factor of S, a into `solution`. */
  solve(): void {
    this.squaredNorm()
    this.#substituteBack(this.solution)
  }

  /** Returns column j of S⁻¹, in a buffer that the next call overwrites. */
  inverseColumn(j: number): Float64Array {
    const { count: n } = this
    const [L, inverses, column] = [this.#factor, this.#inverses, this.#column]
    column.fill(0, 0, n)
    column[j] = inverses[j]
    for (let i = j + 1; i < n; i++) {
      let rest = 0
      for (let k = j; k < i; k++) rest -= L[i * n + k] * column[k]
      column[i] = rest * inverses[i]
    }
    this.#substituteBack(column)
    return column
  }

  /** Solves Lᵀ a = y in place. */
  #substituteBack(y: Float64Array): void {
    const { count: n } = this
    const [L, inverses] = [this.#factor, this.#inverses]
    for (let i = n - 1; i >= 0; i--) {
      y[i] *= inverses[i]
      for (let k = 0; k < i; k++) y[k] -= L[i * n + k] * y[i]
    }
  }
}
