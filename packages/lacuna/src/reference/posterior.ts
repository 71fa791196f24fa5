/**
 * Sweeps of variational EM under a learned prior in plain float64, to be read beside docs/accuracy.md: what
 * kernels/solve/rows/posterior.ts, posteriorRow.ts and engine/cpu/steps/posterior/ must compute.
 *
 * Rows of mode i have the prior N(μ, Σ) and the posterior N(a_p, V_p). A step needs only the second moments
 * M = E[b bᵀ] = b bᵀ + V of the other modes' rows b.
 */
import type { SparseTensor } from '../tensor/index.ts'
import { averageByGroup, expectByGroup, meanMoments } from './groups.ts'
import { dot, type Matrix, type Vector } from './matrix.ts'
import { expectRows } from './rowMeans.ts'
import type { SideInformation } from './rowPriors.ts'
import { add, identity, inverse, meanOf, outer, traceOf } from './symmetric.ts'
import { weightsOf } from './weights.ts'

/** The state of the learned prior and of the posteriors. */
export interface Posterior {
  factors: Matrix[]
  /** Per mode and row, the second moments M (R × R). */
  moments: Matrix[][]
  /** Per mode, μ, the prior mean. */
  means: Vector[]
  /** Per mode, Σ⁻¹, the prior precision (R × R). */
  precisions: Matrix[]
  /**
   * Per mode and row, the leverage: the fraction of the value of an entry of weight 1 that its prediction
   * follows because of the row.
   */
  leverages: Vector[]
  /** Per mode and row, the prior mean; μ without side information. */
  rowMeans: Matrix[]
  /** Per mode and row, t, the prior precision in units of Σ⁻¹; 1 without side information. */
  couplingWeights: Vector[]
  /** Per mode and row, the noise variance of its entries in units of σ². */
  variances: Vector[]
  /** Per mode, the weight of each lag. */
  lagWeights: Vector[]
  /** The mode whose rows differ in noise; undefined if there is none. */
  noisyMode?: number
  /** σ², the variance of the noise. */
  sigma2: number
  /** The number of sweeps so far. */
  sweeps: number
}

/** Parameters of the sweeps, and statistics of the factors that they start from. */
export interface PosteriorSettings {
  /** λ with which the factors were fitted. */
  lambda: number
  /** σ² that was assumed with it. */
  sigma2: number
  /** Σ (x − y)², the squared error of the factors. */
  squares: number
  /** The variance of the values. */
  variance: number
  /** The mean of the values. */
  mean: number
  /**
   * Returns c₀ and c₁ of the noise variance σ² (c₀ + c₁ y), from leave-one-out predictions y and residuals
   * and the weights of all entries; constant noise by default.
   */
  noise?: (predictions: Vector, residuals: Vector, weights: Vector) => readonly [number, number]
  /** Whether the rows of one mode may differ in noise. */
  rowNoise?: boolean
  /** Whether the loss is Huber's, linear beyond two standard deviations. */
  huber?: boolean
  /** Whether rows are treated as certain, and Σ is not learned. */
  isStart?: boolean
  /** Whether covariances are those of groups of rows (groups.ts). */
  isGrouped?: boolean
  /** Per mode, side information. */
  sideInformation?: readonly (SideInformation | undefined)[]
}

/**
 * The mean of w z² of normal residuals z with w = min(1, 2/|z|): z² within two standard deviations, and 2|z|
 * beyond.
 */
const HUBER_FACTOR = 0.9545

/** Returns the state before the first sweep, from balanced factors, which are copied. */
export function startPosterior(
  tensor: SparseTensor,
  factors: readonly Matrix[],
  settings: PosteriorSettings,
): Posterior {
  const { lambda, sigma2, squares, variance } = settings
  const weights = weightsOf(tensor)
  const rank = factors[0][0].length
  const state: Posterior = {
    factors: factors.map((matrix) => matrix.map((row) => row.slice())),
    moments: factors.map((matrix) => matrix.map((a) => outer(a, a))),
    means: factors.map((matrix, i) => meanOf(observedRows(tensor, i).map((p) => matrix[p]))),
    precisions: factors.map(() => identity(rank, lambda / sigma2)),
    leverages: factors.map((matrix) => new Float64Array(matrix.length)),
    rowMeans: [],
    couplingWeights: factors.map((matrix) => new Float64Array(matrix.length).fill(1)),
    variances: factors.map((matrix) => new Float64Array(matrix.length).fill(1)),
    lagWeights: factors.map((_, i) =>
      new Float64Array(settings.sideInformation?.[i]?.lags?.length ?? 0).fill(0.5),
    ),
    sigma2,
    sweeps: 0,
  }
  state.rowMeans = factors.map((matrix, i) => matrix.map(() => state.means[i].slice()))
  // The number of parameters that the entries determine; the remaining degrees of freedom estimate the noise.
  let determined = 0
  for (let i = 0; i < factors.length; i++)
    for (const { determined: own } of rowPosteriors(tensor, state, i, (e) => weights[e], settings))
      determined += own
  const free = Math.max(0, tensor.values.length - determined)
  const most = 0.1 * variance
  if (settings.isStart) state.sigma2 = variance
  else state.sigma2 = 2 * free > tensor.values.length && free * most > squares ? squares / free : most
  state.precisions = factors.map((matrix, i) => {
    const rows = observedRows(tensor, i)
    let spread = 0
    for (const p of rows) spread += matrix[p].reduce((sum, u, r) => sum + (u - state.means[i][r]) ** 2, 0)
    return identity(rank, 1 / (spread / rows.length / rank))
  })
  return state
}

/** Runs one sweep of variational EM over the modes; changes the state in place. */
export function sweepPosterior(tensor: SparseTensor, state: Posterior, settings: PosteriorSettings): void {
  const { noise, rowNoise, huber, mean, sideInformation, isStart } = settings
  const weights = weightsOf(tensor)
  const ofAll = (what: 'prediction' | 'residual'): Vector =>
    Float64Array.from(tensor.values, (_, e) => leaveOneOut(tensor, state, e)[what])
  const variance = noise?.(ofAll('prediction'), ofAll('residual'), weights)
  const weight = (e: number): number => {
    const { prediction, residual } = leaveOneOut(tensor, state, e)
    const y = Math.max(prediction, 0.02 * mean)
    let v = variance ? variance[0] + variance[1] * y : 1
    if (rowNoise) for (const [j, column] of tensor.indices.entries()) v *= state.variances[j][column[e]]
    const huberWeight = huber ? Math.min(1, (2 * Math.sqrt(state.sigma2 * v)) / Math.abs(residual)) : 1
    return (weights[e] * huberWeight) / v
  }
  let expected = 0
  const squares = state.factors.map((matrix) => new Float64Array(matrix.length))
  state.factors.forEach((matrix, i) => {
    const rows = observedRows(tensor, i)
    const found = rowPosteriors(tensor, state, i, weight, settings)
    expected = found.reduce((sum, row) => sum + row.expected, 0)
    found.forEach(({ a, V, expected, determined, total }, q) => {
      squares[i][rows[q]] = expected
      matrix[rows[q]] = a
      state.moments[i][rows[q]] = isStart ? outer(a, a) : add(V, outer(a, a))
      state.leverages[i][rows[q]] = determined / total
    })
    state.means[i] = meanOf(rows.map((p) => matrix[p]))
    const isWhole = state.sweeps > 0 && !isStart
    const side = expectRows(
      matrix,
      state.moments[i],
      rows,
      state.means[i],
      sideInformation?.[i] ?? {},
      state.lagWeights[i],
      state.rowMeans[i],
      isWhole,
    )
    state.rowMeans[i] = side.means
    state.couplingWeights[i] = side.couplingWeights
    state.lagWeights[i] = side.weights
    if (isWhole) state.precisions[i] = inverse(shrinkOffDiagonal(side.covariance, rows.length))
    for (const [p, row] of side.filled) matrix[p] = row
  })
  const factor = huber ? HUBER_FACTOR : 1
  state.sigma2 = expected / tensor.values.length / factor
  if (rowNoise) updateRowVariances(tensor, state, squares, state.sigma2 * factor)
  state.sweeps++
}

/**
 * Σ with its off-diagonal elements shrunk by rows / (rows + R/8), and 10⁻⁶ of its mean variance added to the
 * diagonal.
 */
function shrinkOffDiagonal(covariance: Matrix, rows: number): Matrix {
  const rank = covariance.length
  const floor = (1e-6 * covariance.reduce((sum, row, r) => sum + row[r], 0)) / rank
  return covariance.map((row, r) =>
    row.map((value, s) => (r === s ? value + floor : (value * rows) / (rows + rank / 8))),
  )
}

/**
 * Updates the noise variances of the rows of one mode in the state: of that in which they differ most, by
 * likelihood in the first sweep, or of none if no mode gains. Each row has 5 pseudo-entries of average noise.
 * @param squares per mode and row, Σ w E[(x − k·a)²]
 */
function updateRowVariances(tensor: SparseTensor, state: Posterior, squares: Vector[], sigma2: number): void {
  const { indices } = tensor
  const weights = weightsOf(tensor)
  const found = squares.map((sums, i) => {
    const n = new Float64Array(sums.length)
    indices[i].forEach((p, e) => {
      n[p] += weights[e]
    })
    const own = sums.map((sum, p) => (sum * state.variances[i][p] + 5 * sigma2) / (n[p] + 5))
    const mean = own.reduce((sum, v, p) => sum + n[p] * v, 0) / indices[i].length
    const variances = own.map((v, p) => (n[p] > 0 ? v / mean : 1))
    const gain = variances.reduce((sum, v, p) => sum - (n[p] > 0 ? (n[p] / 2) * Math.log(v) + 1 : 0), 0)
    return { variances, gain }
  })
  if (state.sweeps === 0) {
    const best = found.reduce((best, { gain }, i) => (gain > found[best].gain ? i : best), 0)
    state.noisyMode = found[best].gain > 0 ? best : undefined
  }
  const { noisyMode } = state
  if (noisyMode !== undefined) state.variances[noisyMode] = found[noisyMode].variances
}

/** The posteriors of the rows of mode i that have entries, in ascending order; see rowPosterior. */
function rowPosteriors(
  tensor: SparseTensor,
  state: Posterior,
  i: number,
  weight: (entry: number) => number,
  { isStart, isGrouped = false }: PosteriorSettings,
): ReturnType<typeof rowPosterior>[] {
  const rows = observedRows(tensor, i)
  const means = isGrouped ? meanMoments(tensor, state.factors) : undefined
  const found = rows.map((p) => rowPosterior(tensor, state, i, p, weight, means, isStart))
  const lengths = rows.map((p) => tensor.indices[i].filter((q) => q === p).length)
  if (isGrouped) averageByGroup(found, lengths, state.sigma2)
  return found
}

/**
 * The posterior of row p of mode i: its mean a ≥ 0 and covariance V, `expected` = Σ w E[(x − k·a)²],
 * `uncertain`, the part of it that is due to V, `determined` = tr(V H)/σ² (the number of parameters that
 * the entries determine), and `total`, the sum of the entries' own weights.
 * @param weight w of an entry: its own weight times its Huber weight, divided by its noise variance in units
 * of σ²
 * @param means the mean moments of all modes if the covariances of the other modes' rows are those of groups
 * @param isCertain whether `expected` ignores V
 */
function rowPosterior(
  tensor: SparseTensor,
  { factors, moments, rowMeans, couplingWeights, precisions, sigma2 }: Posterior,
  i: number,
  p: number,
  weight: (entry: number) => number,
  means: readonly Matrix[] | undefined,
  isCertain = false,
): { a: Vector; V: Matrix; expected: number; uncertain: number; determined: number; total: number } {
  const weights = weightsOf(tensor)
  const before = factors[i][p]
  const rank = before.length
  const entries = [...tensor.values.keys()].filter((e) => tensor.indices[i][e] === p)
  let H = identity(rank, 0)
  const b = new Float64Array(rank) // Σ w x k
  let squares = 0
  for (const e of entries) {
    const w = weight(e)
    const x = tensor.values[e]
    const others = factors.flatMap((_, j) => (j === i ? [] : [{ j, q: tensor.indices[j][e] }]))
    const product = others.reduce<Matrix>(
      (matrix, { j, q }) => matrix.map((row, r) => row.map((u, s) => u * moments[j][q][r][s])),
      identity(rank, 0).map((row) => row.map(() => w)),
    )
    H = add(H, product)
    for (let r = 0; r < rank; r++) b[r] += w * x * others.reduce((k, { j, q }) => k * factors[j][q][r], 1)
    squares += w * x * x
  }
  if (means) {
    const others = factors.flatMap((_, j) => (j === i ? [] : [j]))
    H = expectByGroup(tensor, factors, moments, means, others, entries, entries.map(weight))
  }
  const prior = precisions[i].map((row) => row.map((u) => u * sigma2 * couplingWeights[i][p]))
  const trace = H.reduce((sum, row, r) => sum + row[r], 0)
  const system = add(H, add(prior, identity(rank, 1e-7 * trace)))
  const right = b.map((u, r) => u + dot(prior[r], rowMeans[i][p]))
  const a = descend(system, right, before)
  const V = inverse(system).map((row) => row.map((u) => u * sigma2))
  const uncertain = isCertain ? 0 : traceOf(V, H)
  return {
    a,
    V,
    expected: squares - 2 * dot(b, a) + traceOf(outer(a, a), H) + uncertain,
    uncertain,
    determined: traceOf(V, H) / sigma2,
    total: entries.reduce((sum, e) => sum + weights[e], 0),
  }
}

/**
 * Minimises ½ aᵀSa − bᵀa over a ≥ 0 by coordinate descent from `start`: at most 8 sweeps, fewer if one hardly
 * moves the row. Returns a.
 */
function descend(S: Matrix, b: Vector, start: Vector): Vector {
  const a = start.slice()
  for (let sweep = 0; sweep < 8; sweep++) {
    let [moved, size] = [0, 0]
    for (let r = 0; r < a.length; r++) {
      const now = a[r]
      a[r] = Math.max(0, now - (dot(S[r], a) - b[r]) / S[r][r])
      moved += (a[r] - now) ** 2
      size += a[r] ** 2
    }
    if (moved <= 1e-6 * size) break
  }
  return a
}

/**
 * The leave-one-out prediction (at least 0) and residual (prediction minus value) of an entry, by its
 * leverage.
 */
function leaveOneOut(
  tensor: SparseTensor,
  { factors, leverages }: Posterior,
  e: number,
): { prediction: number; residual: number } {
  const coordinates = tensor.indices.map((column) => column[e])
  const y = factors[0][0].reduce(
    (sum, _, r) => sum + coordinates.reduce((k, p, j) => k * factors[j][p][r], 1),
    0,
  )
  const h = Math.min(0.9, weightsOf(tensor)[e] * coordinates.reduce((sum, p, j) => sum + leverages[j][p], 0))
  const x = tensor.values[e]
  return { prediction: Math.max(0, (y - h * x) / (1 - h)), residual: (y - x) / (1 - h) }
}

/** The rows of mode i that have entries, in ascending order. */
const observedRows = ({ dims, indices }: SparseTensor, i: number): number[] => {
  const seen = new Set(indices[i])
  return Array.from({ length: dims[i] }, (_, p) => p).filter((p) => seen.has(p))
}
