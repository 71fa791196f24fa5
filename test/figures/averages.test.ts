/** Means, ranges and speed-ups over the trials of an experiment. */
import fc from 'fast-check'
import { bandOf, meanCurve, timingPoints } from 'lacuna-figures/results'
import { expect, it } from 'vitest'
import { rowBalance } from '#cli/paper/experiments/balance.ts'
import { fallingCurve, sampleResults } from '../cli/paper/sample.ts'
import { checkProperty } from '../properties.ts'

it('curves with the same epochs are averaged point by point', () => {
  const curves = [fallingCurve(1, 0.1, 10), fallingCurve(1, 0.3, 10)]
  const last = meanCurve(curves).at(-1)!
  expect(last.epoch).toBe(10)
  expect(last.hidden.mean).toBeCloseTo(0.2)
  expect(last.hidden).toMatchObject({ low: expect.closeTo(0.1), high: expect.closeTo(0.3) })
})

it('a trial that has ended contributes its last point to the mean curve', () => {
  const points = meanCurve([fallingCurve(1, 0.1, 5), fallingCurve(1, 0.2, 10)])
  expect(points.at(-1)).toMatchObject({
    epoch: 10,
    observed: { low: expect.closeTo(0.1), high: expect.closeTo(0.2) },
  })
})

it('a mean curve lies within the range of its trials for any epochs', () => {
  const curve = fc
    .array(
      fc.tuple(fc.double({ min: 0.01, max: 5, noNaN: true }), fc.double({ min: 1e-4, max: 1, noNaN: true })),
      {
        ...{ minLength: 1, maxLength: 30 },
      },
    )
    .map((steps) => {
      let sum = 0
      const epoch = steps.map(([step]) => (sum += step))
      const errors = steps.map(([, error]) => error)
      return { epoch, seconds: epoch.map((e) => e / 7), observed: errors, hidden: errors }
    })
  checkProperty(
    fc.property(fc.array(curve, { minLength: 1, maxLength: 4 }), (curves) => {
      const all = curves.flatMap(({ hidden }) => hidden)
      const points = meanCurve(curves)
      expect(points.length).toBeGreaterThan(0)
      for (const { hidden, epoch } of points) {
        expect(hidden.low).toBeLessThanOrEqual(hidden.mean * (1 + 1e-12))
        expect(hidden.high).toBeGreaterThanOrEqual(hidden.mean * (1 - 1e-12))
        expect(hidden.low).toBeGreaterThanOrEqual(Math.min(...all) * (1 - 1e-12))
        expect(hidden.high).toBeLessThanOrEqual(Math.max(...all) * (1 + 1e-12))
        expect(epoch).toBeLessThanOrEqual(Math.max(...curves.map((curve) => curve.epoch.at(-1)!)))
      }
    }),
    { seed: 1 },
  )
})

it('speed-ups compare runs of the same trial', () => {
  const [problem] = sampleResults({ efficiency: [1, 1] }).timing!.problems
  for (const { speedUp, threads } of timingPoints(problem)) {
    expect(speedUp.low).toBeCloseTo(threads)
    expect(speedUp.high).toBeCloseTo(threads)
  }
})

it('row balance is the largest possible speed-up if threads take whole rows', () => {
  const indices = [Uint32Array.of(0, 1, 2, 3, 0, 1, 2, 3), Uint32Array.of(0, 0, 0, 0, 0, 0, 1, 1)]
  const tensor = { dims: [4, 2], indices, values: new Float32Array(8) }
  // Four and four in the first mode, six and two in the second: 16 entries are done in the time of 4 + 6.
  expect(rowBalance(tensor, 2)).toBeCloseTo(16 / 10)
  expect(rowBalance(tensor, 1)).toBe(1)
})

it('one slow trial moves the mean of the trials but not their median', () => {
  const { mean, median, quartiles, low, high } = bandOf([1, 9, 1.2, 1.1, 0.9])
  expect(median).toBe(1.1)
  expect(quartiles).toEqual([1, 1.2])
  expect([low, high]).toEqual([0.9, 9])
  expect(mean).toBeCloseTo(2.64)
  expect(bandOf([2]).quartiles).toEqual([2, 2])
  expect(bandOf([1, 2]).median).toBe(1.5)
})
