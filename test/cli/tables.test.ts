import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSession } from '#lacuna/io/node/duckdb/session.js'
import { readModel } from '#lacuna/io/node/index.js'
import { lacuna } from './lacuna.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-cli-tables-'))
const run = (...args: string[]) => lacuna(args, { cwd })
const file = (name: string) => join(cwd, name)
afterAll(() => rmSync(cwd, { recursive: true }))

const MODES = ['--modes', 'user', 'item', 'week(bought)', '--value', 'rating']

beforeAll(async () => {
  const names = ['ann', 'bo', 'cy', 'di', 'eve', 'flo']
  const items = ['tea', 'jam', 'rye', 'egg', 'oil', 'soy', 'fig']
  const rows: string[] = []
  names.forEach((name, u) => {
    items.forEach((item, i) => {
      rows.push(
        `${name},${item},${(u + 1) * ((i % 3) + 1)},2024-01-${String(8 + 7 * ((u + i) % 3)).padStart(2, '0')}`,
      )
    })
  })
  const header = 'user,item,rating,bought\n'
  writeFileSync(file('all.csv'), `${header}${rows.join('\n')}\n`)
  writeFileSync(file('one.csv'), `${header}${rows.slice(0, 20).join('\n')}\n`)
  writeFileSync(file('two.csv'), `${header}${rows.slice(20).join('\n')}\n`)
  writeFileSync(file('held.csv'), `${header}bo,tea,2,2024-01-15\nzoe,tea,1,2024-01-08\n`)
  writeFileSync(file('ragged.csv'), `${header}ann,tea,1\n`)
  writeFileSync(file('data.tns'), '1 1 1\n2 2 2\n')
  const session = await openSession('test')
  await session.run(`ATTACH '${file('shop.duckdb')}' AS shop`)
  await session.run(`CREATE TABLE shop.sales AS SELECT * FROM read_csv('${file('all.csv')}')`)
  session.close()
})

describe('lacuna complete TABLE', () => {
  it('complete stores labels and names of modes in the model, and reads held-out tables by them', async () => {
    const { code, stdout, stderr } = await run(
      'complete',
      'all.csv',
      ...MODES,
      '--rank',
      '1',
      '--epochs',
      '50',
      '--test',
      'held.csv',
      '-o',
      'model.npz',
      '--json',
    )
    expect(code).toBe(0)
    expect(stderr).toContain('held.csv: one row is left out, since the training data lacks a label')
    expect(JSON.parse(stdout)).toMatchObject({
      tensor: { dims: [6, 7, 3], entries: 42 },
      test: { entries: 1 },
    })
    const model = await readModel(file('model.npz'), 'single')
    expect(model.labels).toEqual([
      ['ann', 'bo', 'cy', 'di', 'eve', 'flo'],
      ['egg', 'fig', 'jam', 'oil', 'rye', 'soy', 'tea'],
      ['2024-01-08', '2024-01-15', '2024-01-22'],
    ])
    expect(model.modes?.map(({ name }) => name)).toEqual(['user', 'item', 'week(bought)'])
    const again = [
      'complete',
      'one.csv',
      'two.csv',
      ...MODES,
      '--rank',
      '1',
      '--epochs',
      '1',
      '--initial',
      'model.npz',
      '-q',
    ]
    expect(await run(...again)).toMatchObject({ code: 0, stderr: '' })
  })

  it('reading a table guesses its columns, and prints the guess', async () => {
    const { code, stderr } = await run('complete', 'all.csv', '--rank', '1', '--epochs', '2', '--test', '0.2')
    expect(code).toBe(0)
    expect(stderr).toContain(`all.csv: taken as --modes user item 'week(bought)' --value rating`)
    expect(stderr).toContain('all.csv: 6×7×3, 42 entries')
  })
})

describe('lacuna info', () => {
  it('info prints modes and labels of a table', async () => {
    const { stdout } = await run('info', 'all.csv', ...MODES)
    expect(stdout).toMatch(/1 +user +6 labels: ann … flo/)
    expect(stdout).toMatch(/3 +week\(bought\) +3 labels: 2024-01-08 … 2024-01-22/)
    const { modes } = JSON.parse((await run('info', 'all.csv', ...MODES, '--json')).stdout)
    expect(modes[1]).toMatchObject({
      name: 'item',
      type: 'VARCHAR',
      rows: 7,
      labels: { count: 7, first: 'egg', last: 'tea' },
    })
  })

  it.each([
    [['all.csv', ...MODES]],
    [['one.csv', 'two.csv', ...MODES]],
    [['sales', '--database', 'shop.duckdb', ...MODES]],
    [['--database', 'shop.duckdb', '--query', 'SELECT * FROM sales', ...MODES]],
    [['all.csv', '--query', 'SELECT * FROM data', ...MODES]],
    [
      [
        'all.csv',
        '--modes',
        'user',
        'item',
        'week(bought)',
        '--value',
        'rating',
        '--merge',
        'last',
        '--index',
        'raw',
      ],
    ],
  ])('info describes the same tensor for %j', async (args) => {
    const { stdout } = await run('info', ...args, '--json')
    expect(JSON.parse(stdout)).toMatchObject({ dims: [6, 7, 3], entries: 42, values: { max: 18 } })
  })
})

describe('bad tables and options', () => {
  it.each([
    [['complete', 'ragged.csv', '-o', 'x.npz'], 'ragged.csv, line 2: 3 fields where the first line has 4'],
    [
      ['complete', 'all.csv', '--modes', 'usr', 'item', '-o', 'x.npz'],
      'the columns are user, item, rating, bought',
    ],
    [['info', 'all.csv', '--modes', 'user', 'bought', '--value', 'rating'], '--merge'],
    [['info', 'all.csv', '--merge', 'median'], 'Allowed choices are sum, mean, last, count, error'],
    [['info', 'data.tns', '--modes', 'a', 'b'], '--modes means nothing'],
    [['info', 'data.tns', 'all.csv'], 'several at a time'],
    [['info', '--database', 'shop.duckdb'], 'the tables are sales'],
    [['info', 'all.csv', '--recipe', 'uber'], 'Date/Time'],
    [['info'], 'name a file'],
  ])('lacuna %j: one sentence, exit 2, nothing written', async (args, message) => {
    const before = readdirSync(cwd).sort()
    const { code, stdout, stderr } = await run(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const complaint = stderr.split('\n').filter((line) => /^(lacuna|error):/.test(line))
    expect(complaint).toHaveLength(1)
    expect(complaint[0]).toContain(message)
    expect(readdirSync(cwd).sort()).toEqual(before)
  })
})

describe('a newcomer', () => {
  it('a column of values that holds text is refused, instead of counting rows', async () => {
    writeFileSync(file('text.csv'), 'user,item,rating\nann,tea,1\nbo,jam,good\ncy,tea,3\n')
    const { code, stderr } = await run('complete', 'text.csv')
    expect(code).toBe(2)
    expect(stderr).toBe(
      'lacuna: text.csv, line 3: rating is "good", which is no number; mend it or leave it empty.\n',
    )
  })

  it('an unknown binning or time is refused with those that exist', async () => {
    const unknown = await run('info', 'all.csv', '--modes', 'user', 'wek(bought)', '--value', 'rating')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toMatch(/there is no function wek; the binnings are year, month, week/)
    const notime = await run('info', 'all.csv', '--modes', 'user', 'week(item)', '--value', 'rating')
    expect(notime.code).toBe(2)
    expect(notime.stderr).toMatch(
      /line 2: "\w+" in item is no time; times are Unix seconds or text like .* other forms need --dates/,
    )
  })

  it('results are printed with --quiet, and info describes a model', async () => {
    const { stdout, stderr } = await run('complete', 'all.csv', ...MODES, '--rank', '2', '-o', 'm.npz', '-q')
    expect(stderr).toBe('')
    expect(stdout).toMatch(/relative error +RMSE +MAE/)
    const told = await run('info', 'm.npz')
    expect(told.stdout).toMatch(/a model of rank 2, 6 × 7 × 3/)
    expect(told.stdout).toMatch(/1 +user +6 +0 +ann … flo/)
    expect(JSON.parse((await run('info', 'm.npz', '--json')).stdout)).toMatchObject({
      rank: 2,
      dims: [6, 7, 3],
      training: { solver: 'fast', value: 'rating' },
    })
  })
})
