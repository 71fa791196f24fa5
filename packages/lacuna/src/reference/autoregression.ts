/**
 * Prior means of rows in time under an autoregressive prior, in plain float64 and with dense matrices: what
 * engine/cpu/steps/posterior/autoregressiveRows.ts and regressions.ts must compute.
 */
import { dot, type Matrix, type Vector } from './matrix.ts'
import type { RowPriors, SideInformation } from './rowPriors.ts'
import { add, identity, inverse, outer, traceOf } from './symmetric.ts'

/** The rows of a mode, in any order of time. */
export interface TimeRows {
  /** (rows × R) */
  matrix: Matrix
  /** (rows × R) Prior means without lags. */
  base: Matrix
  /** (rows × R) Prior means of the sweep before. */
  previous: Matrix
  /** Posterior covariance of a row. */
  covarianceAt: (p: number) => Matrix
  /** The rows with entries. */
  observed: ReadonlySet<number>
}

/** θ and s of rows with a number of lags before them. */
interface Regression {
  theta: number[]
  scale: number
}

/**
 * Returns the prior means of the rows: x_t = Σ θ x_{t−l} + ε, ε ~ N(0, Σ/s), x = a − base. Changes no argument.
 * @param spread the covariance of the rows around their base, if θ, s and Σ are to be learned
 */
export function expectInTime(
  { matrix, base, previous, covarianceAt, observed }: TimeRows,
  { lags = [], order }: SideInformation,
  spread: Matrix | undefined,
): RowPriors {
  const inTime = order ? Array.from(order) : matrix.map((_, p) => p)
  const x = inTime.map((p) => matrix[p].map((u, r) => u - base[p][r]))
  const V = inTime.map(covarianceAt)
  const isObserved = inTime.map((p) => observed.has(p))
  const { regressions, covariance } = spread
    ? learn(x, V, isObserved, lags, spread)
    : { regressions: [{ theta: [], scale: 1 }], covariance: identity(x[0].length, 1) }
  const regressionAt = (t: number): Regression =>
    regressions[Math.min(lags.filter((lag) => lag <= t).length, regressions.length - 1)]
  const end = isObserved.lastIndexOf(true) + 1
  // A row of I − Θ per position, and the precision Q = (I − Θ)ᵀ S (I − Θ) of the positions before the end.
  const A = x.map((_, t) => {
    const row = new Float64Array(x.length)
    row[t] = 1
    regressionAt(t).theta.forEach((weight, k) => {
      row[t - lags[k]] = -weight
    })
    return row
  })
  const Q = A.slice(0, end).reduce<Matrix>(
    (sum, row, t) =>
      add(
        sum,
        outer(row, row).map((own) => own.map((u) => u * regressionAt(t).scale)),
      ),
    identity(x.length, 0),
  )
  const now = x.map((row) => row.slice())
  const expect = (t: number): Vector =>
    now[t].map((u, r) => {
      const [weights, own] = t < end ? [Q[t], Q[t][t]] : [A[t], 1]
      return u - weights.reduce((sum, w, s) => sum + w * now[s][r], 0) / own
    })
  const fill = (t: number): void => {
    now[t] = expect(t).map((u, r) => Math.max(u, -base[inTime[t]][r]))
  }
  for (let round = 0; round < 50; round++) for (let t = 0; t < end; t++) if (!isObserved[t]) fill(t)
  for (let t = end; t < x.length; t++) fill(t)
  const bound =
    Math.max(...regressions.map(({ scale }) => scale)) *
    Math.max(...regressions.map(({ theta }) => 1 + theta.reduce((sum, u) => sum + Math.abs(u), 0))) ** 2
  const means: Matrix = matrix.map((row) => row.slice())
  const couplingWeights = new Float64Array(matrix.length)
  const filled = new Map<number, Vector>()
  inTime.forEach((p, t) => {
    couplingWeights[p] = t < end ? Q[t][t] : regressionAt(t).scale
    const step = Math.min(1, (1.5 * couplingWeights[p]) / bound)
    const mean = expect(t).map((u, r) => u + base[p][r])
    means[p] = mean.map((u, r) => previous[p][r] + step * (u - previous[p][r]))
    if (!observed.has(p))
      filled.set(
        p,
        now[t].map((u, r) => u + base[p][r]),
      )
  })
  const { theta } = regressions[regressions.length - 1]
  return {
    means,
    couplingWeights,
    weights: Float64Array.from(lags, (_, k) => theta[k] ?? 0),
    covariance,
    filled,
  }
}

/** θ and s by the number of lags before a row, and Σ, from the rows with entries at all these lags. */
function learn(
  x: Matrix,
  V: readonly Matrix[],
  isObserved: readonly boolean[],
  lags: readonly number[],
  spread: Matrix,
): { regressions: Regression[]; covariance: Matrix } {
  const rank = spread.length
  const complete = [0, ...lags].map((_, j) =>
    x.flatMap((_, t) =>
      lags.filter((lag) => lag <= t).length === j &&
      [0, ...lags.slice(0, j)].every((lag) => isObserved[t - lag])
        ? [t]
        : [],
    ),
  )
  const most = complete.findLastIndex((positions) => positions.length > 0)
  if (most < 0) return { regressions: [{ theta: [], scale: 1 }], covariance: spread }
  const weigh = (matrix: Matrix, weight: number): Matrix => matrix.map((row) => row.map((u) => weight * u))
  const sumOf = (matrices: readonly Matrix[]): Matrix => matrices.reduce(add, identity(rank, 0))
  let covariance = spread
  let regressions: Regression[] = []
  for (let round = 0; round < 3; round++) {
    const precision = invert(covariance)
    const thetas = complete.slice(0, most + 1).map((_, j) => {
      const used = complete.slice(j, most + 1).flat()
      const before = lags.slice(0, j)
      if (j === 0) return []
      const normal = before.map((lag) =>
        Float64Array.from(before, (other) =>
          used.reduce((sum, t) => {
            const V0 = lag === other ? traceOf(precision, V[t - lag]) : 0
            return sum + V0 + traceOf(precision, outer(x[t - lag], x[t - other]))
          }, 0),
        ),
      )
      const right = Float64Array.from(before, (lag) =>
        used.reduce((sum, t) => sum + traceOf(precision, outer(x[t], x[t - lag])), 0),
      )
      return inverse(add(normal, identity(j, rank))).map((row) => dot(row, right))
    })
    const sums = thetas.map((theta, j) =>
      sumOf(
        complete[j].map((t) => {
          const e = x[t].map((u, r) => u - theta.reduce((sum, w, k) => sum + w * x[t - lags[k]][r], 0))
          const before = theta.map((w, k) => weigh(V[t - lags[k]], w * w))
          return sumOf([outer(e, e), V[t], ...before])
        }),
      ),
    )
    const counts = thetas.map((_, j) => complete[j].length)
    const total = counts.reduce((sum, count) => sum + count, 0)
    let scales = counts.map(() => 1)
    const pooled = (): Matrix => weigh(sumOf(sums.map((own, j) => weigh(own, scales[j]))), 1 / total)
    for (let inner = 0; inner < 3; inner++) {
      const now = invert(pooled())
      const found = sums.map((own, j) => ((counts[j] + 5) * rank) / (traceOf(now, own) + 5 * rank))
      scales = found.map((scale) => scale / found[found.length - 1])
    }
    covariance = pooled()
    regressions = thetas.map((theta, j) => ({ theta, scale: scales[j] }))
  }
  return { regressions, covariance }
}

/** The inverse of a covariance with 10⁻⁶ of its mean variance added to the diagonal. */
function invert(covariance: Matrix): Matrix {
  const rank = covariance.length
  const floor = (1e-6 * covariance.reduce((sum, row, r) => sum + row[r], 0)) / rank
  return inverse(add(covariance, identity(rank, floor)))
}
