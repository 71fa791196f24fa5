/**
 * The steps 'gradient' and 'newton' in plain float64, to be read beside kernels/gradientRow.ts and newtonRow.ts: the
 * oracle of the engine suite.
 */
import type { Step } from '#dist/engine/engine.js'
import { draw, purpose, stream } from '#dist/random.js'
import type { Matrix, Vector } from '#dist/reference/matrix.js'
import type { SparseTensor } from '#dist/tensor/index.js'
import { windowSampler } from './windowSampler.ts'

export type FastStep = Exclude<Step, { kind: 'paper' }>

export interface FastSettings {
  c: number
  lambda: number
  step: FastStep
  first: number
  iterations: number
  seed: number
  /** Added to every element of a row that was updated, relative to its largest: what rounding might do. */
  jitter?: number
}

/** What a row's sample says of it: k and x of each sampled entry, and how many there were to sample from. */
interface Sample {
  K: Vector[]
  x: number[]
  nnz: number
}

/** AO iterations from U; the columns of the result are not balanced. */
export function fastReference(tensor: SparseTensor, U: readonly Matrix[], settings: FastSettings): Matrix[] {
  const { c, lambda, step, first, iterations, seed, jitter = 0 } = settings
  const { factors, common } = balanced(U, tensor)
  const past = factors.map((matrix) => [...matrix])
  const v = scaleVector(common, factors.length)
  const rows = factors.map((matrix, i) => entriesByRow(tensor, i, matrix.length))
  const means = factors.map((matrix, i) => meanRow(matrix.filter((_, p) => rows[i][p].length > 0)))
  const window = windowSampler(tensor, seed)
  for (let k = first; k < first + iterations; k++) {
    factors.forEach((matrix, i) => {
      rows[i].forEach((entries, p) => {
        const nnz = entries.length
        const B = roundedSampleSize(nnz, c, { seed, k, i, p })
        if (B === 0) return
        const picked = window(nnz, B, { k, i, p, l: 0 }).map((at) => entries[at])
        const sample = {
          K: picked.map((e) => khatriRaoRow(tensor, factors, i, e)),
          x: picked.map((e) => tensor.values[e]),
          nnz,
        }
        const a = matrix[p]
        const y = a.map((u, r) => Math.max(0, u + step.momentum * (u - past[i][p][r])))
        past[i][p] = a
        const next =
          step.kind === 'gradient'
            ? gradientStep(y, sample, lambda, means[i], v)
            : newtonStep(y, sample, lambda, means[i], step.damping)
        matrix[p] = next.map((u) => u + jitter * Math.max(...next))
      })
    })
  }
  return factors
}

/** B = ⌊c · nnz + u⌋, u in [0, 1): c · nnz on average. */
export function roundedSampleSize(
  nnz: number,
  c: number,
  { seed, k, i, p }: { seed: number; k: number; i: number; p: number },
): number {
  const key = (stream(seed, purpose.sample, k, i, 0) + 0x51ed270b) >>> 0
  return Math.min(nnz, Math.floor(c * nnz + draw(key, p) / 2 ** 32))
}

const meanRow = (rows: Matrix): Vector => rows[0].map((_, r) => sum(rows, (row) => row[r]) / rows.length)

/** The kernels' allowance for float32. */
const ROUNDING = 1.00002

/** y − g / D with D = diag((Hv)_r / v_r) + λ's share, projected. */
function gradientStep(
  y: Vector,
  { K, x, nnz }: Sample,
  lambda: number,
  mean: Vector,
  v: readonly number[],
): Vector {
  const weight = (lambda * K.length) / nnz
  const residuals = K.map((k, e) => dot(k, y) - x[e])
  const Kv = K.map((k) => dot(k, v))
  return y.map((u, r) => {
    const g = sum(K, (k, e) => residuals[e] * k[r]) + weight * (u - mean[r])
    const D = (ROUNDING * sum(K, (k, e) => Kv[e] * k[r])) / v[r] + weight
    return D > 0 ? Math.max(0, u - g / D) : u
  })
}

/** Coordinate descent on the row's quadratic around y: at the most 8 sweeps, fewer if one hardly moves the row. */
function newtonStep(y: Vector, { K, x, nnz }: Sample, lambda: number, mean: Vector, damping: number): Vector {
  const B = K.length
  const weight = (lambda * B) / nnz
  const H = Array.from(y, (_, r) => Array.from(y, (_, s) => sum(K, (k) => k[r] * k[s])))
  const residuals = K.map((k, e) => dot(k, y) - x[e])
  const G = y.map((u, r) => sum(K, (k, e) => residuals[e] * k[r]) + weight * (u - mean[r]))
  const trace = H.reduce((total, row, r) => total + row[r], 0)
  const epsilon = weight + ((damping * trace) / B) * (1 - B / nnz) + 1e-7 * trace
  const a = Float64Array.from(y)
  for (let sweep = 0; sweep < 8; sweep++) {
    let [moved, size] = [0, 0]
    a.forEach((now, r) => {
      const h = H[r][r] + epsilon
      if (h === 0) return
      a[r] = Math.max(0, now - (G[r] + epsilon * (now - y[r])) / h)
      const delta = a[r] - now
      moved += delta ** 2
      size += a[r] ** 2
      G.forEach((_, s) => {
        G[s] += delta * H[r][s]
      })
    })
    if (moved <= 1e-6 * size) break
  }
  return a
}

/** Every column as long in each mode, the model unchanged: as the engine has them when a run begins and ends. */
export function balanced(
  U: readonly Matrix[],
  tensor: SparseTensor,
): { factors: Matrix[]; common: number[] } {
  const observed = U.map((matrix, i) => {
    const seen = new Set(tensor.indices[i])
    return matrix.map((_, p) => seen.has(p))
  })
  const lengths = U.map((matrix, i) => columnLengths(matrix.filter((_, p) => observed[i][p])))
  const common = lengths[0].map((_, r) => lengths.reduce((product, l) => product * l[r], 1) ** (1 / U.length))
  const factors = U.map((matrix, i) =>
    matrix.map((row) => row.map((u, r) => (common[r] > 0 ? (u * common[r]) / lengths[i][r] : u))),
  )
  // Rows without entries are given the mean of the others.
  return {
    factors: factors.map((matrix, i) => {
      const mean = meanRow(matrix.filter((_, p) => observed[i][p]))
      return matrix.map((row, p) => (observed[i][p] ? row : mean))
    }),
    common,
  }
}

export const columnLengths = (matrix: Matrix): number[] =>
  Array.from(matrix[0], (_, r) => Math.hypot(...Array.from(matrix, (row) => row[r])))

function scaleVector(common: readonly number[], order: number): number[] {
  const longest = Math.max(...common)
  return common.map((length) => Math.max(1e-3, length / longest) ** (1 - order))
}

function entriesByRow({ indices }: SparseTensor, mode: number, count: number): number[][] {
  const rows: number[][] = Array.from({ length: count }, () => [])
  indices[mode].forEach((p, e) => void rows[p].push(e))
  return rows
}

const khatriRaoRow = (
  { indices }: SparseTensor,
  factors: readonly Matrix[],
  mode: number,
  e: number,
): Vector =>
  factors[mode][0].map((_, r) =>
    factors.reduce((product, matrix, j) => (j === mode ? product : product * matrix[indices[j][e]][r]), 1),
  )

const dot = (a: Vector, b: ArrayLike<number>): number => a.reduce((total, u, r) => total + u * b[r], 0)

const sum = (K: readonly Vector[], term: (k: Vector, e: number) => number): number =>
  K.reduce((total, k, e) => total + term(k, e), 0)
