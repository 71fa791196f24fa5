import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { complete, readTensor } from '#lacuna/index.js'
import { exampleFolder, TRAIN } from '../exampleFolder.ts'

const { file, run, text } = exampleFolder('labels')

/** Sales of three shops on four days, whose times are written by a function of the day. */
function writeSales(name: string, time: (day: number) => string): void {
  const rows = ['Ulm', 'Bonn', 'Kiel'].flatMap((shop, s) =>
    [1, 2, 3, 4].map((day) => `${shop},${time(day)},${(s + 1) * day}`),
  )
  writeFileSync(file(name), `shop,date,sold\n${rows.join('\n')}\n`)
}

it('--at finds a date in a mode of timestamps, as a table does', async () => {
  writeSales('stamps.csv', (day) => `2024-04-0${day} 00:00:00`)
  await run('complete', 'stamps.csv', '--modes', 'shop', 'date', '--value', 'sold', ...TRAIN, '-o', 'p.npz')
  writeFileSync(file('q.csv'), 'shop,date\nUlm,2024-04-03\n')
  const asked = await run('predict', 'p.npz', '--at', 'shop=Ulm', 'date=2024-04-03')
  expect(asked.code).toBe(0)
  const table = (await run('predict', 'p.npz', 'q.csv')).stdout.trim().split('\n')[1].split(',').at(-1)
  expect(Number(asked.stdout)).toBeCloseTo(Number(table), 5)
  const slice = await run('fill', 'p.npz', '--slice', 'date=2024-04-03')
  expect(slice.code).toBe(0)
  const top = await run('top', 'p.npz', '--for', 'date=2024-04-03', '--of', 'shop', '--json')
  expect(JSON.parse(top.stdout).top[0].label).toBe('Kiel')
})

it.each(['fold', 'update'])(
  '%s takes a date for the midnight that the model has, and adds no row',
  async (command) => {
    writeSales('stamps.csv', (day) => `2024-04-0${day} 00:00:00`)
    await run('complete', 'stamps.csv', '--modes', 'shop', 'date', '--value', 'sold', ...TRAIN, '-o', 'p.npz')
    writeFileSync(
      file('new.csv'),
      'shop,date,sold\nMainz,2024-04-01,2\nMainz,2024-04-02,4\nMainz,2024-04-05,9\n',
    )
    const { code, stderr } = await run(command, 'p.npz', 'new.csv', '-o', 'p2.npz')
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const { modes } = JSON.parse((await run('info', 'p2.npz', '--json')).stdout)
    expect(JSON.stringify(modes)).not.toContain('"2024-04-01"')
    expect((await run('predict', 'p2.npz', '--at', 'shop=Mainz', 'date=2024-04-05')).code).toBe(0)
    const all = await run('fill', 'p2.npz', '-o', 'all.csv')
    expect(all.code).toBe(0)
    const dates = new Set(
      text('all.csv')
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[1]),
    )
    expect([...dates].sort()).toEqual([1, 2, 3, 4, 5].map((day) => `2024-04-0${day} 00:00:00`))
  },
)

it('--at reads times by the formats of --dates and by the column that a mode is made of', async () => {
  writeSales('german.csv', (day) => `0${day}.04.2024`)
  await run(
    ...['complete', 'german.csv', '--modes', 'shop', 'day(date)', '--value', 'sold'],
    ...['--dates', '%d.%m.%Y', ...TRAIN, '-o', 'g.npz'],
  )
  const [plain, binned, iso] = await Promise.all(
    ['date=03.04.2024', 'day(date)=03.04.2024', 'day=2024-04-03'].map((at) =>
      run('predict', 'g.npz', '--at', 'shop=Ulm', at),
    ),
  )
  expect([plain.code, binned.code, iso.code]).toEqual([0, 0, 0])
  expect(plain.stdout).toBe(iso.stdout)
  expect(binned.stdout).toBe(iso.stdout)
  const unknown = await run('predict', 'g.npz', '--at', 'shop=Ulm', 'date=2024/04/03')
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('knows no day(date)') })
})

it('a column that several modes are made of gives all of them at once', async () => {
  writeSales('stamps.csv', (day) => `2024-04-0${day} 0${day}:30:00`)
  const modes = ['--modes', 'shop', 'hour(date)', 'weekday(date)', '--value', 'sold']
  await run('complete', 'stamps.csv', ...modes, ...TRAIN, '-o', 'h.npz')
  const { stdout, code } = await run(
    'predict',
    'h.npz',
    '--at',
    'shop=Ulm',
    'date=2024-04-02T02:45',
    '--json',
  )
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ shop: 'Ulm', 'hour(date)': '2', 'weekday(date)': '2' })
})

it('labels with an offset are kept as they are written, sorted by instant, and found in any form', async () => {
  const offset = (day: number): string => `2024-03-3${day - 1}T01:00:00+0${day > 2 ? 2 : 1}:00`
  writeFileSync(
    file('zones.csv'),
    `sensor,time,temp\n${['a', 'b'].flatMap((s, i) => [1, 2].map((day) => `${s},${offset(day)},${day + i}`)).join('\n')}\n`,
  )
  const tensor = await readTensor(file('zones.csv'), { modes: ['sensor', 'time'], value: 'temp' })
  expect(tensor.labels?.[1]).toEqual(['2024-03-30T01:00:00+01:00', '2024-03-31T01:00:00+01:00'])
  await run('complete', 'zones.csv', '--modes', 'sensor', 'time', '--value', 'temp', ...TRAIN, '-o', 'z.npz')
  for (const form of ['2024-03-30T01:00:00+01:00', '2024-03-30 00:00:00', '2024-03-30T00:00Z'])
    expect((await run('predict', 'z.npz', '--at', 'sensor=a', `time=${form}`)).code, form).toBe(0)
  await run('fill', 'z.npz', '-o', 'all.csv')
  expect(text('all.csv')).toContain('2024-03-30T01:00:00+01:00')
  // An instant in two forms is one row.
  writeFileSync(
    file('two.csv'),
    'sensor,time,temp\na,2024-03-30T01:00:00+01:00,1\nb,2024-03-30T00:00:00Z,2\n',
  )
  const two = await readTensor(file('two.csv'), { modes: ['sensor', 'time'], value: 'temp' })
  expect(two.dims).toEqual([2, 1])
})

it('--timezone bins instants by the clocks of a zone, and the model remembers it', async () => {
  const times = [
    '2024-03-25T23:30:00Z',
    '2024-07-25T23:30:00Z',
    '2024-07-25T12:00:00+02:00',
    '2024-07-25 07:00',
  ]
  const rows = ['a', 'b'].flatMap((s, i) => times.map((time, t) => `${s},${time},${t + 1 + i}`))
  writeFileSync(file('clock.csv'), `sensor,time,temp\n${rows.join('\n')}\n`)
  const options = { modes: ['sensor', 'hour(time)', 'day(time)'], value: 'temp' }
  const berlin = await readTensor(file('clock.csv'), { ...options, timezone: 'Europe/Berlin' })
  expect(berlin.labels?.[1]).toEqual(['0', '1', '7', '12'])
  expect(berlin.labels?.[2]).toEqual(['2024-03-26', '2024-07-25', '2024-07-26'])
  expect((await readTensor(file('clock.csv'), options)).labels?.[1]).toEqual(['7', '10', '23'])
  const { model } = await complete(berlin, { rank: 1, epochs: 5 })
  const byTime = model.predict({ sensor: 'a', time: '2024-03-25T23:30:00Z' })
  expect(byTime).toBe(model.predict({ sensor: 'a', 'hour(time)': 0, 'day(time)': '2024-03-26' }))
  await run(
    ...['complete', 'clock.csv', '--modes', 'sensor', 'hour(time)', '--value', 'temp', '--merge', 'mean'],
    ...['--timezone', 'Europe/Berlin', ...TRAIN, '-o', 'c.npz'],
  )
  writeFileSync(file('q.csv'), 'sensor,time\na,2024-03-25T23:30:00Z\n')
  const { stdout } = await run('predict', 'c.npz', 'q.csv')
  const asked = await run('predict', 'c.npz', '--at', 'sensor=a', 'hour=0')
  expect(Number(stdout.trim().split('\n')[1].split(',').at(-1))).toBeCloseTo(Number(asked.stdout), 5)
  const wrong = await run('info', 'clock.csv', ...['--modes', 'sensor', 'hour(time)', '--timezone', 'Mars'])
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no time zone "Mars"') })
})

it('a date after the last one is refused with the command that forecasts', async () => {
  writeSales('days.csv', (day) => `2024-04-0${day}`)
  await run('complete', 'days.csv', '--modes', 'shop', 'date', '--value', 'sold', ...TRAIN, '-o', 'd.npz')
  const later = await run('predict', 'd.npz', '--at', 'shop=Ulm', 'date=2024-05-01')
  expect(later).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('are a forecast: lacuna forecast.'),
  })
  const earlier = await run('predict', 'd.npz', '--at', 'shop=Ulm', 'date=2023-05-01')
  expect(earlier.stderr).not.toContain('forecast')
})
