/** Tables that the text kernel reads must give the same tensors as those that TypeScript reads. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { planRows, type ReadRowsOptions, readPlanned } from '#lacuna/io/table/index.js'
import { CsvParser } from '#lacuna/io/table/source/csvParser.js'
import type { Batch, Table, Wanted } from '#lacuna/io/table/source/rows.js'
import { compileTextKernel } from '#lacuna/io/text/kernel.js'
import { checkProperty } from '../../../properties.ts'
import { bits } from '../../io/pieces.ts'

let module: WebAssembly.Module
beforeAll(async () => {
  module = await compileTextKernel()
})

const NAMES = ['who', 'what', 'stars', 'at']

/**
 * A table of CSV files that are read in pieces of `size` bytes; in each file, pieces before number
 * `kernelFrom` are parsed by TypeScript, the others by the kernel.
 */
function tableOf(files: readonly string[], size: number, kernelFrom: number): Table {
  const dialect = {
    delimiter: ',',
    header: false,
    names: NAMES,
    quoted: [],
    keepsEmpty: false,
    decimal: '.',
  } as const
  async function* read(wanted: readonly Wanted[]): AsyncGenerator<Batch> {
    let last: CsvParser | undefined
    for (const [f, text] of files.entries()) {
      const parser = new CsvParser(`${f}.csv`, dialect, wanted)
      const bytes = new TextEncoder().encode(text)
      for (let at = 0, piece = 0; at < bytes.length; at += size, piece++) {
        if (piece === kernelFrom) parser.useKernel(module, last?.kernel)
        yield parser.push(bytes.slice(at, at + size))
      }
      yield parser.finish()
      last = parser
    }
  }
  const sample = async (): Promise<Batch> => {
    const parser = new CsvParser(
      '0.csv',
      dialect,
      NAMES.map((_, column) => ({ column, asText: true })),
    )
    return parser.push(new TextEncoder().encode(files[0]))
  }
  return { name: 'a.csv', unit: 'line', columns: NAMES.map((name) => ({ name })), read, sample }
}

/** The tensor that is read from a table and the remarks, or the message of the InputError and the remarks. */
async function tensorOf(table: Table, options: ReadRowsOptions) {
  const remarks: string[] = []
  const onRemark = ({ sentence }: { sentence: unknown }) => remarks.push(JSON.stringify(sentence))
  try {
    const read = await readPlanned(await planRows(table, { ...options, onRemark }))
    const { indices, values, ...names } = read
    return { ...names, indices: indices.map((column) => [...column]), values: bits(values), remarks }
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'InputError') throw error
    return { message: error.message, remarks }
  }
}

const id = fc.oneof(
  { weight: 8, arbitrary: fc.nat(40).map(String) },
  { weight: 2, arbitrary: fc.constantFrom('4194303', '4194304', '1234567', '12345678', '123456789012345') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('007', '00', '+7', '-7', '7.0', ' 7', '1e3', '7"', '1\u0000', '1'),
  },
)
const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'a\u0000', 'a\u0000\u0000') },
  { weight: 4, arbitrary: fc.nat(9).map((n) => `user${n}`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('abcdefg', 'abcdefgh', 'abcdefghi', 'é', '日本語', '"q"', ''),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'fifteen-letters',
      'sixteen--letters',
      'sixteen--letter!',
      'seventeen letters',
    ),
  },
  { weight: 1, arbitrary: fc.nat(9).map(String) },
)
const seconds = fc.integer({ min: 990_000_000, max: 1_010_000_000 })
/**
 * A Unix time as ISO 8601 text: `form` is the separator of day and time, '' for the day alone, or 'Z' for Z
 * behind.
 */
function isoText(form: string, s: number): string {
  const text = new Date(1000 * s).toISOString().slice(0, 19)
  if (form === '') return text.slice(0, 10)
  return form === 'Z' ? `${text}Z` : text.replace('T', form)
}
const NO_TIMES = [
  ...[
    '9007199255',
    '999999999999999',
    '1234567890123456',
    'x',
    '2001-02-29',
    '1900-02-29',
    '2001-04-31',
    '2001-13-01',
  ],
  ...[
    '2001-00-01',
    '2001-01-00',
    '0000-01-0x',
    '2001-01-01 24:00:00',
    '2001-01-01 00:60:00',
    '2001-01-01 00:00:60',
  ],
  ...[
    '2001-01-01_00:00:00',
    '2001-01-01 00-00:00',
    '2001-01-01 00:00-00',
    '2001/01/01',
    '2001-01/01',
    '200a-01-01',
  ],
]
const noTime = fc.constantFrom(...NO_TIMES)
const time = fc.oneof(
  { weight: 120, arbitrary: seconds.map(String) },
  { weight: 30, arbitrary: seconds.map((s) => String(1000 * s + (s % 1000))) },
  {
    weight: 30,
    arbitrary: fc.constantFrom('0', '2499', '2500', '2014', '002014', '86400', '20140401', '099999999'),
  },
  { weight: 30, arbitrary: fc.constantFrom('99999999', '9007199254', '100000000001', '9007199254740') },
  { weight: 20, arbitrary: fc.constantFrom('-5', '+5', '1e9', '1.5', '2001-02-03', '', 'NA', '-') },
  {
    weight: 60,
    arbitrary: fc.tuple(fc.constantFrom(' ', 'T', '', 'Z'), seconds).map(([form, s]) => isoText(form, s)),
  },
  {
    weight: 10,
    arbitrary: fc.constantFrom(
      '0001-01-01',
      '2000-02-29',
      '1900-02-28',
      '9999-12-31T23:59:59',
      '1969-12-31 23:59:59',
    ),
  },
  {
    weight: 10,
    arbitrary: fc.constantFrom(
      '2001-02-03 04:05',
      ' 2001-02-03',
      '2001-02-03 04:05:06.5',
      '2001-02-03 04:05:06+02',
    ),
  },
  // These cannot be read as times.
  { weight: 1, arbitrary: noTime },
)
/**
 * Columns of times. Numbers that are all days or all years are refused, with the first of them in the
 * message.
 */
const times = fc.oneof(
  { weight: 8, arbitrary: fc.constant(time) },
  {
    weight: 1,
    arbitrary: fc.constant(fc.integer({ min: 20140401, max: 20140420 }).map(String)),
  },
  { weight: 1, arbitrary: fc.constant(fc.integer({ min: 1900, max: 2499 }).map((year) => `00${year}`)) },
)
const value = fc.constantFrom('1', '2.5', '', ' ', '3e1')
const plainId = fc.oneof(
  fc.integer({ min: 1, max: 40 }).map(String),
  fc.constantFrom('4194303', '4194304', '12345678'),
)
const files = fc.tuple(fc.boolean(), times).chain(([isPlain, at]) => {
  const row = isPlain ? fc.tuple(plainId, plainId, value, at) : fc.tuple(fc.oneof(id, text), id, value, at)
  const file = fc
    .array(row, { minLength: 1, maxLength: 60 })
    .map((rows) => rows.map((fields) => `${fields.join(',')}\n`).join(''))
  return fc.array(file, { minLength: 1, maxLength: 3 })
})
const options = fc
  .tuple(
    fc.constantFrom('who', 'coded:who', 'raw:who'),
    fc.constantFrom(
      'week(at)',
      'day(at)',
      'hour(at)',
      'month(at)',
      'year(at)',
      'weekday(at)',
      'weeks(at, 1e6)',
      'at',
    ),
  )
  .map(
    ([who, at]): ReadRowsOptions => ({ modes: [who, 'what', at, 'hour(at)'], value: 'stars', merge: 'last' }),
  )

describe('the text kernel and times', () => {
  it('The text kernel accepts and refuses each odd time exactly as TypeScript does', async () => {
    for (const text of ['2001-02-03', '0000-01-01', '0000-03-01', ...NO_TIMES]) {
      const rows = `a,1,1,2001-02-03\nb,2,1,${text}\n`
      const options = { modes: ['who', 'day(at)'], value: 'stars' }
      expect(await tensorOf(tableOf([rows], 1e6, 0), options)).toEqual(
        await tensorOf(tableOf([rows], 1e6, Infinity), options),
      )
    }
  })
})

describe('the text kernel and labels', () => {
  it('The text kernel codes labels and times as TypeScript does, for any pieces, files and start of the kernel', async () => {
    let tensors = 0
    await checkProperty(
      fc.asyncProperty(
        files,
        options,
        fc.integer({ min: 20, max: 600 }),
        fc.nat(2),
        async (files, options, size, kernelFrom) => {
          const fast = await tensorOf(tableOf(files, size, kernelFrom), options)
          expect(fast).toEqual(await tensorOf(tableOf(files, 1e6, Infinity), options))
          if ('values' in fast) tensors++
        },
      ),
      { seed: 1, numRuns: 50 },
    )
    expect(tensors).toBeGreaterThan(15)
  })

  it('The text kernel codes labels correctly when there are more than its cache can hold', async () => {
    const rows = Array.from({ length: 160_000 }, (_, e) => `u${e},${e % 90},1,${946_684_800 + 60 * e}\n`)
    const all = rows.join('') + rows.reverse().join('')
    const options = { modes: ['who', 'week(at)'], value: 'stars', merge: 'sum' } as const
    const fast = await tensorOf(tableOf([all], 2 ** 19, 0), options)
    expect('values' in fast && fast.values.length).toBe(160_000)
    const slow = await tensorOf(tableOf([all], 2 ** 23, Infinity), options)
    expect(JSON.stringify(fast) === JSON.stringify(slow)).toBe(true) // toEqual would take long to report differences
  })
})
