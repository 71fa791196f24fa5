/** SQL is run only from the command line, never from the contents of a file. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeModel, encodeNpz } from '#lacuna/io/index.js'
import { openSession } from '#lacuna/io/node/duckdb/session.js'
import { readTable } from '#lacuna/io/node/index.js'
import { CpModel } from '#lacuna/model/index.js'
import { rejection } from '../lacuna/io/pieces.ts'
import { lacuna } from './lacuna.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-trust-'))
afterAll(() => rmSync(cwd, { recursive: true }))
const file = (name: string) => join(cwd, name)
const run = (...args: string[]) => lacuna(args, { cwd })

const PRECIOUS = 'not to be touched'
/** SQL that would write a file, at each place where a type or a name has been pasted. */
const write = `COPY (SELECT 'gotcha') TO '${file('precious')}'`
const injections = [
  `VARCHAR); ${write}; --`,
  `VARCHAR) FROM entries) TO '${file('precious')}' (FORMAT csv); --`,
  `"; ${write}; --`,
  `INTEGER) AS x FROM (${write}) --`,
]

/** Text of a .tns file whose first mode has a type. */
const tnsWithType = (type: string) =>
  `# lacuna ${JSON.stringify({ dims: [2, 2], modes: [{ name: 'a', type }, { name: 'b' }] })}\n` +
  '# lacuna {"mode":1,"labels":["1","2"]}\n1 1 1\n2 2 2\n'

/** Bytes of a model file whose first mode has a name. */
const modelWithMode = (name: string, more: object = {}) =>
  encodeModel(
    new CpModel({
      dims: [2, 2],
      rank: 1,
      factors: [Float32Array.of(1, 2), Float32Array.of(1, 2)],
      modes: [{ name, ...more }, { name: 'b' }],
    }),
  )

beforeAll(() => {
  writeFileSync(file('precious'), PRECIOUS)
  writeFileSync(file('q.csv'), 'a,b\n1,1\n2,2\n')
  writeFileSync(file('secret.csv'), 'a,b\n1,1\n')
})

/** Expects that the precious file has not changed. */
const expectUntouched = () => expect(readFileSync(file('precious'), 'utf8')).toBe(PRECIOUS)

describe('a file runs no SQL', () => {
  it.each(injections)('a .tns file runs no SQL by the type of a mode: %s', async (type) => {
    writeFileSync(file('evil.tns'), tnsWithType(type))
    for (const args of [
      ['convert', 'evil.tns', 'out.parquet'],
      ['split', 'evil.tns', '--test', '0.5', '--format', 'parquet', '-o', 'part'],
      ['info', 'evil.tns'],
    ]) {
      const { code, stderr } = await run(...args)
      expect(code, stderr).toBe(2)
      expect(stderr).toMatch(/^lacuna: evil\.tns, line 1: the comment of Lacuna's cannot be read; .*\n$/)
    }
    expectUntouched()
    expect(readdirSync(cwd).filter((name) => /out|part/.test(name))).toEqual([])
  })

  it.each(injections)('an .npz file runs no SQL by the type of a mode: %s', async (type) => {
    const about = { format: 'lacuna-tensor', version: 1, dims: [2, 2], labels: [['1', '2'], null] }
    writeFileSync(
      file('evil.npz'),
      encodeNpz({
        'coords.npy': { shape: [2, 1], data: Uint32Array.of(0, 0) },
        'data.npy': { shape: [1], data: Float32Array.of(1) },
        'shape.npy': { shape: [2], data: BigInt64Array.of(2n, 2n) },
        'metadata.json': new TextEncoder().encode(
          JSON.stringify({ ...about, modes: [{ name: 'a', type }, { name: 'b' }] }),
        ),
      }),
    )
    const { code, stderr } = await run('convert', 'evil.npz', 'out.parquet')
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the modes in metadata.json'),
    })
    expectUntouched()
  })

  it('a file runs no SQL by the name of a mode, which becomes the name of a column', async () => {
    const names = [`a"; ${write}; --`, "a', 'b", "a\") TO 'x' --"]
    const content = JSON.stringify({ dims: [1, 1, 1], modes: names.map((name) => ({ name })), value: '"v' })
    writeFileSync(file('names.tns'), `# lacuna ${content}\n1 1 1 5\n`)
    expect(await run('convert', 'names.tns', 'names.parquet', '-q')).toMatchObject({ code: 0 })
    const session = await openSession('test')
    const columns = await session.columns(`SELECT * FROM read_parquet('${file('names.parquet')}')`)
    session.close()
    expect(columns.map(({ name }) => name)).toEqual([...names, '"v'])
    expectUntouched()
  })

  it.each([
    [`(SELECT count(*) FROM read_text('${file('secret.csv')}'))`],
    [`(${write})`],
    ["getenv('HOME')"],
    ["a || (SELECT content FROM read_text('/etc/passwd'))"],
    [`(SELECT 1 FROM 'https://example.org/x.parquet')`],
    ["week(a) || 'x'"],
    ['a + 1'],
    ['user'],
  ])('a model file runs no SQL by the name of a mode: %s', async (name) => {
    writeFileSync(file('evil.npz'), modelWithMode(name))
    const { code, stdout, stderr } = await run('predict', 'evil.npz', 'q.csv')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^lacuna: q\.csv: there is no column ".*--modes how each mode is made of it\.\n$/)
    expectUntouched()
    // A column of that name is taken as it is.
    writeFileSync(file('named.csv'), `"${name.replaceAll('"', '""')}",b\n1,1\n2,2\n`)
    const named = await run('predict', 'evil.npz', 'named.csv')
    expect(
      named.stdout
        .trim()
        .split('\n')
        .map((line) => line.split(',').at(-1)),
    ).toEqual(['prediction', '1', '4'])
    expectUntouched()
  })

  it.each([
    { column: 'a', binning: `week(a); ${write}` },
    { column: 'a', binning: '__proto__' },
    { column: 'a', binning: 'bins', argument: '1); DROP TABLE x' },
    { column: 'a', binning: 'bins', argument: null },
    { column: 5 },
    'week(a)',
    { column: 'a', dates: [1] },
  ])('a model file runs no SQL by the origin of a mode: %j', async (from) => {
    writeFileSync(file('evil.npz'), modelWithMode('m', { from }))
    const { code, stderr } = await run('predict', 'evil.npz', 'q.csv')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^lacuna: evil\.npz: the modes in metadata\.json cannot be read; .*\n$/),
    })
    expectUntouched()
  })

  it('a model trained with SQL does not run it again: the user types it again, or gives the column', async () => {
    writeFileSync(file('t.csv'), 'a,b,v\nx,1,1\ny,2,4\nx,2,2\n')
    const trained = ['complete', 't.csv', '--modes', 'a || a AS twice', 'b', '--value', 'v', '--rank', '1']
    expect(await run(...trained, '-q', '-o', 'sql.npz')).toMatchObject({ code: 0 })
    const refused = await run('predict', 'sql.npz', 't.csv')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('there is no column "twice"')
    const typed = await run('predict', 'sql.npz', 't.csv', '--modes', 'a || a', 'b')
    expect(typed.stdout.split('\n').slice(0, 3)).toEqual([
      'a,b,v,prediction',
      expect.stringMatching(/^x,1,1,(1|0\.9|1\.0)/),
      expect.stringMatching(/^y,2,4,(4|3\.9|4\.0)/),
    ])
    const json = await run('predict', 'sql.npz', 't.csv', '--modes', 'a || a', 'b', '--json', '-q')
    expect(Object.keys(JSON.parse(json.stdout.split('\n')[0]))).toEqual(['a', 'b', 'v', 'prediction'])
    writeFileSync(file('have.csv'), 'twice,b\nxx,1\n')
    expect((await run('predict', 'sql.npz', 'have.csv')).code).toBe(0)
  })
})

describe('what the user types', () => {
  it.each([
    "SELECT * FROM data, read_text('/etc/pass' || 'wd')",
    "SELECT * FROM data, glob('/etc/' || '*')",
    `SELECT 1 AS a, 2 AS b); ${write}; SELECT * FROM (SELECT 1`,
    'SELECT * FROM data); INSTALL httpfs; SELECT * FROM (SELECT 1',
    'SELECT * FROM data); SET enable_external_access = true; SELECT * FROM (SELECT 1',
    "SELECT * FROM data); ATTACH 'new.db'; SELECT * FROM (SELECT 1",
  ])('a query reaches only the files that it names: %s', async (query) => {
    const before = readdirSync(cwd).sort()
    const error = await rejection(readTable(file('q.csv'), { query, modes: ['a', 'b'] }))
    expect(error.name).toBe('InputError')
    expectUntouched()
    expect(readdirSync(cwd).sort()).toEqual(before)
  })

  it('a query may name further files, and patterns of them', async () => {
    mkdirSync(file('parts'))
    for (const part of [1, 2]) writeFileSync(file(`parts/${part}.csv`), `b,c\n${part},c${part}\n`)
    const options = { modes: ['a', 'c'], merge: 'count' } as const
    for (const files of [
      `'${file('parts')}/*.csv'`,
      `read_csv(['${file('parts/1.csv')}', '${file('parts/2.csv')}'])`,
    ]) {
      const query = `SELECT a, c FROM data JOIN ${files} USING (b)`
      expect((await readTable(file('q.csv'), { ...options, query })).labels).toEqual([
        ['1', '2'],
        ['c1', 'c2'],
      ])
    }
  })

  it.each([
    ['user', 'b'],
    ['a', 'current_date'],
    ['a', 'lower(user)'],
    ['a', 'b || current_user'],
    ['a', '42'],
    ['a', "'x'"],
    ['a', 'week(user)'],
    ['a', 'bins(session_user, 5)'],
  ])('modes must be made of columns that exist: %s %s', async (...modes) => {
    const error = await rejection(readTable(file('q.csv'), { modes }))
    expect(error.message).toMatch(
      /there is no column "\w+"; the columns are a, b\.|names no column; the columns are a, b\./,
    )
    // Where there is a column of that name it is that column, though SQL has a meaning for it.
    writeFileSync(file('words.csv'), 'user,current_date\nann,7\nbo,8\n')
    const { labels } = await readTable(file('words.csv'), { modes: ['lower(user)', 'current_date + 1'] })
    expect(labels).toEqual([
      ['ann', 'bo'],
      ['8', '9'],
    ])
  })

  it('no extension of DuckDB is loaded except for a database that needs it', async () => {
    const session = await openSession('test')
    const settings = [
      'autoinstall_known_extensions',
      'autoload_known_extensions',
      'allow_community_extensions',
    ]
    for (const setting of settings)
      expect(await session.rows(`SELECT current_setting('${setting}')`), setting).toEqual([[false]])
    await session.lock({ paths: [] })
    for (const sql of [
      'LOAD httpfs',
      'INSTALL httpfs',
      `SET ${settings[1]} = true`,
      `SELECT * FROM '${file('q.csv')}'`,
    ])
      expect((await rejection(session.run(sql))).name, sql).toBe('InputError')
    session.close()
  })
})

it('key=value in the names of folders is not read as columns', async () => {
  mkdirSync(file('rating=99/user=eve'), { recursive: true })
  const session = await openSession('test')
  const path = file('rating=99/user=eve/r.parquet')
  await session.run(
    `COPY (SELECT * FROM (VALUES ('ann', 1, 4.5), ('bo', 2, 3.0)) AS t("user", item, rating)) TO '${path}'`,
  )
  session.close()
  for (const [name, content] of [
    ['r.csv', 'user,item,rating\nann,1,4.5\nbo,2,3\n'],
    ['r.json', '[{"user":"ann","item":1,"rating":4.5},{"user":"bo","item":2,"rating":3}]'],
  ])
    writeFileSync(file(`rating=99/user=eve/${name}`), content)
  for (const name of ['r.parquet', 'r.csv', 'r.json'])
    for (const query of [undefined, 'SELECT * FROM data']) {
      const options = { modes: ['user', 'item'], value: 'rating', ...(query && { query }) }
      const { values, labels } = await readTable(file(`rating=99/user=eve/${name}`), options)
      expect({ values: [...values], users: labels?.[0] }, name).toEqual({
        values: [4.5, 3],
        users: ['ann', 'bo'],
      })
    }
})

it('labels and names are printed with control characters escaped', async () => {
  const red = '\u001b[31mred\u0007\u009b2J\u202eright\nsecond line'
  const shown = String.raw`\x1b[31mred\x07\x9b2J\u202eright\nsecond line`
  const content = { dims: [1, 2], modes: [{ name: red }, { name: 'b' }] }
  const labels = { mode: 1, labels: [red] }
  writeFileSync(
    file('red.tns'),
    `# lacuna ${JSON.stringify(content)}\n# lacuna ${JSON.stringify(labels)}\n1 1 1\n1 2 1\n`,
  )
  const told = await run('info', 'red.tns')
  expect(told.stdout).toContain(`1  ${shown}  1 labels: ${shown} … ${shown}`)
  const json = await run('info', 'red.tns', '--json')
  expect(JSON.parse(json.stdout).modes[0].name).toBe(red)
  writeFileSync(file('red.csv'), `a,b,v\n"${red}",1,1\n"${red}",1,2\n`)
  const refused = await run('info', 'red.csv', '--modes', 'a', 'b', '--value', 'v')
  expect(refused.stderr).toContain(`at a = ${shown}, b = 1: there are several values`)
  expect(await run('complete', 'red.tns', '--rank', '1', '--epochs', '1', '-o', 'red.npz')).toMatchObject({
    code: 0,
  })
  const model = await run('info', 'red.npz')
  expect(model.stdout).toContain(shown)
  writeFileSync(file('bad.csv'), `a,b,v\n1,2,"${red}"\n`)
  const value = await run('info', 'bad.csv', '--modes', 'a', 'b', '--value', 'v')
  expect(value.stderr).toContain(`"${shown}`.slice(0, 20))
  for (const { stdout, stderr } of [told, json, refused, model, value]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(stdout + stderr).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/)
    expect(stderr.split('\n').filter(Boolean).length).toBeLessThanOrEqual(3)
  }
})

it('the commands leave no temporary files in the folder', () => {
  expect(existsSync(file('.tmp'))).toBe(false)
  expect(readdirSync(cwd).filter((name) => name.startsWith('.'))).toEqual([])
})
