/** Shares of Parquet files are what one process reads: entries, labels, remarks and faults. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Remark } from '#lacuna/base/inputError.js'
import { kindOfShards, readParquetShard } from '#lacuna/io/drive/processes/index.js'
import { type ParquetFile, rowRange } from '#lacuna/io/node/duckdb/parquetRows.js'
import { type ReadTableOptions, readTable } from '#lacuna/io/node/index.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { commonOutcome, entriesOf, runInProcesses } from '../../../communicators.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-parquet-'))
const at = (name: string): string => join(folder, name)
afterAll(() => rmSync(folder, { recursive: true }))

/** 9000 rows in five groups: users come late, some cells are empty, items have numbers and words. */
const ROWS = `SELECT 'user ' || (i * 7919 % 311 + i // 3000 * 100) AS "user", CAST(i * 104729 % 97 AS BIGINT) AS item,
  CAST(DATE '2024-01-01' + CAST(i % 50 AS INTEGER) AS DATE) AS day, i * 1800 + 1700000000 AS seconds,
  CASE WHEN i % 500 = 7 THEN NULL ELSE i % 13 + 0.25 END AS rating,
  CASE WHEN i % 4000 = 3999 THEN 'n/a' ELSE CAST(i % 7 AS VARCHAR) END AS stars,
  CASE WHEN i IN (5000, 8000) THEN -1.5 ELSE 1 END AS below, CASE WHEN i < 8000 THEN '1' ELSE 'x' || i END AS spoilt,
  20240101 + i % 28 AS compact, i AS row, CAST(i AS BIGINT) << 40 AS wide FROM range(9000) t(i)`

beforeAll(async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const write = (rows: string, name: string, group = 2048): Promise<unknown> =>
    connection.run(`COPY (${rows}) TO '${at(name)}' (ROW_GROUP_SIZE ${group})`)
  await write(ROWS, 'a.parquet')
  await write(ROWS, 'one group.parquet', 100_000)
  await write(`SELECT * FROM (${ROWS}) WHERE row < 2500`, 'b1.parquet')
  await write(`SELECT * FROM (${ROWS}) WHERE row >= 2500`, 'b2.parquet')
  await write(`SELECT "user", item, rating FROM (${ROWS})`, 'other.parquet')
  await write(`SELECT 'a' AS "user", 1 AS "1.5", 2 AS "2"`, 'few.parquet')
  await write(`SELECT row AS FILE_ROW_NUMBER, "user", item, rating FROM (${ROWS})`, 'numbered.parquet')
  await write(
    `SELECT DISTINCT ON ("user", item) "user", item, rating FROM (${ROWS}) ORDER BY ALL`,
    'distinct.parquet',
  )
  connection.closeSync()
  instance.closeSync()
})

/** What several processes read and say, and what one does. */
async function both(
  files: readonly string[],
  processes: number,
  options: ReadTableOptions,
): Promise<[many: unknown, one: unknown]> {
  const paths = files.map(at)
  expect(await kindOfShards(paths, options)).toBe('parquet')
  const remarks: [Remark[], Remark[]] = [[], []]
  const noting = (list: Remark[]) => ({ ...options, onRemark: (remark: Remark) => list.push(remark) })
  const shares = commonOutcome(
    await runInProcesses(processes, (communicator) =>
      readParquetShard(communicator, paths, communicator.rank === 0 ? noting(remarks[0]) : options),
    ),
  )
  const one = await readTable(paths, noting(remarks[1])).catch((error) => error.message as string)
  const told = (shares: string | SparseTensor[], remarks: Remark[]): unknown => {
    const said = remarks.map(({ text }) => text)
    if (typeof shares === 'string') return { fault: shares, said }
    // The same in every process.
    const frames = new Set(shares.map(({ indices, values, ...frame }) => JSON.stringify(frame)))
    return { frames: [...frames].map((frame) => JSON.parse(frame)), said, entries: entriesOf(shares) }
  }
  return [told(shares, remarks[0]), told(typeof one === 'string' ? one : [one], remarks[1])]
}

describe('shards of Parquet files', () => {
  const sum = { merge: 'sum' } as const
  const readings: [string, string[], number, ReadTableOptions][] = [
    ['texts and numbers', ['a.parquet'], 3, { modes: ['user', 'item'], value: 'rating', ...sum }],
    [
      'one group of rows',
      ['one group.parquet'],
      4,
      { modes: ['user', 'item'], value: 'rating', merge: 'mean' },
    ],
    [
      'more processes than groups',
      ['b1.parquet'],
      7,
      { modes: ['item', 'user'], value: 'rating', merge: 'last' },
    ],
    ['several files', ['b1.parquet', 'b2.parquet'], 3, { modes: ['user', 'item', 'day'], merge: 'count' }],
    ['times and bins', ['a.parquet'], 2, { modes: ['week(seconds)', 'bins(rating, 2)', 'hour(seconds)'] }],
    ['bins of whole numbers', ['a.parquet'], 2, { modes: ['bins(row, 500)', 'bins(item, 5)'] }],
    ['raw indices', ['a.parquet'], 3, { modes: ['raw:seconds', 'day'], merge: 'count' }],
    ['numbers beyond a double', ['a.parquet'], 3, { modes: ['wide', 'item'], value: 'rating' }],
    ['marks for what is missing', ['a.parquet'], 3, { modes: ['user', 'item'], value: 'stars', ...sum }],
    ['what is guessed', ['distinct.parquet'], 3, {}],
    [
      'wide tables',
      ['a.parquet'],
      2,
      { modes: ['user', 'day'], melt: 'kind=rating,below', ...sum, negative: 'clip' },
    ],
    [
      'wide tables where some read nothing',
      ['few.parquet'],
      3,
      { modes: ['user', 'bins(kind, 1)'], melt: 'kind' },
    ],
    ['entries that do not repeat', ['distinct.parquet'], 3, { modes: ['user', 'item'], value: 'rating' }],
  ]
  it.each(readings)(
    'Parquet shards together are what one process reads: %s',
    async (_, files, processes, options) => {
      const [many, one] = await both(files, processes, options)
      expect(one).toHaveProperty('entries')
      expect(many).toEqual(one)
    },
  )

  it('processes read Parquet shards with the labels of other data, some of them unknown', async () => {
    const like = await readTable(at('b1.parquet'), { modes: ['user', 'item'], merge: 'count' })
    const [many, one] = await both(['a.parquet'], 3, { like, value: 'rating', merge: 'last' })
    expect(one).toMatchObject({ said: expect.arrayContaining([expect.stringMatching(/lacks a label/)]) })
    expect(many).toEqual(one)
  })

  const broken: [string, ReadTableOptions][] = [
    ['repeated rows', { modes: ['user', 'item'], value: 'rating' }],
    ['repeated rows before a negative value', { modes: ['user', 'item'], value: 'below' }],
    ['a negative value', { modes: ['row', 'item'], value: 'below' }],
    ['a value that is no number', { modes: ['row', 'item'], value: 'spoilt' }],
    ['an index that is none', { modes: ['raw:item', 'day'], merge: 'count' }],
    ['a mode that is no index', { modes: ['raw:user', 'day'], merge: 'count' }],
    ['dates that look like numbers', { modes: ['week(compact)', 'item'], merge: 'count' }],
    ['sizes that are too small', { modes: ['raw:row', 'item'], dims: [10, 97], merge: 'count' }],
  ]
  it.each(broken)(
    'Parquet shards are refused for %s with the sentence of one process',
    async (_, options) => {
      const [many, one] = await both(['a.parquet'], 3, options)
      expect(one).toHaveProperty('fault')
      expect(many).toEqual(one)
    },
  )

  it('Parquet files are not read in shards where SQL chooses or computes rows, or rows cannot be counted', async () => {
    const plain = { modes: ['user', 'item'], value: 'rating' }
    const kind = (files: string[], options: ReadTableOptions): Promise<string> =>
      kindOfShards(files.map(at), options)
    expect(await kind(['a.parquet', 'b1.parquet'], plain)).toBe('parquet')
    expect(await kind(['a.parquet'], { query: 'SELECT * FROM data LIMIT 9' })).toBe('')
    expect(await kind(['a.parquet'], { modes: ['user', 'row_number() OVER ()'] })).toBe('')
    expect(await kind(['a.parquet'], { modes: ['user', 'item'], value: 'rating * 2' })).toBe('')
    expect(await kind(['a.parquet', 'other.parquet'], plain)).toBe('')
    expect(await kind(['numbered.parquet'], plain)).toBe('')
    expect(await kind(['not there.parquet'], plain)).toBe('')
    expect(await kind(['a.parquet'], { modes: ['user', 'items'] })).toBe('')
  })

  it('Parquet shards have every row once, in order, as evenly as row groups allow', () => {
    for (const groups of [[100_000], [5000, 5000, 1, 90_000], new Array(50).fill(2048), [10], [0, 3, 0]])
      for (const shares of [1, 2, 3, 16]) {
        const files: ParquetFile[] = [
          { file: 'a', groups },
          { file: 'b', groups: [7] },
        ]
        const total = groups.reduce((sum, rows) => sum + rows, 7)
        const ranges = Array.from({ length: shares }, (_, k) => rowRange(files, k, shares, 1))
        const ends: Record<string, number> = { a: 0, b: 0 }
        let before = 0
        for (const range of ranges) {
          expect(range.before).toBe(before)
          for (const { file, from, to } of range.files) {
            expect(from).toBe(ends[file])
            ends[file] = to
            before += to - from
          }
        }
        expect(ends).toEqual({ a: total - 7, b: 7 })
        const sizes = ranges.map((range) => range.files.reduce((sum, { from, to }) => sum + to - from, 0))
        const room = Math.max(2 * 2048, total / shares / 2)
        expect(Math.max(...sizes) - total / shares).toBeLessThanOrEqual(room)
      }
  })
})
