/** Tables as Arrow and .xlsx, read as any other table, and tensors written as Arrow. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { columnFromArray, float64, tableFromColumns, tableToIPC, utf8 } from '@uwdata/flechette'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { afterAll, describe, expect, test } from 'vitest'
import { InputError } from '#lacuna/base/inputError.js'
import { readTensor, type SparseTensor, tensorFromRecords, writeTensor } from '#lacuna/index.js'
import { unpackLz4Frame } from '#lacuna/io/sheets/lz4.js'
import { type ReadTableOptions, readTable } from '#lacuna/tables.js'

const files = fileURLToPath(new URL('../science/files/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'lacuna-sheets-'))
const at = (name: string): string => join(folder, name)
afterAll(() => rmSync(folder, { recursive: true }))
const [arrow, book] = ['lz4.arrow', 'book.xlsx'].map((name) => join(files, name))

/** The entries of a tensor, sorted: its labels, or indices from 1, and its value. */
const rowsOf = ({ indices, values, labels }: SparseTensor): string[] =>
  Array.from(values, (value, e) =>
    [...indices.map((column, mode) => labels?.[mode]?.[column[e]] ?? column[e] + 1), value].join(),
  ).sort()

/** The message with which reading is refused. */
async function fault(path: string, options: ReadTableOptions = {}): Promise<string> {
  const error = await readTable(path, options).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(InputError)
  return (error as InputError).message.replaceAll(`${folder}/`, '').replaceAll(files, '')
}

describe('Arrow', () => {
  test('packed by lz4 has texts, times, long numbers and gaps as they were written', async () => {
    const tensor = await readTable(arrow, {
      modes: ['site', 'code', 'day', 'at', 'id', 'price'],
      value: 'level',
    })
    const day = Date.UTC(2024, 1, 28)
    const expected = Array.from({ length: 600 }, (_, row) => row)
      .filter((row) => row % 7 !== 0 && row !== 3)
      .map((row) => {
        const time = new Date(day + 1500 * row)
          .toISOString()
          .replace('T', ' ')
          .replace(/\.?0*Z$/, '+00:00')
        const date = new Date(day + 86_400_000 * Math.floor(row / 20)).toISOString().slice(0, 10)
        const price = (row / 4).toFixed(2).replace(/0$/, '')
        const id = 9_007_199_254_740_993n + BigInt(row)
        return [`site ${row % 5}`, `00${row % 4}`, date, time, id, price, Math.fround(row / 3)].join()
      })
    expect(rowsOf(tensor)).toEqual(expected.sort())
    expect(tensor.modes?.map(({ type }) => type)).toEqual([
      'VARCHAR',
      'VARCHAR',
      'DATE',
      'TIMESTAMPTZ',
      'BIGINT',
      'DOUBLE',
    ])
  })

  test('answers SQL', async () => {
    const options = {
      query: 'SELECT site, code, sum(double) AS total FROM data GROUP BY ALL',
      value: 'total',
    }
    const tensor = await readTable(arrow, { ...options, modes: ['site', 'code'] })
    expect(tensor.dims).toEqual([5, 4])
    expect(tensor.values.reduce((sum, x) => sum + x, 0)).toBeCloseTo((599 * 600) / 6, 0)
  })

  test('is read as a stream, too, also without an ending of its own', async () => {
    const table = tableFromColumns([
      ['a;b', columnFromArray(['x', 'y;z', null, ''], utf8())],
      ['b', columnFromArray(['1,5', 'q"', 'r', 's'], utf8())],
      ['v', columnFromArray([1, 2, 3, 4], float64())],
    ])
    writeFileSync(at('stream.ipc'), tableToIPC(table, { format: 'stream' }) ?? '')
    const tensor = await readTable(at('stream.ipc'), { modes: ['a;b', 'b'], value: 'v' })
    expect(rowsOf(tensor)).toEqual([',s,4', 'x,1,5,1', 'y;z,q",2'])
  })

  test('that Lacuna writes comes back with labels, types, indices and weights', async () => {
    const rows = [
      { who: 'ann', seen: '2024-01-01', hour: '2024-01-01 10:30:00', n: 3, x: 0.5, stars: 4.5, w: 1 },
      { who: 'b,"b"', seen: '2024-02-29', hour: '2024-01-02 00:00:00', n: 10, x: 2, stars: 1.25, w: 2 },
    ]
    const modes = ['who', 'seen', 'hour', 'n', 'x']
    const tensor = await tensorFromRecords(rows, { modes, value: 'stars', weight: 'w' })
    for (const name of ['a.arrow', 'a.feather']) {
      await writeTensor(at(name), tensor)
      const back = await readTable(at(name), { modes, value: 'stars', weight: 'weight' })
      expect(back).toEqual(tensor)
    }
    const plain = {
      dims: [2, 3],
      indices: [Uint32Array.of(0, 1), Uint32Array.of(2, 1)],
      values: Float32Array.of(1, 2),
    }
    await writeTensor(at('plain.arrow'), plain)
    const back = await readTensor(at('plain.arrow'), { modes: ['mode_1', 'mode_2'], value: 'value' })
    expect(rowsOf(back)).toEqual(['1,3,1', '2,2,2'])
  })

  test('that is damaged, or packed beyond the memory, is refused', async () => {
    const bytes = readFileSync(arrow)
    for (const part of [0, 1, 5, 7]) {
      writeFileSync(at('cut.arrow'), bytes.subarray(0, Math.floor((bytes.length * part) / 8)))
      expect(await fault(at('cut.arrow'), { modes: ['site', 'code'], value: 'level' })).toMatch(
        /^cut.arrow: /,
      )
    }
    const { arrowAsText } = await import('#lacuna/io/sheets/index.js')
    await expect(arrowAsText(bytes, 'a.arrow', 1000)).rejects.toThrow('unpack to more than the 1000 bytes')
  })

  test('frames of lz4 never write beyond the declared length', () => {
    // A literal, then a copy of 19 bytes at distance 1.
    const frame = Uint8Array.of(
      4,
      0x22,
      0x4d,
      0x18,
      0x60,
      0x40,
      0x82,
      5,
      0,
      0,
      0,
      0x1f,
      65,
      1,
      0,
      0,
      0,
      0,
      0,
      0,
    )
    expect(unpackLz4Frame(frame, 20)).toEqual(new Uint8Array(20).fill(65))
    for (const length of [19, 21, 0]) expect(() => unpackLz4Frame(frame, length)).toThrow(RangeError)
    for (let end = 0; end < frame.length - 1; end++)
      expect(() => unpackLz4Frame(frame.subarray(0, end), 20)).toThrow(RangeError)
  })
})

describe('.xlsx', () => {
  const expected = [0, 1, 2].flatMap((i) =>
    [0, 1, 2, 3].flatMap((j) =>
      i === 1 && j === 1
        ? []
        : [`${['2024-02-28', '2024-02-29', '2024-03-01'][i]},site ${'abcd'[j]},${20 * i + 5 * j + 0.5}`],
    ),
  )

  test('is read from its first sheet that is not empty, which is reported', async () => {
    const remarks: string[] = []
    const tensor = await readTensor(book, { onRemark: ({ text }) => remarks.push(text.replace(files, '')) })
    expect(rowsOf(tensor)).toEqual(expected.sort())
    expect(remarks[0]).toBe('book.xlsx: takes the sheet Rows of Empty, Rows, Other; say sheet for another.')
  })

  test('is read from the sheet that is named or numbered', async () => {
    for (const sheet of ['Other', '3'])
      expect(rowsOf(await readTable(book, { sheet }))).toEqual(['p,q,1', 'p,r,2', 's,q,3'])
    expect(await fault(book, { sheet: 'None' })).toBe(
      'book.xlsx: there is no sheet None; there are Empty, Rows, Other.',
    )
    expect(await fault(book, { sheet: 'Empty' })).toBe('book.xlsx: the sheet is empty.')
  })

  test('answers SQL in modes', async () => {
    const tensor = await readTable(book, {
      modes: ['month(day)', 'upper(site)'],
      value: 'level',
      merge: 'sum',
    })
    expect(tensor.labels?.[1]).toEqual(['SITE A', 'SITE B', 'SITE C', 'SITE D'])
  })

  /** The workbook with the first sheet's XML changed. */
  const changed = (change: (xml: string) => string): string => {
    const members = unzipSync(readFileSync(book))
    members['xl/worksheets/sheet2.xml'] = strToU8(change(strFromU8(members['xl/worksheets/sheet2.xml'])))
    writeFileSync(at('changed.xlsx'), zipSync(members))
    return at('changed.xlsx')
  }

  test('faults name the row of the sheet', async () => {
    const path = changed((xml) => xml.replace('<v>10.5</v>', '<v>-10.5</v>'))
    expect(await fault(path)).toMatch(/^changed.xlsx, line 4/)
  })

  test('with a cell that is far away is refused before the sheet is made', async () => {
    const path = changed((xml) =>
      xml.replace('</sheetData>', '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'),
    )
    expect(await fault(path)).toContain('span 1048576 rows and 16384 columns, too many to read')
  })

  test('that is damaged, or unpacks beyond the memory, is refused', async () => {
    const bytes = readFileSync(book)
    for (const part of [0, 2, 7]) {
      writeFileSync(at('cut.xlsx'), bytes.subarray(0, Math.floor((bytes.length * part) / 8)))
      expect(await fault(at('cut.xlsx'))).toContain('this is not a whole .xlsx workbook')
    }
    const { sheetAsText } = await import('#lacuna/io/sheets/index.js')
    await expect(sheetAsText(bytes, 'a.xlsx', 1000)).rejects.toThrow('the workbook unpacks to')
  })
})
