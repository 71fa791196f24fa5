import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTable } from '#lacuna/io/node/index.js'
import { guessTable, jsonTable, readRows } from '#lacuna/tables.js'
import { checkProperty } from '../../../properties.ts'
import { pieces, rejection } from '../pieces.ts'
import { entries, write } from '../tables.ts'

const open = (text: string, sizes: number[] = []) =>
  jsonTable([{ name: 't.json', open: () => pieces(text, sizes) }])
const read = async (text: string, options = {}) => readRows(await open(text), options)

describe('JSON', () => {
  test('JSON rows are the same as an array, on lines or without space, in whatever pieces', async () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.boolean(),
      fc.array(fc.string(), { maxLength: 2 }),
    )
    const row = fc.record({
      who: fc.string({ minLength: 1 }),
      n: fc.integer({ min: 1, max: 9 }),
      'odd "key"': value,
    })
    await checkProperty(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 20 }),
        fc.constantFrom<(rows: object[]) => string>(
          (rows) => JSON.stringify(rows),
          (rows) => JSON.stringify(rows, null, 2),
          (rows) => rows.map((each) => JSON.stringify(each)).join('\n'),
          (rows) => `\uFEFF${rows.map((each) => JSON.stringify(each)).join('\r\n')}\n`,
          (rows) => rows.map((each) => JSON.stringify(each)).join(''),
        ),
        async (rows, sizes, written) => {
          const table = await open(written(rows), sizes)
          const names = table.columns.map(({ name }) => name)
          expect(names).toEqual([...new Set(rows.flatMap((each) => Object.keys(each)))])
          const found: string[] = []
          for await (const batch of table.read([{ column: 0 }], { records: true }))
            found.push(...(batch.records ?? []))
          expect(found.map((text) => JSON.parse(text))).toEqual(rows)
        },
      ),
      { seed: 1, numRuns: 150 },
    )
  })

  test('JSON whole numbers beyond doubles, and text like them, are kept', async () => {
    const text =
      '[{"id":9007199254740993,"code":"007","say":"a \\"9007199254740993\\" b","v":1},' +
      '{"id":9007199254740992,"code":"7","say":"x","v":2.5e0}]'
    const tensor = await read(text, { modes: ['id', 'code', 'say'], value: 'v' })
    expect(tensor.labels).toEqual([
      ['9007199254740992', '9007199254740993'],
      ['007', '7'],
      ['a "9007199254740993" b', 'x'],
    ])
  })

  test('JSON decimals of 16 digits and more are numbers', async () => {
    const text =
      '[{"a":0.30000000000000004,"b":"x","v":0.1234567890123456789},{"a":2,"b":"y","v":1234567890123456789e-18}]'
    const tensor = await read(text, { modes: ['a', 'b'], value: 'v' })
    expect(tensor.labels?.[0]).toEqual(['0.30000000000000004', '2.0'])
    expect([...tensor.values]).toEqual([0.12345678901234568, 1.2345678901234567].map(Math.fround))
  })

  test('JSON is guessed like any other table, with or without a byte order mark', async () => {
    const rows =
      '[{"user":"ann","item":"tea","when":"2024-01-01","rating":3},{"user":"bo","item":"jam","rating":4}]'
    for (const text of [rows, `\uFEFF${rows}`]) {
      const { modes, value } = await guessTable(await open(text))
      expect({ modes, value }).toEqual({ modes: ['user', 'item', 'week(when)'], value: 'rating' })
      const options = { modes: ['user', 'item'], value: 'rating' }
      expect(entries(await read(text, options))).toEqual(['ann tea 3', 'bo jam 4'])
      const sql = { ...options, query: 'SELECT * FROM data WHERE rating > 3' }
      expect(entries(await readTable(write('bom.json', text), sql))).toEqual(['bo jam 4'])
    }
  })

  test.each([
    ['', 'the file is empty'],
    ['[]', 'there are no rows'],
    ['[1, 2]', 'line 1: the JSON is not well-formed (there is "1" where an object should begin'],
    ['{"a":1,"b":2', 'it ends within an object'],
    ['[{"a":1}\n', 'it ends within an array'],
    ['[{"a":1}\n{"a":2}]', 'line 2: the JSON is not well-formed'],
    ['[{"a":1}] x', 'there is "x" where an object should begin or the file end'],
    ['{"a":1}\n{"a":tru}\n', 'line 2: the JSON is not well-formed'],
    ['"just text"', 'there is """ where an object should begin'],
    ['{"a":"\u0001"}', 'line 1: the JSON is not well-formed'],
  ])('the JSON text %j is refused in a sentence', async (text, message) => {
    const { message: found, name } = await rejection(read(text, { modes: ['a', 'b'] }))
    expect(name).toBe('InputError')
    expect(found).toContain(message)
    expect(found.split('\n')).toHaveLength(1)
  })

  test('JSON has ISO dates only, also through DuckDB', async () => {
    const path = write('dates.json', '[{"a":"01-02-2024","b":"2024-02-01 10:00:00","c":"2024-02-01","v":1}]')
    const query = 'SELECT * FROM data'
    const { labels } = await readTable(path, { query, modes: ['a', 'day(b)', 'week(c)'], value: 'v' })
    expect(labels).toEqual([['01-02-2024'], ['2024-02-01'], ['2024-01-29']])
    expect((await rejection(readTable(path, { query, modes: ['day(a)', 'b'] }))).message).toContain(
      '"01-02-2024" in a is no time',
    )
  })
})
