/** The axis of time of a tensor and its periods, by labels, names, or the entries alone. */
import { describe, expect, it } from 'vitest'
import { axisName, proposeAxis, proposeLags } from '#lacuna/solver/time/proposeLags.js'
import { timeAxis } from '#lacuna/solver/time/timeAxis.js'
import { type Mode, type SparseTensor, sparseTensor, synthetic } from '#lacuna/tensor/index.js'

/** A fixed pseudorandom number between 0 and 1 for each e. */
const chance = (e: number): number => Math.abs(Math.sin(12.9898 * (e + 1)) * 43758.5453) % 1

/** A tensor of these sizes from a function of the cell, with some cells of all. */
function tensorOf(
  dims: readonly number[],
  value: (...cell: number[]) => number,
  fraction = 0.7,
): SparseTensor {
  const cells: number[][] = []
  const size = dims.reduce((product, dim) => product * dim, 1)
  for (let e = 0; e < size; e++) {
    let rest = e
    const cell = dims.toReversed().map((dim) => {
      const index = rest % dim
      rest = Math.floor(rest / dim)
      return index
    })
    if (chance(3 * e) < fraction) cells.push(cell.toReversed())
  }
  const indices = dims.map((_, mode) => Uint32Array.from(cells, (cell) => cell[mode]))
  return sparseTensor({ dims, indices, values: Float32Array.from(cells, (cell) => value(...cell)) })
}

/** Flow at a station, slot and day: mornings and evenings, fewer at weekends, with noise. */
const flow =
  (slots: number) =>
  (station: number, slot: number, day: number): number => {
    const hour = (24 * slot) / slots
    const peaks = Math.exp(-((hour - 8) ** 2) / 4) + Math.exp(-((hour - 18) ** 2) / 6)
    const weekend = day % 7 >= 5
    const noise = chance(slot + slots * (day + 40 * station))
    return (1 + chance(station)) * (100 * peaks * (weekend ? 0.4 : 1) + 10 + (weekend ? 15 : 5) * noise)
  }

const day = (k: number): string => new Date(Date.UTC(2024, 2, 1 + k)).toISOString().slice(0, 10)
const hour = (t: number): string => new Date(Date.UTC(2024, 2, 1, t)).toISOString().slice(0, 16)
const rows = (count: number, label: (row: number) => string): string[] =>
  Array.from({ length: count }, (_, row) => label(row))
const named = (...names: string[]): Mode[] => names.map((name) => ({ name }))

describe('the axis of time', () => {
  const counts = tensorOf([8, 24, 21], flow(24))

  it('is a date and an hour of the day by their binnings, with a day and a week as periods', () => {
    const modes: Mode[] = [
      { name: 'station' },
      { name: 'hour(t)', from: { column: 't', binning: 'hour' } },
      { name: 'day(t)', type: 'DATE', from: { column: 't', binning: 'day' } },
    ]
    const labels = [undefined, rows(24, String), rows(21, day)]
    expect(proposeAxis({ ...counts, modes, labels })).toEqual({
      modes: [2, 1],
      lags: { 'day(t)+hour(t)': [1, 24, 168] },
      period: 7,
    })
  })

  it('is a mode whose labels are hours, days or weeks, with the periods of the calendar', () => {
    const noise = (rows: number): SparseTensor => tensorOf([9, rows], (i, t) => 1 + chance(i + 31 * t))
    const lagsOf = (count: number, label: (row: number) => string) => {
      const labels = [undefined, rows(count, label)]
      return proposeAxis({ ...noise(count), modes: named('place', 'x'), labels })
    }
    expect(lagsOf(400, hour)).toEqual({ modes: [1], lags: { x: [1, 24, 168] }, period: 24 })
    expect(lagsOf(60, day)).toEqual({ modes: [1], lags: { x: [1, 7] }, period: 7 })
    expect(lagsOf(120, (row) => day(7 * row))).toEqual({ modes: [1], lags: { x: [1, 52] }, period: 52 })
    // Days are missing: seven rows are no week.
    expect(lagsOf(60, (row) => day(row + Math.floor(row / 9)))).toEqual({ modes: [1], lags: { x: [1] } })
    // Not in the order of time.
    expect(lagsOf(60, (row) => day(59 - row))).toBeUndefined()
  })

  it('is week, weekday and hour of one time', () => {
    const modes: Mode[] = ['hour', 'weekday', 'week'].map((binning) => ({
      name: binning,
      from: { column: 't', binning },
    }))
    const dims = [24, 7, 6]
    const tensor = tensorOf([5, ...dims], () => 1)
    expect(timeAxis({ ...tensor, modes: [{ name: 'place' }, ...modes] })).toEqual([3, 2, 1])
  })

  it('is found by names where there are no labels, in any order of the modes', () => {
    expect(proposeLags({ ...counts, modes: named('station', 'slot', 'day') })).toEqual({
      'day+slot': [1, 24, 168],
    })
    expect(timeAxis({ ...counts, modes: named('weekday', 'slot', 'user') })).toBeUndefined()
  })

  it('is a date and times of the day, as 8:30 and 09:00, where they ascend', () => {
    const clock = (slot: number): string => `${8 + Math.floor(slot / 2)}:${slot % 2 === 0 ? '00' : '30'}`
    const axisOf = (times: string[]): number[] | undefined =>
      timeAxis({ ...counts, modes: named('a', 'b', 'c'), labels: [undefined, times, rows(21, day)] })
    expect(axisOf(rows(24, clock))).toEqual([2, 1])
    expect(axisOf(rows(24, (slot) => `${clock(slot).padStart(5, '0')}:00`))).toEqual([2, 1])
    expect(axisOf(rows(24, clock).sort())).toEqual([2])
    expect(axisOf(rows(24, (slot) => `${8 + slot}:75`))).toEqual([2])
  })

  it('is found by names in German, French and Spanish', () => {
    for (const [hour, date] of [
      ['Stunde', 'Datum'],
      ['heure', 'jour'],
      ['hora', 'fecha'],
    ])
      expect(timeAxis({ ...counts, modes: named('station', hour, date) })).toEqual([2, 1])
  })

  it('is a mode of hours, also where counts are so small that neighbours are hardly alike', () => {
    const trips = tensorOf([12, 12, 168], (i, j, hour) => {
      const peaks = Math.exp(-(((hour % 24) - 8) ** 2) / 3) + Math.exp(-(((hour % 24) - 18) ** 2) / 3)
      return Math.floor(2 * peaks + 2 * chance(hour + 200 * (i + 15 * j)))
    })
    expect(proposeAxis(trips)).toMatchObject({ modes: [2], lags: { 3: [1, 24] }, period: 24 })
  })

  it('is no mode whose rows are in the order of their size', () => {
    const sizes = (order: (place: number) => number): SparseTensor =>
      tensorOf([40, 30], (place, kind) => 100 / (2 + order(place)) + 5 * chance(place + 50 * kind))
    expect(timeAxis(sizes((place) => place))).toBeUndefined()
    expect(timeAxis(sizes((place) => 39 - place))).toBeUndefined()
    // Rows that are alike in another order.
    expect(timeAxis(sizes((place) => Math.abs(place - 20)))).toEqual([0])
  })

  it('is found by autocorrelation where there are neither names nor labels', () => {
    const slots = tensorOf([12, 36, 28], flow(36))
    expect(proposeAxis(slots)).toEqual({ modes: [2, 1], lags: { '3+2': [1, 36, 252] }, period: 7 })
    const [station, slot, day] = slots.indices
    const series = { ...slots, dims: [12, 36 * 28], indices: [station, day.map((k, e) => 36 * k + slot[e])] }
    expect(proposeAxis(series)).toEqual({ modes: [1], lags: { 2: [1, 36, 252] }, period: 36 })
  })

  it('is none in random data, ratings and pictures', () => {
    const { tensor } = synthetic({ dims: [30, 40, 20], entries: 8000, rank: 3, snrDb: 20, seed: 3 })
    expect(timeAxis(tensor)).toBeUndefined()
    const picture = tensorOf([40, 50, 3], (i, j, c) => 3 + Math.sin(i / 5) + Math.cos(j / 6 + c))
    expect(timeAxis(picture)).toBeUndefined()
    expect(proposeLags(picture)).toEqual({})
    const labels = [rows(40, (row) => `u${row}`), rows(50, (row) => `film ${row}`), undefined]
    expect(timeAxis({ ...picture, labels, modes: named('user', 'film', 'tag') })).toBeUndefined()
  })

  it('is called by the numbers of its modes where a name has a +', () => {
    expect(axisName({ modes: named('a', 'b+c') }, [1, 0])).toBe('2+1')
    expect(axisName({ modes: named('a', 'b') }, [1, 0])).toBe('b+a')
  })
})
