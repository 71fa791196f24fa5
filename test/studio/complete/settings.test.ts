/** Settings in the address of the studio, and the commands that repeat a run, without a browser. */
import { describe, expect, it } from 'vitest'
import { commandOf, programOf } from '../../../packages/studio/src/complete/learn/commands.ts'
import type { TableChoice } from '../../../packages/studio/src/complete/understanding/index.ts'
import { withFoundDates } from '../../../packages/studio/src/complete/understanding/index.ts'
import { parseSetting } from '../../../packages/studio/src/parseSetting.ts'

describe('a setting of the address', () => {
  const rank = (text: string | null) => parseSetting('rank', text, 6, { min: 1, max: 64, isWhole: true })

  it.each([
    [null, 6],
    ['8', 8],
    ['1e1', 10],
    ['64', 64],
  ])('%s is %s without a word', (text, value) => {
    expect(rank(text)).toEqual({ value })
  })

  it.each([
    ['100000', 64],
    ['0', 1],
    ['-3', 1],
    ['2.6', 3],
    ['many', 6],
    ['', 6],
    ['Infinity', 64],
    ['NaN', 6],
  ])('%s is clamped or refused, to %s, with a sentence', (text, value) => {
    expect(rank(text)).toEqual({ value, fault: expect.stringContaining(`rank=${text}`) })
  })

  it('a text that is not allowed is refused', () => {
    const isAllowed = (text: string) => ['sqrt', 'log1p'].includes(text)
    expect(parseSetting('link', 'sqrt', '', { isAllowed })).toEqual({ value: 'sqrt' })
    expect(parseSetting('link', 'eval()', '', { isAllowed })).toMatchObject({ value: '', fault: /link=eval/ })
  })
})

describe('the command and the program of a run', () => {
  const choice = { modes: ['user', 'week(when)'], value: 'stars', merge: 'mean' as const }
  const settings = { rank: 8, lambda: 0.1, heldOut: 0.1, seed: 3, seconds: 60, noise: 'poisson' as const }
  const reading = { choice, negative: 'clip' as const, merge: 'error' as const }

  it('of a quick run have its settings, and quote names for the shell', () => {
    const run = { file: "ann's.csv", reading, kind: 'quick', settings } as const
    expect(commandOf(run)).toBe(
      "lacuna complete 'ann'\\''s.csv' --modes user 'week(when)' --value stars --merge mean --negative clip --rank 8 --lambda 0.1 --noise poisson --validation 0.1 --seed 3 -o model.npz",
    )
    expect(programOf(run)).toContain(
      "complete(train, { rank: 8, lambda: 0.1, seed: 3, noise: 'poisson', validation })",
    )
  })

  it('have every option once', () => {
    const weighted = { ...choice, weight: 'times', thousands: ',', melt: 'day', decimal: '.' }
    const features = 'user=people.csv:age,town\nfilm=movies.csv:genres'
    const command = commandOf({
      ...{ file: 'a.csv', kind: 'quick', reading: { ...reading, choice: weighted as TableChoice } },
      settings: { ...settings, lags: 'hour=1,24', features },
    })
    const options = command.match(/ --?[a-z-]+/g)!
    expect(options.filter((option, n) => options.indexOf(option) !== n && option !== ' --features')).toEqual(
      [],
    )
    expect(command).toContain('--features user=people.csv:age,town --features film=movies.csv:genres')
  })

  it('of places compute them by SQL, and say what the command does not do', () => {
    const places = {
      ...{ modes: ['hour(at)', 'place'], merge: 'count' as const, skipBadRows: true },
      place: { latitude: 'Lat', longitude: 'Lon', decimals: 2 },
    }
    const found = [
      {
        kind: 'dates',
        id: 'd',
        isNeeded: false,
        column: 'at',
        example: '',
        answers: [{ key: '%d.%m.%Y', changes: {} }],
      },
    ] as const
    const known = withFoundDates({ ...reading, choice: places }, found as never)
    const command = commandOf({ file: 'a.csv', reading: known, kind: 'quick', settings })
    expect(command).toContain(
      '# The page leaves out rows that cannot be read; mend or remove them first.\nlacuna complete a.csv',
    )
    expect(command).toContain(
      `"format('\\''{:.2f}, {:.2f}'\\'', round("Lat", 2), round("Lon", 2)) AS place'`.slice(1),
    )
    expect(command).toContain('--dates %d.%m.%Y')
  })

  it('of the best run have its time limit and no rank', () => {
    const run = { file: 'a.tns', reading: { ...reading, choice: undefined }, kind: 'best', settings } as const
    expect(commandOf(run)).toBe(
      'lacuna complete a.tns --negative clip --best --seconds 60 --lambda 0.1 --noise poisson --test 0.1 --seed 3 -o model.npz',
    )
    expect(programOf(run)).toContain("{ findRank: 'best', choose: true, seconds: 60 }")
  })
})
