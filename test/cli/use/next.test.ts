import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { exampleFolder } from '../exampleFolder.ts'

const { cwd, file, run } = exampleFolder('next')

/** The commands that are proposed below `Next:`, without their remarks. */
const proposed = (stderr: string): string[] =>
  stderr
    .slice(stderr.indexOf('Next:\n') + 6)
    .trim()
    .split('\n')
    .map((line) => line.trim().replace(/\s+#.*$/, ''))

/** Runs a proposed command as a shell would. */
const paste = (command: string): string => execFileSync('bash', ['-c', command], { cwd, encoding: 'utf8' })

it('after ratings, complete proposes top for a user and a cell without an entry, which run as they are', async () => {
  const rows = Array.from(
    { length: 60 },
    (_, n) => `user ${n % 12},it's ${(7 * n + (n >> 3)) % 17},${1 + (n % 5)}`,
  )
  writeFileSync(file('r.csv'), `user,item,rating\n${[...new Set(rows)].join('\n')}\n`)
  const args = ['complete', 'r.csv', '--modes', 'user', 'item', '--value', 'rating', '--merge', 'last']
  const { stderr } = await run(...args, '--rank', '2', '-o', 'r.npz')
  const commands = proposed(stderr)
  expect(commands).toHaveLength(2)
  expect(commands[0]).toMatch(/ top r\.npz --for 'user=user \d+' --of item --exclude r\.csv$/)
  expect(commands[1]).toMatch(/ predict r\.npz --at 'user=user \d+' 'item=it'\\''s \d+'$/)
  expect(paste(commands[0])).toContain('predicted')
  expect(Number(paste(commands[1]))).toBeGreaterThan(0)
  expect((await run(...args, '--rank', '2', '-q', '-o', 'r.npz')).stderr).not.toContain('Next:')
})

it('after a table that is nearly full, complete proposes to fill it', async () => {
  const rows = ['a', 'b', 'c', 'd'].flatMap((shop, s) =>
    Array.from(
      { length: 12 },
      (_, d) => `${shop},2024-04-${String(d + 1).padStart(2, '0')},${(s + 1) * (d + 3)}`,
    ),
  )
  writeFileSync(file('daily.csv'), `shop,day,sold\n${rows.filter((_, n) => n % 9 !== 4).join('\n')}\n`)
  const { stderr } = await run(
    ...['complete', 'daily.csv', '--modes', 'shop', 'day', '--value', 'sold', '--rank', '1', '-o', 'd.npz'],
  )
  const [first] = proposed(stderr)
  expect(first).toMatch(/ fill d\.npz daily\.csv --absent -o filled\.csv$/)
  paste(first)
  expect(existsSync(file('filled.csv'))).toBe(true)
})

it('after a table with a mode of time, complete proposes a forecast that runs as it is', async () => {
  const rows = ['a', 'b', 'c'].flatMap((shop, s) =>
    Array.from({ length: 42 }, (_, d) => {
      const date = new Date(Date.UTC(2024, 3, 1 + d)).toISOString().slice(0, 10)
      return `${shop},${date},${(s + 1) * (10 + 3 * (d % 7)) + (((d + s) * 2_654_435_761) % 100) / 100}`
    }),
  )
  writeFileSync(file('time.csv'), `shop,date,sold\n${rows.join('\n')}\n`)
  const modes = ['--modes', 'shop', 'day(date)', '--value', 'sold']
  const { stderr } = await run('complete', 'time.csv', ...modes, '--rank', '1', '-o', 't.npz')
  const [first] = proposed(stderr)
  expect(first).toMatch(/ forecast time\.csv --modes shop 'day\(date\)' --value sold --horizon 7$/)
  expect(paste(`${first} --backtest 0 --no-choose -q`)).toContain('2024-05-13')
})

it('models of folds get a cell with its interval', async () => {
  const { stderr } = await run(
    'complete',
    't.csv',
    '--modes',
    'who',
    'when',
    '--merge',
    'count',
    '--folds',
    '2',
    '-o',
    'f.npz',
  )
  expect(proposed(stderr).join('\n')).toMatch(/--at .*--interval 0\.9|components f\.npz --html f\.html/)
})

it('info says why columns are modes and value, and which command learns from them', async () => {
  writeFileSync(
    file('ratings.csv'),
    `userId,movieId,note,rating,timestamp\n${Array.from({ length: 30 }, (_, n) => `${n % 5},${n},x,3.5,${964982703 + 9e5 * n}`).join('\n')}\n`,
  )
  const { stderr, stdout } = await run('info', 'ratings.csv')
  expect(stderr).toContain("taken as --modes userId movieId 'week(timestamp)' --value rating")
  expect(stderr).toContain('rating is called like a value; userId and movieId are called like ids')
  expect(stderr).toContain('timestamp is a time, of which weeks are taken; note is left out')
  expect(stdout).toContain(
    "complete ratings.csv --modes userId movieId 'week(timestamp)' --value rating -o model.npz",
  )
  const command = stdout.slice(stdout.indexOf('To learn a model:\n') + 18).trim()
  paste(`${command} -q`)
  expect(existsSync(file('model.npz'))).toBe(true)
})

it('info says why daily data are taken by days', async () => {
  const rows = ['a', 'b'].flatMap((shop) => [1, 2, 3, 4].map((d) => `${shop},2024-04-0${d},${d}`))
  writeFileSync(file('days.csv'), `shop,date,sold\n${rows.join('\n')}\n`)
  const { stderr } = await run('info', 'days.csv')
  expect(stderr).toContain(
    'sold is the last column of numbers that is neither an id nor a time; shop is text',
  )
  expect(stderr).toContain('date is a time, of which days are taken, since rows repeat by weeks')
})

it('similar finds the rows whose predictions have the same components, by label or name', async () => {
  const rows = Array.from({ length: 24 * 12 }, (_, n) => {
    const [user, film] = [n % 24, Math.floor(n / 24)]
    return `${user},${film},${user % 2 === film % 2 ? 5 : 1}`
  })
  writeFileSync(file('tastes.csv'), `user,film,rating\n${rows.join('\n')}\n`)
  writeFileSync(
    file('films.csv'),
    `film,title\n${Array.from({ length: 12 }, (_, f) => `${f},Film ${f}`).join('\n')}\n`,
  )
  await run(
    'complete',
    'tastes.csv',
    '--modes',
    'user',
    'film',
    '--value',
    'rating',
    '--rank',
    '2',
    '-q',
    '-o',
    's.npz',
  )
  const { stdout } = await run('similar', 's.npz', '--to', 'film=3', '-n', '5', '--json')
  const { to, similar } = JSON.parse(stdout)
  expect(to).toEqual({ film: '3' })
  expect(similar.map(({ label }: { label: string }) => Number(label) % 2)).toEqual([1, 1, 1, 1, 1])
  const named = await run(
    'similar',
    's.npz',
    '--to',
    'film=Film 4',
    '-n',
    '2',
    '--names',
    'film=films.csv:title',
  )
  expect(named.stdout).toMatch(/title +similarity +entries\nFilm \d+ +/)
  const none = await run('similar', 's.npz', '--to', 'film')
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--to names one row') })
})

it.each([
  ['by its offsets', 'T$H:00:00+02:00', /--value sold --horizon 7$/],
  ['by --time beside another date', ' $H:00:00', /--value sold --time at --horizon 7$/],
])('a forecast is proposed so that it finds the mode of time: %s', async (how, clock, proposal) => {
  const rows = ['a', 'b', 'c'].flatMap((shop, s) =>
    Array.from({ length: 72 }, (_, h) => {
      const at = new Date(Date.UTC(2024, 3, 1, h)).toISOString()
      const time = `${at.slice(0, 10)}${clock.replace('$H', at.slice(11, 13))}`
      return `${shop},2020-0${1 + s}-01,${time},${(s + 1) * (10 + (h % 24)) + ((7 * h + s) % 5)}`
    }),
  )
  writeFileSync(file('hours.csv'), `shop,founded,at,sold\n${rows.join('\n')}\n`)
  const modes = how.startsWith('by its') ? ['shop', 'at'] : ['shop', 'founded', 'at']
  const args = ['complete', 'hours.csv', '--modes', ...modes, '--value', 'sold', '--rank', '1', '-o', 'h.npz']
  const [first] = proposed((await run(...args)).stderr)
  expect(first).toMatch(/ forecast hours\.csv /)
  expect(first).toMatch(proposal)
  expect(paste(`${first} --backtest 0 --no-choose -q`)).toContain(`2024-04-04${clock.replace('$H', '00')}`)
})

it('where the value is computed, no fill of the column is proposed, which holds other numbers', async () => {
  const rows = ['a', 'b', 'c', 'd'].flatMap((sensor, s) =>
    Array.from({ length: 12 }, (_, d) => `${sensor},${d},${s + d - 3}`).slice(s),
  )
  writeFileSync(file('t.csv'), `sensor,run,temp\n${rows.join('\n')}\n`)
  const args = ['complete', 't.csv', '--modes', 'sensor', 'run', '--value', 'temp + 20', '--rank', '1']
  expect(proposed((await run(...args, '-o', 't.npz')).stderr).join()).not.toContain(' fill ')
})

it('after a run of the default rank, a larger one is proposed if it does better on held-out entries', async () => {
  const dims = ['--dims', '40x35x30', '--entries', '9000']
  await run('synth', ...dims, '--rank', '24', '-o', 'many.tns', '-q')
  const many = await run('complete', 'many.tns', '--test', '0.1', '-o', 'many.npz')
  const [better] = proposed(many.stderr)
  expect(better).toMatch(/ complete many\.tns --test 0\.1 -o many\.npz --rank 64$/)
  expect(many.stderr).toMatch(/# on the test entries rank 20 has an RMSE of [\d.]+, rank 10 one of [\d.]+/)
  await run('synth', ...dims, '--rank', '2', '-o', 'few.tns', '-q')
  expect((await run('complete', 'few.tns', '-o', 'few.npz')).stderr).not.toContain('--rank')
  // A rank that was given is the user's.
  expect((await run('complete', 'many.tns', '--rank', '10', '-o', 'many.npz')).stderr).not.toContain(
    '--rank 64',
  )
})
