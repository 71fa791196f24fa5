import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSession, type TableSession } from '#lacuna/io/node/duckdb/session.js'
import { type BinningName, binnings, binText } from '#lacuna/labels/bins.js'
import { checkProperty } from '../../../../properties.ts'

describe('binnings', () => {
  let session: TableSession
  beforeAll(async () => {
    session = await openSession('test')
  })
  afterAll(() => session.close())
  const binned = async (expression: string): Promise<unknown> =>
    (await session.rows(`SELECT CAST(${expression} AS VARCHAR)`))[0][0]

  test.each([
    ['year', '2000'],
    ['month', '2000-07'],
    ['week', '2000-07-24'],
    ['day', '2000-07-30'],
    ['hour', '18'],
    ['weekday', '7'],
  ])(
    '%s of a timestamp, its text, and Unix time in seconds or milliseconds is %s',
    async (name, expected) => {
      for (const time of [
        `TIMESTAMP '2000-07-30 18:45:03'`,
        `'2000-07-30 18:45:03'`,
        `TIMESTAMPTZ '2000-07-30 20:45:03+02'`,
        '964982703',
        'CAST(964982703000 AS BIGINT)',
        '964982703.5',
        'CAST(964982703 AS DOUBLE)',
        `'964982703'`,
      ])
        expect(await binned(`${name}(${time})`), time).toBe(expected)
      if (name !== 'hour') expect(await binned(`${name.toUpperCase()}(DATE '2000-07-30')`)).toBe(expected)
    },
  )

  test.each([
    ['bins(17, 5)', '15'],
    ['bins(-1, 5)', '-5'],
    ['bins(15, 5)', '15'],
    ['bins(CAST(0.3 AS DOUBLE), 0.1)', '0.3'],
    ['bins(CAST(0.29 AS DOUBLE), 0.1)', '0.2'],
    ['bins(CAST(-0.25 AS DOUBLE), 0.1)', '-0.3'],
    ['bins(CAST(1234.5 AS DOUBLE), 100)', '1200.0'],
    ['bins(0.37, 0.25)', '0.25'],
    ['round(CAST(40.7691 AS DOUBLE), 2)', '40.77'],
  ])('the binning %s is %s', async (expression, expected) => {
    expect(await binned(expression)).toBe(expected)
  })

  test('every value lies in its bin, and the bins are whole multiples of their width', async () => {
    const width = fc.constantFrom(0.001, 0.1, 0.25, 1, 3, 7.5, 1000)
    const x = fc.integer({ min: -1e6, max: 1e6 }).map((n) => n / 1000)
    await checkProperty(
      fc.asyncProperty(x, width, async (x, width) => {
        const [[edge]] = await session.rows(`SELECT bins(CAST('${x}' AS DOUBLE), ${width})`)
        expect(Number(edge) - 1e-9 * width <= x && x < Number(edge) + width).toBe(true)
        expect(Math.abs(Number(edge) / width - Math.round(Number(edge) / width))).toBeLessThan(1e-6)
      }),
      { seed: 1, numRuns: 200 },
    )
  })

  test('binnings in SQL agree with those of io/table', async () => {
    const time = fc.integer({ min: -2e9, max: 4e9 })
    const x = fc.integer({ min: -1e6, max: 1e6 }).map((n) => n / 1000)
    await checkProperty(
      fc.asyncProperty(time, x, fc.constantFrom(0.01, 0.25, 1, 3, 1000), async (seconds, x, width) => {
        const of = (name: BinningName, argument: number): string => {
          const binning = binnings[name]
          return binText(binning, binning.bin(binning.of === 'time' ? 1e6 * seconds : x, argument), false)
        }
        const times = ['year', 'month', 'week', 'day', 'hour', 'weekday'] as const
        const asked = times
          .map((name) => `${name}(${seconds})`)
          .concat(
            `weeks(${seconds}, -2000000000)`,
            `bins(CAST('${x}' AS DOUBLE), ${width})`,
            `round(CAST('${x}' AS DOUBLE), 1)`,
            `round_even(CAST('${x}' AS DOUBLE), 1)`,
          )
        const [row] = await session.rows(`SELECT ${asked.map((sql) => `CAST(${sql} AS VARCHAR)`).join(', ')}`)
        const expected = [
          ...times.map((name) => of(name, 0)),
          of('weeks', -2e9),
          of('bins', width),
          of('round', 1),
          of('round_even', 1),
        ]
        // -0.0 is equal to 0.0, and becomes it when rows are delivered.
        expect(row.map((text) => String(text).replace(/^-0\.0$/, '0.0'))).toEqual(expected)
      }),
      { seed: 1, numRuns: 150 },
    )
  })
})
