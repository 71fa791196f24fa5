/** lacuna forecast: from a table and from a model. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verdictOf } from '#cli/commands/forecast/backtestReport.ts'
import { lacuna } from './lacuna.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-cli-forecast-'))
const run = (...args: string[]) => lacuna(args, { cwd })
const SHOPS = ['hafen', 'mitte', 'nord', 'ost', 'sued', 'west']
const sold = (shop: number, day: number): number =>
  Math.round((10 + 5 * shop) * (1.3 + Math.sin((2 * Math.PI * day) / 7))) +
  Math.floor(8 * (Math.abs(Math.sin(12.9898 * (7 * day + 501 * shop + 1)) * 43758.5453) % 1))
const dateOf = (day: number): string => new Date(Date.UTC(2024, 2, 1 + day)).toISOString().slice(0, 10)
const lines = (text: string): string[] => text.trim().split('\n')

/** Nine weeks of sales, without one day and some others of single shops. */
beforeAll(() => {
  const rows: string[] = []
  SHOPS.forEach((name, shop) => {
    for (let day = 0; day < 63; day++)
      if (day !== 20 && (day * 7 + shop * 3) % 17 > 0) rows.push(`${name},${dateOf(day)},${sold(shop, day)}`)
  })
  writeFileSync(join(cwd, 'sales.csv'), `shop,date,sold\n${rows.join('\n')}\n`)
})
afterAll(() => rmSync(cwd, { recursive: true }))

describe('lacuna forecast', () => {
  const sales = ['forecast', 'sales.csv', '--modes', 'shop', 'date', '--value', 'sold', '--threads', '1']
  const quick = ['--rank', '3', '--link', 'identity', '--no-choose']

  it('writes the next days of all shops with intervals, and reports backtests beside simple rules', async () => {
    const { code, stdout, stderr } = await run(...sales, ...quick, '--horizon', '7', '-o', 'next.csv')
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const [head, ...rows] = lines(readFileSync(join(cwd, 'next.csv'), 'utf8'))
    expect(head).toBe('shop,date,prediction,low,high')
    expect(rows).toHaveLength(6 * 7)
    expect(rows[0]).toMatch(/^hafen,2024-05-03,/)
    let held = 0
    for (const row of rows) {
      const [shop, date, prediction, low, high] = row.split(',')
      expect(Number(low)).toBeLessThanOrEqual(Number(prediction))
      expect(Number(high)).toBeGreaterThanOrEqual(Number(prediction))
      expect(Number(low)).toBeGreaterThanOrEqual(0)
      const day = Math.round((Date.parse(date) - Date.UTC(2024, 2, 1)) / 864e5)
      const value = sold(SHOPS.indexOf(shop), day)
      if (value >= Number(low) && value <= Number(high)) held++
    }
    expect(held).toBeGreaterThan(32)
    expect(stderr).toContain('date has gaps: 1 row without values was inserted, the first 2024-03-21.')
    expect(stderr).toContain('next.csv: 42 forecasts')
    expect(stdout).toContain('Backtests from 5 origins')
    expect(stdout).toMatch(/^steps ahead +model +season ago \(7\) +mean of season \(7\) +in 90% intervals$/m)
    expect(stdout).toMatch(/^The forecast is better than simple rules: its error .* below that of /m)
  })

  it('tries settings by backtests, and prints all as JSON', async () => {
    const { code, stdout } = await run(
      ...sales,
      '--horizon',
      '2',
      '--for',
      'shop=mitte',
      'date=2024-05-04',
      '--json',
      '-q',
    )
    expect(code).toBe(0)
    const { mode, settings, trials, backtest, interval, inserted, verdict, forecasts } = JSON.parse(stdout)
    expect(mode).toBe('date')
    expect(trials.length).toBeGreaterThan(4)
    expect(settings.length).toBeGreaterThan(0)
    expect(inserted).toEqual(['2024-03-21'])
    expect(backtest.origins).toHaveLength(5)
    expect(backtest.steps).toHaveLength(2)
    expect(verdict).toContain('The forecast is ')
    expect(forecasts).toHaveLength(1)
    expect(forecasts[0]).toMatchObject({ shop: 'mitte', date: '2024-05-04' })
    // Two steps of five origins are too few for intervals at the default level.
    expect(interval).toBeUndefined()
  })

  it('continues labels by a step that is given, and refuses one in which there are several rows', async () => {
    const weeks = Array.from({ length: 30 }, (_, week) =>
      SHOPS.map((name, shop) => `${name},${dateOf(7 * week)},${sold(shop, week)}`),
    )
    writeFileSync(join(cwd, 'weekly.csv'), `shop,date,sold\n${weeks.flat().join('\n')}\n`)
    const { stderr } = await run(...sales, ...quick, '--horizon', '1', '--step', 'week')
    expect(stderr).toContain('--step is week, but date has about 7 rows in each; leave it out')
    const { stdout } = await run(
      'forecast',
      'weekly.csv',
      ...sales.slice(2),
      ...quick,
      '--horizon',
      '1',
      '--step',
      'week',
      '--backtest',
      '0',
      '-q',
      '--for',
      'shop=ost',
    )
    expect(lines(stdout)[0]).toBe('shop,date,prediction')
    expect(lines(stdout)[1]).toMatch(/^ost,2024-09-27,/)
  })

  it('continues a model that was learned with lags, without data', async () => {
    const model = [
      '--modes',
      'shop',
      'date',
      '--value',
      'sold',
      '--lags',
      'date=1,7',
      '--no-choose',
      '-o',
      'sales.npz',
    ]
    await run('complete', 'sales.csv', ...model)
    const { code, stdout } = await run('forecast', 'sales.npz', '--horizon', '2', '--for', 'shop=mitte')
    expect(code).toBe(0)
    expect(lines(stdout)[0]).toBe('shop,date,prediction')
    expect(lines(stdout).map((line) => line.split(',')[1])).toEqual(['date', '2024-05-03', '2024-05-04'])
  })

  it('takes rows of the table without a value after all others as future rows, and says how many', async () => {
    const table = readFileSync(join(cwd, 'sales.csv'), 'utf8')
    const added = ['mitte,2024-05-03,', 'nord,2024-05-04,', 'mitte,2024-03-05,', 'zoo,2024-03-05,']
    writeFileSync(join(cwd, 'open.csv'), `${table}${added.join('\n')}\n`)
    const modes = ['--modes', 'shop', 'date', '--value', 'sold']
    const { code, stdout, stderr } = await run(
      'forecast',
      'open.csv',
      ...modes,
      ...quick,
      '--backtest',
      '0',
      '--for',
      'shop=mitte',
      '-q',
    )
    expect(code).toBe(0)
    expect(lines(stdout).map((line) => line.split(',')[1])).toEqual(['date', '2024-05-03', '2024-05-04'])
    expect(stderr).toContain(
      'open.csv: 2 rows of date without a value after 2024-05-02 are future rows, which are predicted.\n',
    )
    const learned = await run(
      'complete',
      'open.csv',
      ...modes,
      '--lags',
      'date=7',
      ...quick,
      '-o',
      'open.npz',
    )
    expect(learned.stderr).toContain('2 rows of date without a value after 2024-05-02 are future rows')
    const asked = await run('predict', 'open.npz', '--at', 'shop=mitte', 'date=2024-05-04')
    expect(Number(asked.stdout)).toBeGreaterThan(0)
    // A shop without any value is no row in the future.
    expect(await run('predict', 'open.npz', '--at', 'shop=zoo', 'date=2024-05-04')).toMatchObject({ code: 2 })
  })

  it('ends by --seconds with fewer settings, and says what was left out', async () => {
    const { code, stderr, stdout } = await run(...sales, '--horizon', '3', '--seconds', '0.001', '--json')
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stderr).toMatch(
      /(time of 1 s was up; left out|left, too little for what was left out): \d+ of \d+ settings/,
    )
    const { trials, leftOut, forecasts } = JSON.parse(stdout)
    expect(trials).toHaveLength(3)
    expect(leftOut[0]).toMatch(/settings$/)
    expect(forecasts.length).toBeGreaterThan(0)
  })

  it('is prepared by --extend of complete, whose rows up to a label are predicted', async () => {
    const modes = ['--modes', 'shop', 'date', '--value', 'sold', '--lags', 'date=1,7', ...quick]
    const { code, stderr } = await run(
      'complete',
      'sales.csv',
      ...modes,
      '--extend',
      'date=2024-05-07',
      '-o',
      'far.npz',
    )
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stderr).toContain('5 rows of date without entries: 2024-05-03 … 2024-05-07')
    const near = await run('predict', 'far.npz', '--at', 'shop=mitte', 'date=2024-05-07')
    expect(Math.abs(Number(near.stdout) - sold(1, 67))).toBeLessThan(12)
    const refused = await run('complete', 'sales.csv', ...modes, '--extend', 'date=2024-05-01')
    expect(refused).toMatchObject({ code: 2 })
    expect(lines(refused.stderr).at(-1)).toBe(
      'lacuna: --extend: date 2024-05-01 is no whole number of steps after 2024-05-02, the last row; give one that is.',
    )
  })

  it('refuses in one sentence what it cannot do', async () => {
    const refused = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await run(...args)
      expect(code).toBe(2)
      return lines(stderr).at(-1)!
    }
    await run(
      'complete',
      'sales.csv',
      '--modes',
      'shop',
      'date',
      '--value',
      'sold',
      '--rank',
      '2',
      '-o',
      'plain.npz',
    )
    expect(await refused('forecast', 'plain.npz', '--horizon', '2')).toBe(
      'lacuna: The model was learned without --lags of a mode of time, so that nothing follows its last row; learn it with them, or forecast from the data.',
    )
    expect(await refused('forecast', 'plain.npz', '--horizon', '2', '--interval', '0.9')).toContain(
      '--interval needs the data, which a model does not hold',
    )
    expect(await refused('forecast', 'plain.npz', '--horizon', '2', '--seconds', '5')).toContain(
      '--seconds is for forecasts from data',
    )
    expect(await refused(...sales)).toBe('lacuna: Say by --horizon how many rows of date are to be forecast.')
    expect(await refused(...sales, ...quick, '--horizon', '2', '--interval', '0.9')).toContain(
      'errors of 5 backtests, too few for intervals that hold 90%',
    )
    expect(await refused(...sales, '--horizon', '2', '--interval', '0.9', '--backtest', '2')).toBe(
      'lacuna: --interval needs 3 backtests or more; give a larger --backtest, or leave out --interval.',
    )
    expect(await refused(...sales, '--horizon', '2', '--time', 'hour')).toContain("--time names mode 'hour'")
    expect(
      await refused(...sales, ...quick, '--horizon', '1', '--backtest', '0', '--for', 'date=2024-05-02'),
    ).toContain(
      '--for date=2024-05-02: this row is not in the future; the first that is forecast is 2024-05-03.',
    )
    expect(await refused(...sales, '--horizon', '2', '-o', 'sales.csv')).toContain('sales.csv')
    writeFileSync(join(cwd, 'two.csv'), 'shop,date,sold\nmitte,2024-03-01,5\nmitte,2024-03-02,6\n')
    const two = ['forecast', 'two.csv', '--modes', 'shop', 'date', '--value', 'sold', '--horizon', '1']
    for (const time of [[], ['--time', 'date']])
      expect(await refused(...two, ...time)).toContain(
        'date has 2 rows, too few for a forecast; at least three are needed.',
      )
  })
})

it('a forecast by a simple rule is said to be one', () => {
  const errors = (rmse: number) => ({ rmse, mae: rmse })
  const backtest = {
    ...{ entries: 10, origins: [20], season: 21, steps: [] },
    ...{ model: errors(14), naive: errors(17), seasonMean: errors(16) },
  }
  expect(verdictOf(backtest, ['mean of the season (7)'])).toBe(
    'Nothing that was tried is better than a simple rule, which the forecast therefore is: mean of the season (7).',
  )
  expect(verdictOf(backtest, ['rank 5', 'mean of the season (7)'])).toMatch(
    /^The forecast is better than simple rules: .* below that of the mean of the season \(21\)\.$/,
  )
})

it('a forecast without errors is said to be exact, not better than a rule that is, too', () => {
  const exact = { rmse: 0, mae: 0 }
  const backtest = {
    ...{ entries: 10, origins: [20], season: 7, steps: [] },
    ...{ model: exact, naive: exact, seasonMean: exact },
  }
  expect(verdictOf(backtest, ['rank 5'])).toBe(
    'The forecast is exact in the backtests, and so is the value one season before (7).',
  )
})
