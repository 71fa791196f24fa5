/** Commands from a table to answers: what they print is what the library computes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeNpy } from '#lacuna/formats.js'
import { type CpModel, readModel, readTensor } from '#lacuna/index.js'
import { syntheticRatings } from '#lacuna/tensor/index.js'
import { lacuna } from './lacuna.ts'

let folder: string
let model: CpModel

/** Runs the CLI in the folder; fails on a fault of the program. */
const inFolder = async (...args: string[]) => {
  const run = await lacuna(args, { cwd: folder })
  expect(run.stderr).not.toContain('fault in lacuna')
  return run
}
/** Runs the CLI with --json, and returns the parsed output. */
const json = async (...args: string[]) => {
  const { stdout, stderr, code } = await inFolder(...args, '--json', '--quiet')
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  return JSON.parse(stdout)
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lacuna-answers-'))
  const { indices, values } = syntheticRatings({ users: 60, items: 40, weeks: 2, entries: 900, seed: 4 })
  const lines = Array.from(values, (stars, e) => `u${indices[0][e] + 1},${101 + indices[1][e]},${stars}`)
  const table = (rows: readonly string[]): string => `user,film,stars\n${rows.join('\n')}\n`
  writeFileSync(join(folder, 'ratings.csv'), table(lines))
  writeFileSync(join(folder, 'train.csv'), table(lines.filter((_, e) => e % 10 !== 0)))
  writeFileSync(join(folder, 'test.csv'), table(lines.filter((_, e) => e % 10 === 0)))
  const titles = Array.from({ length: 40 }, (_, film) => `${101 + film},"Film, the <${film}>"`)
  writeFileSync(join(folder, 'films.csv'), `film,title\n${titles.join('\n')}\n`)
  writeFileSync(join(folder, 'eve.csv'), 'user,film,stars\neve,101,5\neve,103,4.5\neve,104,1\neve,110,3\n')
  const options = ['--modes', 'user', 'film', '--value', 'stars', '--rank', '4', '-o', 'model.npz']
  await inFolder('complete', 'train.csv', ...options)
  model = await readModel(join(folder, 'model.npz'), 'single')
})
afterAll(() => rmSync(folder, { recursive: true }))

const names = ['--names', 'film=films.csv:title']

describe('top', () => {
  test('top prints what the library ranks, without excluded entries', async () => {
    const answer = await json(
      'top',
      'model.npz',
      '--for',
      'user=u3',
      '--of',
      'film',
      '-n',
      '5',
      '--exclude',
      'train.csv',
      ...names,
    )
    const exclude = await readTensor(join(folder, 'train.csv'), { like: model, value: 'stars' })
    const expected = model.top({ for: { user: 'u3' }, of: 'film', n: 5, exclude })
    expect(answer.top).toEqual(
      expected.map(({ row, ...rest }) => ({ ...rest, name: `Film, the <${Number(rest.label) - 101}>` })),
    )
  })

  test('top prints support and reasons, and finds rows by name', async () => {
    const { stdout } = await inFolder(
      'top',
      'model.npz',
      '--for',
      'film=Film, the <3>',
      '--of',
      'user',
      '-n',
      '2',
      ...names,
    )
    const [head, first, second, , about] = stdout.split('\n')
    expect(head).toMatch(/user +predicted +entries +their mean +why: components/)
    const [best] = model.top({ for: { film: '104' }, of: 'user', n: 1 })
    expect(first).toMatch(new RegExp(`^ 1  ${best.label} +[\\d.]+ +${best.entries} +[\\d.]+`))
    expect(second).toMatch(/^ 2 /)
    expect(about).toContain('Components that made it so')
  })

  test('top answers for every row of a mode at once, in a table', async () => {
    const asked = '--of film -n 3 --exclude train.csv'.split(' ')
    await inFolder('top', 'model.npz', '--for', 'user', ...asked, '-o', 'all.parquet', ...names)
    const { stdout } = await inFolder('top', 'model.npz', '--for', 'user', ...asked, '--threads', '1')
    const lines = stdout.trim().split('\n')
    expect(lines[0]).toBe('user,rank,film,prediction,entries')
    const { top } = await json('top', 'model.npz', '--for', 'user=u3', ...asked)
    const own = lines.filter((line) => line.startsWith('u3,')).map((line) => line.split(',')[2])
    expect(own).toEqual(top.map(({ label }: { label: string }) => label))
    const parquet = await readTensor(join(folder, 'all.parquet'), {
      modes: ['user', 'film'],
      value: 'prediction',
    })
    expect(parquet.values.length).toBe(lines.length - 1)
  })

  test.each([
    [['--for', 'user=u3'], 'Say with --of which mode is to be ranked: user, film.'],
    [['--for', 'user=nobody', '--of', 'film'], 'The model knows no user "nobody"'],
    [['--for', 'user=u1', 'user=u2', '--of', 'film'], 'user is asked for twice'],
    [['--of', 'film', '--names', 'film=films.csv'], 'say where names are, as in film=movies.csv:title'],
    [['--of', 'film', '--names', 'film=films.csv:name'], 'films.csv: there is no column "name"'],
  ])('top refuses in one sentence: %j', async (args, sentence) => {
    const { code, stderr } = await inFolder('top', 'model.npz', ...args)
    expect(code).toBe(2)
    expect(stderr).toContain(sentence)
  })
})

test('fold adds a user, prints the best rows for her, and saves the larger model', async () => {
  const { top } = await json('fold', 'model.npz', 'eve.csv', '--top', 'film', '-n', '4', '-o', 'eve.npz')
  const eve = await readModel(join(folder, 'eve.npz'), 'single')
  const rows = [
    { user: 'eve', film: '101', stars: 5 },
    { user: 'eve', film: '103', stars: 4.5 },
    { user: 'eve', film: '104', stars: 1 },
    { user: 'eve', film: '110', stars: 3 },
  ]
  const expected = model.foldIn(rows)
  expect(eve.factors).toEqual(expected.factors)
  const seen = rows.map(({ film }) => film)
  expect(top.map(({ label }: { label: string }) => label)).toEqual(
    expected.top({ for: { user: 'eve' }, of: 'film', n: 4, exclude: seen }).map(({ label }) => label),
  )
  const again = await inFolder('fold', 'eve.npz', 'eve.csv', '-o', 'twice.npz')
  expect(again.code).toBe(2)
  expect(again.stderr).toContain("'lacuna update' learns from new entries of known rows")
})

test('update learns from entries of known rows and new labels', async () => {
  const report = await json('update', 'model.npz', 'eve.csv', '-o', 'updated.npz', '--test', 'test.csv')
  expect(report).toMatchObject({ entries: 4, newRows: { user: 1, film: 0 }, model: 'updated.npz' })
  const updated = await readModel(join(folder, 'updated.npz'), 'single')
  expect(updated.observed!.entries).toBe(model.observed!.entries + 4)
  expect(updated.factors[1]).not.toEqual(model.factors[1])
  const all = await json(
    'update',
    'model.npz',
    'eve.csv',
    '--data',
    'train.csv',
    '-o',
    'again.npz',
    '--test',
    'test.csv',
  )
  expect(all.test.after.rmse).toBeLessThan(1.1 * report.test.after.rmse)
})

test('evaluate sets models beside each other and beside baselines, and ranks', async () => {
  const [one] = await json('evaluate', 'model.npz', '--test', 'test.csv')
  const held = await readTensor(join(folder, 'test.csv'), { like: model, value: 'stars' })
  expect(one.rmse).toBeCloseTo(model.error(held).rmse, 10)
  const { stdout } = await inFolder(
    ...[
      'evaluate',
      'model.npz',
      'updated.npz',
      '--test',
      'test.csv',
      '--ranking',
      'user',
      '--exclude',
      'train.csv',
    ],
  )
  expect(stdout).toMatch(/^ +RMSE +MAE +relative error +R² +entries\nmodel.npz .*\nupdated.npz .*\nthe mean /)
  expect(stdout).toMatch(/recall@10 +nDCG@10 +rows\nmodel.npz .*\nupdated.npz .*\nwhat is popular/)
})

test('components are printed as text, as JSON and as a page without references', async () => {
  const { components } = await json('components', 'model.npz', ...names)
  expect(components.map(({ share }: { share: number }) => share)).toEqual(
    model.components().map(({ share }) => share),
  )
  expect(components[0].modes.film.strongest[0].name).toMatch(/^Film, the /)
  await inFolder('components', 'model.npz', '--html', 'page.html', '--title', '<films> & more', ...names)
  const page = readFileSync(join(folder, 'page.html'), 'utf8')
  expect(page).toContain('<h1>&lt;films&gt; &amp; more</h1>')
  expect(page.match(/class="card"/g)).toHaveLength(4)
  expect(page).toContain('Film, the &lt;')
  expect(page).not.toContain('Film, the <')
  expect(page).not.toMatch(/<script|src=|href="http|url\(/)
})

describe('fill', () => {
  test('fill completes tables in their own shape and marks the cells', async () => {
    writeFileSync(join(folder, 'long.csv'), 'note,user,film,stars\na,u1,101,\nb,u2,102,3\nc,nobody,103,\n')
    const { stdout } = await inFolder('fill', 'model.npz', 'long.csv')
    const y = Math.fround(model.predict({ user: 'u1', film: '101' }))
    const [head, filled, ...others] = stdout.trim().split('\n')
    expect([head, ...others]).toEqual([
      'note,user,film,stars,inferred',
      'b,u2,102,3,false',
      'c,nobody,103,,false',
    ])
    expect(filled).toMatch(/^a,u1,101,[\d.]+,true$/)
    expect(filled.split(',')[3]).toBe(String(Number(y.toFixed(2))))

    const asked = ['--query', "SELECT * FROM data WHERE note <> 'b'"]
    const queried = await inFolder('fill', 'model.npz', 'long.csv', ...asked)
    expect(queried.stdout.trim().split('\n')).toEqual([head, filled, others[1]])

    writeFileSync(join(folder, 'wide.csv'), 'day;a;b;c\nmon;1;2;3\ntue;2;;6\nwed;3;6;9\nthu;;8;12,5\n')
    const wide = await inFolder('fill', 'wide.csv', '--modes', 'day', '--melt', 'shop', '--rank', '1')
    const lines = wide.stdout.trim().split('\n')
    expect(lines[0]).toBe('day;a;b;c;inferred')
    expect(lines[2]).toMatch(/^tue;2;[34],\d+;6;"\[""b""\]"$/)
    expect(lines[4]).toMatch(/^thu;[34],\d+;8;12,5;"\[""a""\]"$/)
  })

  test('fill completes slices and arrays and keeps observed values', async () => {
    await inFolder('fill', 'model.npz', '--slice', 'user=u3', '--data', 'train.csv', '-o', 'slice.npy')
    const { shape, data } = decodeNpy(readFileSync(join(folder, 'slice.npy')), 'slice.npy')
    expect(shape).toEqual([model.dims[1]])
    const user = model.lookup.row(0, 'u3')
    const train = await readTensor(join(folder, 'train.csv'), { like: model, value: 'stars' })
    const expected = [...model.slice([user, null]).values]
    train.values.forEach((x, e) => {
      if (train.indices[0][e] === user) expected[train.indices[1][e]] = x
    })
    expect([...data]).toEqual(expected)
    const { stdout } = await inFolder(
      'fill',
      'model.npz',
      '--slice',
      'user=u3',
      '--data',
      'train.csv',
      '--missing-only',
    )
    const missing = model.dims[1] - train.indices[0].filter((row) => row === user).length
    expect(stdout.trim().split('\n')).toHaveLength(missing + 1)
  })
})

test('predict takes one cell, a query, and stdin', async () => {
  const one = await inFolder('predict', 'model.npz', '--at', 'user=u3', 'film=105')
  expect(Math.fround(Number(one.stdout))).toBe(Math.fround(model.predict({ user: 'u3', film: 105 })))
  const some = await inFolder(
    'predict',
    'model.npz',
    'ratings.csv',
    '--query',
    "SELECT user, film FROM data WHERE user = 'u3' LIMIT 2",
  )
  expect(some.stdout.trim().split('\n')).toHaveLength(3)
  const piped = await lacuna(['predict', 'model.npz', '-'], { cwd: folder, input: 'user,film\nu3,105\n' })
  expect(piped.stdout).toBe(`user,film,prediction\nu3,105,${one.stdout}`)
})
