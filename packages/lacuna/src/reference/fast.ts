/**
 * The steps of the fast solver in plain float64, to be read beside docs/solver.md: what
 * kernels/solve/rows/gradientRow.ts and newtonRow.ts must compute, and balancing. The paper's own steps are
 * in nmc.ts and ntc.ts.
 */

import { below, draw, purpose, stream, unit } from '../base/random.ts'
import type { Step } from '../engine/engine.ts'
import type { SparseTensor } from '../tensor/index.ts'
import { dot, type Matrix, type Vector } from './matrix.ts'
import { hessian } from './nmc.ts'
import { unfold } from './ntc.ts'

/** The kinds of step that this reference computes. */
export type FastStep = Extract<Step, { kind: 'gradient' | 'newton' }>

/** Parameters of the steps. */
export interface FastSettings {
  lambda: number
  /** The fraction of a row's entries in a sample. */
  c: number
  step: FastStep
  /** AO iterations; an epoch is 1/c of them. */
  iterations: number
  /** The number of the first AO iteration; 0 by default. */
  first?: number
  /**
   * Returns the sample of row p of mode i in AO iteration k, of about c · nnz entries, as positions among the
   * row's nnz entries in the order of the tensor; independent random samples by default.
   */
  sample?: (nnz: number, c: number, at: { k: number; i: number; p: number }) => readonly number[]
  /** The seed of the default sampler. */
  seed?: number
  /** Added to every element of an updated row, relative to its largest: simulates rounding. */
  jitter?: number
}

/**
 * The sample of a row: the Khatri-Rao row k, the value x and the weight w of each sampled entry, and the
 * number of all of the row's entries.
 */
interface Sample {
  K: readonly Vector[]
  x: readonly number[]
  w: readonly number[]
  nnz: number
}

/**
 * Runs AO iterations of the fast solver and returns the factors. They start from U, balanced, which is not
 * changed; the result is not balanced again.
 */
export function fastNtc(tensor: SparseTensor, U: readonly Matrix[], settings: FastSettings): Matrix[] {
  const { c, lambda, step, first = 0, iterations, jitter = 0 } = settings
  const sample = settings.sample ?? independentSampler(settings.seed ?? 1)
  const { factors, means, v } = balance(tensor, U)
  const before = factors.map((matrix) => [...matrix]) // each row before its last update
  for (let k = first; k < first + iterations; k++) {
    for (let i = 0; i < factors.length; i++) {
      unfold(tensor, factors, i).forEach(({ x, b, w }, p) => {
        const picked = x.length > 0 ? sample(x.length, c, { k, i, p }) : []
        if (picked.length === 0) return
        const sampled: Sample = {
          K: picked.map((q) => b[q]),
          x: picked.map((q) => x[q]),
          w: picked.map((q) => w[q]),
          nnz: x.length,
        }
        const a = factors[i][p]
        // Momentum: the row is extrapolated in the direction of its last update.
        const y = a.map((u, r) => Math.max(0, u + step.momentum * (u - before[i][p][r])))
        before[i][p] = a
        const next =
          step.kind === 'gradient'
            ? gradientStep(y, sampled, lambda, means[i], v)
            : newtonStep(y, sampled, lambda, means[i], step.damping)
        factors[i][p] = next.map((u) => u + jitter * Math.max(...next))
      })
    }
  }
  return factors
}

/** The factor by which the kernels enlarge D, to allow for rounding in float32. */
const ROUNDING = 1.00002

/**
 * Returns the row after a projected gradient step (y − g / D)₊ with D = diag((Hv)_r / v_r) + λ B / nnz: D ⪰ H
 * (Collatz–Wielandt bound), so the step cannot overshoot. λ shrinks towards `mean`. A component with D = 0
 * stays.
 */
function gradientStep(y: Vector, { K, x, w, nnz }: Sample, lambda: number, mean: Vector, v: Vector): Vector {
  const weight = (lambda * K.length) / nnz // the sample stands for the whole row: λ is weighted by B / nnz
  const residuals = K.map((k, e) => w[e] * (dot(k, y) - x[e]))
  const Hv = weightedSum(
    K,
    K.map((k, e) => w[e] * dot(k, v)),
  )
  const Kd = weightedSum(K, residuals)
  return y.map((u, r) => {
    const g = Kd[r] + weight * (u - mean[r])
    const D = (ROUNDING * Hv[r]) / v[r] + weight
    return D > 0 ? Math.max(0, u - g / D) : u
  })
}

/**
 * Returns the row that coordinate descent over a ≥ 0 finds on the row's quadratic around y, damped where the
 * sample leaves directions undetermined: at most 8 sweeps, fewer if one hardly moves the row. λ shrinks
 * towards `mean`.
 */
function newtonStep(
  y: Vector,
  { K, x, w, nnz }: Sample,
  lambda: number,
  mean: Vector,
  damping: number,
): Vector {
  const B = K.length
  const weight = (lambda * B) / nnz
  const H = hessian([...K.keys()], K, w, y.length, 0)
  const residuals = K.map((k, e) => w[e] * (dot(k, y) - x[e]))
  const G = weightedSum(K, residuals).map((g, r) => g + weight * (y[r] - mean[r]))
  const trace = H.reduce((total, row, r) => total + row[r], 0)
  const epsilon = weight + ((damping * trace) / B) * (1 - B / nnz) + 1e-7 * trace
  const a = y.slice()
  for (let sweep = 0; sweep < 8; sweep++) {
    let [moved, size] = [0, 0]
    a.forEach((now, r) => {
      const h = H[r][r] + epsilon
      if (h === 0) return
      a[r] = Math.max(0, now - (G[r] + epsilon * (now - y[r])) / h)
      const delta = a[r] - now
      moved += delta ** 2
      size += a[r] ** 2
      for (let s = 0; s < G.length; s++) G[s] += delta * H[r][s]
    })
    if (moved <= 1e-6 * size) break
  }
  return a
}

/**
 * Returns balanced factors, with equal column norms in all modes over the rows with entries; U is not
 * changed, and predictions are the same. Rows without entries are the mean of the others (`means`, per mode).
 * v = 1 / (the typical size of k_r), up to a common factor, for the bound of the gradient step.
 */
export function balance(
  tensor: SparseTensor,
  U: readonly Matrix[],
): { factors: Matrix[]; means: Vector[]; v: Vector } {
  const N = U.length
  const isObserved = U.map((matrix, i) => {
    const seen = new Set(tensor.indices[i])
    return matrix.map((_, p) => seen.has(p))
  })
  const observed = (matrix: Matrix, i: number): Matrix => matrix.filter((_, p) => isObserved[i][p])
  const lengths = U.map((matrix, i) => columnLengths(observed(matrix, i)))
  const common = lengths[0].map((_, r) => lengths.reduce((product, l) => product * l[r], 1) ** (1 / N))
  const scaled = U.map((matrix, i) =>
    matrix.map((row) => row.map((u, r) => (common[r] > 0 ? (u * common[r]) / lengths[i][r] : u))),
  )
  const means = scaled.map((matrix, i) => meanRow(observed(matrix, i)))
  const longest = Math.max(...common)
  return {
    factors: scaled.map((matrix, i) => matrix.map((row, p) => (isObserved[i][p] ? row : means[i]))),
    means,
    v: common.map((length) => Math.max(1e-3, length / longest) ** (1 - N)),
  }
}

/** The Euclidean norm of each column (R). */
export const columnLengths = (matrix: Matrix): Vector =>
  matrix[0].map((_, r) => Math.sqrt(sum(matrix, (row) => row[r] ** 2)))

/** The mean of the rows (R). */
const meanRow = (rows: Matrix): Vector => rows[0].map((_, r) => sum(rows, (row) => row[r]) / rows.length)

/** Σ w_e k_e over the rows k_e of K. */
function weightedSum(K: readonly Vector[], w: readonly number[]): Vector {
  const total = K[0].map(() => 0)
  K.forEach((k, e) => {
    for (let r = 0; r < k.length; r++) total[r] += w[e] * k[r]
  })
  return total
}

/** The sum of a term over rows. */
const sum = (rows: readonly Vector[], term: (row: Vector) => number): number =>
  rows.reduce((total, row) => total + term(row), 0)

/**
 * Returns a sampler that draws B = ⌊c · nnz + u⌋ entries without replacement, u uniform in [0, 1), so that
 * the mean of B is c · nnz and every row is sampled in the long run.
 */
function independentSampler(seed: number): NonNullable<FastSettings['sample']> {
  return (nnz, c, { k, i, p }) => {
    const key = stream(seed, purpose.sample, k, i, p)
    const B = Math.min(nnz, Math.floor(c * nnz + unit(draw(key, nnz))))
    const entries = Array.from({ length: nnz }, (_, q) => q)
    for (let q = 0; q < B; q++) {
      const other = q + below(draw(key, q), nnz - q)
      ;[entries[q], entries[other]] = [entries[other], entries[q]]
    }
    return entries.slice(0, B)
  }
}
