import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PaperResults, parseResults } from 'lacuna-figures/results'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { draw, stream, unit } from '#lacuna/base/random.js'
import { syntheticRatings } from '#lacuna/tensor/index.js'
import { lacuna } from './lacuna.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-paper-'))
const file = (name: string) => join(cwd, name)
const run = (...args: string[]) => lacuna(['paper', ...args], { cwd })
const results = (folder: string): PaperResults =>
  parseResults(readFileSync(file(`${folder}/results.json`), 'utf8'))
afterAll(() => rmSync(cwd, { recursive: true }))

/** Ratings and pickups in the form of the real files, crowded as they are. */
beforeAll(() => {
  const { indices, values } = syntheticRatings({ users: 300, items: 200, weeks: 40, entries: 8000, seed: 1 })
  const rated = Array.from(values, (stars, e) =>
    [indices[0][e] + 1, indices[1][e] + 1, stars, 800_000_000 + 604_800 * indices[2][e]].join(),
  )
  writeFileSync(file('ratings.csv'), ['userId,movieId,rating,timestamp', ...rated].join('\n'))
  const key = stream(1, 99)
  let drawn = 0
  // The square of a uniform number: most pickups lie close together.
  const crowded = (n: number): number => Math.floor(n * unit(draw(key, drawn++)) ** 2)
  const pickups = Array.from({ length: 20_000 }, () => {
    const [day, hour] = [1 + crowded(30), crowded(24)]
    const place = `${(40.7 + crowded(200) / 1000).toFixed(4)},${(-74 + crowded(300) / 1000).toFixed(4)}`
    return `"4/${day}/2014 ${hour}:11:00",${place},"B02512"`
  })
  writeFileSync(file('uber-raw-data-apr14.csv'), ['"Date/Time","Lat","Lon","Base"', ...pickups].join('\n'))
})

describe('all of it, tiny', () => {
  const args =
    '--scale tiny --threads 1,2 --movielens ratings.csv --uber uber-raw-data-apr14.csv -o all'.split(' ')
  let found: PaperResults

  beforeAll(async () => {
    const { code, stdout, stderr } = await run(...args, '--json')
    expect({ code, stderr: stderr.includes('trials left') }).toEqual({ code: 0, stderr: true })
    found = results('all')
    expect(JSON.parse(stdout).claims).toEqual(found.claims)
  }, 240_000)

  it('paper confirms every claim that needs no clock', () => {
    const verdicts = Object.fromEntries(found.claims.map(({ id, verdict }) => [id, verdict]))
    expect(verdicts).toMatchObject({
      'image-small-c': 'holds',
      'small-c-bad-in-noise': 'holds',
      'small-c-good-at-high-snr': 'holds',
      'real-less-balanced': 'holds',
    })
    expect(Object.keys(verdicts)).toEqual(expect.arrayContaining(['speed-up', 'real-speed-up-lower']))
  })

  it('paper measures both solvers, and the fast one has the smaller error on synthetic data', () => {
    for (const { snrDb, series } of found.convergence!.problems) {
      expect(series.map(({ solver, sample }) => [solver, sample])).toEqual([
        ['paper', 0.05],
        ['paper', 0.2],
        ['paper', 0.5],
        ['fast', 'auto'],
      ])
      const ends = series.map(({ trials }) => trials.map(({ curve }) => curve.hidden.at(-1)!))
      for (const end of ends) expect(end.length).toBe(2)
      if (snrDb !== null)
        for (const trial of [0, 1])
          expect(ends[3][trial]).toBeLessThan(Math.min(...ends.slice(0, 3).map((e) => e[trial])))
    }
    for (const { curve } of found.convergence!.problems.flatMap(({ series }) => series[0].trials))
      expect(curve.epoch).toEqual(Array.from({ length: 30 }, (_, e) => e + 1))
  })

  it('paper gives the synthetic tensor of figures 3 and 4 the size of the real one', () => {
    const [s, t] = found.timing!.problems
    expect([s.name, t.name]).toEqual(['S', 'T'])
    expect({ ...s.data, source: '' }).toEqual({ ...t.data, source: '' })
    expect(t.data.source).toBe('uber-raw-data-apr14.csv')
    expect(s.series.length).toBe(2 * 3 * 2)
    for (const { seconds } of [...s.series, ...t.series]) expect(seconds.every((time) => time > 0)).toBe(true)
  })

  it('paper writes a report without references to other files', () => {
    const html = readFileSync(file('all/report.html'), 'utf8')
    expect(html).not.toMatch(/(src|href)="(?!data:)/)
    expect(html.match(/ class="lacuna-figure"/g)?.length).toBe(4)
    for (const { statement } of found.claims) expect(html).toContain(statement)
    for (const n of [1, 2, 3, 4])
      for (const kind of ['svg', 'png']) expect(existsSync(file(`all/figure${n}.${kind}`))).toBe(true)
    expect(html).not.toMatch(/NaN|undefined/)
  })

  it('paper has nothing left to do the second time', async () => {
    const trials = readdirSync(file('all/trials')).length
    const { code, stderr } = await run(...args)
    expect(code).toBe(0)
    expect(stderr).toContain(`all holds ${trials} of ${trials} trials already.`)
    expect(results('all')).toEqual(found)
  })

  it('paper does not mix trials of different settings', async () => {
    const { code, stderr } = await run(...args, '--seed', '2')
    expect(code).toBe(2)
    expect(stderr).toMatch(/all was begun with --seed 1, not 2; .* --force\.\n$/)
  })

  it('paper loses only the current trial when interrupted, and resumes to the same numbers', async () => {
    const some = '--scale tiny --only 2 --trials 1 --threads 1,2 -o stopped'.split(' ')
    const trials = file('stopped/trials')
    let watch: NodeJS.Timeout | undefined
    const stopped = await lacuna(['paper', ...some], {
      cwd,
      during: (pid) => {
        watch ??= setInterval(() => {
          if (!existsSync(trials) || readdirSync(trials).length < 2) return
          clearInterval(watch)
          process.kill(pid, 'SIGINT')
        }, 10)
      },
    })
    expect(stopped.code).toBe(130)
    expect(stopped.stderr).toContain('the same command goes on from there')
    expect(existsSync(file('stopped/results.json'))).toBe(false)
    const kept = readdirSync(trials).length
    expect(kept).toBeLessThan(8)
    const { code, stderr } = await run(...some)
    expect(code).toBe(0)
    expect(stderr).toContain(`holds ${kept} of 8 trials already`)
    const errors = (of: PaperResults) =>
      of
        .convergence!.problems.filter(({ snrDb }) => snrDb !== null)
        .map(({ series }) =>
          series.map(({ trials: [{ curve }] }) => [curve.epoch, curve.observed, curve.hidden]),
        )
    expect(errors(results('stopped'))).toEqual(errors(found))
  }, 120_000)
})

it.each([
  ['--only 5', /figures from 1 to 4/],
  ['--scale huge', /tiny, small, full/],
  ['--movielens nowhere.csv --only 2', /nowhere\.csv: there is no such file/],
  ['--image nowhere.png --only 1', /nowhere\.png: there is no such file/],
  ['--uber ratings.csv --only 3', /there is no column "Date\/Time"/],
])('paper refuses %s in one sentence', async (args, message) => {
  const { code, stderr } = await run('--scale', 'tiny', ...args.split(' '), '-o', 'wrong', '--force', '-q')
  expect(code).toBe(2)
  expect(stderr).toMatch(message)
})

it('paper refuses a file in place of a folder', async () => {
  const { code, stderr } = await run('--scale', 'tiny', '-o', 'ratings.csv')
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'lacuna: ratings.csv: this is a file; name a folder.\n',
  })
})
