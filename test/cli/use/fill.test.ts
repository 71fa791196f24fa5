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
