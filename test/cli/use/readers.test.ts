import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readTensor } from '#lacuna/index.js'
import { exampleFolder } from '../exampleFolder.ts'

const { file, run } = exampleFolder('readers')

/** Writes a table of shops and days, whose values are written by a function of their number. */
function writeTable(name: string, value: (n: number) => string, separator = ',', date = isoDate): void {
  const rows = ['Ulm', 'Bonn', 'Kiel'].flatMap((shop, s) =>
    Array.from({ length: 12 }, (_, d) => [shop, date(d), value(1000 + 57 * d + 211 * s)].join(separator)),
  )
  writeFileSync(file(name), `${['shop', 'day', 'sold'].join(separator)}\n${rows.join('\n')}\n`)
}

const isoDate = (d: number): string => `2024-04-${String(d + 1).padStart(2, '0')}`
const grouped = (n: number, sign: string): string => String(n).replace(/(\d)(\d{3})$/, `$1${sign}$2`)
const modes = ['--modes', 'shop', 'day']

it('--thousands reads grouped numbers in a comma CSV, where they are in quotes', async () => {
  writeTable('quoted.csv', (n) => `"${grouped(n, ',')}"`)
  const refused = await run('info', 'quoted.csv', ...modes, '--value', 'sold')
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('say with --thousands ,') })
  const { values } = await readTensor(file('quoted.csv'), {
    modes: ['shop', 'day'],
    value: 'sold',
    thousands: ',',
  })
  expect([values[0], values[11]]).toEqual([1000, 1627])
  const found = await run('info', 'quoted.csv', '--thousands', ',')
  expect(found).toMatchObject({ code: 0, stderr: expect.stringContaining('--value sold') })
})

it('the advice for grouped numbers in a semicolon file can be followed', async () => {
  writeTable('semi.csv', (n) => grouped(n, ','), ';')
  const refused = await run('info', 'semi.csv', ...modes, '--value', 'sold')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain(
    '--decimal , if it stands before fractions, --thousands , if between thousands',
  )
  const { stdout } = await run('info', 'semi.csv', ...modes, '--value', 'sold', '--thousands', ',', '--json')
  expect(JSON.parse(stdout).values.max).toBeGreaterThan(1000)
  const point = await run('info', 'semi.csv', ...modes, '--value', 'sold', '--decimal', '.')
  expect(point).toMatchObject({ code: 2, stderr: expect.stringContaining('--thousands ,') })
})

it.each([
  ['a point', '.', ';', (n: number) => `${grouped(n, '.')},5`],
  ['a blank', ' ', ',', (n: number) => `${grouped(n, '\u00a0')}.5`],
  ['an apostrophe', "'", ',', (n: number) => `${grouped(n, "'")}.5`],
] as const)('--thousands may be %s, and numbers have fractions', async (_, sign, separator, write) => {
  writeTable('t.csv', write, separator)
  const options = { modes: ['shop', 'day'], value: 'sold', thousands: sign } as const
  const { values } = await readTensor(file('t.csv'), options)
  expect([values[0], values[11]]).toEqual([1000.5, 1627.5])
})

it('predict and fill read grouped numbers, too', async () => {
  writeTable('quoted.csv', (n) => `"${grouped(n, ',')}"`)
  const given = [...modes, '--value', 'sold', '--thousands', ',']
  await run('complete', 'quoted.csv', ...given, '--rank', '1', '-q', '-o', 'q.npz')
  const { stderr } = await run('predict', 'q.npz', 'quoted.csv', '--thousands', ',', '-o', 'out.csv')
  expect(stderr).toContain('Against the values given')
  expect((await run('fill', 'quoted.csv', ...given, '--rank', '1', '-o', 'filled.csv')).code).toBe(0)
})

it.each([
  ['euros with a decimal comma', ';', (n: number) => `${n},57 €`, /1000\.57/],
  ['degrees', ',', (n: number) => `${(n / 100).toFixed(2)} °C`, /10/],
  ['dollars before the number', ',', (n: number) => `$${n}.5`, /1000\.5/],
])(
  'a column of %s gets the SQL that removes the unit, and the SQL works',
  async (_, separator, write, first) => {
    writeTable('units.csv', write, separator)
    const { code, stderr } = await run('info', 'units.csv', ...modes, '--value', 'sold')
    expect(code).toBe(2)
    const [, sql] = /--value '((?:[^']|'\\'')*)'/.exec(stderr) ?? []
    expect(stderr).toContain('the unit can be removed by SQL')
    const value = sql.replaceAll("'\\''", "'")
    const info = await run('info', 'units.csv', ...modes, '--value', value, '--json')
    expect(info.code, info.stderr).toBe(0)
    expect(String(JSON.parse(info.stdout).values.min)).toMatch(first)
  },
)

it('a column of numbers with units is not guessed as a mode of labels', async () => {
  writeTable('units.csv', (n) => `${(n / 100).toFixed(2)} °C`)
  const { code, stderr } = await run('complete', 'units.csv')
  expect(code).toBe(2)
  expect(stderr).toContain('the column sold has numbers that are written as "10.00 °C"')
  writeFileSync(file('codes.csv'), 'shop,size,sold\na,A12,1\nb,B7,2\na,B7,3\n')
  expect((await run('info', 'codes.csv')).stderr).toContain('--modes shop size --value sold')
})

it.each([
  ['sales.xlsx', 'save the sheet as CSV'],
  ['sales.db', '--database sales.db'],
  ['sales.sqlite', '--database sales.sqlite'],
])('%s is refused with the way to read it', async (name, advice) => {
  writeFileSync(file(name), 'PK')
  for (const command of ['info', 'complete'])
    expect(await run(command, name)).toMatchObject({ code: 2, stderr: expect.stringContaining(advice) })
})

it('modes that are separated by commas, or binned with square brackets, get the right spelling', async () => {
  writeTable('t.csv', String)
  const comma = await run('info', 't.csv', '--modes', 'shop,day', '--value', 'sold')
  expect(comma).toMatchObject({ code: 2, stderr: expect.stringContaining('by blanks: --modes shop day.') })
  const one = await run('info', 't.csv', '--modes', 'shop day', '--value', 'sold')
  expect(one.stderr).toContain('by blanks: --modes shop day.')
  const square = await run('info', 't.csv', '--modes', 'shop', 'week[day]', '--value', 'sold')
  expect(square).toMatchObject({ code: 2, stderr: expect.stringContaining("write --modes 'week(day)'.") })
})

it('daily data are guessed as days, finer times as they are, and ratings as weeks', async () => {
  writeTable('daily.csv', String)
  expect((await run('info', 'daily.csv')).stderr).toContain("--modes shop 'day(day)' --value sold")
  expect((await run('complete', 'daily.csv', '--rank', '1', '-q')).code).toBe(0)
  writeTable('fine.csv', String, ',', (d) => `2024-04-01 10:${10 + d}:00`)
  expect((await run('info', 'fine.csv')).stderr).toContain('--modes shop day --value sold')
  writeTable('weekly.csv', String, ',', (d) =>
    new Date(Date.UTC(2024, 3, 1 + 7 * d)).toISOString().slice(0, 10),
  )
  expect((await run('info', 'weekly.csv')).stderr).toContain("--modes shop 'week(day)' --value sold")
})

it('repeated coordinates in a mode of weeks get the advice to take days', async () => {
  writeTable('daily.csv', String)
  const { code, stderr } = await run(
    'complete',
    'daily.csv',
    '--modes',
    'shop',
    'week(day)',
    '--value',
    'sold',
  )
  expect(code).toBe(2)
  expect(stderr).toContain('or take a finer mode than week(day): day(day), or day itself')
})

it('a wide table without options gets the advice to melt it, which works', async () => {
  writeFileSync(
    file('wide.csv'),
    'day,Ulm,Bonn,Kiel\n2024-04-01,1.5,2.1,3.2\n2024-04-02,2.5,,6.1\n2024-04-03,3.5,6.2,9.9\n',
  )
  const { code, stderr } = await run('info', 'wide.csv')
  expect(code).toBe(2)
  expect(stderr).toContain(
    'Ulm, Bonn … are the labels of one mode, make rows of them with --modes day --melt',
  )
  expect((await run('info', 'wide.csv', '--modes', 'day', '--melt', 'shop')).code).toBe(0)
})
