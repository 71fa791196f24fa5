import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CsvParser } from '#lacuna/io/table/source/csvParser.js'
import { cellText } from '#lacuna/io/table/source/rows.js'
import { guessTable, type ReadRowsOptions, readRows, readTable, textTable } from '#lacuna/tables.js'
import { checkProperty } from '../../../properties.ts'
import { pieces } from '../pieces.ts'
import { write } from '../tables.ts'

/** In pieces of so many bytes. */
const inPieces = (text: string, size: number): AsyncGenerator<Uint8Array> =>
  pieces(text, Array<number>(Math.ceil(new TextEncoder().encode(text).length / size)).fill(size))

const opened = (text: string, name = 't.csv', size = 7) =>
  textTable([{ name, open: () => inPieces(text, size) }])

const quote = (field: string): string => `"${field.replaceAll('"', '""')}"`
const read = async (text: string, options: ReadRowsOptions) => readRows(await opened(text), options)

/** All the fields of a text, by the parser alone. */
function parse(
  text: string,
  delimiter: string,
  width: number,
  size: number,
  keepsEmpty = true,
): (string | null)[][] {
  const names = Array.from({ length: width }, (_, c) => `c${c}`)
  const dialect = { delimiter, header: false, names, quoted: [], keepsEmpty, decimal: '.' } as const
  const parser = new CsvParser(
    't.csv',
    dialect,
    names.map((_, column) => ({ column })),
  )
  const rows: (string | null)[][] = []
  const take = ({ rowCount, columns }: ReturnType<CsvParser['finish']>): void => {
    for (let row = 0; row < rowCount; row++)
      rows.push(columns.map((cells) => (cells instanceof Float64Array ? null : cellText(cells, row))))
  }
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) take(parser.push(bytes.subarray(at, at + size)))
  take(parser.finish())
  return rows
}

describe('the parser', () => {
  it('the CSV parser gives back any fields, however they are quoted and cut into pieces', () => {
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
          delimiter: fc.constant(delimiter),
          newline: fc.constant(newline),
          always: fc.boolean(),
          ended: fc.boolean(),
          size: fc.integer({ min: 1, max: 9 }),
          keepsEmpty: fc.boolean(),
        }),
      )
    checkProperty(
      fc.property(table, ({ rows, delimiter, newline, always, ended, size, keepsEmpty }) => {
        const written = (text: string): string =>
          always || text === '' || /["\r\n,;\t:]/.test(text) ? quote(text) : text
        const text =
          rows.map((row) => row.map(written).join(delimiter)).join(newline) + (ended ? newline : '')
        const expected = rows.map((row) => row.map((cell) => (cell === '' && !keepsEmpty ? null : cell)))
        expect(parse(text, delimiter, rows[0].length, size, keepsEmpty)).toEqual(expected)
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  it.each([
    ['a,b\n1,2,3\n', 2, 't.csv, line 2: 3 fields where the first line has 2'],
    ['a,b\n1,"2\n3,4\n', 2, 't.csv, line 2: a quoted field never ends'],
    ['a,b\n1,"2"x\n', 2, 't.csv, line 2: there is more after the end of a quoted field'],
    ['a,b,c\n"x\ny",1,2\n3\n', 3, 't.csv, line 4: 1 field where'],
  ])('the CSV parser names the line that is wrong: %j', (text, width, sentence) => {
    for (const size of [1, 2, 3, 100]) expect(() => parse(text, ',', width, size)).toThrow(sentence)
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

  it('a tensor from a CSV table is the same whether Lacuna or DuckDB reads the table', async () => {
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
      'bins(fraction, 2)',
      'round(fraction, 1)',
    ]
    await checkProperty(
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
          const options = { modes: chosen, value: 'value', merge: 'sum' } as const
          const theirs = await readTable(write('t.csv', text), { ...options, query: 'SELECT * FROM data' })
          const found = await read(text, options)
          expect(found.labels).toEqual(theirs.labels)
          expect(found).toMatchObject({ dims: theirs.dims, indices: theirs.indices, values: theirs.values })
          expect(found.modes).toEqual(theirs.modes)
        },
      ),
      { seed: 1, numRuns: 25 },
    )
  })

  it('rows of a table without a value are counted', async () => {
    const { values, labels } = await read('a;b\nx;1\nx;1\ny;1\n', { modes: ['a', 'b'] })
    expect(labels).toEqual([['x', 'y'], ['1']])
    expect([...values]).toEqual([2, 1])
  })

  it.each([
    ['a,b,v\n1,2,three\n', { modes: ['a', 'b'], value: 'v' }, 't.csv, line 2: the value v is "three"'],
    ['a,b,v\n1,2,3\n', { modes: ['a', 'z'], value: 'v' }, 'there is no column "z"; the columns are a, b, v'],
    ['a,b,v\n1,2,3\n', { modes: ['a', 'b || b'], value: 'v' }, 'there is no column "b || b"'],
    [
      'a,b,v\n1,2,3\n1,2,4\n',
      { modes: ['a', 'b'], value: 'v' },
      't.csv, line 3, at a = 1, b = 2: there are several',
    ],
    ['a,b,v\nnoon,2,3\n', { modes: ['hour(a)', 'b'], value: 'v' }, 't.csv, line 2: "noon" in a is no time'],
    ['a,b,v\n1,2,\n', { modes: ['a', 'b'], value: 'v' }, 't.csv: no rows are left to make a tensor of'],
    ['a,b,v\n', { modes: ['a', 'b'], value: 'v' }, 't.csv: there are no rows, only the columns a, b, v'],
    ['', { modes: ['a', 'b'] }, 't.csv: the file is empty'],
  ])('a table that cannot be read is refused with a sentence: %j', async (text, options, sentence) => {
    await expect(read(text, options)).rejects.toThrow(sentence)
  })

  it('the dialect of a table is recognized by its first lines', async () => {
    const table = await opened('\uFEFFid\tname\twhen\n1\tx\t2024-01-01\n2\ty\t2024-01-02\n', 't.tsv')
    expect(table.dialect).toMatchObject({ delimiter: '\t', header: true })
    const { columns } = await guessTable(table)
    expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'id BIGINT',
      'name VARCHAR',
      'when DATE',
    ])
    expect((await opened('1::2::3.5\n', 'ratings.dat')).columns.map(({ name }) => name)).toEqual([
      'column0',
      'column1',
      'column2',
    ])
  })

  it('labels keep leading zeros, and a first line with a date over no date is a header', async () => {
    const codes = await read('code,n,v\n007,1,1\n7,2,2\n', { modes: ['code', 'n'], value: 'v' })
    expect(codes.labels).toEqual([
      ['007', '7'],
      ['1', '2'],
    ])
    const names = async (text: string) => (await opened(text)).columns.map(({ name }) => name)
    expect(await names('2014-04-01,ann\n2014-04-02,bo\n')).toEqual(['column0', 'column1'])
    expect(await names('station,2014-04-01\nnorth,5\n')).toEqual(['station', '2014-04-01'])
    expect(await names('a,,a,A\nx,y,z,w\n')).toEqual(['a', 'column1', 'a_1', 'A_2'])
  })

  it.each([
    ['a;b;c\n1;2;3\n4;5;6\n', ';'],
    ['1,5;2,5;x\n3,5;4,5;y\n', ';'],
    ['a,b\n"x;y;z",1\n"u;v;w",2\n', ','],
    ['a|b\n1|2,5,6,7\n', '|'],
    ['id::name::genres\n1::A, The::x|y\n2::B::z\n', '::'],
    ['one\n1\n', ','],
  ])('the delimiter is the one that splits all lines alike: %j', async (text, delimiter) => {
    expect((await opened(text)).dialect.delimiter).toBe(delimiter)
  })

  it('long column names do not make parsing slow', async () => {
    const start = performance.now()
    const same = Array<string>(50_000).fill('a').join()
    const { columns } = await opened(`${same}\n${same}\n`, 't.csv', 2 ** 20)
    expect(new Set(columns.map(({ name }) => name)).size).toBe(50_000)
    const spaces = `week(${' '.repeat(200_000)}x`
    const like = { dims: [1, 1], modes: [{ name: `${spaces})` }, { name: `${spaces}, 1, 2)` }] }
    await expect(read('a,b\n1,2\n', { like })).rejects.toThrow('there is no column')
    const dates = ['%Y'.padEnd(2_000_000, ' x')]
    await expect(read('a,b\n1,2\n', { modes: ['day(a)', 'b'], dates })).rejects.toThrow(
      'has no parts of a time',
    )
    expect(performance.now() - start).toBeLessThan(5000)
  })
})
