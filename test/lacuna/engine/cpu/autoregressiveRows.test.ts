/** The autoregressive prior of rows in time, against closed forms and simulated series. */
import { describe, expect, it } from 'vitest'
import { regressRows } from '#lacuna/engine/cpu/steps/posterior/autoregressiveRows.js'
import type { ModeRows } from '#lacuna/engine/cpu/steps/posterior/modeRows.js'
import type { SideInformation } from '#lacuna/engine/engine.js'

/** Numbers of the standard normal distribution. */
function normals(seed: number): () => number {
  let state = seed
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
}

const PADDED = 4
/** Rows of rank 2 around 20 that follow an autoregression with innovations of variances 1 and 4. */
function simulate(count: number, lags: readonly number[], theta: readonly number[], seed = 7): number[][] {
  const normal = normals(seed)
  const rows: number[][] = []
  for (let t = 0; t < count; t++)
    rows.push(
      [1, 2].map((deviation, r) =>
        lags.reduce(
          (sum, lag, k) => sum + (t >= lag ? theta[k] * (rows[t - lag][r] - 20) : 0),
          20 + deviation * normal(),
        ),
      ),
    )
  return rows
}

/** The rows as the engine has them; those of `empty` have no entries, and posterior covariances are 0. */
function modeRows(rows: readonly number[][], empty: readonly number[] = []): ModeRows {
  const factor = new Float32Array(rows.length * PADDED)
  const moments = new Float32Array(rows.length * PADDED ** 2)
  rows.forEach((row, p) => {
    factor.set(row, p * PADDED)
    for (let r = 0; r < 2; r++)
      for (let s = 0; s < 2; s++)
        moments[(p * PADDED + r) * PADDED + s] = factor[p * PADDED + r] * factor[p * PADDED + s]
  })
  const lengths = Uint32Array.from(rows, (_, p) => (empty.includes(p) ? 0 : 1))
  const observed = rows.length - empty.length
  return { count: rows.length, observed, rank: 2, padded: PADDED, lengths, factor, moments }
}

/** What is learned of the rows around 20, from prior means of 20. */
function learn(rows: ModeRows, side: SideInformation, previousMean = 20) {
  const base = Float64Array.from({ length: rows.count * PADDED }, (_, at) => (at % PADDED < 2 ? 20 : 0))
  const spread = Float64Array.of(5, 0, 0, 5)
  const weights = new Float32Array(16)
  const previous = Float32Array.from(base, (x) => (x === 20 ? previousMean : 0))
  return regressRows(rows, { ...side, isAutoregressive: true }, base, weights, previous, spread)
}

describe('the autoregressive prior', () => {
  it('recovers θ and the covariance of the innovations of a simulated series', () => {
    for (const [lags, theta] of [
      [[1], [0.8]],
      [
        [1, 2],
        [0.5, 0.3],
      ],
      [
        [1, 7],
        [0.4, 0.5],
      ],
      [
        [1, 24],
        [-0.4, 0.5],
      ],
    ]) {
      const { weights, covariance } = learn(modeRows(simulate(3000, lags, theta)), { lags })
      theta.forEach((wanted, k) => {
        expect(Math.abs(weights[k] - wanted)).toBeLessThan(0.04)
      })
      expect(Math.abs(covariance![0] - 1)).toBeLessThan(0.1)
      expect(Math.abs(covariance![3] - 4)).toBeLessThan(0.4)
      expect(Math.abs(covariance![1])).toBeLessThan(0.15)
    }
  })

  it('has the closed form of a first-order series: θ(x₋ + x₊)/(1 + θ²) between two rows, θʰx after the last', () => {
    const rows = simulate(400, [1], [0.7])
    const empty = [100, 396, 397, 398, 399]
    const { weights, couplingWeights, rows: now } = learn(modeRows(rows, empty), { lags: [1] })
    const [theta] = weights
    for (const r of [0, 1]) {
      const x = (t: number): number => rows[t][r] - 20
      const between = (theta * (x(99) + x(101))) / (1 + theta ** 2)
      expect(now[100 * PADDED + r]).toBeCloseTo(20 + between, 4)
      for (const [h, t] of [396, 397, 398, 399].entries())
        expect(now[t * PADDED + r]).toBeCloseTo(20 + theta ** (h + 1) * x(395), 4)
    }
    expect(couplingWeights[200]).toBeCloseTo(1 + theta ** 2, 6)
    expect(couplingWeights[395]).toBeCloseTo(1, 6)
  })

  it('forecasts rows after the last entry by the recursion, at least 0', () => {
    const lags = [1, 5]
    const rows = simulate(300, lags, [0.4, 0.5])
    const empty = Array.from({ length: 30 }, (_, h) => 270 + h)
    // The second component falls below zero: its rows before the end are low.
    for (let t = 262; t < 270; t++) rows[t][1] = 20 - 200
    const { weights, rows: now } = learn(modeRows(rows, empty), { lags })
    const at = (t: number, r: number): number => now[t * PADDED + r]
    for (const t of empty)
      for (const r of [0, 1]) {
        const forecast = lags.reduce((sum, lag, k) => sum + weights[k] * (at(t - lag, r) - 20), 20)
        expect(at(t, r)).toBeCloseTo(Math.max(0, forecast), 6)
      }
    expect(at(270, 1)).toBe(0)
  })

  it('moves prior means by 1.5 t / (1 + |θ|)² of the way, so that rows that follow them converge', () => {
    const rows = simulate(400, [1], [0.9])
    // A first row far from the others, so that its precision is not the largest.
    rows[0] = [35, 50]
    const [one, two] = [20, 21].map((mean) => learn(modeRows(rows), { lags: [1] }, mean))
    const at = 200 * PADDED
    const step = 1.5 * (one.couplingWeights[200] / (1 + one.weights[0]) ** 2)
    expect(step).toBeLessThan(0.9)
    expect(two.means[at] - one.means[at]).toBeCloseTo(1 - step, 6)
  })

  it('is the same for rows in another order', () => {
    const rows = simulate(120, [1, 3], [0.6, 0.2])
    const order = Uint32Array.from({ length: 120 }, (_, t) => (t * 7) % 120)
    const shuffled: number[][] = []
    order.forEach((p, t) => {
      shuffled[p] = rows[t]
    })
    const expected = learn(modeRows(rows, [50, 51, 119]), { lags: [1, 3] })
    const found = learn(
      modeRows(
        shuffled,
        [50, 51, 119].map((t) => order[t]),
      ),
      { lags: [1, 3], order },
    )
    expect(found.weights).toEqual(expected.weights)
    order.forEach((p, t) => {
      expect(found.means.slice(p * PADDED, (p + 1) * PADDED)).toEqual(
        expected.means.slice(t * PADDED, (t + 1) * PADDED),
      )
    })
  })

  it('learns nothing but the base where no row with entries has one at a lag before it', () => {
    const rows = simulate(30, [1], [0.5])
    const empty = Array.from({ length: 30 }, (_, t) => t).filter((t) => t % 3 !== 1)
    const { weights, means } = learn(modeRows(rows, empty), { lags: [1] })
    expect(weights[0]).toBe(0)
    expect(means[4 * PADDED]).toBe(20)
  })
})
