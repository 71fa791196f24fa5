import { describe, expect, test } from 'vitest'
import { type ReadTableOptions, readTable } from '#lacuna/io/node/index.js'
import { rejection } from '../pieces.ts'
import { entries, write } from '../tables.ts'

const WIDE = 'station,zone,2024-01-01,2024-01-02,2024-01-09\nnorth,1,5,,7\nsouth,2,1.5,2,\n'
const LONG = ['north 2024-01-01 5', 'north 2024-01-09 7', 'south 2024-01-01 1.5', 'south 2024-01-02 2']
const read = (text: string, options: ReadTableOptions, name = 'wide.csv') =>
  readTable(write(name, text), options)

describe('a wide table', () => {
  test('a melted table has a row for every cell of the melted columns', async () => {
    const tensor = await read(WIDE, { modes: ['station'], melt: 'day=2024-*' })
    expect(entries(tensor)).toEqual(LONG)
    expect(tensor.modes?.map(({ name, type }) => `${name} ${type}`)).toEqual(['station VARCHAR', 'day DATE'])
    expect(tensor.valueName).toBe('value')
  })

  test('a wide table is not guessed, and the error shows how to read it', async () => {
    const { message } = await rejection(read(WIDE, {}))
    expect(message).toMatch(
      /the columns 2024-01-01, 2024-01-02 … look like labels of one mode; make rows of them/,
    )
    expect(message).toMatch(/modes.*station.*zone.*melt.*day/)
  })

  test('a table is wide if three or more columns are named like labels', async () => {
    const two = await read('station,zone,2024-01-01,2024-01-02\nnorth,a,5,6\nsouth,b,7,8\n', {})
    expect(two.valueName).toBe('2024-01-02')
    const three = rejection(
      read('station,zone,2024-01-01,2024-01-02,2024-01-03\nnorth,a,5,6,1\nsouth,b,7,8,2\n', {}),
    )
    expect((await three).message).toMatch(/the columns 2024-01-01, 2024-01-02 … look like labels of one mode/)
  })

  test('a wide table is melted by all columns that no mode names', async () => {
    const tensor = await read(WIDE, { modes: ['station', 'zone'], melt: 'day' })
    expect(entries(tensor)).toEqual(
      LONG.map((entry) => entry.replace('h ', entry.startsWith('n') ? 'h 1 ' : 'h 2 ')),
    )
  })

  test('the melted mode of a wide table can be binned', async () => {
    const options = { modes: ['week(day) AS week', 'station'], melt: 'day=2024-*', merge: 'sum' } as const
    expect(entries(await read(WIDE, options))).toEqual([
      '2024-01-01 north 5',
      '2024-01-08 north 7',
      '2024-01-01 south 3.5',
    ])
  })

  test('the columns of a melted table may be named by numbers', async () => {
    const years = 'station,2014,2015\nnorth,5,6\nsouth,1,2\n'
    expect(entries(await read(years, { modes: ['station'], melt: 'year' }))).toEqual([
      'north 2014 5',
      'north 2015 6',
      'south 2014 1',
      'south 2015 2',
    ])
  })

  test('a wide table is the same from JSON and Parquet', async () => {
    const rows = '[{"station":"north","a":5,"b":null},{"station":"south","a":1.5,"b":2}]'
    const expected = ['north a 5', 'south a 1.5', 'south b 2']
    const options = { modes: ['station'], melt: 'column' }
    expect(entries(await read(rows, options, 'wide.json'))).toEqual(expected)
    const query = "SELECT * FROM (VALUES ('north', 5.0, NULL), ('south', 1.5, 2)) AS t(station, a, b)"
    expect(entries(await readTable([], { ...options, query }))).toEqual(expected)
  })

  test('a melted table of many rows keeps the order of its cells', async () => {
    const columns = Array.from({ length: 100 }, (_, c) => `c${c}`)
    const rows = Array.from(
      { length: 2000 },
      (_, r) => `r${r},${columns.map((_, c) => 100 * r + c).join()}\n`,
    )
    const { values, dims } = await read(`name,${columns.join()}\n${rows.join('')}`, {
      modes: ['name'],
      melt: 'c',
    })
    expect(dims).toEqual([2000, 100])
    expect(values.every((x, e) => x === e)).toBe(true)
  })

  test.each<[ReadTableOptions, string]>([
    [{ melt: 'day' }, 'it is not clear which columns are to become rows'],
    [{ melt: 'day=2025-*', modes: ['station'] }, 'it is not clear which columns are to become rows'],
    [{ melt: 'zone', modes: ['station'] }, 'there is a column zone already'],
    [{ melt: '', modes: ['station'] }, 'is empty'],
    [
      { melt: 'day', modes: ['sation'] },
      'there is no column "sation"; the columns are station, zone, 2024-01-01',
    ],
    [{ melt: 'day', modes: ['upper(station)'] }, 'write UNPIVOT in a query'],
    [{ melt: 'day=zone,2024-*', modes: ['station'], value: 'zone' }, 'there is no column "zone"'],
  ])('a wide table is refused in a sentence with the options %j', async (options, message) => {
    expect((await rejection(read(WIDE, options))).message).toContain(message)
  })

  test('a cell of a wide table that is no number is an error with its line', async () => {
    const spoilt = WIDE.replace('1.5', 'five')
    expect((await rejection(read(spoilt, { modes: ['station'], melt: 'day=2024-*' }))).message).toContain(
      'wide.csv, line 3: the value value is "five", which is no number',
    )
  })
})
