/** Forecasts from data: backtests, baselines, intervals and the choice of settings. */
import { describe, expect, it } from 'vitest'
import { forecast } from '#lacuna/forecast.js'
import { chooseOrigins, summarizeBacktest } from '#lacuna/solver/forecast/backtest.js'
import { candidateName, forecastAxis, forecastCandidates } from '#lacuna/solver/forecast/candidates.js'
import { FitClock } from '#lacuna/solver/forecast/fitClock.js'
import { seasonalForecaster } from '#lacuna/solver/forecast/seasonalBaselines.js'
import { type SeasonalRule, seasonalModel } from '#lacuna/solver/forecast/seasonalModel.js'
import { pickEntries, type SparseTensor, sparseTensor } from '#lacuna/tensor/index.js'

const [STATIONS, DAYS] = [12, 70]

/** A fixed pseudorandom number between 0 and 1 for each e. */
const chance = (e: number): number => Math.abs(Math.sin(12.9898 * (e + 1)) * 43758.5453) % 1
/** Two weekly patterns, one of which drifts slowly. */
const weekly = (i: number, t: number): number =>
  (1 + (i % 3)) * (3 + 2 * Math.sin((2 * Math.PI * t) / 7)) +
  (1 + (i % 2)) * (t % 7 < 5 ? 4 : 1) * (1 + t / 140)

/** Days of stations, from a date on, with noise; those whose cell is not left out. */
function stationDays(isThere: (i: number, t: number) => boolean = () => true): SparseTensor {
  const cells: number[][] = []
  for (let i = 0; i < STATIONS; i++) for (let t = 0; t < DAYS; t++) if (isThere(i, t)) cells.push([i, t])
  return sparseTensor({
    dims: [STATIONS, DAYS],
    modes: [{ name: 'station' }, { name: 'date', type: 'DATE' }],
    labels: [
      Array.from({ length: STATIONS }, (_, i) => `s${i}`),
      Array.from({ length: DAYS }, (_, t) => new Date(Date.UTC(2024, 1, 1 + t)).toISOString().slice(0, 10)),
    ],
    indices: [0, 1].map((mode) => Uint32Array.from(cells, (cell) => cell[mode])),
    values: Float32Array.from(cells, ([i, t]) => weekly(i, t) + chance(100 * i + t) - 0.5),
  })
}

describe('a forecast from data', () => {
  it('finds time and its period, beats the seasonal baselines, and has intervals that hold', async () => {
    const tensor = stationDays((i, t) => chance(7 * i + 1000 * t) < 0.9)
    const found = (await forecast(tensor, { horizon: 7, threads: 1, rank: 3 }))!
    expect(found.mode).toBe(1)
    expect(found.first).toBe(DAYS)
    expect(found.model.labels![1]!.slice(DAYS)[0]).toBe('2024-04-11')
    const { model, naive, seasonMean, season, origins, steps } = found.backtest!
    expect(season).toBe(7)
    expect(origins).toEqual([63, 56, 49, 42, 35])
    expect(model.rmse).toBeLessThan(0.9 * naive.rmse)
    expect(model.rmse).toBeLessThan(0.9 * seasonMean.rmse)
    expect(steps).toHaveLength(7)
    const { coverage, around } = found.intervals(0.9)
    expect(coverage).toBeGreaterThan(0.88)
    expect(coverage).toBeLessThan(0.94)
    let held = 0
    for (let i = 0; i < STATIONS; i++)
      for (let step = 0; step < 7; step++) {
        const y = found.model.predict([i, DAYS + step], { clip: false })
        expect(Math.abs(y - weekly(i, DAYS + step))).toBeLessThan(1.5)
        const [low, high] = around([i, step], y)
        const value = weekly(i, DAYS + step) + chance(100 * i + DAYS + step) - 0.5
        if (value >= low && value <= high) held++
      }
    expect(held / (7 * STATIONS)).toBeGreaterThan(0.8)
  })

  it('takes rows without entries at the end as steps ahead, and gives the same bits on any number of threads', async () => {
    const tensor = stationDays((_, t) => t < DAYS - 4)
    const predictions = await Promise.all(
      [1, 2].map(async (threads) => {
        const found = (await forecast(tensor, { threads, backtest: 0, rank: 3 }))!
        expect(found.first).toBe(DAYS - 4)
        expect(found.model.dims).toEqual([STATIONS, DAYS])
        expect(found.backtest).toBeUndefined()
        expect(() => found.intervals()).toThrow('There are 0 errors of 0 backtests, too few for intervals')
        return found.model.predict([3, DAYS - 1])
      }),
    )
    expect(predictions[1]).toBe(predictions[0])
  })

  it('inserts a day that is missing from the data, so that lags stay those of the week', async () => {
    const tensor = stationDays()
    const kept = Uint32Array.from(tensor.values.keys()).filter((e) => tensor.indices[1][e] !== 30)
    const without: SparseTensor = {
      ...tensor,
      dims: [STATIONS, DAYS - 1],
      labels: [tensor.labels![0], tensor.labels![1]!.toSpliced(30, 1)],
      indices: tensor.indices.map((column, mode) =>
        Uint32Array.from(kept, (e) => column[e] - (mode === 1 && column[e] > 30 ? 1 : 0)),
      ),
      values: Float32Array.from(kept, (e) => tensor.values[e]),
    }
    const found = (await forecast(without, { horizon: 2, backtest: 0, threads: 1, rank: 3 }))!
    expect(found.inserted).toEqual(['2024-03-02'])
    expect(found.model.dims).toEqual([STATIONS, DAYS + 2])
  })

  it('is interrupted by its signal', async () => {
    const abort = new AbortController()
    abort.abort()
    expect(await forecast(stationDays(), { horizon: 2, threads: 1, signal: abort.signal })).toBeUndefined()
  })

  it('is refused without a mode of time, without steps, and with too few rows', async () => {
    const tensor = stationDays()
    const unnamed = { ...tensor, modes: undefined, labels: undefined, dims: [STATIONS, DAYS] }
    await expect(
      forecast({ ...unnamed, values: tensor.values.map(() => 1) }, { horizon: 1 }),
    ).rejects.toThrow('No mode of the data is known to be time; name it by time, as in day, or day+slot.')
    await expect(forecast(tensor, {})).rejects.toThrow(
      'Say by horizon how many rows of date are to be forecast.',
    )
    await expect(forecast(tensor, { horizon: 60 })).rejects.toThrow(
      'There are 70 rows of date, too few for a backtest 60 steps ahead',
    )
    await expect(forecast(tensor, { horizon: 3, backtest: -1 })).rejects.toThrow('backtest is -1')
  })
})

describe('backtests', () => {
  it('begin at origins a horizon apart, or nearer where rows are few, after half of the rows', () => {
    expect(chooseOrigins({ rows: 84, horizon: 7 }, 5, 7)).toEqual([77, 70, 63, 56, 49])
    expect(chooseOrigins({ rows: 22, horizon: 3 }, 5, 7)).toEqual([19, 17, 15, 13, 11])
    expect(chooseOrigins({ rows: 14, horizon: 3 }, 5, 9)).toEqual([11, 10])
    expect(chooseOrigins({ rows: 10, horizon: 6 }, 5, 1)).toEqual([])
  })

  it('compare with the last known value a whole number of seasons before, and with the mean of all of them', () => {
    // One series of two values per season; the value at 4 is not known.
    const times = [0, 1, 2, 3, 5, 6, 7]
    const tensor = sparseTensor({
      dims: [2, 8],
      indices: [Uint32Array.of(0, 0, 0, 0, 0, 0, 0, 1), Uint32Array.of(...times, 7)],
      values: Float32Array.of(10, 1, 20, 3, 5, 60, 7, 99),
    })
    const at = (row: number): number => times.indexOf(row)
    const { naive, mean } = seasonalForecaster(tensor, 1)(Uint32Array.of(at(6), at(7), 7), 6, 2)
    // From row 6 on: the value at 4 is not known, so that the one at 2 is the last; the second series has none.
    expect([...naive]).toEqual([20, 5, Math.fround((10 + 1 + 20 + 3 + 5) / 5)])
    expect([...mean].slice(0, 2)).toEqual([15, 3])
  })
})

describe('a seasonal model', () => {
  it('predicts the entries after an origin as the baseline of its rule does, in any order of the modes', () => {
    const tensor = stationDays((i, t) => chance(3 * i + 900 * t) < 0.7)
    const origin = 60
    const all = Uint32Array.from(tensor.values.keys())
    const after = all.filter((e) => tensor.indices[1][e] >= origin)
    const baseline = seasonalForecaster(tensor, 1)(after, origin, 7)
    const before = pickEntries(
      tensor,
      all.filter((e) => tensor.indices[1][e] < origin),
    )
    const { indices } = pickEntries(tensor, after)
    for (const rule of ['naive', 'mean'] as SeasonalRule[]) {
      const predictions = seasonalModel(before, 1, 7, rule).predictMany(indices)
      for (const [k, y] of predictions.entries()) expect(y).toBeCloseTo(baseline[rule][k], 3)
      const turned: SparseTensor = {
        ...{ dims: [DAYS, 1, STATIONS], values: before.values },
        indices: [before.indices[1], new Uint32Array(before.values.length), before.indices[0]],
      }
      const [stations, days] = indices
      const again = seasonalModel(turned, 0, 7, rule).predictMany([
        days,
        new Uint32Array(days.length),
        stations,
      ])
      expect(again).toEqual(predictions)
    }
  })

  it('is combined with learned models where that is better, so that the mean of the season is not lost to', async () => {
    // Every station has a week of its own, which one component cannot describe.
    const tensor = stationDays()
    const [stations, days] = tensor.indices
    const own = (e: number): number => 5 + 20 * chance(31 * stations[e] + (days[e] % 7)) + chance(e + 5)
    const values = tensor.values.map((_, e) => own(e))
    const { settings, trials, backtest } = (await forecast(
      { ...tensor, values },
      { horizon: 7, threads: 1, rank: 1 },
    ))!
    const names = trials.map(({ name }) => name)
    expect(names).toContain('mean of the season (7)')
    expect(names).toContain('value one season before (7)')
    expect(settings).toContain('mean of the season (7)')
    expect(backtest!.model.rmse).toBeLessThan(1.01 * backtest!.seasonMean.rmse)
  })
})

describe('the settings that are tried', () => {
  it('keep what is given, and merge all modes beside the days', () => {
    const tensor: SparseTensor = {
      dims: [4, 5, 60],
      modes: [{ name: 'station' }, { name: 'slot' }, { name: 'day' }],
      indices: [0, 1, 2].map(() => new Uint32Array(600)),
      values: new Float32Array(600),
    }
    const axis = forecastAxis(tensor, 'day+slot', undefined)!
    expect(axis.modes).toEqual([2, 1])
    expect(axis.lags).toEqual({ day: axis.distances })
    const nameOf = (settings: Parameters<typeof candidateName>[0]): string => candidateName(settings, tensor)
    const names = forecastCandidates(tensor, { ...axis, distances: [1, 7], lags: { day: [1, 7] } }, {}).map(
      nameOf,
    )
    expect(names[0]).toBe('rank 5, station,slot merged, sqrt, coupled, day=1,7')
    const merged = { rank: 5, mergeModes: [[0, 1]], split: [{ mode: 2, into: 7 }], lags: { day: [1] } }
    expect(candidateName(merged, {})).toBe('rank 5, modes 1,2 merged, split 3:7, coupled, day=1')
    expect(names).toContain('rank 10, coupled, day=1,7')
    expect(names).toContain('rank 5, station,slot merged, sqrt, autoregressive, day=1,7,14')
    expect(names).toContain('rank 5, station,slot merged, split day:7, sqrt, coupled, day=7')
    const given = { rank: 4, link: 'log1p', timePrior: 'coupled', lags: { 'day+slot': [5, 35] } } as const
    expect(forecastAxis(tensor, undefined, given.lags)!.distances).toEqual([1, 7])
    expect(
      forecastCandidates(tensor, forecastAxis(tensor, undefined, given.lags)!, given).map(nameOf),
    ).toEqual(['rank 4, log1p, coupled, day+slot=5,35'])
  })
})

it('the season is counted in steps of time also where some steps are missing for all rows', async () => {
  const hours = Array.from({ length: 240 }, (_, hour) => hour).filter((hour) => hour % 29 !== 6)
  const labels = [
    ['a', 'b', 'c'],
    hours.map((hour) => new Date(Date.UTC(2024, 2, 1, hour)).toISOString().slice(0, 19).replace('T', ' ')),
  ]
  const cells = hours.flatMap((hour, at) => [0, 1, 2].map((row) => ({ row, at, hour })))
  const tensor = {
    dims: [3, hours.length],
    indices: [Uint32Array.from(cells, ({ row }) => row), Uint32Array.from(cells, ({ at }) => at)],
    values: Float32Array.from(
      cells,
      ({ row, hour }) => (2 + row) * (3 + Math.sin((2 * Math.PI * hour) / 24) + (hour % 24 === 8 ? 2 : 0)),
    ),
    labels,
    modes: [{ name: 'station' }, { name: 'ts' }],
  }
  const { inserted, backtest } = (await forecast(tensor, { horizon: 24, epochs: 10, threads: 1 }))!
  expect(inserted.length).toBe(240 - hours.length)
  expect(backtest!.season).toBe(24)
})

it('times with offsets are recognised as the axis of time, and the forecast continues them', async () => {
  const hours = Array.from({ length: 240 }, (_, hour) => hour)
  const label = (hour: number): string =>
    `${new Date(Date.UTC(2024, 2, 1, hour)).toISOString().slice(0, 19)}+02:00`
  const cells = hours.flatMap((hour) => [0, 1].map((row) => ({ row, hour })))
  const tensor = {
    dims: [2, hours.length],
    indices: [Uint32Array.from(cells, ({ row }) => row), Uint32Array.from(cells, ({ hour }) => hour)],
    values: Float32Array.from(
      cells,
      ({ row, hour }) => (2 + row) * (3 + Math.sin((2 * Math.PI * hour) / 24)),
    ),
    labels: [['a', 'b'], hours.map(label)],
    modes: [{ name: 'gauge' }, { name: 'measured', type: 'TIMESTAMPTZ' }],
  }
  const found = (await forecast(tensor, { horizon: 2, backtest: 0, rank: 2, epochs: 5, threads: 1 }))!
  expect(found.mode).toBe(1)
  expect(found.settings[0]).toContain('measured=1,24')
  expect(found.model.labels?.[1]?.slice(-2)).toEqual([
    '2024-03-11T00:00:00+02:00',
    '2024-03-11T01:00:00+02:00',
  ])
})

describe('the time limit of a forecast', () => {
  it('leaves out settings and backtests that there is no time for, and says which', async () => {
    const found = (await forecast(stationDays(), { horizon: 7, threads: 1, rank: 2, seconds: 1e-3 }))!
    expect(found.trials.map(({ name }) => name).slice(1)).toEqual([
      'mean of the season (7)',
      'value one season before (7)',
    ])
    expect(found.leftOut[0]).toMatch(/^\d of \d+ settings$/)
    expect(found.model.dims).toEqual([STATIONS, DAYS + 7])
    const given = { horizon: 7, threads: 1, rank: 2, choose: false, seconds: 1e-3 }
    const single = (await forecast(stationDays(), given))!
    expect(single.leftOut).toEqual(['4 of 5 backtests'])
    expect(single.backtest!.origins).toEqual([DAYS - 7])
  })

  it('changes nothing where there is time for everything', async () => {
    const given = { horizon: 3, threads: 1, rank: 2, choose: false, epochs: 5, backtest: 2 }
    const [free, limited] = [
      (await forecast(stationDays(), given))!,
      (await forecast(stationDays(), { ...given, seconds: 1e6 }))!,
    ]
    expect(limited.leftOut).toEqual([])
    expect(limited.model.predict([3, DAYS + 1])).toBe(free.model.predict([3, DAYS + 1]))
  })

  it('has time for as many models as the slowest one so far fits into what is left', async () => {
    let now = 0
    const clock = new FitClock(10, () => now)
    expect(clock.hasTimeFor(100)).toBe(true)
    await clock.time(async () => {
      now += 2000
    })
    expect([clock.hasTimeFor(4), clock.hasTimeFor(5)]).toEqual([true, false])
    expect(clock.limitOf(1)).toBe(4)
    expect(new FitClock(Infinity).limitOf(1)).toBeUndefined()
  })
})

it('the baselines of a backtest are those of the season with the least error of both', () => {
  const series = [9, 1, 4, 1, 13, 1, 14, 1, 10]
  const tensor = {
    dims: [1, 9],
    indices: [new Uint32Array(9), Uint32Array.from(series.keys())],
    values: Float32Array.from(series),
  }
  // Before the last value, 10: 13 four rows before, 14 two rows before, 10 the mean of all even rows.
  const frame = { tensor, mode: 1, rows: 9, horizon: 1 }
  const { backtest } = summarizeBacktest(frame, [8], [Float32Array.of(11)], [2, 4])
  expect(backtest).toMatchObject({ season: 2, naive: { rmse: 4 }, seasonMean: { rmse: 0 } })
})
