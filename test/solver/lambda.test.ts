import { expect, it } from 'vitest'
import { lambdaRule } from '#dist/solver/lambda.js'
import { synthetic } from '#dist/tensor/index.js'

const { tensor } = synthetic({ dims: [40, 30, 20], entries: 6000, rank: 4, seed: 1 })
const times = (unit: number) => ({ ...tensor, values: tensor.values.map((x) => x * unit) })

it('grows with the square of the error, up to what the data’s variance allows, and is zero without one', () => {
  const lambda = lambdaRule(tensor, 4)
  expect(lambda(0)).toBe(0)
  expect(lambda(0.02) / lambda(0.01)).toBeCloseTo(4)
  expect(lambda(1e6)).toBe(lambda(1e9))
  expect(lambda(1e6)).toBeLessThan(Infinity)
})

it('has the unit of the values to the power 2 − 2/N', () => {
  const one = lambdaRule(tensor, 4)(0.05)
  for (const unit of [1e-30, 1e-6, 1e6, 1e30])
    expect(lambdaRule(times(unit), 4)(0.05 * unit) / (one * unit ** (4 / 3))).toBeCloseTo(1, 4)
})

it('is a finite number for zeros, a constant, a single entry, and more components than entries', () => {
  const single = {
    dims: [5, 4, 3],
    indices: [0, 1, 2].map((i) => Uint32Array.of(i)),
    values: Float32Array.of(2),
  }
  for (const of of [
    times(0),
    { ...tensor, values: tensor.values.fill.call(tensor.values.slice(), 3) },
    single,
  ])
    for (const rank of [1, 4, 200])
      for (const rmse of [0, 0.1, 10]) {
        const lambda = lambdaRule(of, rank)(rmse)
        expect(lambda).toBeGreaterThanOrEqual(0)
        expect(lambda).toBeLessThan(Infinity)
      }
  expect(lambdaRule(times(0), 4)(1)).toBe(0)
})
