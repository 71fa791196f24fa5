/** --merge-modes and --split on the command line. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { parseGroup, parseSplit } from '#cli/commands/complete/reshape.ts'
import { startRun } from '#lacuna/fileRun.js'
import { readModel, readTensor } from '#lacuna/io/node/index.js'
import { lacuna } from './lacuna.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-reshaping-'))
const file = (name: string): string => join(cwd, name)
afterAll(() => rmSync(cwd, { recursive: true }))

it('--merge-modes and --split separate modes at commas and colons, but not within a name', () => {
  expect(parseGroup('1,2')).toEqual([['1', '2']])
  expect(parseGroup('round(lat, 2), round(lon, 2)', [['a', 'b']])).toEqual([
    ['a', 'b'],
    ['round(lat, 2)', 'round(lon, 2)'],
  ])
  expect(parseSplit('3:24')).toEqual([{ mode: '3', into: [24], offset: 0 }])
  expect(parseSplit('time:of day:7x24+12')).toEqual([{ mode: 'time:of day', into: [7, 24], offset: 12 }])
  for (const text of ['1', '1,', ',']) expect(() => parseGroup(text)).toThrow('two modes or more')
  for (const text of ['3', '3:', '3:1', '3:x24', '3:24+', ':24'])
    expect(() => parseSplit(text)).toThrow('3:24')
})

it('a reshaped model uses the original modes in all outputs, and resumes only with the same reshaping', async () => {
  const lines = ['origin,destination,hour,trips']
  for (let hour = 0; hour < 48; hour++)
    for (const [pair, rate] of [
      ['N,S', 1],
      ['S,N', 2],
      ['N,E', 5],
      ['E,N', 3],
    ] as const)
      lines.push(`${pair},${hour},${rate * (1 + (hour % 24))}`)
  writeFileSync(file('trips.csv'), lines.join('\n'))
  const table = ['trips.csv', '--modes', 'origin', 'destination', 'hour', '--value', 'trips']
  const arrange = ['--merge-modes', 'destination,origin', '--split', '3:24']
  const learned = await lacuna(
    ['complete', ...table, ...arrange, '--rank', '1', '--test', '0.1', '--json', '-o', 'm.npz'],
    { cwd },
  )
  expect(learned.stderr).toContain(
    'Learned as 9 (origin × destination) × 2 (hour, blocks of 24) × 24 (hour, place in 24)',
  )
  const report = JSON.parse(learned.stdout)
  expect(report.tensor.dims).toEqual([3, 3, 48])
  expect(report.settings).toMatchObject({
    mergeModes: [[0, 1]],
    split: [{ mode: 2, into: [24], offset: 0 }],
  })
  expect(report.test.relative).toBeLessThan(0.01)
  const model = await readModel(file('m.npz'), 'single')
  expect(model.predict({ origin: 'S', destination: 'N', hour: 30 })).toBeCloseTo(14, 1)

  const asked = await lacuna(['predict', 'm.npz', '-', '-q'], {
    cwd,
    input: 'hour,destination,origin\n30,N,S\n7,E,N\n',
  })
  expect(
    asked.stdout
      .trim()
      .split('\n')
      .map((line) => Math.round(Number(line.split(',')[3]))),
  ).toEqual([NaN, 14, 40])

  const tensor = await readTensor(file('trips.csv'), {
    modes: ['origin', 'destination', 'hour'],
    value: 'trips',
  })
  const run = await startRun(tensor, { rank: 1, mergeModes: [[0, 1]] })
  await run.save(file('other.npz.run'))
  await run.close()
  const resume = await lacuna(['complete', ...table, '--rank', '1', '--resume', '-o', 'other.npz'], { cwd })
  expect(resume.code).toBe(2)
  expect(resume.stderr).toContain(
    'lacuna: The run was saved with --merge-modes 1,2, and now it is left out; leave it as it was, or start anew.',
  )
})
