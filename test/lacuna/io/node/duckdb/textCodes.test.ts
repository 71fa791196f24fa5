import { beforeAll, describe, expect, test } from 'vitest'
import { openSession, type TableSession } from '#lacuna/io/node/duckdb/session.js'
import { readTable } from '#lacuna/io/node/index.js'
import { at, entries, write } from '../../tables.ts'

/** Texts short and long, of any letters, some missing, some that stand only in rows that are left out. */
const TEXTS = ['ann', 'bo', '', 'a name that is longer than twelve bytes', '😀', '007', '7', 'é'.repeat(20)]
const ROWS = 5000
const cell = (row: number, step: number): string | null =>
  row % 11 === step ? null : (TEXTS[(row * step + (row >> 4)) % TEXTS.length] ?? null)
const rows = Array.from({ length: ROWS }, (_, row) => ({
  who: row === 4321 ? 'only here, without a value' : cell(row, 3),
  what: cell(row, 5),
  n: row + 1,
  x: row % 7 === 2 || row === 4321 ? null : (row + 1) / 4,
}))

let session: TableSession
beforeAll(async () => {
  session = await openSession('test')
  const json = write('rows.json', JSON.stringify(rows))
  await session.run(
    `COPY (FROM read_json('${json}')) TO '${at('rows.parquet')}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
  )
  await session.run(`COPY (FROM read_json('${json}') LIMIT 0) TO '${at('none.parquet')}' (FORMAT parquet)`)
  session.close()
})

describe('texts that DuckDB codes', () => {
  const options = { modes: ['who', 'what', 'n'], value: 'x' }

  test('texts coded by DuckDB give the same labels and entries as texts read one by one', async () => {
    const [coded, plain] = [
      await readTable(at('rows.parquet'), options),
      await readTable(at('rows.json'), options),
    ]
    expect(coded.labels).toEqual(plain.labels)
    expect(coded.labels?.[0]).toEqual(
      [...TEXTS].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    )
    expect(entries(coded)).toEqual(entries(plain))
    expect(coded.values.length).toBeGreaterThan(3000)
  })

  test('texts coded by DuckDB for a mode can also be read as a value or a binning', async () => {
    const both = { modes: ['who', 'what', 'bins(n, 10)'], value: 'n', merge: 'last' } as const
    expect(entries(await readTable(at('rows.parquet'), both))).toEqual(
      entries(await readTable(at('rows.json'), both)),
    )
  })

  test('texts coded by DuckDB are looked up among given labels', async () => {
    const like = {
      dims: [2, 2, ROWS],
      labels: [['ann', '7'], ['bo', '😀'], undefined],
      modes: [{ name: 'who' }, { name: 'what' }, { name: 'n' }],
    }
    const found = await Promise.all(
      ['rows.parquet', 'rows.json'].map((file) =>
        readTable(at(file), { ...options, like, dims: [2, 2, ROWS] }),
      ),
    )
    expect(entries(found[0])).toEqual(entries(found[1]))
    expect(found[0].values.length).toBeGreaterThan(50)
  })

  test('a text column coded by DuckDB may be empty', async () => {
    await expect(readTable(at('none.parquet'), options)).rejects.toThrow('there are no rows')
  })
})
