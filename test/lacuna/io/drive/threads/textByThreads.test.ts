import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ReadingPool, startReading } from '#lacuna/io/drive/threads/pool.js'
import { textThreads } from '#lacuna/io/drive/threads/textThreads.js'
import {
  planRows,
  type ReadPlan,
  type ReadRowsOptions,
  readPlanned,
  textTable,
} from '#lacuna/io/table/index.js'
import { checkProperty } from '../../../../properties.ts'
import { bits, pieces } from '../../pieces.ts'

let folder: string
let pool: ReadingPool
let path: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lacuna-threads-'))
  path = join(folder, 'a.csv')
  pool = startReading(3)
})
afterAll(async () => {
  await pool.close()
  rmSync(folder, { recursive: true })
})

/** The tensor and the remarks, or what was said instead; and whether threads have read the rows. */
async function read(
  content: string | Uint8Array | readonly string[],
  options: ReadRowsOptions,
  byThreads: boolean,
) {
  let isByThreads = false
  const remarks: string[] = []
  const contents = typeof content === 'string' || content instanceof Uint8Array ? [content] : content
  const files = contents.map((content, f) => ({
    ...{ content, name: `${f === 0 ? 'a' : f}.csv`, path: f === 0 ? path : `${path}.${f}` },
    open: () => pieces(content),
  }))
  try {
    for (const { path, content } of files) writeFileSync(path, content)
    const table = await textTable(files)
    const threads = textThreads(files, table, table.dialect, () => ({ ...pool, close: async () => {} }))
    const encodeRows = async (plan: ReadPlan) => {
      const found = await threads.encodeRows?.(plan)
      isByThreads = found !== undefined
      return found
    }
    try {
      const plan = await planRows(byThreads ? threads.table : table, {
        ...options,
        onRemark: ({ sentence }) => remarks.push(JSON.stringify(sentence)),
      })
      const tensor = await readPlanned(plan, byThreads ? { ...threads, encodeRows } : undefined)
      const { indices, values, weights, ...names } = tensor
      const entries = { indices: indices.map((column) => [...column]), values: bits(values) }
      const found = { ...names, ...entries, weights: weights && bits(weights), remarks }
      return { found, isByThreads }
    } finally {
      await threads.close()
    }
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'InputError') throw error
    return { found: { message: error.message, remarks }, isByThreads }
  }
}

const name = fc.constantFrom(
  'ann',
  'bob',
  'é',
  '',
  ' x ',
  '007',
  '7',
  '"a,b"',
  '"say ""yes"""',
  '"two\nlines"',
  '""',
)
const number = fc.oneof(
  fc.nat(30).map(String),
  fc.constantFrom('1', '12', '1234567', '99999999', '-3', '1.5', ''),
)
const value = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 10 }).map((x) => String(x / 2)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('NA', '', '1e-3', ' 2 ', '0.123456789012345678', '-0', '+4', '"3"'),
  },
)
const time = fc.oneof(
  fc.integer({ min: 946_684_800, max: 1_000_000_000 }).map(String),
  fc.constantFrom('2001-02-03', '2001-02-03 04:05:06', '1e9', '', '-'),
)
const row = fc.tuple(name, number, value, time).map((fields) => fields.join(','))
const odd = fc.constantFrom(
  '',
  '\r',
  'a,b',
  'x,1,nan,5',
  'x,1,2,never',
  '"open',
  'x,"1"2,3,4',
  '\xff,1,1,1',
  'x,1,1e99,5',
)
const lines = (oddness: number): fc.Arbitrary<string> =>
  fc
    .array(
      fc.tuple(
        fc.oneof({ weight: 30, arbitrary: row }, { weight: oddness, arbitrary: odd }),
        fc.constantFrom('\n', '\n', '\n', '\r\n', '\n\n'),
      ),
      { minLength: 1, maxLength: 60 },
    )
    .chain((rows) =>
      fc
        .constantFrom('who,what,stars,at\n', '\ufeffwho,what,stars,at\r\n')
        .map((head) => head + rows.map((parts) => parts.join('')).join('')),
    )
/** Rows in files of their own, each with the names of the columns. */
const inFiles = (oddness: number): fc.Arbitrary<string[]> =>
  fc
    .array(lines(oddness), { minLength: 2, maxLength: 4 })
    .chain((files) =>
      fc.constantFrom(true, false).map((isWhole) => files.map((text) => (isWhole ? text : text.trimEnd()))),
    )
const merges = fc.constantFrom<ReadRowsOptions>(
  { modes: ['who', 'what', 'week(at)'], value: 'stars', merge: 'last', negative: 'keep' },
  { modes: ['who', 'bins(what, 5)'], value: 'stars', merge: 'mean', negative: 'keep' },
  { modes: ['who', 'what'], value: 'stars' },
  { modes: ['who', 'what', 'hour(at)'] },
  { modes: ['who', 'what'], value: 'stars', weight: 'what', merge: 'mean', negative: 'keep' },
  {
    modes: ['who', 'what'],
    value: 'stars',
    merge: 'last',
    negative: 'keep',
    like: {
      dims: [3, 3],
      modes: [{ name: 'who' }, { name: 'what' }],
      labels: [
        ['ann', 'bob', '7'],
        ['1', '2', '3'],
      ],
    },
  },
)

describe('a table as text by threads is what it is by one', () => {
  test('threads read rows of all kinds as one thread does, wherever ranges are cut', async () => {
    let byThreads = 0
    await checkProperty(
      fc.asyncProperty(lines(0), merges, async (content, options) => {
        const threads = await read(content, options, true)
        expect(threads.found).toEqual((await read(content, options, false)).found)
        if (threads.isByThreads) byThreads++
      }),
      { seed: 1, numRuns: 40 },
    )
    expect(byThreads).toBeGreaterThan(10)
  })

  test('threads report faults of rows with the same sentences as one thread', async () => {
    await checkProperty(
      fc.asyncProperty(lines(1), merges, async (content, options) => {
        expect((await read(content, options, true)).found).toEqual(
          (await read(content, options, false)).found,
        )
      }),
      { seed: 2, numRuns: 40 },
    )
  })

  test('threads read several files as one table, with the names and lines of each', async () => {
    let byThreads = 0
    await checkProperty(
      fc.asyncProperty(fc.oneof(inFiles(0), inFiles(0), inFiles(1)), merges, async (files, options) => {
        const threads = await read(files, options, true)
        expect(threads.found).toEqual((await read(files, options, false)).found)
        if (threads.isByThreads) byThreads++
      }),
      { seed: 4, numRuns: 24 },
    )
    expect(byThreads).toBeGreaterThan(6)
  })

  test('threads report cells taken as missing and repeated rows with the lines of their file', async () => {
    const file = (f: number): string =>
      `u,v,x\n${Array.from({ length: 300 }, (_, e) => `u${e},v${f},${f === 1 && e === 250 ? 'NA' : 1}\n`).join('')}`
    const options = { modes: ['u', 'v'], value: 'x' }
    const { found, isByThreads } = await read([0, 1, 2].map(file), options, true)
    expect(isByThreads).toBe(true)
    expect(found.remarks.join()).toContain('in 1.csv, line 252')
    const again = await read([...[0, 1, 2].map(file), 'u,v,x\nu9,v7,1\nu299,v2,1\n'], options, true)
    expect(again.found).toHaveProperty(
      'message',
      expect.stringContaining('3.csv, line 3, at u = u299, v = v2:'),
    )
  })

  test('threads read a file whose last line is long and has no line feed', async () => {
    const files = [`u,v,x\nu1,v1,1\n${'y'.repeat(300)},v2,1`, 'u,v,x\nu3,v3,1']
    const threads = await read(files, { modes: ['u', 'v'], value: 'x' }, true)
    expect(threads.isByThreads).toBe(true)
    expect(threads.found).toEqual((await read(files, { modes: ['u', 'v'], value: 'x' }, false)).found)
  })

  test('threads read labels that are numbers with decimal commas', async () => {
    const rows = Array.from({ length: 200 }, (_, e) => `${e % 20},5;v${Math.floor(e / 20)};1,5`)
    const content = `u;v;x\n${rows.join('\n')}\n`
    const threads = await read(content, { modes: ['u', 'v'], value: 'x' }, true)
    expect(threads.isByThreads).toBe(true)
    expect(threads.found).toEqual((await read(content, { modes: ['u', 'v'], value: 'x' }, false)).found)
    expect(threads.found).toHaveProperty('modes.0.type', 'DOUBLE')
  })

  test.each([7, 8, 9, 15, 16, 17])(
    'labels of %i letters that differ in the last ones keep rows of their own when threads read them',
    async (length) => {
      // Each label comes back many times, so that the threads find it among those they have seen.
      const labels = Array.from({ length: 40 }, (_, n) =>
        String(n).padStart(2, '0').padStart(length, 'customer-of'),
      )
      const rows = Array.from(
        { length: 2000 },
        (_, e) => `${labels[e % 40]},v${Math.floor(e / 40)},${(e % 40) + 1}`,
      )
      const content = `u,v,x\n${rows.join('\n')}\n`
      const { found, isByThreads } = await read(content, { modes: ['u', 'v'], value: 'x' }, true)
      expect(isByThreads).toBe(true)
      expect(found).toHaveProperty('labels.0', labels)
      if (!('indices' in found)) throw new Error('The table was refused.')
      expect([...found.indices[0]]).toEqual(rows.map((_, e) => e % 40))
    },
  )

  test('threads read any bytes as a table like one thread', async () => {
    const bytes = fc
      .array(fc.constantFrom(...[...'019,,,\n\n\r". -a'].map((c) => c.charCodeAt(0)), 0xef, 0xbb, 0xbf, 0xff))
      .map((content) => Buffer.concat([Buffer.from('a,b,c\nx,y,1\n'), Uint8Array.from(content)]))
    const options = { modes: ['a', 'b'], value: 'c', merge: 'sum', negative: 'keep' } as const
    await checkProperty(
      fc.asyncProperty(bytes, async (content) => {
        expect((await read(content, options, true)).found).toEqual(
          (await read(content, options, false)).found,
        )
      }),
      { seed: 3, numRuns: 40 },
    )
  })

  test('threads read by the recipe for MovieLens, whose weeks count from the first rating of all', async () => {
    const rows = Array.from(
      { length: 500 },
      (_, e) => `${(e % 50) + 1},${Math.floor(e / 50) + 1},${(e % 9) + 1},${1e9 - 7919 * e}`,
    )
    const content = `userId,movieId,rating,timestamp\n${rows.join('\n')}`
    const threads = await read(content, { recipe: 'movielens' }, true)
    expect(threads.isByThreads).toBe(true)
    expect(threads.found).toEqual((await read(content, { recipe: 'movielens' }, false)).found)
  })

  test('threads report numbers that look like dates by the first of all, whichever thread has read it', async () => {
    const rows = Array.from(
      { length: 300 },
      (_, e) => `u${e},v${e % 7},1,${e < 200 ? '2014-04-01' : 20140401 + (e % 20)}`,
    )
    const options = { modes: ['u', 'v', 'week(t)'], value: 'x' }
    const { found } = await read(`u,v,x,t\n${rows.join('\n')}\n`, options, true)
    expect(found).toEqual((await read(`u,v,x,t\n${rows.join('\n')}\n`, options, false)).found)
    expect(found).toHaveProperty('message', expect.stringContaining('look like dates (20140401)'))
  })

  test('one thread reads a table if threads cannot be started or fail', async () => {
    const content = `u,v,x\n${Array.from({ length: 50 }, (_, e) => `u${e},v,1`).join('\n')}\n`
    const options = { modes: ['u', 'v'], value: 'x' }
    const table = await textTable([{ name: 'a.csv', open: () => pieces(content) }])
    writeFileSync(path, content)
    const unable = (): ReadingPool => {
      throw new Error('no threads')
    }
    const failing = { ...pool, ask: () => Promise.reject(new Error('no memory')), close: async () => {} }
    for (const start of [unable, () => failing]) {
      const threads = textThreads([{ path, name: 'a.csv' }], table, table.dialect, start)
      expect((await readPlanned(await planRows(threads.table, options), threads)).values.length).toBe(50)
      await threads.close()
    }
  })

  test('threads report a cell that is taken as missing with its line', async () => {
    const rows = Array.from({ length: 400 }, (_, e) => `u${e},v${e % 7},${e === 333 ? 'NA' : 1}`)
    const { found, isByThreads } = await read(
      `u,v,x\n${rows.join('\n')}\n`,
      { modes: ['u', 'v'], value: 'x' },
      true,
    )
    expect(isByThreads).toBe(true)
    expect(found.remarks.join()).toContain('in a.csv, line 335')
  })
})
