import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readModel } from '#lacuna/io/node/index.js'
import { lacuna } from './lacuna.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-cli-sides-'))
const run = (...args: string[]) => lacuna(args, { cwd })
afterAll(() => rmSync(cwd, { recursive: true }))

/** Dishes are liked by kind; some guests are vegetarians. The last dishes have been eaten by nobody. */
beforeAll(() => {
  const rows: string[] = []
  for (let guest = 0; guest < 30; guest++)
    for (let dish = 0; dish < 24; dish++) {
      if (dish >= 20 || (guest * 7 + dish * 3) % 4 === 0) continue
      const likes = (guest + dish) % 2 === 0 ? 5 : 2
      rows.push(`${guest},d${dish},${likes + ((guest * dish) % 3) / 4}`)
    }
  writeFileSync(join(cwd, 'meals.csv'), `guest,dish,stars\n${rows.join('\n')}\n29,d20,5\n29,d21,2\n`)
  const kinds = Array.from({ length: 24 }, (_, dish) => `d${dish},${dish % 2 ? 'meat|hot' : 'green'},${dish}`)
  writeFileSync(join(cwd, 'dishes.csv'), `dish,kind,price\n${kinds.join('\n')}\n`)
})

describe('neighbours and attributes', () => {
  const complete = ['complete', 'meals.csv', '--modes', 'guest', 'dish', '--rank', '3']

  it('features are read, tried, and reported', async () => {
    const sides = ['--features', 'dish=dishes.csv:kind,price', '--lags', 'guest=2']
    const { code, stdout, stderr } = await run(...complete, ...sides, '-o', 'model.npz', '--json')
    expect(stderr).toContain('dishes.csv: 4 attributes of 22 dish\n')
    expect(code).toBe(0)
    const { choice, settings } = JSON.parse(stdout)
    expect(choice.trials.length).toBe(5)
    expect(choice.by).toBe('single entries')
    expect(settings.lags).toEqual(choice.chosen.lags ? { guest: [2] } : {})
    const { training } = await readModel(join(cwd, 'model.npz'), 'single')
    expect(training.choice).toEqual(choice)
    const text = await run(...complete, ...sides, '--no-choose')
    expect(text.stdout).not.toContain('Tried on')
  })

  it('lags of an axis are those of its merged modes, and are recorded as typed', async () => {
    const rows: string[] = []
    for (let e = 0; e < 4 * 240; e++)
      if ((e * 7) % 5 > 0)
        rows.push(
          `${e % 4},${Math.floor(e / 96)},${Math.floor(e / 4) % 24},${5 + (e % 4) * (2 + Math.sin(e / 40)) + ((e * 37) % 11) / 9}`,
        )
    writeFileSync(join(cwd, 'hours.csv'), `place,day,hour,n\n${rows.join('\n')}\n`)
    const modes = ['--modes', 'place', 'hour', 'day', '--value', 'n', '--rank', '2']
    const merged = ['--merge-modes', 'hour,day', '--lags', 'day+hour=1,24']
    const { code, stdout } = await run('complete', 'hours.csv', ...modes, ...merged, '--no-choose', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout).settings.lags).toEqual({ 'day+hour': [1, 24] })
    const prior = ['--time-prior', 'autoregressive', '-o', 'hours.npz']
    await run('complete', 'hours.csv', ...modes, ...merged, ...prior, '--no-choose')
    const { prior: learned, training } = await readModel(join(cwd, 'hours.npz'), 'single')
    expect(training.timePrior).toBe('autoregressive')
    expect(learned!.lags).toMatchObject([{ factor: 1, axis: [2, 1], unit: 1, isAutoregressive: true }])
  })

  it('features that are not there are refused in one sentence', async () => {
    for (const [args, message] of [
      [
        ['--features', 'dish=dishes.csv:taste'],
        'dishes.csv: there is no column "taste"; the columns are dish, kind, price.',
      ],
      [['--features', 'dish'], '--features dish: say where attributes are, as in dish=movies.csv:genres.'],
      [
        ['--features', 'food=dishes.csv:kind'],
        "--features names mode 'food'; there are guest, dish, or 1 to 2.",
      ],
      [
        ['--lags', 'guest=0'],
        "option '--lags <mode=distances>' argument 'guest=0' is invalid. It must be a mode and distances, as in hour=1,24.",
      ],
      [
        ['--lags', 'guest=99'],
        '--lags of guest has 99, and there are only 30 rows; give distances below that.',
      ],
      [['--lags', 'guest+plate=1'], "--lags names mode 'plate'; there are guest, dish, or 1 to 2."],
      [
        ['--time-prior', 'autoregressive'],
        '--time-prior autoregressive regresses rows on earlier ones; give --lags, the distances to them.',
      ],
      [
        ['--lags', 'guest=1', '--prior', 'isotropic'],
        '--lags does not go with --prior isotropic; leave one of them out.',
      ],
    ] as const) {
      const { code, stderr } = await run(...complete, ...args, '-q')
      expect(stderr).toContain(message)
      expect(code).toBe(2)
    }
  })
})
