import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { InputError } from '#lacuna/base/inputError.js'
import { openSession } from '#lacuna/io/node/duckdb/session.js'
import { checkZstd } from '#lacuna/io/node/duckdb/zstd.js'
import { readTable } from '#lacuna/io/node/index.js'
import { rejection } from '../pieces.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-damaged-'))
afterAll(() => rmSync(folder, { recursive: true }))
const at = (name: string) => join(folder, name)

/** More rows than DuckDB looks at before it decides on the types. */
const rows = Array.from({ length: 60_000 }, (_, e) => `${e},${(e * 7919) % 1000},2.5\n`)
const whole = `a,b,v\n${rows.join('')}`

beforeAll(async () => {
  const files: Record<string, string | Uint8Array> = {
    'ragged.csv': 'a,b,v\n1,2,3\n1,3\n2,2,5,6\n',
    'ragged-late.csv': `${whole}1,2\n`,
    'types.csv': 'a,b,v\n1,2,3\n\n1,3,abc\n',
    'types-late.csv': `${whole}1,2,abc\n`,
    'quote.csv': 'a,b,v\n1,2,3\n1,"3,4\n2,2,5\n',
    'bytes.csv': Buffer.concat([
      Buffer.from('a,b,v\n1,2,3\n1,'),
      Buffer.from([0xff, 0xfe, 0x80]),
      Buffer.from(',3\n'),
    ]),
    'empty.csv': '',
    'blank.csv': '\n\n',
    'header.csv': 'a,b,v\n',
    'not.csv.gz': 'a,b,v\n1,2,3\n',
    'not.csv.zst': 'a,b,v\n1,2,3\n',
    'bad.json': '[{"a":1,"b":2,"v":3},{"a":2,"b"',
    'empty.parquet': '',
    'text.parquet': whole,
    'fine.csv': 'a,b,v\n1,2,3\n2,2,5\n',
    'other.csv': 'x,y\n1,2\n',
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(at(name), content)
  const packed = gzipSync(whole)
  writeFileSync(at('truncated.csv.gz'), packed.subarray(0, (packed.length * 3) / 4))
  const corrupt = Buffer.from(packed)
  corrupt.fill(0x55, packed.length / 2, packed.length / 2 + 40)
  writeFileSync(at('corrupt.csv.gz'), corrupt)
  const session = await openSession('test')
  writeFileSync(at('whole.csv'), whole)
  for (const name of ['whole.parquet', 'whole.csv.zst'])
    await session.run(`COPY (SELECT * FROM read_csv('${at('whole.csv')}')) TO '${at(name)}'`)
  session.close()
  const parquet = readFileSync(at('whole.parquet'))
  writeFileSync(at('truncated.parquet'), parquet.subarray(0, parquet.length / 2))
  const hole = Buffer.from(parquet)
  hole.fill(7, 1000, 4000)
  writeFileSync(at('hole.parquet'), hole)
  const zstd = readFileSync(at('whole.csv.zst'))
  writeFileSync(at('truncated.csv.zst'), zstd.subarray(0, zstd.length / 2))
})

describe('a damaged table gives one sentence', () => {
  test.each([
    ['ragged.csv', /ragged\.csv, line 3: 2 fields where the first line has 3/],
    ['ragged-late.csv', /line 60002: 2 fields where the first line has 3/],
    ['types.csv', /types\.csv, line 4: the value v is "abc", which is no number/],
    ['types-late.csv', /line 60002: the value v is "abc", which is no number/],
    ['quote.csv', /quote/],
    ['bytes.csv', /UTF-8/],
    ['empty.csv', /empty\.csv: the file is empty/],
    ['blank.csv', /blank\.csv: the file is empty/],
    ['header.csv', /there are no rows, only the columns a, b, v/],
    ['missing.csv', /no such file/],
    ['not.csv.gz', /no gzip file/],
    ['truncated.csv.gz', /truncated/],
    ['corrupt.csv.gz', /gzip data is damaged/],
    ['not.csv.zst', /no zstd file/],
    ['truncated.csv.zst', /zstd data ends too early/],
    ['bad.json', /JSON is not well-formed/],
    ['empty.parquet', /empty/],
    ['text.parquet', /not a whole Parquet file/],
    ['truncated.parquet', /not a whole Parquet file/],
    ['hole.parquet', /not a whole Parquet file/],
  ])('the damaged table %s gives one sentence', async (name, sentence) => {
    const error = await rejection(readTable(at(name), { modes: ['a', 'b'], value: 'v', merge: 'sum' }))
    expect(error).toBeInstanceOf(InputError)
    expect(error.message).toMatch(sentence)
    expect(error.message).toContain(name)
    expect(error.message).toMatch(/^[^\n]+\.$/)
  })
})

describe('what cannot be read as told gives one sentence', () => {
  test.each([
    [{ modes: ['usr', 'b'] }, /no column "usr"; the columns are a, b, v/],
    [{ modes: ['week(usr)', 'b'] }, /no column "usr"; the columns are a, b, v/],
    [{ modes: ['a', 'b'], value: 'w' }, /no column "w"; the columns are a, b, v/],
    [{ modes: ['a'] }, /at least two modes/],
    [{ modes: ['a', ' '] }, /mode ' ' is empty/],
    [{ modes: ['a', 'week(b'] }, /SQL is not valid: .* in week\(b\./],
    [{ modes: ['a', 'fold(b)'] }, /there is no function fold/],
    [{ modes: ['a', 'b'], query: 'SELEC * FROM data' }, /SQL is not valid: syntax error at or near/],
    [{ modes: ['a', 'b'], query: 'SELECT * FROM dat' }, /dat does not exist/],
    [{ recipe: 'uber' as const }, /no column "Date\/Time"/],
    [{ recipe: 'movielens' as const }, /4 columns .* has 3/],
    [{ modes: ['a', 'b'], database: 'postgres://nobody@localhost:1/none', query: 'SELECT 1' }, /postgres/],
  ])('a table read with the wrong options %j gives one sentence', async (options, sentence) => {
    const error = await rejection(readTable(at('fine.csv'), options))
    expect(error).toBeInstanceOf(InputError)
    expect(error.message).toMatch(sentence)
    expect(error.message).toMatch(/^[^\n]+\.$/)
  })

  test('of several files the damaged one is named', async () => {
    const paths = ['fine.csv', 'ragged-late.csv'].map(at)
    const { message } = await rejection(readTable(paths, { modes: ['a', 'b'], value: 'v', merge: 'sum' }))
    expect(message).toContain('ragged-late.csv, line 60002')
  })

  test('files that do not belong together are refused', async () => {
    const read = (...names: string[]) => readTable(names.map(at), { modes: ['a', 'b'] })
    expect((await rejection(read('fine.csv', 'other.csv'))).message).toMatch(/columns/)
    expect((await rejection(read('fine.csv', 'whole.parquet'))).message).toMatch(/one kind/)
  })
})

test('zstd files are whole of one frame or several, and truncated wherever they are cut', async () => {
  await checkZstd(at('whole.csv.zst'))
  const bytes = readFileSync(at('whole.csv.zst'))
  writeFileSync(at('twice.zst'), Buffer.concat([bytes, bytes]))
  await checkZstd(at('twice.zst'))
  for (const length of [1, 5, 100, bytes.length >> 1, bytes.length - 1]) {
    writeFileSync(at('cut.zst'), bytes.subarray(0, length))
    expect((await rejection(checkZstd(at('cut.zst')))).message).toContain('ends too early')
  }
})
