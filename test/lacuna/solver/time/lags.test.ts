/** Lags along an axis of time that is one mode, several modes, merged or split. */
import { describe, expect, it } from 'vitest'
import type { CpModel } from '#lacuna/model/index.js'
import { complete, type RunOptions } from '#lacuna/solver/index.js'
import { coupleAxis } from '#lacuna/solver/time/axis.js'
import {
  type ModeReshaping,
  pickEntries,
  reshapedModes,
  resolveReshaping,
  type SparseTensor,
  sparseTensor,
} from '#lacuna/tensor/index.js'

const [STATIONS, SLOTS, DAYS] = [7, 12, 10]
const modes = ['station', 'slot', 'day'].map((name) => ({ name }))
const frame = { dims: [STATIONS, SLOTS, DAYS], modes }

/** What distances along an axis couple where modes are reshaped. */
const couple = (name: string, distances: number[], reshaping: ModeReshaping = {}, of = frame) =>
  coupleAxis(of, reshapedModes(resolveReshaping(reshaping, of), of.dims), name, distances).map(
    ({ mode, side }) => ({ mode, side }),
  )

describe('distances along an axis', () => {
  it('couple rows of a merged mode in the order of time, whatever the order of its digits', () => {
    const [{ mode, side }] = couple('day+slot', [1, 12, 84], { mergeModes: [['slot', 'day']] })
    expect(mode).toBe(1)
    expect(side.lags).toEqual([1, 12, 84])
    expect(side.isCyclic).toBeUndefined()
    // Row slot · 10 + day at the position day · 12 + slot.
    const expected = Array.from({ length: 120 }, (_, at) => (at % 12) * 10 + Math.floor(at / 12))
    expect([...side.order!]).toEqual(expected)
    expect(couple('slot+day', [3], { mergeModes: [['slot', 'day']] })).toEqual([
      { mode: 1, side: { lags: [3] } },
    ])
  })

  it('couple rows of separate modes: of the slow one at multiples of its unit, else of the fast one on a circle', () => {
    expect(couple('day+slot', [1, 11, 7, 12, 84])).toEqual([
      { mode: 2, side: { lags: [1, 7] } },
      { mode: 1, side: { lags: [1, 5], isCyclic: true } },
    ])
  })

  it('couple blocks and positions of a mode that is split, also into nested blocks', () => {
    const hours = { dims: [5, 400], modes: [{ name: 'place' }, { name: 'hour' }] }
    expect(couple('hour', [1, 24, 168], { split: [{ mode: 'hour', into: 24 }] }, hours)).toEqual([
      { mode: 1, side: { lags: [1, 7] } },
      { mode: 2, side: { lags: [1], isCyclic: true } },
    ])
    expect(
      couple('hour', [1, 2, 24, 168], { split: [{ mode: 'hour', into: [7, 24], offset: 9 }] }, hours),
    ).toEqual([
      { mode: 1, side: { lags: [1] } },
      { mode: 2, side: { lags: [1], isCyclic: true } },
      { mode: 3, side: { lags: [1, 2], isCyclic: true } },
    ])
  })

  it('that fit no mode, or modes that are no axis, are refused in one sentence', () => {
    expect(() => couple('day+slot', [13])).toThrow(
      'lags of day+slot has 13, and its rows are those of 2 modes; give multiples of 12 below 120, or whole numbers below 12, or merge the modes.',
    )
    expect(() => couple('day+slot', [120], { mergeModes: [['slot', 'day']] })).toThrow(
      'lags of day+slot has 120, and there are only 120 rows; give distances below that.',
    )
    const no =
      'is no stretch of time in it; name the modes that are merged from the slowest to the fastest, as in day+slot=1,24, or leave one of them out.'
    expect(() => couple('day', [1], { mergeModes: [['slot', 'day']] })).toThrow(
      `lags is of day, but the merged mode slot+day ${no}`,
    )
    expect(() => couple('day+slot', [1], { mergeModes: [['station', 'day']] })).toThrow(
      `lags is of day+slot, but the merged mode station+day ${no}`,
    )
    expect(() => couple('station+day+slot', [1], { mergeModes: [['station', 'slot']] })).toThrow(
      `the merged mode station+slot ${no}`,
    )
    expect(() => couple('day+day', [1])).toThrow('lags of day+day names a mode twice.')
  })
})

/** A wave along time that does not end with a day, seen at some stations; all cells. */
function waves(): SparseTensor {
  const cells: number[][] = []
  for (let i = 0; i < STATIONS; i++)
    for (let j = 0; j < SLOTS; j++) for (let k = 0; k < DAYS; k++) cells.push([i, j, k])
  const values = cells.map(([i, j, k]) => {
    const t = k * SLOTS + j
    return 3 + Math.sin((2 * Math.PI * t) / 31 + i) + (i % 3) + 0.1 * Math.sin(77 * (i + 7 * t))
  })
  const indices = frame.dims.map((_, mode) => Uint32Array.from(cells, (cell) => cell[mode]))
  return sparseTensor({ ...frame, indices, values: Float32Array.from(values) })
}

/** Splits the waves into entries to learn from and whole steps of time that are held out, at borders of days. */
function splitTimes(): [SparseTensor, SparseTensor] {
  const tensor = waves()
  const all = Uint32Array.from(tensor.values.keys())
  const isOut = (e: number): boolean => {
    const t = tensor.indices[2][e] * SLOTS + tensor.indices[1][e]
    return t % SLOTS === 0 || t % 7 === 3
  }
  return [
    pickEntries(
      tensor,
      all.filter((e) => !isOut(e)),
    ),
    pickEntries(tensor, all.filter(isOut)),
  ]
}

const factorsOf = ({ factors }: CpModel): number[][] => factors.map((factor) => [...factor])

describe('a run with lags along time', () => {
  const options: RunOptions & { choose: false } = { rank: 4, threads: 1, choose: false, epochs: 60 }
  const [train, test] = splitTimes()
  const rmse = async (given: RunOptions): Promise<number> =>
    (await complete(train, { ...options, ...given, watch: { test } })).watch!.test.rmse

  it('predicts hidden steps of a merged axis across the borders of days, and not with days and slots exchanged', async () => {
    const mergeModes = [['slot', 'day']]
    const along = await rmse({ mergeModes, lags: { 'day+slot': [1, 31] } })
    const exchanged = await rmse({ mergeModes, lags: { 'slot+day': [1, 31] } })
    expect(along).toBeLessThan(0.2)
    expect(along).toBeLessThan(0.4 * exchanged)
  })

  it('has the bits of lags on a tensor merged by hand in the order of time', async () => {
    const swapped: SparseTensor = {
      ...train,
      dims: [STATIONS, DAYS, SLOTS],
      modes: [modes[0], modes[2], modes[1]],
      indices: [train.indices[0], train.indices[2], train.indices[1]],
    }
    const hand = sparseTensor({
      dims: [STATIONS, DAYS * SLOTS],
      indices: [train.indices[0], train.indices[1].map((slot, e) => train.indices[2][e] * SLOTS + slot)],
      values: train.values,
    })
    const asked = { ...options, epochs: 30 }
    const { model } = await complete(swapped, {
      ...asked,
      mergeModes: [['day', 'slot']],
      lags: { 'day+slot': [1, 12] },
    })
    const { model: expected } = await complete(hand, { ...asked, lags: { 2: [1, 12] } })
    expect(factorsOf(model)).toEqual(factorsOf(expected))
  })

  it('has the same bits for a mode that is split and for its blocks and positions as modes', async () => {
    const time = train.indices[1].map((slot, e) => train.indices[2][e] * SLOTS + slot)
    const series = sparseTensor({
      dims: [STATIONS, DAYS * SLOTS],
      modes: [{ name: 'station' }, { name: 'time' }],
      indices: [train.indices[0], time],
      values: train.values,
    })
    const hand: SparseTensor = {
      ...train,
      dims: [STATIONS, DAYS, SLOTS],
      modes: undefined,
      indices: [train.indices[0], train.indices[2], train.indices[1]],
    }
    const asked = { ...options, epochs: 30 }
    const { model } = await complete(series, {
      ...asked,
      split: [{ mode: 'time', into: SLOTS }],
      lags: { time: [1, 12] },
    })
    const { model: expected } = await complete(hand, { ...asked, lags: { '2+3': [1, 12] } })
    expect(factorsOf(model)).toEqual(factorsOf(expected))
  })

  it('refuses lags that couple rows twice', async () => {
    await expect(complete(train, { ...options, lags: { slot: [1], 'day+slot': [1] } })).rejects.toThrow(
      'lags of day+slot are of rows that other lags couple already; leave one of them out.',
    )
  })
})
