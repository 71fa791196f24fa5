/** Rows that follow from the stored prior of a model. */
import { describe, expect, it } from 'vitest'
import { CpEnsemble, CpModel, type CpModelFields, type LearnedLags } from '#lacuna/model/index.js'

const rows = (factor: readonly number[][]): Float32Array => Float32Array.from(factor.flat())

/** A model of rank 2 whose factor `factor` has lags. */
function modelWith(
  lags: Partial<LearnedLags> & Pick<LearnedLags, 'factor' | 'axis' | 'lags' | 'weights'>,
  fields: Omit<CpModelFields, 'rank' | 'prior'>,
): CpModel {
  const learned = { unit: 1, isCyclic: false, isAutoregressive: true, ...lags }
  return new CpModel({
    rank: 2,
    ...fields,
    prior: {
      ...{ kind: 'learned', sigma2: 1, noise: [1, 0, 0], least: 0, lags: [learned] },
      means: fields.factors.map(() => Float32Array.of(1, 2)),
      precisions: fields.factors.map(() => Float32Array.of(1, 0, 0, 1)),
    },
  })
}
const stations = rows([
  [1, 0],
  [0, 1],
])
const days = rows([
  [1, 1],
  [3, 2],
  [2, 5],
])
const named: Pick<CpModelFields, 'modes' | 'labels'> = {
  modes: [{ name: 'station' }, { name: 'day' }],
  labels: [
    ['a', 'b'],
    ['2024-05-04', '2024-05-05', '2024-05-06'],
  ],
}

describe('the forecast of a model', () => {
  it('follows the recursion of an autoregressive prior, and is never negative', () => {
    const lags = { factor: 1, axis: [1], lags: [1, 2], weights: [-0.5, 0.25] }
    const model = modelWith(lags, { dims: [2, 3], factors: [stations, days], ...named })
    const forecast = model.forecast(2)
    expect(forecast.dims).toEqual([2, 5])
    expect(forecast.labels![1]!.slice(3)).toEqual(['2024-05-07', '2024-05-08'])
    const first = [1 - 0.5 * (2 - 1) + 0.25 * (3 - 1), 2 - 0.5 * (5 - 2) + 0.25 * (2 - 2)]
    const second = [1 - 0.5 * (first[0] - 1) + 0.25 * (2 - 1), 2 - 0.5 * (first[1] - 2) + 0.25 * (5 - 2)]
    expect(forecast.predict({ station: 'a', day: '2024-05-07' })).toBeCloseTo(first[0], 6)
    expect(forecast.predict({ station: 'b', day: '2024-05-07' })).toBeCloseTo(first[1], 6)
    expect(forecast.predict({ station: 'b', day: '2024-05-08' })).toBeCloseTo(second[1], 6)
    expect([...forecast.unobserved[1]]).toEqual([3, 4])
    const falling = modelWith(
      { ...lags, lags: [1], weights: [-3] },
      { dims: [2, 3], factors: [stations, days], ...named },
    )
    expect(falling.forecast(1).predict({ station: 'b', day: '2024-05-07' })).toBe(0)
  })

  it('gives coupled rows the joint expectation given those before', () => {
    const [weight, other] = [4, 9]
    const lags = { factor: 1, axis: [1], lags: [1, 3], weights: [weight, other], isAutoregressive: false }
    const { factors } = modelWith(lags, { dims: [2, 3], factors: [stations, days] }).forecast(5)
    const at = (t: number, r: number): number => factors[1][2 * t + r]
    for (let t = 3; t < 8; t++)
      for (let r = 0; r < 2; r++) {
        let [sum, total] = [r + 1, 1]
        for (const [lag, w] of [
          [1, weight],
          [3, other],
        ])
          for (const neighbour of [t - lag, t + lag])
            if (neighbour >= 0 && neighbour < 8) {
              sum += w * at(neighbour, r)
              total += w
            }
        expect(at(t, r)).toBeCloseTo(sum / total, 4)
      }
  })

  it('repeats the last day of merged days and slots, in whatever order the modes are', () => {
    const steps = rows([
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8],
      [2, 1],
      [4, 3],
    ])
    // Rows of the merged mode are slot · 2 + day; in time they are day · 3 + slot.
    const model = modelWith(
      { factor: 0, axis: [1, 0], lags: [3], weights: [1] },
      { dims: [3, 2, 2], reshaping: { mergeModes: [[0, 1]] }, factors: [steps, stations] },
    )
    const forecast = model.forecast(2)
    expect(forecast.dims).toEqual([3, 4, 2])
    for (let slot = 0; slot < 3; slot++)
      for (let station = 0; station < 2; station++) {
        const known = model.predict([slot, 1, station])
        for (const day of [1, 2, 3]) expect(forecast.predict([slot, day, station])).toBe(known)
        expect(forecast.predict([slot, 0, station])).toBe(model.predict([slot, 0, station]))
      }
  })

  it('adds blocks to a mode that is split, whose positions stay', () => {
    const positions = rows([
      [1, 0],
      [0, 2],
      [3, 1],
    ])
    const model = modelWith(
      { factor: 1, axis: [1], unit: 3, lags: [1], weights: [1] },
      {
        dims: [2, 6],
        reshaping: { split: [{ mode: 1, into: 3 }] },
        factors: [stations, days.slice(0, 4), positions],
      },
    )
    const forecast = model.forecast(3)
    for (let hour = 6; hour < 9; hour++)
      expect(forecast.predict([0, hour])).toBe(model.predict([0, hour - 3]))
  })

  it('of an ensemble is the mean of its members, with labels', () => {
    const lags = { factor: 1, axis: [1], lags: [1], weights: [1] }
    const members = [days, days.map((x) => 3 * x)].map((factor) =>
      modelWith(lags, { dims: [2, 3], factors: [stations, factor] }),
    )
    const ensemble = new CpEnsemble({ dims: [2, 3], members, ...named })
    const forecast = ensemble.forecast(1)
    expect(forecast.predict({ station: 'a', day: '2024-05-07' })).toBeCloseTo(4, 5)
  })

  it('is refused without lags, for a mode that has none, and for time merged with other modes', () => {
    const lags = { factor: 1, axis: [1], lags: [1], weights: [1] }
    const model = modelWith(lags, { dims: [2, 3], factors: [stations, days], ...named })
    const { prior, ...fields } = model.fields
    expect(() => new CpModel(fields).forecast(1)).toThrow(
      'The model was learned without lags of a mode of time, so that nothing follows its last row; learn it with them, or forecast from the data.',
    )
    expect(() => model.forecast(1, { time: 'station' })).toThrow(
      'The model was learned without lags of station',
    )
    expect(() => model.forecast(0)).toThrow('horizon is 0; it must be a whole number from 1')
    const merged = modelWith(
      { factor: 0, axis: [1], lags: [1], weights: [1] },
      {
        dims: [2, 3, 2],
        reshaping: { mergeModes: [[0, 1]] },
        factors: [new Float32Array(12), stations],
      },
    )
    expect(() => merged.forecast(1)).toThrow('was learned merged with modes that are no time')
  })
})
