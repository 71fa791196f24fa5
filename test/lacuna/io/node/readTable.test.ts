import { mkdirSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { openSession } from '#lacuna/io/node/duckdb/session.js'
import { type ReadTableOptions, readTable, readTensor } from '#lacuna/io/node/index.js'
import { checkProperty } from '../../../properties.ts'
import { rejection } from '../pieces.ts'
import { at, entries, modes, RATINGS, write } from '../tables.ts'

describe('labels', () => {
  test('labels are the distinct values in their natural order, as text', async () => {
    const tensor = await readTable(write('ratings.csv', RATINGS), { modes, value: 'rating' })
    expect(tensor).toMatchObject({
      dims: [2, 2, 2],
      labels: [
        ['ann', 'bo'],
        ['9', '10'],
        ['2020-01-06', '2020-01-13'],
      ],
      modes: [
        { name: 'user', type: 'VARCHAR' },
        { name: 'film', type: 'BIGINT' },
        { name: 'week(at)', type: 'DATE', from: { column: 'at', binning: 'week' } },
      ],
    })
    expect(entries(tensor)).toEqual(['bo 10 2020-01-06 4', 'ann 9 2020-01-06 3.5', 'ann 10 2020-01-13 1'])
  })

  test('labels sort text by code point, and times, decimals and truth values by value', async () => {
    const path = write(
      'a.csv',
      't,d,b,s\n2021-02-03 04:05:06,10.5,true,😀\n2020-01-01 00:00:00,9.25,false,\uFF5E\n2020-01-01 00:00:00,-1,true,Z\n',
    )
    const { labels } = await readTable(path, { modes: ['t', 'd', 'b', 's', 'CAST(d AS DECIMAL(6,2))'] })
    expect(labels).toEqual([
      ['2020-01-01 00:00:00', '2021-02-03 04:05:06'],
      ['-1.0', '9.25', '10.5'],
      ['false', 'true'],
      ['Z', '\uFF5E', '😀'],
      ['-1.00', '9.25', '10.50'],
    ])
  })

  test('labels distinguish whole numbers beyond the precision of a double', async () => {
    const path = write(
      'a.csv',
      'tweet,n,by\n9007199254740993,1,-9007199254740993\n9007199254740992,2,0\n9007199254740993,3,0\n',
    )
    const { labels, dims } = await readTable(path, { modes: ['tweet', 'n', 'by', "'x' || n"] })
    expect({ dims, labels }).toEqual({
      dims: [2, 3, 2, 3],
      labels: [
        ['9007199254740992', '9007199254740993'],
        ['1', '2', '3'],
        ['-9007199254740993', '0'],
        ['x1', 'x2', 'x3'],
      ],
    })
  })

  test('labels hold any text, and the entries are those of the rows, merged', async () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
      .filter((s) => !/[\0\r]/.test(s) && s.trim() !== '')
    const odd = fc.constantFrom('a,b', '"', 'two\nlines', "it's", '::', 'é', ' x', '1e5', '\t|')
    const row = fc.record({
      who: fc.oneof(text, odd),
      n: fc.integer({ min: -1e9, max: 1e9 }),
      v: fc.integer({ min: 0, max: 1000 }),
    })
    const quote = (field: unknown) => `"${String(field).replaceAll('"', '""')}"`
    await checkProperty(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
        const lines = rows.map(({ who, n, v }) => `${quote(who)},${n % 7},${v}\n`)
        const path = write('fuzz.csv', `who,n,v\nno number,0,0\n${lines.join('')}`)
        const tensor = await readTable(path, {
          modes: ['CAST(who AS VARCHAR)', 'n'],
          value: 'v',
          merge: 'sum',
        })
        const sums = new Map([['no number 0', 0]])
        for (const { who, n, v } of rows) {
          const key = `${who} ${n % 7 || 0}`
          sums.set(key, (sums.get(key) ?? 0) + v)
        }
        expect(entries(tensor).sort()).toEqual(Array.from(sums, ([key, sum]) => `${key} ${sum}`).sort())
        const labels = [...new Set(['no number', ...rows.map(({ who }) => who)])].sort((a, b) =>
          Buffer.compare(Buffer.from(a), Buffer.from(b)),
        )
        expect(tensor.labels?.[0]).toEqual(labels)
      }),
      { seed: 1, numRuns: 20 },
    )
  })
})

describe('indices as they are', () => {
  const path = write('raw.csv', 'user,film,name,v\n3,7,x,1\n1,2,y,2\n')

  test('raw indices count from 1, without labels; modes that are no whole numbers are coded', async () => {
    const tensor = await readTable(path, { modes: ['user', 'film', 'name'], value: 'v', index: 'raw' })
    expect(tensor.dims).toEqual([3, 7, 2])
    expect(tensor.labels).toEqual([undefined, undefined, ['x', 'y']])
    expect(entries(tensor)).toEqual(['3 7 x 1', '1 2 y 2'])
  })

  test('raw or coded is chosen mode by mode', async () => {
    const options = { value: 'v', index: 'coded' } as const
    expect((await readTable(path, { ...options, modes: ['raw:user', 'film'] })).labels).toEqual([
      undefined,
      ['2', '7'],
    ])
    expect(
      (await readTable(path, { ...options, index: 'raw', modes: ['user', 'coded:film'] })).labels,
    ).toEqual([undefined, ['2', '7']])
  })

  test.each([
    ['user - 1', 'write "user - 1 + 1"'],
    ['user - 9', "index: 'coded'"],
    ['CAST(user AS BIGINT) * 10000000000', "index: 'coded'"],
    ['raw:user / 2', 'its type is DOUBLE'],
    ['raw:name', 'its type is VARCHAR'],
  ])('the mode %s is refused as a raw index', async (mode, message) => {
    const error = await rejection(readTable(path, { modes: [mode, 'film'], value: 'v', index: 'raw' }))
    expect(error.message).toContain(message)
  })
})

describe('rows of the same coordinates', () => {
  const path = write('same.csv', 'a,b,v\n1,1,2\n2,1,5\n1,1,4\n1,1,9\n')
  const read = (options: ReadTableOptions) => readTable(path, { modes: ['a', 'b'], ...options }).then(entries)

  test('rows of equal coordinates are merged by the policy, or counted if there is no value', async () => {
    expect(await read({ value: 'v', merge: 'sum' })).toEqual(['1 1 15', '2 1 5'])
    expect(await read({ value: 'v', merge: 'mean' })).toEqual(['1 1 5', '2 1 5'])
    expect(await read({ value: 'v', merge: 'last' })).toEqual(['1 1 9', '2 1 5'])
    expect(await read({ value: 'v', merge: 'count' })).toEqual(['1 1 3', '2 1 1'])
    expect(await read({})).toEqual(['1 1 3', '2 1 1'])
  })

  test('rows of equal coordinates are an error with their number and the first of them', async () => {
    const { message } = await rejection(read({ value: 'v' }))
    expect(message).toContain('same.csv, line 4, at a = 1, b = 1')
    expect(message).toContain('2 rows repeat')
    expect(message).toContain("merge: 'sum', 'mean', 'last' or 'count'")
    expect((await rejection(read({ merge: 'mean' }))).message).toContain('column of values with value')
  })
})

describe('what is left out', () => {
  test('rows without a mode or a value are left out, and their number is reported', async () => {
    const path = write('holes.csv', 'a,b,v\n1,x,2\n,x,3\n2,,4\n2,y,\n2,z,6\n')
    const remarks: string[] = []
    const tensor = await readTable(path, {
      modes: ['a', 'b'],
      value: 'v',
      onRemark: ({ text }) => remarks.push(text),
    })
    expect(entries(tensor)).toEqual(['1 x 2', '2 z 6'])
    expect(tensor.labels).toEqual([
      ['1', '2'],
      ['x', 'z'],
    ])
    expect(remarks).toEqual([expect.stringContaining('3 rows are left out')])
  })

  test('rows with labels that the training data lacks are left out where its labels are used', async () => {
    const train = await readTable(write('train.csv', RATINGS), { modes, value: 'rating' })
    const remarks: string[] = []
    const held = write(
      'held.csv',
      'rating,at,film,user\n2,2020-01-08,9.0,bo\n5,2020-01-08,11,bo\n3,2020-01-13,9,\n4,2020-01-13,10,eve\n',
    )
    const test = await readTable(held, {
      value: 'rating',
      like: train,
      onRemark: ({ text }) => remarks.push(text),
    })
    expect(test).toMatchObject({ dims: train.dims, labels: train.labels, modes: train.modes })
    expect(entries(test)).toEqual(['bo 9 2020-01-06 2'])
    expect(remarks).toContainEqual(
      expect.stringContaining('2 rows are left out, since the training data lacks'),
    )
    expect(remarks).toContainEqual(expect.stringContaining('one row is left out, since a mode'))
  })
})

describe('formats', () => {
  let expected: string[]
  beforeAll(async () => {
    expected = entries(await readTensor(write('f.csv', RATINGS), { modes, value: 'rating' }))
    const session = await openSession('test')
    for (const name of ['f.parquet', 'f.csv.zst', 'f.json', 'f.jsonl.gz'])
      await session.run(`COPY (SELECT * FROM read_csv('${at('f.csv')}')) TO '${at(name)}'`)
    session.close()
    write('f.tsv', RATINGS.replaceAll(',', '\t'))
    write('f.dat', RATINGS.replaceAll(',', '::'))
    write('f.txt', RATINGS.replaceAll(',', ';'))
    write('f.data', RATINGS.replaceAll(',', '|').replaceAll('\n', '\r\n'))
    write('f.csv.gz', gzipSync(RATINGS))
    write('bom.csv', `\uFEFF${RATINGS}`)
  })

  test.each([
    'f.parquet',
    'f.csv.zst',
    'f.json',
    'f.jsonl.gz',
    'f.tsv',
    'f.dat',
    'f.txt',
    'f.data',
    'f.csv.gz',
    'bom.csv',
  ])('the table %s holds the same tensor as in every other format', async (name) => {
    expect(entries(await readTensor(at(name), { modes, value: 'rating' }))).toEqual(expected)
  })

  test('a first line with a number is no header, and no row is lost', async () => {
    const path = write('u.data', '1\t2\t3.5\t97000\n2\t3\t4\t98000\n')
    expect(entries(await readTable(path, { modes: ['column0', 'column1'], value: 'column2' }))).toEqual([
      '1 2 3.5',
      '2 3 4',
    ])
  })

  test('several files of the same columns are one table, in their order', async () => {
    const paths = [write('one.csv', 'a,b,v\n1,1,1\n2,2,2\n'), write('two.csv', 'a,b,v\n2,2,0.5\n3,1,3\n')]
    const tensor = await readTable(paths, { modes: ['a', 'b'], value: 'v', merge: 'last' })
    expect(entries(tensor)).toEqual(['1 1 1', '2 2 0.5', '3 1 3'])
  })
})

test('a decimal comma is one in numbers alone: a mode of texts keeps its commas, also when looked up', async () => {
  const rows = ['size;note;v', '1,5;1,5;2,5', ',5;x;1', '2,;1.5;3,5']
  const tensor = await readTable(write('commas.csv', rows.join('\n')), {
    modes: ['size', 'note'],
    value: 'v',
    decimal: ',',
  })
  expect(tensor.labels).toEqual([
    ['0.5', '1.5', '2.0'],
    ['1,5', '1.5', 'x'],
  ])
  const again = await readTable(at('commas.csv'), { value: 'v', decimal: ',', like: tensor })
  expect(entries(again)).toEqual(entries(tensor))
})

describe('which row or file comes first does not matter', () => {
  const labelsOf = async (files: string[]) =>
    (await readTable(files, { modes: ['code', 'item'], value: 'v' })).labels

  test('for labels in quotes beside others without', async () => {
    const [quoted, plain] = ['"1.0",a,1', '2.50,b,2']
    const one = write('quoted-first.csv', ['code,item,v', quoted, plain].join('\n'))
    const other = write('quoted-last.csv', ['code,item,v', plain, quoted].join('\n'))
    expect(await labelsOf([one])).toEqual([
      ['1.0', '2.5'],
      ['a', 'b'],
    ])
    expect(await labelsOf([other])).toEqual(await labelsOf([one]))
    const files = [quoted, plain].map((row, f) => write(`quotes-${f}.csv`, `code,item,v\n${row}\n`))
    const empty = write('quotes-none.csv', 'code,item,v\n')
    expect(await labelsOf(files)).toEqual(await labelsOf([one]))
    expect(await labelsOf([empty, ...files.reverse()])).toEqual(await labelsOf([one]))
  })

  test('for JSON in which a label is a string in one row and a number in another', async () => {
    const rows = ['{"code":"2.50","item":"a","v":1}', '{"code":2,"item":"b","v":2}']
    const files = rows.map((row, f) => write(`string-${f}.json`, `[${row}]`))
    const expected = await labelsOf([write('strings.ndjson', rows.join('\n'))])
    expect(expected?.[0]).toEqual(['2', '2.50'])
    expect(await labelsOf([write('numbers.ndjson', rows.toReversed().join('\n'))])).toEqual(expected)
    expect(await labelsOf(files)).toEqual(expected)
    expect(await labelsOf(files.toReversed())).toEqual(expected)
  })
})

describe('SQL', () => {
  const all = { query: 'SELECT * FROM data', modes: ['t', 'u'], value: 'v' }

  test('a query has times with zones in UTC', async () => {
    const path = write('zones.csv', 't,u,v\n2024-01-01 00:00:00+02:00,a,1\n2024-01-01T12:30:00Z,a,2\n')
    expect(entries(await readTable(path, all))).toEqual([
      '2023-12-31 22:00:00 a 1',
      '2024-01-01 12:30:00 a 2',
    ])
  })

  test('a query refuses a time below dates whose time of day it would drop', async () => {
    const [dates, time] = ['2024-01-01,a,1', '2024-01-02 12:30:00,a,2'].map((row, f) =>
      write(`dates-${f}.csv`, `t,u,v\n${row}\n`),
    )
    await expect(readTable([dates, time], all)).rejects.toThrow('column "t" holds "2024-01-02 12:30:00"')
  })

  test('a query sees the last line of a file without a newline, and strings of JSON without quotes', async () => {
    const last = write('last.csv', 't,u,v\n2024-01-01,a,1\n2024-01-02 12:30:00,a,2')
    expect((await readTable(last, all)).labels?.[0]).toEqual(['2024-01-01 00:00:00', '2024-01-02 12:30:00'])
    const json = write('strings-or-not.ndjson', '{"t":"x y","u":"a","v":1}\n{"t":2,"u":"a","v":2}\n')
    expect((await readTable(json, all)).labels?.[0]).toEqual(['2', 'x y'])
  })

  test('a query sees the files as the table data', async () => {
    const query = 'SELECT user, film, rating * 2 AS twice FROM data WHERE rating > 1;'
    const tensor = await readTable(write('q.csv', RATINGS), {
      query,
      modes: ['user', 'film'],
      value: 'twice',
    })
    expect(entries(tensor)).toEqual(['bo 10 8', 'ann 9 7'])
    expect(
      entries(await readTable([], { query: 'SELECT 1 AS a, 2 AS b, 3 AS v', modes: ['a', 'b'], value: 'v' })),
    ).toEqual(['1 2 3'])
  })

  test('tables of a database are read by name or by query, and the file is left as it is', async () => {
    const database = at('shop.duckdb')
    const session = await openSession('test')
    await session.run(`ATTACH '${database}' AS shop`)
    await session.run(
      `CREATE TABLE shop.sales AS SELECT * FROM (VALUES ('ann', 'tea', 3), ('bo', 'tea', 1)) AS t(who, what, n)`,
    )
    session.close()
    const options = { database, modes: ['who', 'what'], value: 'n' }
    expect(entries(await readTable('sales', options))).toEqual(['ann tea 3', 'bo tea 1'])
    const query = 'SELECT who, what, n + 1 AS n FROM sales'
    expect(entries(await readTable([], { ...options, query }))).toEqual(['ann tea 4', 'bo tea 2'])
    expect((await rejection(readTable('sale', options))).message).toContain('the tables are sales')
    expect((await rejection(readTable([], { ...options, query: 'DROP TABLE sales' }))).message).toContain(
      'shop.duckdb',
    )
    expect((await rejection(readTable('x', { ...options, database: at('none.duckdb') }))).message).toContain(
      'no such file',
    )
  })
})

test('values that are negative or too large for a float32 are reported with their labels', async () => {
  const read = (value: string, options: ReadTableOptions = {}) =>
    readTable(write('v.csv', `a,b,v\n1,x,1.5\n2,y,${value}\n`), { modes: ['a', 'b'], value: 'v', ...options })
  expect((await rejection(read('-1'))).message).toMatch(
    /v\.csv, line 3, at a = 2, b = y: the value -1 is negative/,
  )
  expect(entries(await read('-1', { negative: 'clip' }))[1]).toBe('2 y 0')
  expect((await rejection(read('1e39'))).message).toContain('too large for a float32')
  expect((await rejection(read('inf'))).message).toContain('finite')
  expect((await rejection(read('nan'))).message).toContain('finite')
})

test('special characters in the names of files are no patterns', async () => {
  write('part1.csv', 'a,b,v\n9,9,9\n')
  for (const name of ['part[1].csv', 'part*.csv', "part'?.csv"]) {
    const path = write(name, 'a,b,v\n1,2,3\n')
    expect(entries(await readTable(path, { modes: ['a', 'b'], value: 'v' })), name).toEqual(['1 2 3'])
  }
})

test('a folder whose name ends like a table is refused', async () => {
  mkdirSync(at('folder.csv'))
  expect((await rejection(readTable(at('folder.csv')))).message).toContain('this is a folder')
})
