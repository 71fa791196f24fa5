import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { exampleFolder } from '../exampleFolder.ts'

const { file, run, text } = exampleFolder('fill')

/** Temperatures of 6 sensors at 20 times with noise; leaves out the rows and empties the cells that are given. */
function writeSensors(name: string, isAbsent: (n: number) => boolean, isEmpty: (n: number) => boolean): void {
  const rows = Array.from({ length: 120 }, (_, n) => {
    const [sensor, time] = [n % 6, Math.floor(n / 6)]
    const noise = ((n * 2_654_435_761) % 1000) / 1000
    const temperature = (10 + sensor) * (1 + 0.3 * Math.sin(time / 3)) + noise
    const hour = String(time).padStart(2, '0')
    return { n, line: `S${sensor},2024-03-25 ${hour}:00:00,ok,${isEmpty(n) ? '' : temperature.toFixed(2)}` }
  })
  const kept = rows.filter(({ n }) => !isAbsent(n)).map(({ line }) => line)
  writeFileSync(file(name), `sensor,time,state,temp\n${kept.join('\n')}\n`)
}

const given = ['--modes', 'sensor', 'time', '--value', 'temp']
const records = (name: string): string[][] =>
  text(name)
    .trim()
    .split('\n')
    .map((line) => line.split(','))

it('one command fills empty cells and absent rows of a long table, with intervals', async () => {
  writeSensors(
    'gaps.csv',
    (n) => n % 11 === 3,
    (n) => n % 13 === 5,
  )
  const { code, stderr } = await run('fill', 'gaps.csv', ...given, '--interval', '0.9', '-o', 'all.csv')
  expect(code, stderr).toBe(0)
  const [head, ...rows] = records('all.csv')
  expect(head).toEqual(['sensor', 'time', 'state', 'temp', 'low', 'high', 'inferred'])
  expect(rows).toHaveLength(120)
  const cells = new Set(rows.map(([sensor, time]) => `${sensor} ${time}`))
  expect(cells.size).toBe(120)
  for (const [, , , temp, low, high, inferred] of rows) {
    expect(temp).not.toBe('')
    if (inferred === 'false') expect([low, high]).toEqual(['', ''])
    else expect([Number(low) <= Number(temp), Number(temp) <= Number(high)]).toEqual([true, true])
  }
  const absent = Array.from({ length: 120 }, (_, n) => n).filter((n) => n % 11 === 3).length
  expect(stderr).toContain(`${absent} rows of sensor × time that it lacked added`)
  expect(stderr).toContain('Out of fold the error is')
  expect(stderr).not.toContain('left out, since')
})

it('a long table gets absent rows only if they are few, or on request', async () => {
  writeSensors(
    'sparse.csv',
    (n) => n % 3 !== 0 && n > 25,
    () => false,
  )
  const { stderr } = await run('fill', 'sparse.csv', ...given, '--rank', '1', '-o', 'few.csv')
  const [, ...rows] = records('few.csv')
  expect(stderr).toContain(
    `${120 - rows.length} combinations of sensor × time have no row; --absent would add`,
  )
  await run('fill', 'sparse.csv', ...given, '--rank', '1', '--absent', '-o', 'all.csv')
  expect(records('all.csv')).toHaveLength(121)
  writeSensors(
    'gaps.csv',
    (n) => n % 11 === 3,
    () => false,
  )
  const none = await run('fill', 'gaps.csv', ...given, '--rank', '1', '--no-absent', '-o', 'same.csv')
  expect(none.stderr).toContain('0 empty cells, 0 filled')
  expect(records('same.csv')).toHaveLength(110)
})

it('the names of columns come back in quotes where all of them were', async () => {
  const cells = 'a,x,1\na,y,2\nb,x,3\nb,y,\n'
  for (const [head, expected] of [
    ['"k l",m,v', 'k l,m,v,inferred'],
    ['"k","m","v"', '"k","m","v","inferred"'],
  ]) {
    writeFileSync(file('named.csv'), `${head}\n${cells}`)
    const by = ['--modes', head.startsWith('"k l"') ? 'k l' : 'k', 'm', '--value', 'v', '--rank', '1', '-q']
    const done = await run('fill', 'named.csv', ...by, '-o', 'named-full.csv')
    expect(done.code, done.stderr).toBe(0)
    expect(text('named-full.csv').split('\n')[0]).toBe(expected)
  }
})

it('a German table comes back in its own form: separator, decimal comma, thousands, line ends, mark and digits', async () => {
  const amount = (row: number, day: number): string =>
    ((400 + 300 * row) * (1 + 0.1 * (day % 7)))
      .toFixed(2)
      .replace('.', ',')
      .replace(/(\d)(\d{3}),/, '$1.$2,')
  const cells = (row: number): string[] =>
    Array.from({ length: 14 }, (_, day) => ((row + day) % 6 === 2 ? '' : amount(row, day)))
  const days = Array.from({ length: 14 }, (_, day) => `${String(day + 1).padStart(2, '0')}.01.2024`)
  const shops = ['Köln', 'Ulm', 'Bonn', 'Kiel', 'Trier']
  const wide = shops.map((shop, row) => [shop, ...cells(row)].join(';'))
  writeFileSync(file('breit.csv'), `\ufeff${['Filiale', ...days].join(';')}\r\n${wide.join('\r\n')}\r\n`)
  const style = ['--thousands', '.', '--rank', '1', '-q']
  // The message that refuses to guess has the options, which fill takes as forecast does.
  const refused = await run('info', 'breit.csv', '--thousands', '.')
  const hint = "--modes Filiale 'day(date) AS day' --melt date --dates %d.%m.%Y"
  expect(refused.stderr).toContain(hint)
  const options = ['--modes', 'Filiale', 'day(date) AS day', '--melt', 'date', '--dates', '%d.%m.%Y']
  const done = await run('fill', 'breit.csv', ...options, ...style, '-o', 'breit-voll.csv')
  expect(done.code, done.stderr).toBe(0)
  const [head, ...rows] = text('breit-voll.csv').split('\r\n')
  expect(head).toBe(`\ufeffFiliale;${days.join(';')};inferred`)
  rows.slice(0, -1).forEach((line, row) => {
    const got = line.split(';')
    cells(row).forEach((cell, day) => {
      if (cell !== '') expect(got[day + 1]).toBe(cell)
      else expect(got[day + 1]).toMatch(/^(\d\.)?\d{3},\d\d$/)
    })
  })
  const long = shops.flatMap((shop, row) =>
    cells(row).map((cell, day) => `${days[day]};${day % 2 === 0 ? '1.000' : 'K'};"${shop}";${cell}`),
  )
  writeFileSync(file('lang.csv'), `Tag;Code;"Filiale";Umsatz\n${long.join('\n')}\n`)
  const named = ['--modes', 'day(Tag)', 'Filiale', '--value', 'Umsatz', '--dates', '%d.%m.%Y']
  await run('fill', 'lang.csv', ...named, ...style, '-o', 'lang-voll.csv')
  const filled = text('lang-voll.csv').trim().split('\n')
  expect(filled).toHaveLength(71)
  expect(filled.slice(1).every((line, n) => line.startsWith(long[n]))).toBe(true)
  expect(filled[3]).toMatch(/^03\.01\.2024;1\.000;"Köln";\d{3},\d\d;true$/)
  // JSON has numbers, where they are such.
  await run('fill', 'lang.csv', ...named, ...style, '-o', 'lang.json')
  expect(JSON.parse(text('lang.json'))[0]).toMatchObject({ Code: '1.000' })
  const amounts = JSON.parse(text('lang.json')).map(({ Umsatz }: { Umsatz: unknown }) => Umsatz)
  expect(amounts.slice(0, 2)).toEqual([400, 440])
  expect(amounts.every((x: unknown) => typeof x === 'number')).toBe(true)
  // Another ending asks for another separator.
  await run('fill', 'lang.csv', ...named, ...style, '-o', 'lang.tsv')
  expect(text('lang.tsv')).toMatch(/^Tag\tCode\tFiliale\tUmsatz\tinferred\n/)
})

it('columns filled in a wide table are named by a JSON array', async () => {
  writeFileSync(file('wide.csv'), 'day,"Berlin, Mitte","München ""Nord"""\nmon,1,2\ntue,2,\nwed,,6\n')
  await run('fill', 'wide.csv', '--modes', 'day', '--melt', 'shop', '--rank', '1', '-o', 'filled.json')
  const rows = JSON.parse(text('filled.json'))
  expect(rows.map(({ inferred }: { inferred: string }) => JSON.parse(inferred))).toEqual([
    [],
    ['München "Nord"'],
    ['Berlin, Mitte'],
  ])
  const wide = await run('fill', 'wide.csv', '--modes', 'day', '--melt', 'shop', '--interval', '0.9')
  expect(wide).toMatchObject({ code: 2, stderr: expect.stringContaining('make it a long table first') })
})

it('a slice of models of folds has intervals, too', async () => {
  writeSensors(
    'gaps.csv',
    (n) => n % 11 === 3,
    () => false,
  )
  await run('complete', 'gaps.csv', ...given, '--rank', '1', '--folds', '3', '-q', '-o', 'f.npz')
  const args = ['fill', 'f.npz', '--slice', 'sensor=S2', '--data', 'gaps.csv', '--interval', '0.9']
  const { stdout, code } = await run(...args)
  expect(code).toBe(0)
  const [head, ...rows] = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(','))
  expect(head).toEqual(['sensor', 'time', 'temp', 'low', 'high', 'inferred'])
  for (const [, , temp, low, high, inferred] of rows)
    if (inferred === 'true') expect(Number(low) < Number(temp) && Number(temp) < Number(high)).toBe(true)
    else expect([low, high]).toEqual(['', ''])
})

it('a table without the column of values is refused with --value, and with predict as the way', async () => {
  writeSensors(
    'gaps.csv',
    (n) => n % 11 === 3,
    () => false,
  )
  await run('complete', 'gaps.csv', ...given, '--rank', '1', '-q', '-o', 's.npz')
  writeFileSync(file('wanted.csv'), 'sensor,time\nS1,2024-03-25 01:00:00\n')
  const { code, stderr } = await run('fill', 's.npz', 'wanted.csv')
  expect(code).toBe(2)
  expect(stderr).toContain('name it with --value, or use lacuna predict, which needs none')
})

it('fill warns if its entries are fewer than the parameters of its model', async () => {
  writeFileSync(file('tiny.csv'), 'sensor,time,state,temp\na,1,ok,1\nb,1,ok,2\na,2,ok,\n')
  const { stderr } = await run('fill', 'tiny.csv', ...given)
  expect(stderr).toContain('Caution: rank 10 has')
})

it('a value that is no number is refused, not replaced, where a model fills a table', async () => {
  writeSensors(
    'readable.csv',
    () => false,
    (n) => n % 10 === 3,
  )
  await run('complete', 'readable.csv', ...given, '--rank', '2', '-o', 'readable.npz')
  const lines = text('readable.csv').split('\n')
  lines[7] += ' °C'
  writeFileSync(file('units.csv'), lines.join('\n'))
  const { code, stderr } = await run(
    'fill',
    'readable.npz',
    'units.csv',
    '--value',
    'temp',
    '-o',
    'never.csv',
  )
  expect(code).toBe(2)
  expect(stderr).toMatch(/units\.csv: temp has "[\d.]+ °C", which is no number, and would be replaced;/)
  expect(() => text('never.csv')).toThrow()
})

/** The SQL that a message proposes for --value, as a shell would read it. */
const proposedValue = (stderr: string): string =>
  (/--value '((?:[^']|'\\'')*)'/.exec(stderr)?.[1] ?? '').replaceAll("'\\''", "'")

it('the SQL that removes a unit works in fill: numbers are written into the column, and offsets stay', async () => {
  const rows = Array.from({ length: 60 }, (_, n) => {
    const [gauge, hour] = [n % 3, Math.floor(n / 3)]
    const level = ((10 + 5 * gauge) * (1 + 0.1 * (hour % 4))).toFixed(1).replace('.', ',')
    const time = `2024-05-0${1 + Math.floor(hour / 10)}T${10 + (hour % 10)}:00:00+02:00`
    return `G${gauge};${time};${n % 17 === 5 ? '' : `${level} cm`}`
  }).filter((_, n) => n % 13 !== 7)
  writeFileSync(file('levels.csv'), `gauge;measured;level\n${rows.join('\n')}\n`)
  const modes = ['--modes', 'gauge', 'measured']
  const refused = await run('fill', 'levels.csv', ...modes, '--value', 'level')
  expect(refused.code).toBe(2)
  const sql = proposedValue(refused.stderr)
  expect(sql).toContain('regexp_replace("level"')
  const { code, stderr } = await run(
    'fill',
    'levels.csv',
    ...modes,
    '--value',
    sql,
    '--rank',
    '1',
    '-o',
    'l.csv',
  )
  expect(code, stderr).toBe(0)
  const [head, ...filled] = text('l.csv')
    .trim()
    .split('\n')
    .map((line) => line.split(';'))
  expect(head).toEqual(['gauge', 'measured', 'level', 'inferred'])
  expect(filled).toHaveLength(60)
  for (const [, time, level] of filled) {
    expect(time).toMatch(/^2024-05-0\dT\d\d:00:00\+02:00$/)
    expect(Number(level.replace(',', '.'))).toBeGreaterThan(9)
  }
  expect(filled[0]).toEqual(['G0', '2024-05-01T10:00:00+02:00', '10', 'false'])
  // A model fills the same table by the same SQL, as complete proposes it.
  const learned = await run('complete', 'levels.csv', ...modes, '--value', sql, '--rank', '1', '-o', 'l.npz')
  expect(learned.stderr).toContain('fill l.npz levels.csv --absent --value ')
  const again = await run('fill', 'l.npz', 'levels.csv', '--absent', '--value', sql, '-o', 'l2.csv')
  expect(again.code, again.stderr).toBe(0)
  expect(records('l2.csv')).toHaveLength(61)
  // SQL of two columns has none to be written into, and the advice works.
  const two = await run('fill', 'levels.csv', ...modes, '--value', 'length(level) + length(gauge)')
  expect(two.code).toBe(2)
  const [, query] = /--query '([^']*)' --value filled/.exec(two.stderr) ?? []
  expect(query).toBe('SELECT *, length(level) + length(gauge) AS filled FROM data')
  const byQuery = await run(
    ...['fill', 'levels.csv', ...modes, '--value', 'filled', '--query', query, '--rank', '1', '-o', 'q.csv'],
  )
  expect(byQuery.code, byQuery.stderr).toBe(0)
  expect(text('q.csv')).toMatch(/^gauge;measured;level;filled;inferred\n/)
})

/** Weights of 3 scales over time, with a unit, where some are empty. */
const weights = (times: number, weight: (scale: number, time: number) => string): string[] =>
  Array.from({ length: 3 * times }, (_, n) => {
    const [scale, time] = [n % 3, Math.floor(n / 3)]
    return `W${scale};${time};${n % 17 === 5 ? '' : `${weight(scale, time)} kg`}`
  })

it('values that SQL computes are written exactly, also where the first rows have fewer decimals', async () => {
  const rows = weights(1000, (scale, time) => String(3900 + 20 * scale + (time % 50)))
  rows.push('W0;1000;3950.5 kg', 'W1;1000;16777217.25 kg')
  writeFileSync(file('late.csv'), `scale;time;weight\n${rows.join('\n')}\n`)
  const sql = `regexp_replace("weight", '[^0-9.-]', '', 'g')`
  const given = ['--modes', 'scale', 'time', '--value', sql, '--rank', '1', '--no-absent']
  const { code, stderr } = await run('fill', 'late.csv', ...given, '-o', 'late-full.csv')
  expect(code, stderr).toBe(0)
  const filled = text('late-full.csv').trim().split('\n').slice(1)
  for (const [n, row] of rows.entries())
    if (row.endsWith(' kg')) expect(filled[n]).toBe(`${row.replace(' kg', '')};false`)
    else expect(filled[n]).toMatch(/;\d+;true$/)
})

it.each([
  ['decimal commas', 'weight', (grams: number) => (grams / 1000).toFixed(3).replace('.', ','), 0.001],
  ['thousands', 'tons', (grams: number) => String(grams).replace(/(\d)(\d{3})$/, '$1.$2'), 1],
])(
  'SQL reads a column of %s, and its numbers and the inferred ones have the decimals of the column',
  async (_, name, write, unit) => {
    const grams = (scale: number, time: number): number => (60 + 20 * scale) * (1 + (time % 40))
    const rows = weights(60, (scale, time) => write(grams(scale, time)))
    writeFileSync(file('commas.csv'), `scale;time;${name}\n${rows.join('\n')}\n`)
    const sql = `replace(regexp_replace("${name}", '[^0-9,-]', '', 'g'), ',', '.')`
    const given = ['--modes', 'scale', 'time', '--value', sql, '--rank', '1']
    const { code, stderr } = await run('fill', 'commas.csv', ...given, '-o', 'commas-full.csv')
    expect(code, stderr).toBe(0)
    const filled = text('commas-full.csv').trim().split('\n').slice(1)
    expect(filled).toHaveLength(180)
    for (const [n, line] of filled.entries()) {
      const [, , cell, inferred] = line.split(';')
      const expected = unit * grams(n % 3, Math.floor(n / 3))
      expect(inferred).toBe(String(n % 17 === 5))
      expect(cell).toMatch(unit === 1 ? /^\d+(,\d)?$/ : /^\d+(,\d{1,3})?$/)
      const number = Number(cell.replace(',', '.'))
      if (inferred === 'false') expect(number).toBeCloseTo(expected, 9)
      else expect(Math.abs(number - expected)).toBeLessThan(0.1 * expected)
    }
  },
)

it('SQL for the values is not taken from the file of a model', async () => {
  writeFileSync(file('sql.csv'), 'a,b,v\nx,p,1\nx,q,2\ny,p,3\ny,q,4\n')
  await run(
    'complete',
    'sql.csv',
    '--modes',
    'a',
    'b',
    '--value',
    'v * 2',
    ...['--rank', '1', '-o', 'sql.npz'],
  )
  const { code, stderr } = await run('fill', 'sql.npz', 'sql.csv')
  expect(code).toBe(2)
  expect(stderr).toContain('there is no column "v * 2" to be filled; name it with --value')
})

it('steps of time that no row has are counted, and added on request', async () => {
  writeSensors(
    'silent.csv',
    (n) => [7, 8].includes(Math.floor(n / 6)),
    () => false,
  )
  const word = await run('fill', 'silent.csv', ...given, '--rank', '1', '-o', 'as-it-is.csv')
  expect(word.stderr).toContain(
    '2 steps of time, the first 2024-03-25 07:00:00, have no row at all; --add-steps would add and fill them.',
  )
  expect(records('as-it-is.csv')).toHaveLength(109)
  const { code, stderr } = await run(
    ...['fill', 'silent.csv', ...given, '--rank', '2', '--add-steps', '-o', 'steps.csv'],
  )
  expect(code, stderr).toBe(0)
  expect(stderr).toContain('had no row at all: they are added')
  const [, ...rows] = records('steps.csv')
  // They stand in the order of the table, not behind it.
  expect(rows.map(([sensor, time]) => `${time} ${sensor}`)).toEqual(
    rows.map(([sensor, time]) => `${time} ${sensor}`).sort(),
  )
  expect(rows).toHaveLength(120)
  // Predicted from the rows before and after, not by the mean: the course has its peak before.
  const added = rows.filter(([, time]) => time === '2024-03-25 07:00:00')
  for (const [sensor, , , temp] of added) {
    const truth = (10 + Number(sensor[1])) * (1 + 0.3 * Math.sin(7 / 3)) + 0.5
    expect(Math.abs(Number(temp) - truth)).toBeLessThan(2)
  }
  expect(added).toHaveLength(6)
  const none = await run('fill', 'silent.csv', ...given, '--rank', '1', '--no-absent', '-o', 'same.csv')
  expect(none.stderr).not.toContain('--add-steps')
  const wrong = await run('fill', 'silent.csv', ...given, '--add-steps', '--no-absent')
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('leave out one of them') })
})

it.each([['fill'], ['predict'], ['forecast']])(
  '%s refuses --interval 90 before it reads, and names 0.9',
  async (command) => {
    for (const level of ['90', '90%']) {
      const { code, stderr } = await run(command, 'never-there.csv', '--interval', level)
      expect(code).toBe(2)
      expect(stderr).toContain('It must lie between 0 and 1, as 0.9 does. Write 0.9 for 90%.')
    }
    const { stderr } = await run(command, 'never-there.csv', '--interval', '1')
    expect(stderr).toContain('It must lie between 0 and 1, as 0.9 does.\n')
  },
)
