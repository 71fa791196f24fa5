/**
 * Sweeps under a learned prior in plain float64, to be read beside docs/accuracy.md: what kernels/posterior.ts,
 * posteriorRow.ts and engine/cpu/posterior.ts must compute.
 *
 * Rows of mode i are a_p ~ N(μ, Σ); the entries leave V_p uncertain of them. Everything that a step needs of another mode's
 * row b is M = E[b bᵀ] = b bᵀ + V.
 */
import type { SparseTensor } from '../tensor/index.ts'
import { dot, type Matrix, type Vector } from './matrix.ts'

export interface Posterior {
  factors: Matrix[]
  /** Per mode and row, M. */
  moments: Matrix[][]
  /** Per mode, μ and Σ⁻¹. */
  means: Vector[]
  precisions: Matrix[]
  /** Per mode and row, by how much of an entry's own value its prediction follows. */
  leverages: Vector[]
  sigma2: number
  sweeps: number
}

export interface PosteriorSettings {
  /** λ and σ² that the factors come from, Σ (x − y)² and the variance of the values. */
  lambda: number
  sigma2: number
  squares: number
  variance: number
  /** Of the values. */
  mean: number
  /** c₀ and c₁ of the noise's variance, from predictions and residuals of all entries; none: the same everywhere. */
  noise?: (predictions: Vector, residuals: Vector) => readonly [number, number]
}

/** From balanced factors. */
export function startPosterior(
  tensor: SparseTensor,
  factors: readonly Matrix[],
  settings: PosteriorSettings,
): Posterior {
  const { lambda, sigma2, squares, variance } = settings
  const rank = factors[0][0].length
  const state: Posterior = {
    factors: factors.map((matrix) => matrix.map((row) => row.slice())),
    moments: factors.map((matrix) => matrix.map((a) => outer(a, a))),
    means: factors.map((matrix, i) => meanOf(observedRows(tensor, i).map((p) => matrix[p]))),
    precisions: factors.map(() => identity(rank, lambda / sigma2)),
    leverages: factors.map((matrix) => new Float64Array(matrix.length)),
    sigma2,
    sweeps: 0,
  }
  // How many parameters the entries determine: what is left of them tells of the noise.
  let determined = 0
  for (let i = 0; i < factors.length; i++)
    for (const p of observedRows(tensor, i))
      determined += rowPosterior(tensor, state, i, p, () => 1).determined
  const free = Math.max(0, tensor.values.length - determined)
  const most = 0.1 * variance
  state.sigma2 = 2 * free > tensor.values.length && free * most > squares ? squares / free : most
  state.precisions = factors.map((matrix, i) => {
    const rows = observedRows(tensor, i)
    let spread = 0
    for (const p of rows) spread += matrix[p].reduce((sum, u, r) => sum + (u - state.means[i][r]) ** 2, 0)
    return identity(rank, 1 / (spread / rows.length / rank))
  })
  return state
}

/** One sweep over the modes; changes the state. */
export function sweepPosterior(
  tensor: SparseTensor,
  state: Posterior,
  { noise, mean }: PosteriorSettings,
): void {
  const variance = noise?.(
    ...((['prediction', 'residual'] as const).map((what) =>
      Float64Array.from(tensor.values, (_, e) => withoutItself(tensor, state, e)[what]),
    ) as [Vector, Vector]),
  )
  const weight = (e: number): number => {
    if (!variance) return 1
    const y = Math.max(withoutItself(tensor, state, e).prediction, 0.02 * mean)
    return 1 / (variance[0] + variance[1] * y)
  }
  let expected = 0
  state.factors.forEach((matrix, i) => {
    const rows = observedRows(tensor, i)
    const found = rows.map((p) => rowPosterior(tensor, state, i, p, weight))
    expected = found.reduce((sum, row) => sum + row.expected, 0)
    found.forEach(({ a, V, determined, nnz }, q) => {
      matrix[rows[q]] = a
      state.moments[i][rows[q]] = add(V, outer(a, a))
      state.leverages[i][rows[q]] = determined / nnz
    })
    const mu = meanOf(rows.map((p) => matrix[p]))
    state.means[i] = mu
    if (state.sweeps > 0)
      state.precisions[i] = inverse(
        covariance(
          rows.map((p) => state.moments[i][p]),
          mu,
        ),
      )
    matrix.forEach((_, p) => {
      if (!rows.includes(p)) matrix[p] = mu.slice()
    })
  })
  state.sigma2 = expected / tensor.values.length
  state.sweeps++
}

/** Σ: the mean of (a − μ)(a − μ)ᵀ + V, shrunk a little towards its diagonal where rows are few. */
function covariance(moments: readonly Matrix[], mu: Vector): Matrix {
  const n = moments.length
  const rank = mu.length
  const matrix = Array.from(mu, (_, r) =>
    Float64Array.from(mu, (_, s) => {
      const value = moments.reduce((sum, M) => sum + M[r][s], 0) / n - mu[r] * mu[s]
      return r === s ? value : (value * n) / (n + rank / 8)
    }),
  )
  const floor = (1e-6 * matrix.reduce((sum, row, r) => sum + row[r], 0)) / rank
  return matrix.map((row, r) => row.map((value, s) => value + (r === s ? floor : 0)))
}

/** A row, what is left uncertain of it, and what it says of the noise. */
function rowPosterior(
  tensor: SparseTensor,
  { factors, moments, means, precisions, sigma2 }: Posterior,
  i: number,
  p: number,
  weight: (entry: number) => number,
): { a: Vector; V: Matrix; expected: number; determined: number; nnz: number } {
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
  const prior = precisions[i].map((row) => row.map((u) => u * sigma2))
  const trace = H.reduce((sum, row, r) => sum + row[r], 0)
  const system = add(H, add(prior, identity(rank, 1e-7 * trace)))
  const right = b.map((u, r) => u + dot(prior[r], means[i]))
  const a = descend(system, right, before)
  const V = inverse(system).map((row) => row.map((u) => u * sigma2))
  const M = add(V, outer(a, a))
  return {
    a,
    V,
    expected: squares - 2 * dot(b, a) + traceOf(M, H),
    determined: traceOf(V, H) / sigma2,
    nnz: entries.length,
  }
}

/** Coordinate descent on ½ aᵀSa − bᵀa over a ≥ 0: at the most 8 sweeps, fewer if one hardly moves the row. */
function descend(S: Matrix, b: Vector, from: Vector): Vector {
  const a = from.slice()
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

/** What would be predicted of an entry, and by how much it would be missed, if it were not there. */
function withoutItself(
  tensor: SparseTensor,
  { factors, leverages }: Posterior,
  e: number,
): { prediction: number; residual: number } {
  const places = tensor.indices.map((column) => column[e])
  const y = factors[0][0].reduce((sum, _, r) => sum + places.reduce((k, p, j) => k * factors[j][p][r], 1), 0)
  const h = Math.min(
    0.9,
    places.reduce((sum, p, j) => sum + leverages[j][p], 0),
  )
  const x = tensor.values[e]
  return { prediction: Math.max(0, (y - h * x) / (1 - h)), residual: (y - x) / (1 - h) }
}

const observedRows = ({ dims, indices }: SparseTensor, i: number): number[] => {
  const seen = new Set(indices[i])
  return Array.from({ length: dims[i] }, (_, p) => p).filter((p) => seen.has(p))
}

const identity = (n: number, scale: number): Matrix =>
  Array.from({ length: n }, (_, r) => Float64Array.from({ length: n }, (_, s) => (r === s ? scale : 0)))
const outer = (a: Vector, b: Vector): Matrix => [...a].map((u) => b.map((v) => u * v))
const add = (A: Matrix, B: Matrix): Matrix => A.map((row, r) => row.map((u, s) => u + B[r][s]))
const traceOf = (A: Matrix, B: Matrix): number => A.reduce((sum, row, r) => sum + dot(row, B[r]), 0)
const meanOf = (rows: Matrix): Vector =>
  rows[0].map((_, r) => rows.reduce((sum, row) => sum + row[r], 0) / rows.length)

/** By Gauss and Jordan; the matrix is positive definite. */
function inverse(A: Matrix): Matrix {
  const n = A.length
  const rows = A.map((row, r) =>
    Float64Array.from({ length: 2 * n }, (_, s) => (s < n ? row[s] : Number(s - n === r))),
  )
  for (let k = 0; k < n; k++) {
    const pivot = rows[k][k]
    rows[k] = rows[k].map((u) => u / pivot)
    for (let r = 0; r < n; r++) {
      if (r === k) continue
      const by = rows[r][k]
      rows[r] = rows[r].map((u, s) => u - by * rows[k][s])
    }
  }
  return rows.map((row) => row.slice(n))
}
