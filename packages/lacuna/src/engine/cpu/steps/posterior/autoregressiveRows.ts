/**
 * Rows in time under an autoregressive prior (regressions.ts, docs/accuracy.md). With x = a − base and the
 * innovations ε_t = x_t − Σ_k θ_k x_{t−l_k}, the density is ∝ exp(−½ Σ_t s_t |ε_t|²), in the norm of Σ⁻¹. Given
 * all others, a row is N(m, Σ/t), with the weight t = s_p + Σ_k s_c θ_{c,k}² and the mean m = base + (s_p (x_p −
 * ε_p) + Σ_k s_c θ_{c,k} (ε_c + θ_{c,k} x_p))/t, summed over the later rows c = p + l_k. Rows after the last one
 * with entries are forecast from those before them, and are not part of the density.
 */

import type { SideInformation } from '../../../engine.ts'
import type { LearnedMeans, ModeRows } from './modeRows.ts'
import { lagsBefore, learnRegressions, type Regression, type TimeSeries } from './regressions.ts'

/** Rounds in which rows without entries are updated from one another. */
const FILL_ROUNDS = 50
/**
 * A bound of the factor by which an error of prior means grows from sweep to sweep is |1 − STEP|: all rows are
 * updated at once, which would not converge without damping.
 */
const STEP = 1.5

/** A series with its regressions and innovations. */
interface Model extends TimeSeries {
  /** The number of positions up to the last one with entries. */
  end: number
  /** The regression of a position. */
  regressionAt(position: number): Regression
  /** (count × R), padded: ε of the positions before `end`. */
  innovations: Float64Array
}

/**
 * Learns the prior means of rows in time from their current values, and Σ and θ if `spread` is given; without
 * it rows have their base as prior mean. The new means are damped (STEP).
 * @param side with lags, ascending
 * @param base (count × R), padded: the prior means without lags
 * @param weights θ of each lag so far
 * @param previous (count × R), padded: the prior means so far
 * @param spread the covariance of the rows around their base, on and above the diagonal
 */
export function regressRows(
  rows: ModeRows,
  { lags = [], order }: SideInformation,
  base: Float64Array,
  weights: Float32Array,
  previous: Float32Array,
  spread: Float64Array | undefined,
): LearnedMeans {
  const { count, padded, lengths, factor } = rows
  const rowAt = (position: number): number => (order ? order[position] : position)
  const deviations = new Float64Array(count * padded)
  let end = 0
  for (let t = 0; t < count; t++) {
    const at = rowAt(t) * padded
    if (lengths[rowAt(t)] > 0) end = t + 1
    for (let r = 0; r < padded; r++) deviations[t * padded + r] = factor[at + r] - base[at + r]
  }
  const series: TimeSeries = { rows, lags, rowAt, deviations }
  const learned = spread && learnRegressions(series, spread)
  const regressions = learned?.regressions ?? [{ theta: new Float64Array(0), scale: 1 }]
  const regressionAt = (position: number): Regression =>
    regressions[Math.min(lagsBefore(lags, position), regressions.length - 1)]
  const model: Model = { ...series, end, regressionAt, innovations: new Float64Array(count * padded) }
  const emptyRows = fillRows(model, base)
  const means = new Float64Array(count * padded)
  const couplingWeights = new Float64Array(count)
  const bound = boundOf(regressions)
  const row = new Float64Array(padded)
  for (let t = 0; t < count; t++) {
    const at = rowAt(t) * padded
    const weight = weightAt(model, t)
    const step = Math.min(1, (STEP * weight) / bound)
    couplingWeights[rowAt(t)] = weight
    writeMean(model, t, weight, row)
    for (let r = 0; r < padded; r++)
      means[at + r] = previous[at + r] + step * (base[at + r] + row[r] - previous[at + r])
  }
  const now = base.slice()
  for (let t = 0; t < count; t++)
    for (let r = 0; r < padded; r++) now[rowAt(t) * padded + r] += deviations[t * padded + r]
  const thetas = Float64Array.from(weights)
  thetas.fill(0, 0, lags.length).set(regressions[regressions.length - 1].theta)
  return { means, couplingWeights, weights: thetas, covariance: learned?.covariance, emptyRows, rows: now }
}

/** A bound of the eigenvalues of the prior's precision in units of Σ⁻¹: s (1 + Σ |θ|)². */
const boundOf = (regressions: readonly Regression[]): number =>
  Math.max(...regressions.map(({ scale }) => scale)) *
  Math.max(...regressions.map(({ theta }) => 1 + theta.reduce((sum, u) => sum + Math.abs(u), 0))) ** 2

/** t of a position: s + Σ s_c θ² over the later rows of the density. */
function weightAt({ lags, end, regressionAt }: Model, t: number): number {
  let weight = regressionAt(t).scale
  lags.forEach((lag, k) => {
    if (t + lag >= end) return
    const { theta, scale } = regressionAt(t + lag)
    weight += scale * (theta[k] ?? 0) ** 2
  })
  return weight
}

/**
 * Writes the expected deviation of a position given all others to `row` (R, padded).
 * @param weight t of the position
 */
function writeMean(model: Model, t: number, weight: number, row: Float64Array): void {
  const { rows, lags, end, regressionAt, deviations, innovations } = model
  const { padded } = rows
  const at = t * padded
  const { scale: own } = regressionAt(t)
  for (let r = 0; r < padded; r++) row[r] = own * (deviations[at + r] - innovations[at + r])
  for (let k = 0; k < lags.length && t + lags[k] < end; k++) {
    const { theta, scale } = regressionAt(t + lags[k])
    if (k >= theta.length) continue
    const after = (t + lags[k]) * padded
    for (let r = 0; r < padded; r++)
      row[r] += scale * theta[k] * (innovations[after + r] + theta[k] * deviations[at + r])
  }
  for (let r = 0; r < padded; r++) row[r] /= weight
}

/** Writes Σ θ x over the earlier rows of a position to `row` (R, padded). */
function writeForecast({ rows, lags, regressionAt, deviations }: Model, t: number, row: Float64Array): void {
  const { padded } = rows
  row.fill(0)
  regressionAt(t).theta.forEach((weight, k) => {
    const before = (t - lags[k]) * padded
    for (let r = 0; r < padded; r++) row[r] += weight * deviations[before + r]
  })
}

/**
 * Fills the rows without entries with their expectations given all others, at least 0: those before the last
 * one with entries in rounds, those after it in the order of time. Writes deviations and innovations; returns
 * the rows.
 */
function fillRows(model: Model, base: Float64Array): number[] {
  const { rows, end, rowAt, deviations, innovations } = model
  const { count, padded, lengths } = rows
  const row = new Float64Array(padded)
  for (let t = 0; t < end; t++) {
    writeForecast(model, t, row)
    for (let r = 0; r < padded; r++) innovations[t * padded + r] = deviations[t * padded + r] - row[r]
  }
  const empty = Array.from({ length: count }, (_, t) => t).filter((t) => lengths[rowAt(t)] === 0)
  const weights = empty.map((t) => weightAt(model, t))
  for (let round = 0; round < FILL_ROUNDS; round++)
    empty.forEach((t, i) => {
      if (t >= end) return
      writeMean(model, t, weights[i], row)
      for (let r = 0; r < padded; r++)
        row[r] = Math.max(-base[rowAt(t) * padded + r], row[r]) - deviations[t * padded + r]
      addToRow(model, t, row)
    })
  for (let t = end; t < count; t++) {
    writeForecast(model, t, row)
    for (let r = 0; r < padded; r++)
      deviations[t * padded + r] = Math.max(-base[rowAt(t) * padded + r], row[r])
  }
  return empty.map(rowAt)
}

/** Adds to the deviation of a position, and updates the innovations that depend on it. */
function addToRow(
  { rows, lags, end, regressionAt, deviations, innovations }: Model,
  t: number,
  change: Float64Array,
): void {
  const { padded } = rows
  for (let r = 0; r < padded; r++) {
    deviations[t * padded + r] += change[r]
    innovations[t * padded + r] += change[r]
  }
  for (let k = 0; k < lags.length && t + lags[k] < end; k++) {
    const weight = regressionAt(t + lags[k]).theta[k] ?? 0
    const after = (t + lags[k]) * padded
    for (let r = 0; r < padded; r++) innovations[after + r] -= weight * change[r]
  }
}
