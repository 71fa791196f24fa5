/**
 * Prior means of rows with side information in plain float64: what engine/cpu/steps/posterior/rowMeans.ts
 * must compute.
 */
import { expectInTime } from './autoregression.ts'
import { dot, type Matrix, type Vector } from './matrix.ts'
import type { RowPriors, SideInformation } from './rowPriors.ts'
import { add, identity, inverse, outer, traceOf } from './symmetric.ts'

/**
 * Returns the prior means of the rows of a mode: μ, or its regression on the rows' attributes, averaged with
 * the rows at the distances of the lags. Changes no argument.
 * @param moments per row, E[a aᵀ]
 * @param rows the rows that have entries
 * @param mu μ, their mean
 * @param weights of the lags so far
 * @param previous the prior means of the sweep before
 * @param learns whether these weights are learned from the rows
 */
export function expectRows(
  matrix: Matrix,
  moments: readonly Matrix[],
  rows: readonly number[],
  mu: Vector,
  side: SideInformation,
  weights: Vector,
  previous: Matrix,
  learns: boolean,
): RowPriors {
  const { lags = [], isCyclic = false, order, features } = side
  const rank = mu.length
  const base = features ? predictFromAttributes(matrix, rows, mu, features) : matrix.map(() => mu.slice())
  const covarianceAt = (p: number): Matrix =>
    add(
      moments[p],
      outer(matrix[p], matrix[p]).map((row) => row.map((u) => -u)),
    )
  const mean = (found: readonly Matrix[]): Matrix =>
    found.reduce(add, identity(rank, 0)).map((row) => row.map((u) => u / found.length))
  const minus = (a: Vector, b: Vector): Vector => a.map((u, r) => u - b[r])
  const around = mean(
    rows.map((p) => add(outer(minus(matrix[p], base[p]), minus(matrix[p], base[p])), covarianceAt(p))),
  )
  const has = new Set(rows)
  if (side.isAutoregressive)
    return expectInTime(
      { matrix, base, previous, covarianceAt, observed: has },
      side,
      learns ? around : undefined,
    )
  const inOrder = order ? Array.from(order) : matrix.map((_, p) => p)
  const neighbour = (p: number, distance: number): number | undefined => {
    const at = inOrder.indexOf(p) + distance
    return inOrder[isCyclic ? (at + inOrder.length) % inOrder.length : at]
  }
  const apart = lags.map((lag) => {
    const differences = rows.flatMap((p) => {
      const q = neighbour(p, lag)
      if (q === undefined || !has.has(q)) return []
      const d = minus(matrix[p], matrix[q])
      return [add(outer(d, d), add(covarianceAt(p), covarianceAt(q)))]
    })
    return differences.length === 0 ? undefined : mean(differences)
  })
  const w = weights.slice()
  const covarianceOf = (): Matrix =>
    apart.reduce<Matrix>(
      (sum, S, k) =>
        S
          ? add(
              sum,
              S.map((row) => row.map((u) => w[k] * u)),
            )
          : sum,
      around,
    )
  if (learns)
    for (let round = 0; round < 9; round++) {
      const S = covarianceOf()
      const floor = (1e-6 * S.reduce((sum, row, r) => sum + row[r], 0)) / rank
      const precision = inverse(add(S, identity(rank, floor)))
      const expected = tracesOfLaplacians(matrix.length, lags, w)
      apart.forEach((S, k) => {
        if (S) w[k] = Math.min(1e4, Math.max(1e-6, (w[k] * rank * expected[k]) / traceOf(precision, S)))
      })
    }
  const now = matrix.map((row) => row.slice())
  const expect = (p: number): [Vector, number] => {
    const sum = base[p].slice()
    let couplingWeight = 1
    lags.forEach((lag, k) => {
      for (const q of [neighbour(p, -lag), neighbour(p, lag)]) {
        if (q === undefined) continue
        couplingWeight += w[k]
        now[q].forEach((u, r) => {
          sum[r] += w[k] * u
        })
      }
    })
    return [sum.map((u) => u / couplingWeight), couplingWeight]
  }
  const empty = matrix.map((_, p) => p).filter((p) => !has.has(p))
  for (let round = 0; round < 50; round++)
    for (const p of empty) now[p] = expect(p)[0].map((u) => Math.max(0, u))
  return {
    means: matrix.map((_, p) => expect(p)[0]),
    couplingWeights: Float64Array.from(matrix, (_, p) => expect(p)[1]),
    weights: w,
    covariance: covarianceOf(),
    filled: new Map(empty.map((p) => [p, now[p]])),
  }
}

/**
 * The predicted rows μ + B(x − x̄), with B by ridge regression of the rows with entries on their attributes
 * x.
 */
function predictFromAttributes(matrix: Matrix, rows: readonly number[], mu: Vector, x: Matrix): Matrix {
  const columns = x[0].length
  const centre = x[0].map((_, f) => rows.reduce((sum, p) => sum + x[p][f], 0) / rows.length)
  const centred = x.map((row) => row.map((u, f) => u - centre[f]))
  const XX = rows.reduce<Matrix>((sum, p) => add(sum, outer(centred[p], centred[p])), identity(columns, 1))
  const solve = inverse(XX)
  const effect = Array.from(mu, (_, r) => {
    const right = centre.map((_, f) =>
      rows.reduce((sum, p) => sum + centred[p][f] * (matrix[p][r] - mu[r]), 0),
    )
    return Float64Array.from(solve, (row) => dot(row, right))
  })
  return centred.map((own) => mu.map((u, r) => u + dot(effect[r], own)))
}

/**
 * tr(L_k (1 + Σ w L)⁻¹) / rows for each lag k, with L_k the graph Laplacian of that lag on a circle of rows.
 */
function tracesOfLaplacians(rows: number, lags: readonly number[], w: Vector): number[] {
  const wave = (lag: number, f: number): number => 2 - 2 * Math.cos((2 * Math.PI * f * lag) / rows)
  return lags.map((lag) => {
    let sum = 0
    for (let f = 0; f < rows; f++)
      sum += wave(lag, f) / (1 + lags.reduce((total, other, k) => total + w[k] * wave(other, f), 0))
    return sum / rows
  })
}
