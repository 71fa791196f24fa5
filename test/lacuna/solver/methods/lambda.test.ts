import { expect, it } from 'vitest'
import { lambdaRule } from '#lacuna/solver/methods/lambda.js'
import { synthetic } from '#lacuna/tensor/index.js'

const { tensor } = synthetic({ dims: [40, 30, 20], entries: 6000, rank: 4, seed: 1 })
const times = (unit: number): Float32Array => tensor.values.map((x) => x * unit)

/** λ by RMSE and sample, for these values in the cells of the tensor. @param valueScale of the engine */
function lambdaFor(
  values: Float32Array,
  rank: number,
  valueScale = 1,
): (rmse: number, sample: number) => number {
  let [squares, absolutes] = [0, 0]
  for (const x of values) {
    squares += (x * valueScale) ** 2
    absolutes += Math.abs(x * valueScale)
  }
  const statistics = {
    dims: tensor.dims,
    emptyRows: tensor.dims.map(() => new Uint32Array(0)),
    sets: { train: { entries: values.length, weight: values.length, squares, absolutes } },
    valueScale,
    factorScale: valueScale ** (1 / 3),
    digest: '',
  }
  const { choose } = lambdaRule(statistics, rank)
  return (rmse, sample) => choose(rmse, sample < 1)
}

it('λ grows with the square of the error, up to a limit by the data’s variance, and is zero without error', () => {
  const lambda = lambdaFor(tensor.values, 4)
  for (const sample of [0.1, 1]) {
    expect(lambda(0, sample)).toBe(0)
    expect(lambda(0.02, sample) / lambda(0.01, sample)).toBeCloseTo(4)
    expect(lambda(1e6, sample)).toBe(lambda(1e9, sample))
    expect(lambda(1e6, sample)).toBeLessThan(Infinity)
  }
})

it('λ has the unit of the values to the power 2 − 2/N', () => {
  const one = lambdaFor(tensor.values, 4)(0.05, 1)
  for (const unit of [1e-30, 1e-6, 1e6, 1e30])
    expect(lambdaFor(times(unit), 4)(0.05 * unit, 1) / (one * unit ** (4 / 3))).toBeCloseTo(1, 4)
})

it('λ is finite for zeros, a constant, a single entry, and more components than entries', () => {
  for (const values of [times(0), times(0).fill(3), Float32Array.of(2)])
    for (const rank of [1, 4, 200])
      for (const rmse of [0, 0.1, 10]) {
        const lambda = lambdaFor(values, rank)(rmse, 1)
        expect(lambda).toBeGreaterThanOrEqual(0)
        expect(lambda).toBeLessThan(Infinity)
      }
  expect(lambdaFor(times(0), 4)(1, 1)).toBe(0)
})

it('λ does not depend on the scale that the engine works in', () => {
  for (const sample of [0.1, 1])
    expect(lambdaFor(tensor.values, 4, 2 ** -9)(0.05, sample)).toBeCloseTo(
      lambdaFor(tensor.values, 4)(0.05, sample),
      10,
    )
})

it('λ is at most a tenth of the evidence of a row’s entries while they are sampled', () => {
  // With as much noise as signal, λ would outweigh a row's entries, were it not held below a tenth of them.
  const rank = 20
  const wanted = lambdaFor(tensor.values, rank)(1, 1)
  const capped = lambdaFor(tensor.values, rank)(1, 0.5)
  expect(wanted).toBeGreaterThan(2 * capped)
  // A tenth of Σ k_r² of a row of the longest mode, 40 rows of 150 entries, for factors of the data's mean.
  const mean = tensor.values.reduce((sum, x) => sum + x, 0) / tensor.values.length
  const tau2 = (4 / 3) * (mean / rank) ** (2 / 3)
  const geometric = (40 * 30 * 20) ** (1 / 3)
  expect(capped).toBeCloseTo((0.1 * 6000 * tau2 ** 2 * geometric ** 2) / (40 * 30 * 20), 6)
})

it('λ is six times the noise variance over the mean square of balanced factors, by the degrees of freedom', () => {
  const N = 3
  const [allRows, geometric] = [40 + 30 + 20, (40 * 30 * 20) ** (1 / N)]
  const mean = tensor.values.reduce((sum, x) => sum + x, 0) / 6000
  for (const [rank, free] of [
    [4, 6000 - 90 * 4],
    // Half of the entries are never given up.
    [50, 3000],
  ]) {
    const tau2 = (4 / 3) * (mean / rank) ** (2 / N)
    const sigma2 = (0.01 ** 2 * 6000) / free
    const expected = (6 * (sigma2 / tau2) * allRows) / (N * geometric)
    expect(lambdaFor(tensor.values, rank)(0.01, 1) / expected).toBeCloseTo(1, 6)
  }
})

it('λ is at most twice the evidence of a row’s entries when all entries are used', () => {
  const rank = 200
  const mean = tensor.values.reduce((sum, x) => sum + x, 0) / 6000
  const tau2 = (4 / 3) * (mean / rank) ** (2 / 3)
  const evidence = (6000 * tau2 ** 2 * (40 * 30 * 20) ** (2 / 3)) / (40 * 30 * 20)
  expect(lambdaFor(tensor.values, rank)(1e6, 1) / evidence).toBeCloseTo(2, 6)
})
