import { expect, it } from 'vitest'
import { lambdaRule } from '#dist/solver/lambda.js'
import { synthetic } from '#dist/tensor/index.js'

const { tensor } = synthetic({ dims: [40, 30, 20], entries: 6000, rank: 4, seed: 1 })
const times = (unit: number): Float32Array => tensor.values.map((x) => x * unit)

it('grows with the square of the error, up to what the data’s variance allows, and is zero without one', () => {
  const lambda = lambdaRule(tensor.values, tensor.dims, 4)
  for (const sample of [0.1, 1]) {
    expect(lambda(0, sample)).toBe(0)
    expect(lambda(0.02, sample) / lambda(0.01, sample)).toBeCloseTo(4)
    expect(lambda(1e6, sample)).toBe(lambda(1e9, sample))
    expect(lambda(1e6, sample)).toBeLessThan(Infinity)
  }
})

it('has the unit of the values to the power 2 − 2/N', () => {
  const one = lambdaRule(tensor.values, tensor.dims, 4)(0.05, 1)
  for (const unit of [1e-30, 1e-6, 1e6, 1e30])
    expect(lambdaRule(times(unit), tensor.dims, 4)(0.05 * unit, 1) / (one * unit ** (4 / 3))).toBeCloseTo(
      1,
      4,
    )
})

it('is a finite number for zeros, a constant, a single entry, and more components than entries', () => {
  for (const values of [times(0), times(0).fill(3), Float32Array.of(2)])
    for (const rank of [1, 4, 200])
      for (const rmse of [0, 0.1, 10]) {
        const lambda = lambdaRule(values, tensor.dims, rank)(rmse, 1)
        expect(lambda).toBeGreaterThanOrEqual(0)
        expect(lambda).toBeLessThan(Infinity)
      }
  expect(lambdaRule(times(0), tensor.dims, 4)(1, 1)).toBe(0)
})
