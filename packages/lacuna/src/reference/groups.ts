/**
 * Posterior covariances by group of rows in plain float64: what kernels/solve/rows/groups.ts and
 * engine/cpu/steps/posterior/groups.ts must compute.
 */
import type { SparseTensor } from '../tensor/index.ts'
import type { Matrix } from './matrix.ts'
import { add, identity, outer } from './symmetric.ts'

/** The most rows of a group whose covariance is computed. */
const MOST_SAMPLED = 64

/** The posterior of a row, before the covariances of its group are averaged. */
interface RowPosterior {
  V: Matrix
  /** Σ w E[(x − k·a)²] with V, and what V contributes to it. */
  expected: number
  uncertain: number
  /** tr(V H)/σ² */
  determined: number
}

/**
 * Replaces V and the sums of each row in place by what its group gives it: V is the mean over the group's
 * sampled rows, and rows that are not sampled determine as many parameters as those do on average. A group
 * has the rows whose numbers of entries are in one half-octave; every k-th of them is sampled.
 * @param lengths the number of entries of each row
 */
export function averageByGroup(rows: RowPosterior[], lengths: readonly number[], sigma2: number): void {
  const groupOf = (q: number): number => Math.min(23, Math.floor(2 * Math.log2(lengths[q]) + 1e-9))
  for (let group = 0; group < 24; group++) {
    const members = [...rows.keys()].filter((q) => groupOf(q) === group)
    if (members.length === 0) continue
    const every = Math.ceil(members.length / MOST_SAMPLED)
    const sampled = members.filter((_, k) => k % every === 0)
    const determined = sampled.reduce((sum, q) => sum + rows[q].determined, 0) / sampled.length
    const sum = sampled.reduce((sum, q) => add(sum, rows[q].V), identity(rows[0].V.length, 0))
    const mean = sum.map((row) => row.map((u) => u / sampled.length))
    members.forEach((q, k) => {
      const row = rows[q]
      row.V = mean
      if (k % every === 0) return
      row.expected += sigma2 * determined - row.uncertain
      row.determined = determined
    })
  }
}

/**
 * The expectation of Σ w k kᵀ over the entries of a row, from the mean covariance V̄_o of the rows that they
 * have in each other mode: Σ w k kᵀ + n (∏_o (S_o + V̄_o) − ∏_o S_o), with S_o the mean of b bᵀ over all
 * entries.
 * @param means S of all modes
 * @param others the other modes
 * @param weights w of each of the entries
 */
export function expectByGroup(
  tensor: SparseTensor,
  factors: readonly Matrix[],
  moments: readonly Matrix[][],
  means: readonly Matrix[],
  others: readonly number[],
  entries: readonly number[],
  weights: readonly number[],
): Matrix {
  const rank = factors[0][0].length
  const n = weights.reduce((sum, w) => sum + w, 0)
  let H = identity(rank, 0)
  const covariances = others.map(() => identity(rank, 0))
  entries.forEach((e, at) => {
    const w = weights[at]
    const k = others.reduce(
      (k, j) => k.map((u, r) => u * factors[j][tensor.indices[j][e]][r]),
      new Float64Array(rank).fill(1),
    )
    H = add(H, multiple(outer(k, k), w))
    others.forEach((j, o) => {
      const b = factors[j][tensor.indices[j][e]]
      const V = add(moments[j][tensor.indices[j][e]], multiple(outer(b, b), -1))
      covariances[o] = add(covariances[o], multiple(V, w / n))
    })
  })
  const whole = productOf(others.map((j, o) => add(means[j], covariances[o])))
  const certain = productOf(others.map((j) => means[j]))
  return add(H, multiple(add(whole, multiple(certain, -1)), n))
}

/** S of each mode, the mean of b bᵀ over the entries, with b their row of the mode. */
export function meanMoments({ indices }: SparseTensor, factors: readonly Matrix[]): Matrix[] {
  return factors.map((factor, j) => {
    let sum = identity(factor[0].length, 0)
    for (const p of indices[j]) sum = add(sum, outer(factor[p], factor[p]))
    return multiple(sum, 1 / indices[j].length)
  })
}

/** The elementwise product of matrices. */
const productOf = (matrices: readonly Matrix[]): Matrix =>
  matrices.reduce((product, A) => product.map((row, r) => row.map((u, s) => u * A[r][s])))

/** c A */
const multiple = (A: Matrix, c: number): Matrix => A.map((row) => row.map((u) => c * u))
