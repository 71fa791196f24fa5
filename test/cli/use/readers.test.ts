import { readFileSync, writeFileSync } from 'node:fs'
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
const decimals = (x: number): string => x.toFixed(3).replace('.', ',')
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
  ['kilograms of three decimals', ';', (n: number) => `${decimals(n / 1000 - 0.875)} kg`, /^0\.125$/],
  ['kilograms with thousands', ';', (n: number) => `${grouped(n, '.')},250 kg`, /^1000\.25$/],
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

it.each([',', '.'])(
  'where a "%s" in numbers with units may be of fractions or thousands, the message asks',
  async (sign) => {
    writeTable('units.csv', (n) => `${grouped(n, sign)} kg`, ';')
    const { code, stderr } = await run('info', 'units.csv', ...modes, '--value', 'sold')
    expect(code).toBe(2)
    const advice =
      / SQL: --value '(.*)' if "(.)" stands before fractions, --value '(.*)' if between thousands\.$/m
    const [, fraction, asked, thousands] = advice.exec(stderr) ?? []
    expect(asked).toBe(sign)
    for (const [sql, min] of [
      [fraction, 1],
      [thousands, 1000],
    ] as const) {
      const value = sql.replaceAll("'\\''", "'")
      const info = await run('info', 'units.csv', ...modes, '--value', value, '--json')
      expect(JSON.parse(info.stdout).values.min).toBe(min)
    }
    // Without --value all cells are seen: one of them shows what the sign is.
    writeTable('units.csv', (n) => `${n === 1000 ? `0${sign}500` : grouped(n, sign)} kg`, ';')
    const guessed = await run('info', 'units.csv')
    expect(guessed.stderr).toContain('the unit can be removed by SQL')
    expect(guessed.stderr).not.toContain('if between thousands')
    expect(guessed.stderr.includes("'[^0-9,-]'")).toBe(sign === ',')
  },
)

it('the SQL that removes a unit works where modes are guessed, and is advised beside --thousands', async () => {
  writeTable('units.csv', (n) => `${grouped(n, '.')},57 €`, ';')
  const beside = await run('complete', 'units.csv', ...modes, '--value', 'sold', '--thousands', '.')
  expect(beside).toMatchObject({ code: 2, stderr: expect.stringContaining('removed by SQL') })
  const [, value] = /--value '((?:[^']|'\\'')*)'/.exec(beside.stderr)!
  const sql = value.replaceAll("'\\''", "'")
  const { code, stderr, stdout } = await run('info', 'units.csv', '--value', sql, '--json')
  expect(code, stderr).toBe(0)
  const { modes: found, values } = JSON.parse(stdout)
  expect(found.map(({ name }: { name: string }) => name)).toEqual(['shop', expect.stringContaining('day')])
  expect(values.max).toBeCloseTo(1000 + 57 * 11 + 211 * 2 + 0.57, 2)
})

it('coordinates of places are not guessed as the value: rows are counted', async () => {
  const rows = Array.from(
    { length: 12 },
    (_, i) => `B${i % 3},2024-04-0${1 + (i % 4)},40.${7 + (i % 2)},-73.9`,
  )
  writeFileSync(file('pickups.csv'), `base,day,Lat,Lon\n${rows.join('\n')}\n`)
  const { code, stderr } = await run('info', 'pickups.csv')
  expect(code, stderr).toBe(0)
  expect(stderr).toContain('rows counted')
  expect(stderr).not.toContain('--value')
})

it('a column of numbers with units is not guessed as a mode of labels', async () => {
  writeTable('units.csv', (n) => `${(n / 100).toFixed(2)} °C`)
  const { code, stderr } = await run('complete', 'units.csv')
  expect(code).toBe(2)
  expect(stderr).toContain('the column sold has numbers that are written as "10.00 °C"')
  writeFileSync(file('codes.csv'), 'shop,size,sold\na,A12,1\nb,B7,2\na,B7,3\n')
  expect((await run('info', 'codes.csv')).stderr).toContain('--modes shop size --value sold')
})

it.each([
  ['sales.xls', 'save the sheet as .xlsx or CSV'],
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

it.each([
  [
    'months beside a number',
    'region,population,2023-11,2023-12,2024-01',
    'R1,1000,1.5,2,3',
    "--modes region --melt 'month=2023*,2024*'",
  ],
  [
    'days of a month',
    'shop,size,2024-04-01,2024-04-02,2024-04-03',
    'Ulm,12.5,1,2,3',
    "--modes shop --melt 'day=2024-04-*'",
  ],
  ['names of months', 'region,manager,Jan,Feb,Mar', 'R1,Ann,1.5,2,3', '--modes region manager --melt month'],
  ['quarters', 'region,Q1 2024,Q2 2024,Q3 2024', 'R1,1.5,2,3', '--modes region --melt quarter'],
  ['questions', 'person,Q1,Q2,Q3,Q4,Q5', 'p,1,2,3,4,5', '--modes person --melt column'],
  ['years', 'country,1999,2000,2001', 'Chad,1.5,2,3', '--modes country --melt year'],
])('a wide table of %s gets the options that melt it, which work', async (_, head, row, options) => {
  const rows = [1, 2, 3].map((n) => row.replace(/^(\w+)/, `$1${n}`))
  writeFileSync(file('wide.csv'), `${head}\n${rows.join('\n')}\n`)
  const { code, stderr } = await run('info', 'wide.csv')
  expect(code).toBe(2)
  expect(stderr).toContain(`make rows of them with ${options}, or say`)
  const words = options.replaceAll("'", '').split(' ')
  const { stdout } = await run('info', 'wide.csv', ...words, '--json')
  const { dims } = JSON.parse(stdout)
  const labels = head.split(',').filter((name) => /\d|^(Jan|Feb|Mar)$/.test(name))
  expect([dims[0], dims.at(-1)]).toEqual([3, labels.length])
})

it('hours and days of times with an offset are said to be in UTC, unless a time zone is given', async () => {
  writeTable('zones.csv', String, ',', (d) => `2024-04-01T${10 + d}:00:00+02:00`)
  const given = ['--modes', 'shop', 'hour(day)', '--value', 'sold']
  const { stderr } = await run('info', 'zones.csv', ...given)
  expect(stderr).toContain(
    'the times in day have offsets, as in 2024-04-01T10:00:00+02:00, but hour(day) is by the clocks of UTC; for those of a place give --timezone Europe/Berlin, say.',
  )
  for (const others of [
    [...given, '--timezone', 'Europe/Berlin'],
    [...modes, '--value', 'sold'],
  ])
    expect((await run('info', 'zones.csv', ...others)).stderr).not.toContain('UTC')
  writeTable('utc.csv', String, ',', (d) => `2024-04-01T${10 + d}:00:00Z`)
  expect((await run('info', 'utc.csv', ...given)).stderr).not.toContain('UTC')
})

it('rows that are there twice with the same value are said to be, with the way to take one of each', async () => {
  const dates = (d: number): string => `${d + 1}.4.2024`
  writeTable('twice.csv', String, ';', dates)
  const lines = readFileSync(file('twice.csv'), 'utf8').trim().split('\n')
  writeFileSync(file('twice.csv'), `${[...lines, lines[3], lines[9]].join('\n')}\n`)
  const given = ['--dates', '%d.%m.%Y']
  const refused = await run('info', 'twice.csv', ...given)
  // Daily data are days, although two rows are repeated.
  expect(refused.stderr).toContain("--modes shop 'day(day)' --value sold")
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'in all 2 rows repeat an earlier one with the same value; say --merge last to take one of each, or --merge sum to add them up.',
    ),
  })
  const merged = await run('info', 'twice.csv', ...given, '--merge', 'last', '--json')
  expect(JSON.parse(merged.stdout)).toMatchObject({ dims: [3, 12], entries: 36 })
  writeFileSync(file('other.csv'), `${[...lines, `${lines[3]}9`].join('\n')}\n`)
  const other = await run('info', 'other.csv', ...given)
  // A date without a time of day has no finer mode.
  expect(other.stderr).toContain('say how to merge them with --merge sum, mean, last or count.\n')
  // Gaps of such dates are filled, and written as the table writes its dates.
  writeFileSync(file('gaps.csv'), `${lines.filter((_, n) => n !== 5 && n !== 20).join('\n')}\n`)
  const filled = await run('fill', 'gaps.csv', ...given, '--rank', '1', '-o', 'gaps-filled.csv')
  expect(filled.stderr).toContain('2 rows of shop × day(day) that it lacked added')
  expect(readFileSync(file('gaps-filled.csv'), 'utf8')).toMatch(/Ulm;4.*\nUlm;5\.4\.2024;[\d,]+;true\n/)
  const weekly = ['--modes', 'shop', 'week(day)', '--value', 'sold', '--merge', 'mean', ...given]
  expect((await run('fill', 'gaps.csv', ...weekly, '--rank', '1', '-o', 'w.csv')).stderr).toContain(
    'Rows that the table lacks are not looked for, since no cell follows from a label of week(day)',
  )
})

it('--dates that no mode uses, and names of columns in another case, get a notice', async () => {
  writeTable('german.csv', String, ';', (d) => `0${(d % 9) + 1}.0${1 + Math.floor(d / 9)}.2024`)
  const plain = await run(
    'info',
    'german.csv',
    '--modes',
    'shop',
    'DAY',
    '--value',
    'sold',
    '--dates',
    '%d.%m.%Y',
  )
  expect(plain.stderr).toContain('--dates is not used, since a column that is a mode as it is keeps its text')
  expect(plain.stderr).toContain('there is no column "DAY"; day is taken')
  const binned = await run('info', 'german.csv', ...['--modes', 'shop', 'day(day)', '--dates', '%d.%m.%Y'])
  expect(binned.stderr).not.toMatch(/not used|is taken/)
})

it.each([
  ['sep=;\nshop;day;sold\na;2024-04-01;1\nb;2024-04-02;2\n', 'the first line, sep=;, is for Excel'],
  [
    'Report of 2024,,\n,,\nshop,day,sold\na,2024-04-01,1\nb,2024-04-02,2\n',
    'the names of the columns seem to be shop, day, sold, below it; delete the lines above these',
  ],
])('lines above the names of the columns are refused with what to delete: %s', async (content, advice) => {
  writeFileSync(file('above.csv'), content)
  const { code, stderr } = await run('info', 'above.csv')
  expect(code).toBe(2)
  expect(stderr).toContain(advice)
})

it('names with a number behind them are labels, and money before a number is a unit', async () => {
  writeFileSync(file('rooms.csv'), 'room,person,note\nRoom 1,ann,a\nRoom 2,bo,b\nGate 12,cy,c\n')
  expect((await run('info', 'rooms.csv')).stderr).toContain('--modes room person note, rows counted')
  for (const money of ['$5.20', 'US$ 7', 'EUR 12', '£3']) {
    writeFileSync(file('paid.csv'), `room,person,paid\nRoom 1,ann,${money}\nRoom 2,bo,${money}\n`)
    const { stderr } = await run('info', 'paid.csv')
    expect(stderr).toContain(`the column paid has numbers that are written as "${money}"`)
  }
})

it('a column of fractions with some other cells is not guessed as labels', async () => {
  writeTable('booked.csv', (n) => (n % 4 === 1 ? `(${n}.50)` : `${n}.25`))
  const { code, stderr } = await run('info', 'booked.csv')
  expect(code).toBe(2)
  expect(stderr).toMatch(/the column sold has numbers, but also "\(\d+\.50\)"; correct such cells/)
})
