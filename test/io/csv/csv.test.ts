import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ReadCsvOptions, readCsv, readTable, sniffCsv } from '#dist/index.js'
import { CsvParser } from '#dist/io/csv/parser.js'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lacuna-csv-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

async function* pieces(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const quote = (field: string): string => `"${field.replaceAll('"', '""')}"`
const read = (text: string, options: Omit<ReadCsvOptions, 'name'>) =>
  readCsv(pieces(text), { name: 't.csv', ...options })

describe('the parser', () => {
  it('gives back any fields, however they are quoted and in whatever pieces they come', () => {
    const field = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"', ',', ';', '\n', '\r\n', ' ', '1') })
    const table = fc
      .tuple(
        fc.integer({ min: 2, max: 4 }),
        fc.constantFrom(',', ';', '\t', '::'),
        fc.constantFrom('\n', '\r\n'),
      )
      .chain(([width, delimiter, newline]) =>
        fc.record({
          rows: fc.array(fc.array(field, { minLength: width, maxLength: width }), {
            minLength: 1,
            maxLength: 6,
          }),
          ...{ delimiter: fc.constant(delimiter), newline: fc.constant(newline) },
          ...{ always: fc.boolean(), ended: fc.boolean(), size: fc.integer({ min: 1, max: 9 }) },
        }),
      )
    fc.assert(
      fc.property(table, ({ rows, delimiter, newline, always, ended, size }) => {
        const write = (text: string): string => (always || /["\r\n,;\t:]/.test(text) ? quote(text) : text)
        const text = rows.map((row) => row.map(write).join(delimiter)).join(newline) + (ended ? newline : '')
        const found: string[][] = []
        const parser = new CsvParser('t.csv', delimiter, (fields) => found.push(fields))
        for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size))
        parser.finish()
        expect(found).toEqual(rows)
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  it.each([
    ['a,b\n1,2,3\n', 't.csv, line 2: there are 3 fields, but the first line has 2'],
    ['a,b\n1,"2\n3,4\n', 't.csv, line 2: a quoted field never ends'],
    ['a,b\n1,"2"x\n', 't.csv, line 2: there is more after the end of a quoted field'],
    ['a,b,c\n"x\ny",1,2\n3\n', 't.csv, line 4: there is 1 field'],
  ])('names the line that is wrong: %j', (text, sentence) => {
    const parser = new CsvParser('t.csv', ',', () => {})
    expect(() => {
      parser.push(text)
      parser.finish()
    }).toThrow(sentence)
  })
})

describe('a tensor from a table', () => {
  const cell = {
    whole: fc.integer({ min: -3, max: 12 }).map(String),
    fraction: fc.constantFrom('0.5', '1.0', '1', '-2.25', '10.125', '3e2', ''),
    date: fc.constantFrom('2024-02-29', '1999-12-31', '2024-03-01', ''),
    time: fc.constantFrom('2024-02-29 23:59:59', '2024-03-01 00:00:00', '1970-01-01 08:30:00'),
    unix: fc.constantFrom('0', '978300760', '1709251199', '1104537600'),
    text: fc.constantFrom('b', 'B', 'ä', 'a,b', 'say "so"', '\uE000', '😀', 'two\nlines', ' x', ''),
  }
  const row = fc.record({ ...cell, value: fc.constantFrom('1', '2.5', '0.1', '', '7') })

  it('is the one that DuckDB gives, labels, order, values and all', async () => {
    const modes = [
      'whole',
      'fraction',
      'date',
      'text',
      'time',
      'month(date)',
      'week(unix)',
      'weekday(time)',
      'hour(unix)',
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 12, maxLength: 30 }),
        fc.subarray(modes, { minLength: 2, maxLength: 4 }),
        async (rows, chosen) => {
          // Columns of which every kind of value is there, so that both see the same types.
          const sure = {
            whole: '1',
            fraction: '0.5',
            date: '1999-12-31',
            time: '2024-03-01 00:00:00',
            unix: '0',
          }
          const all = [{ ...sure, text: 'b', value: '2.5' }, ...rows]
          const names = Object.keys(cell).concat('value') as (keyof (typeof rows)[number])[]
          const lines = all.map((fields) =>
            names.map((name) => (fields[name] === '' ? '' : quote(fields[name]))).join(),
          )
          const text = `${names.join()}\n${lines.join('\n')}\n`
          const path = join(folder, 't.csv')
          await writeFile(path, text)
          const expected = await readTable(path, { modes: chosen, value: 'value', merge: 'sum' })
          const found = await read(text, { modes: chosen, value: 'value', merge: 'sum' })
          expect(found.labels).toEqual(expected.labels)
          expect(found.dims).toEqual(expected.dims)
          expect(found.indices).toEqual(expected.indices)
          expect(found.values).toEqual(expected.values)
          expect(found.modes?.map(({ name }) => name)).toEqual(expected.modes?.map(({ name }) => name))
        },
      ),
      { seed: 1, numRuns: 25 },
    )
  })

  it('counts rows where there is no value', async () => {
    const { values, labels } = await read('a;b\nx;1\nx;1\ny;1\n', { modes: ['a', 'b'] })
    expect(labels).toEqual([['x', 'y'], ['1']])
    expect([...values]).toEqual([2, 1])
  })

  it.each([
    ['a,b,v\n1,2,three\n', { modes: ['a', 'b'], value: 'v' }, 't.csv, line 2: the value v is "three"'],
    ['a,b,v\n1,2,3\n', { modes: ['a', 'z'], value: 'v' }, 'there is no column z; the columns are a, b, v'],
    [
      'a,b,v\n1,2,3\n1,2,4\n',
      { modes: ['a', 'b'], value: 'v' },
      'were already given by t.csv, at a = 1, b = 2',
    ],
    [
      'a,b,v\nnoon,2,3\n',
      { modes: ['hour(a)', 'b'], value: 'v' },
      'a has the value "noon", which is no time',
    ],
    ['a,b,v\n1,2,\n', { modes: ['a', 'b'], value: 'v' }, 't.csv: no rows are left to make a tensor of'],
    ['', { modes: ['a', 'b'] }, 't.csv: the file is empty'],
  ])('is refused with a sentence: %j', async (text, options, sentence) => {
    await expect(read(text, options)).rejects.toThrow(sentence)
  })

  it('is sniffed by its first lines', () => {
    const { dialect, columns } = sniffCsv(
      '\uFEFFid\tname\twhen\n1\tx\t2024-01-01\n2\ty\t2024-01-02\n3\tcut',
      't.tsv',
    )
    expect(dialect).toEqual({ delimiter: '\t', header: true })
    expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'id BIGINT',
      'name VARCHAR',
      'when DATE',
    ])
    expect(sniffCsv('1::2::3.5\n', 'ratings.dat').columns.map(({ name }) => name)).toEqual([
      ...['column0', 'column1', 'column2'],
    ])
  })
})
