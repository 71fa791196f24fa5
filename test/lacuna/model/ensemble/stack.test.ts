import { expect, it } from 'vitest'
import { draw } from '#lacuna/base/random.js'
import { stackCandidates } from '#lacuna/model/ensemble/stack.js'

const count = 4
const entries = 2000
/** A number from −1 to 1 by a purpose and an entry. */
const noise = (purpose: number, e: number): number => (2 * draw(purpose, e)) / 2 ** 32 - 1
const values = Float32Array.from({ length: entries }, (_, e) => 10 + 5 * noise(1, e))
const folds = Uint8Array.from({ length: entries }, (_, e) => e % count)
/** Predictions with an error of this size of their own, and one of another size that candidates share. */
const candidate = (purpose: number, own: number, shared = 0): Float32Array =>
  values.map((x, e) => x + own * noise(purpose, e) + shared * noise(99, e))
const rmse = (predictions: Float32Array): number =>
  Math.sqrt(values.reduce((sum, x, e) => sum + (x - predictions[e]) ** 2, 0) / entries)

it('candidates with errors of their own are combined by the inverse of their variances', () => {
  const candidates = [candidate(2, 1), candidate(3, 2)]
  const { weights, predictions, meanSquare } = stackCandidates(candidates, { values, folds, count })
  // Variances of 1 and 4: weights of 4/5 and 1/5, and a little less, as values differ from zero.
  expect(weights[0]).toBeGreaterThan(0.77)
  expect(weights[0]).toBeLessThan(0.83)
  expect(weights[1]).toBeGreaterThan(0.17)
  expect(weights[1]).toBeLessThan(0.23)
  expect(rmse(predictions)).toBeLessThan(0.95 * rmse(candidates[0]))
  expect(Math.sqrt(meanSquare)).toBeCloseTo(rmse(predictions), 4)
})

it('a candidate that adds nothing to a better one is left out', () => {
  const best = candidate(2, 0, 1)
  const worse = best.map((x, e) => x + 0.5 * noise(3, e))
  expect(stackCandidates([worse, best], { values, folds, count }).weights).toEqual([0, 1])
})

it('of two candidates with the same predictions one is left out', () => {
  // Predictions that are too small as a whole: a second copy would make up for that.
  const small = candidate(2, 1).map((x) => 0.7 * x)
  const { weights } = stackCandidates([small, small.slice()], { values, folds, count })
  expect(weights.filter((weight) => weight > 0)).toHaveLength(1)
})

it('weights are never negative, and at most five candidates are combined', () => {
  const candidates = Array.from({ length: 9 }, (_, c) => candidate(10 + c, 1, 0.3))
  const { weights } = stackCandidates(candidates, { values, folds, count })
  expect(weights.every((weight) => weight >= 0)).toBe(true)
  expect(weights.filter((weight) => weight > 0)).toHaveLength(5)
})

it('a combination is never worse out of fold than the best candidate, however few entries there are', () => {
  for (const few of [8, 12, 20, 40])
    for (let seed = 0; seed < 20; seed++) {
      const some = values.subarray(0, few)
      const candidates = [2, 3, 4, 5, 6].map((c) => some.map((x, e) => x + 3 * noise(100 * seed + c, e)))
      const { predictions } = stackCandidates(candidates, {
        values: some,
        folds: folds.subarray(0, few),
        count,
      })
      const squares = (of: Float32Array): number => some.reduce((sum, x, e) => sum + (x - of[e]) ** 2, 0)
      expect(squares(predictions)).toBeLessThanOrEqual(1.000001 * Math.min(...candidates.map(squares)))
    }
})

it('the weights of a fold are found without its entries', () => {
  const candidates = [candidate(2, 1), candidate(3, 1.2)]
  // In the last fold the second candidate is perfect: only the weights of the others learn of it.
  candidates[1].forEach((_, e) => {
    if (folds[e] === 3) candidates[1][e] = values[e]
  })
  const { foldWeights, weights } = stackCandidates(candidates, { values, folds, count })
  expect(foldWeights[3][1]).toBeLessThan(0.5)
  expect(foldWeights[0][1]).toBeGreaterThan(0.5)
  expect(weights[1]).toBeGreaterThan(foldWeights[3][1])
})

it('entries count by their weights', () => {
  const candidates = [candidate(2, 1), candidate(3, 1)]
  candidates[0].forEach((_, e) => {
    if (e % 10 === 0) candidates[0][e] += 30
  })
  const weights = values.map((_, e) => (e % 10 === 0 ? 0 : 1))
  const plain = stackCandidates(candidates, { values, folds, count }).weights
  const capped = stackCandidates(candidates, { values, folds, count, weights }).weights
  expect(plain[0]).toBeLessThan(0.1)
  expect(capped[0]).toBeGreaterThan(0.4)
})

it('candidates without any error are not combined, and the search for more ends', () => {
  const exact = new Float32Array(entries).fill(7)
  const others = [candidate(2, 1), candidate(3, 2)]
  const { weights, meanSquare } = stackCandidates([exact, ...others], { values: exact, folds, count })
  expect(weights).toEqual([1, 0, 0])
  expect(meanSquare).toBe(0)
})
