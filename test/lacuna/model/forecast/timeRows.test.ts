/** Labels after the last one of a mode of time, and tensors with rows for them. */
import { describe, expect, it } from 'vitest'
import { extendTime, extendTo, futureLabels } from '#lacuna/model/forecast/extendTime.js'
import { parseStep } from '#lacuna/model/forecast/timeGrid.js'
import type { Mode, SparseTensor } from '#lacuna/tensor/index.js'

/** A tensor of one series with an entry per label. */
const series = (labels: readonly string[], mode: Partial<Mode> = {}): SparseTensor => ({
  dims: [1, labels.length],
  indices: [new Uint32Array(labels.length), Uint32Array.from(labels.keys())],
  values: Float32Array.from(labels.keys()),
  labels: [['a'], labels],
  modes: [{ name: 'station' }, { name: 'time', ...mode }],
})
const next = (labels: readonly string[], step?: string, mode?: Partial<Mode>): string[] | undefined =>
  futureLabels(series(labels, mode), 1, 3, step)

describe('the labels after the last one', () => {
  it('continue days over the end of a month and weeks by seven days', () => {
    expect(next(['2024-02-26', '2024-02-27'])).toEqual(['2024-02-28', '2024-02-29', '2024-03-01'])
    expect(next(['2024-02-26', '2024-03-04'])).toEqual(['2024-03-11', '2024-03-18', '2024-03-25'])
    const week = { type: 'DATE', from: { column: 't', binning: 'week' } }
    expect(next(['2024-02-26'], undefined, week)).toEqual(['2024-03-04', '2024-03-11', '2024-03-18'])
  })

  it('continue months by the calendar, by their first or last day or as months alone', () => {
    expect(next(['2023-11', '2023-12'])).toEqual(['2024-01', '2024-02', '2024-03'])
    expect(next(['2023-11-01', '2023-12-01'])).toEqual(['2024-01-01', '2024-02-01', '2024-03-01'])
    expect(next(['2023-12-31'], 'month')).toEqual(['2024-01-31', '2024-02-29', '2024-03-31'])
    expect(next(['2023-12-31'], 'year')).toEqual(['2024-12-31', '2025-12-31', '2026-12-31'])
    expect(next(['2023-10-31', '2023-11-30', '2023-12-31'])).toEqual([
      '2024-01-31',
      '2024-02-29',
      '2024-03-31',
    ])
    expect(next(['2023-06-30', '2023-09-30'])).toEqual(['2023-12-31', '2024-03-31', '2024-06-30'])
    expect(next(['2023-12-30', '2024-01-30', '2024-02-29'])![0]).toBe('2024-03-30')
    expect(next(['2024-02-28', '2024-02-29'])![0]).toBe('2024-03-01')
  })

  it('continue times by their most frequent step, or by the one that is given', () => {
    const times = ['2024-02-28 22:00:00', '2024-02-28 23:00:00', '2024-02-29 00:00:00', '2024-02-29 02:00:00']
    expect(next(times)).toEqual(['2024-02-29 03:00:00', '2024-02-29 04:00:00', '2024-02-29 05:00:00'])
    expect(next(times, '15 minutes')![0]).toBe('2024-02-29 02:15:00')
  })

  it('keep the form and the offset of times with a zone', () => {
    expect(next(['2024-03-25T01:00:00+01:00', '2024-03-25T02:00:00+01:00'])![2]).toBe(
      '2024-03-25T05:00:00+01:00',
    )
    expect(next(['2024-03-25 22:00Z', '2024-03-25 23:00Z'])![0]).toBe('2024-03-26 00:00Z')
  })

  it('continue numbers by their difference', () => {
    expect(next(['5', '10', '15'])).toEqual(['20', '25', '30'])
    expect(next(['0.1', '0.2'], undefined, { type: 'DOUBLE' })).toEqual(['0.3', '0.4', '0.5'])
    expect(futureLabels({}, 1, 3)).toBeUndefined()
  })

  it('are refused for texts, hours of the day, one row without a step, and steps that do not fit', () => {
    expect(() => next(['early', 'late'])).toThrow(
      'The labels of time, as late, are neither times nor numbers',
    )
    expect(() => next(['0', '1'], undefined, { from: { column: 't', binning: 'hour' } })).toThrow(
      'time begins anew after its last row',
    )
    expect(() => next(['2024-01-01'])).toThrow(
      "time has one row, which shows no step to the next one; give step: 'day'.",
    )
    expect(() => next(['2024-01', '2024-02'], 'day')).toThrow(
      'the labels of time are months; give month or year',
    )
    expect(() => next(['1', '2'], 'day')).toThrow('step: the labels of time are numbers; give a number.')
    expect(() => parseStep('fortnight')).toThrow('step is fortnight; it must be minute, hour, day')
    expect(() => next(['2', '1'])).toThrow('The rows of time are not in the order of time')
    const days = ['2024-02-10', '2024-02-11', '2024-02-12', '2024-02-13']
    expect(() => next(days, 'hour')).toThrow(
      'step is hour, but labels of time, as 2024-02-13, do not tell such steps apart; give a longer one, or leave it out.',
    )
    expect(() => next(days, 'week')).toThrow('step is week, but time has about 7 rows in each')
    expect(() => next(days, 'month')).toThrow(
      /^step is month, but time has (several rows in one|about \d+ rows)/,
    )
  })
})

describe('a tensor with future rows', () => {
  it('has rows without entries where steps of time are missing, so that distances are times', () => {
    const { tensor, first, inserted } = extendTime(
      series(['2024-05-01', '2024-05-02', '2024-05-05', '2024-05-06']),
      1,
      2,
    )
    expect(inserted).toEqual(['2024-05-03', '2024-05-04'])
    expect(tensor.dims).toEqual([1, 8])
    expect(first).toBe(6)
    expect([...tensor.indices[1]]).toEqual([0, 1, 4, 5])
    expect(tensor.labels![1]!.slice(4)).toEqual(['2024-05-05', '2024-05-06', '2024-05-07', '2024-05-08'])
  })

  it('is refused with a step in which there are several rows', () => {
    const hours = Array.from({ length: 50 }, (_, hour) =>
      new Date(Date.UTC(2024, 4, 1, hour)).toISOString().slice(0, 16),
    )
    expect(() => extendTime(series(hours), 1, 2, 'day')).toThrow(
      'step is day, but time has about 24 rows in each; leave it out and give horizon in rows, or bin the times, as in the mode day(time).',
    )
    expect(extendTime(series(hours), 1, 2, 'hour').first).toBe(50)
    // A few rows between others are no other step.
    const days = ['2024-05-01', '2024-05-02', '2024-05-02T12:00', '2024-05-03', '2024-05-04', '2024-05-05']
    expect(extendTime(series(days), 1, 2, 'day').inserted).toEqual([])
  })

  it('leaves labels that lie on no grid as they are', () => {
    const { tensor, inserted } = extendTime(series(['1', '2', '3', '4.5']), 1, 1)
    expect(inserted).toEqual([])
    expect(tensor.labels![1]).toEqual(['1', '2', '3', '4.5', '5.5'])
  })

  it('ends with a label that is given in any form, or with a number of rows where there are no labels', () => {
    const daily = series(['2024-05-01', '2024-05-02'], { type: 'DATE' })
    const { dims, labels } = extendTo(daily, 1, '2024-05-04 00:00')
    expect(dims).toEqual([1, 4])
    expect(labels![1]!.slice(2)).toEqual(['2024-05-03', '2024-05-04'])
    expect(extendTo({ ...daily, labels: undefined }, 1, '9').dims).toEqual([1, 9])
    const sentence = 'is no whole number of steps after 2024-05-02, the last row; give one that is.'
    expect(() => extendTo(daily, 1, '2024-05-01')).toThrow(`extend: time 2024-05-01 ${sentence}`)
    for (const label of ['2024-04-01', '2024-02-31', 'soon'])
      expect(() => extendTo(daily, 1, label)).toThrow(`extend: time ${label} ${sentence}`)
    const weekly = series(['2024-05-01', '2024-05-08'], { type: 'DATE' })
    expect(() => extendTo(weekly, 1, '2024-05-20')).toThrow('is no whole number of steps after 2024-05-08')
    expect(() => extendTo({ ...daily, labels: undefined }, 1, '2')).toThrow('steps after 2, the last row')
    // A typing error in the year: 1000 days at most, or ten times the days that there are.
    expect(extendTo(daily, 1, '2027-01-27').dims).toEqual([1, 1002])
    expect(() => extendTo(daily, 1, '2027-01-28')).toThrow(
      'extend: time 2027-01-28 is 1001 steps after 2024-05-02, and there are 2 rows; give one that is nearer.',
    )
  })
})
