import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { CsvParser } from '#lacuna/io/table/source/csvParser.js'
import { type Batch, cellText } from '#lacuna/io/table/source/rows.js'
import { compileTextKernel } from '#lacuna/io/text/kernel.js'
import { checkProperty } from '../../../properties.ts'

let module: WebAssembly.Module
beforeAll(async () => {
  module = await compileTextKernel()
})

/** All fields and lines of a text that comes in pieces, or what is said instead; and the numbers that the kernel sees. */
function parsed(
  content: Uint8Array,
  delimiter: string,
  size: number,
  header: boolean,
  kernel?: WebAssembly.Module,
) {
  const names = ['a', 'b', 'c']
  const dialect = { delimiter, header, names, quoted: [], keepsEmpty: false, decimal: '.' } as const
  const parser = new CsvParser('t.csv', dialect, [{ column: 2 }, { column: 0 }])
  if (kernel) parser.useKernel(kernel)
  const rows: unknown[] = []
  const numbers: number[] = []
  const take = ({ rowCount, columns, lines }: Batch): void => {
    for (let row = 0; row < rowCount; row++)
      rows.push([
        lines[row],
        ...columns.map((cells) => (cells instanceof Float64Array ? null : cellText(cells, row))),
      ])
    for (const cells of columns)
      if (!(cells instanceof Float64Array) && cells.reader) {
        const texts = Array.from({ length: rowCount }, (_, row) => cellText(cells, row))
        const decimals = new Float64Array(rowCount)
        const others = cells.reader.decimals(rowCount, decimals)
        expect(others).toBe(decimals.filter((x) => !Number.isFinite(x)).length)
        expect(cells.reader.empty(rowCount)).toBe(texts.filter((text) => text === null).length)
        texts.forEach((text, row) => {
          const isDecimal = text !== null && /^ *[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)? *$/i.test(text)
          expect(decimals[row]).toBe(isDecimal ? Math.fround(Number(text)) : NaN)
          numbers.push(decimals[row])
        })
      }
  }
  try {
    for (let at = 0; at < content.length; at += size) take(parser.push(content.slice(at, at + size)))
    take(parser.finish())
    return { rows, numbers }
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'InputError') throw error
    return { rows, message: error.message, numbers }
  }
}

const field = fc.oneof(
  { weight: 6, arbitrary: fc.nat(99_999).map(String) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('1.5', '', '-7', '+12', '123456789', '123456789012345', '1234567890123456'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ' 2 ',
      '1e3',
      '1e-50',
      '.5',
      '5.',
      '1.23456789012',
      'x',
      'é',
      '1:2',
      '12a',
      '-',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('"q"', '"a,b"', '"1\n2"', '""', 'in"side', '"say ""yes"""') },
)
const text = fc
  .tuple(fc.constantFrom(',', '::', '\t'), fc.integer({ min: 1, max: 40 }))
  .chain(([delimiter, most]) => {
    const width = fc.oneof(
      { weight: 200, arbitrary: fc.constant(3) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }) },
    )
    const row = width.chain((n) =>
      fc.array(field, { minLength: n, maxLength: n }).map((fields) => fields.join(delimiter)),
    )
    const end = fc.constantFrom('\n', '\n', '\n', '\r\n', '\n\n', '\r\n\r\n')
    return fc.record({
      delimiter: fc.constant(delimiter),
      content: fc
        .array(fc.tuple(row, end), { minLength: 1, maxLength: most })
        .map((rows) => new TextEncoder().encode(rows.flat().join(''))),
    })
  })

/** Rows of other numbers of fields that have, taken together, as many as they should. */
const misaligned = fc
  .array(fc.constantFrom('1,2,3\n', '4,5,6\n', '7\n8,9\n', '7,8\n9\n', '1,2,3,4\n', '\n', '1,2\r\n'), {
    minLength: 1,
    maxLength: 8,
  })
  .map((rows) => ({ delimiter: ',', content: new TextEncoder().encode(`0,0,0\n${rows.join('')}`) }))

describe('rows cut by the kernel', () => {
  it('the kernel splits rows as the parser does, with the same lines, faults and numbers', () => {
    let seen = 0
    checkProperty(
      fc.property(
        fc.oneof(text, text, misaligned),
        fc.integer({ min: 1, max: 400 }),
        fc.boolean(),
        ({ delimiter, content }, size, header) => {
          const { numbers, ...fast } = parsed(content, delimiter, size, header, module)
          const { rows, message } = parsed(content, delimiter, size, header)
          expect(fast).toEqual({ rows, ...(message !== undefined && { message }) })
          seen += numbers.length
        },
      ),
      { seed: 1, numRuns: 120 },
    )
    expect(seen).toBeGreaterThan(500)
  })

  it('rows longer than the kernel’s memory are split as by the parser', () => {
    const long = 'x'.repeat(1_500_000)
    const content = new TextEncoder().encode(`1,2,3\n4,${long},6\n7,8,9\n`)
    const { numbers, ...fast } = parsed(content, ',', 700_000, false, module)
    expect(fast.rows).toEqual([
      [1, '3', '1'],
      [2, '6', '4'],
      [3, '9', '7'],
    ])
    expect(numbers.length).toBeGreaterThan(0)
  })
})
