import { expect, it } from 'vitest'
import { intervalAt, learnIntervals } from '#lacuna/model/ensemble/intervals.js'
import { learnScale } from '#lacuna/model/ensemble/residualScale.js'

/** A few entries in rows of their own, all predicted to be 5, and residuals that are all different. */
const residuals = [-3, -2, -1.5, -0.5, 0.25, 1, 1.75, 2.5, 4]
const n = residuals.length
const tensor = {
  dims: [n, n],
  indices: [Uint32Array.from(residuals.keys()), Uint32Array.from(residuals.keys())],
  values: Float32Array.from(residuals, (residual) => 5 + residual),
}
const predictions = new Float32Array(n).fill(5)
const nothing = {
  indices: [new Uint32Array(0), new Uint32Array(0)],
  predictions: new Float32Array(0),
  variances: new Float32Array(0),
  support: new Uint32Array(0),
}
const intervals = learnIntervals(tensor, { predictions, support: new Uint32Array(n).fill(1) }, nothing, 5)
const { ofEntries } = learnScale(tensor, predictions)
const sorted = Array.from(ofEntries, (size, e) => residuals[e] / size).sort((a, b) => a - b)

it('the k-th smallest of n residuals is an end that is missed with probability k/(n + 1)', () => {
  expect(intervals.residuals).toHaveLength(1)
  const [steps] = intervals.residuals
  // Ranks 0, 1 … n + 1: beyond the smallest and the largest nothing is known.
  expect(steps).toHaveLength(n + 2)
  ;[sorted[0], ...sorted, sorted[n - 1]].forEach((x, rank) => void expect(steps[rank]).toBeCloseTo(x, 12))
})

it('an interval of 80% from nine residuals reaches from the smallest to the largest, one of 60% leaves out one at each end', () => {
  const [unit] = [intervalAt(intervals, [0, 0], 5, 1, 0.8)[1] / sorted[n - 1]]
  for (const [level, left] of [
    [0.8, 0],
    [0.6, 1],
    [0.4, 2],
  ]) {
    const [low, high] = intervalAt(intervals, [0, 0], 5, 1, level)
    expect(low / unit).toBeCloseTo(sorted[left], 9)
    expect(high / unit).toBeCloseTo(sorted[n - 1 - left], 9)
  }
})

it('an interval of the mean of five models shrinks with the variance of the models at unseen cells', () => {
  const squares = residuals.reduce((sum, residual) => sum + residual ** 2, 0) / n
  const half = (variance: number): number => {
    const unseen = {
      indices: tensor.indices,
      predictions,
      variances: new Float32Array(n).fill(variance),
      support: new Uint32Array(n).fill(1),
    }
    const learned = learnIntervals(tensor, { predictions, support: new Uint32Array(n).fill(1) }, unseen, 5)
    return intervalAt(learned, [0, 0], 5, 1, 0.8)[1]
  }
  // Of the squared error of one model the mean of five lacks four fifths of the variance, but never more than three quarters.
  expect((half(0.5 * squares) / half(0)) ** 2).toBeCloseTo(1 - 0.8 * 0.5, 5)
  expect((half(10 * squares) / half(0)) ** 2).toBeCloseTo(0.25, 5)
})
