/**
 * What is read is what is in the file: random tables have the labels and entries that a short Python program,
 * readings.py, finds in the same files.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { InputError } from '#lacuna/index.js'
import { type ReadTableOptions, readTable } from '#lacuna/tables.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { checkProperty } from '../../../properties.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-readings-'))
let python: ChildProcess
let answers: AsyncIterator<string>
let lines: Interface
beforeAll(() => {
  const script = fileURLToPath(new URL('./readings.py', import.meta.url))
  python = spawn('/usr/bin/python3', [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  lines = createInterface(python.stdout!)
  answers = lines[Symbol.asyncIterator]()
})
afterAll(() => {
  lines.close()
  python.stdin!.end()
  rmSync(folder, { recursive: true })
})

/** A mode of a table: its column, and for Python how its labels are made. */
interface ModeOfTable {
  column: string
  /** The binning of the column, if any. */
  binning?: string
  /** Whether its cells are in quotes, and those of other columns are not. */
  quoted: boolean
}

/** A table as files, and how it is read. */
interface TableCase {
  files: string[]
  json: boolean
  delimiter?: string
  modes: ModeOfTable[]
  value?: string
  weight?: string
  merge: 'sum' | 'mean' | 'last' | 'count' | 'error'
  negative?: 'keep' | 'clip'
  decimal?: ',' | '.'
  melt?: string
  query?: string
}

/** Labels and entries of a table; an entry has indices, value and weight. */
interface Reading {
  labels: (string | number)[][]
  entries: [number[], number, number][]
}

/** Python's reading of a table. */
async function readByPython(table: TableCase): Promise<Reading> {
  python.stdin!.write(`${JSON.stringify(table)}\n`)
  const { value, done } = await answers.next()
  if (done) throw new Error('Python has ended')
  const { error, ...reading } = JSON.parse(value)
  if (error !== undefined) throw new Error(error)
  return reading
}

const spell = ({ column, binning }: ModeOfTable): string => {
  const quoted = `"${column.replaceAll('"', '""')}"`
  if (binning === undefined) return quoted
  return binning === 'bins(5)' ? `bins(${quoted}, 5)` : `${binning}(${quoted})`
}

/** Lacuna's reading of a table, with its labels as texts. */
async function readByLacuna(table: TableCase): Promise<{ labels: string[][]; entries: Reading['entries'] }> {
  const { files, modes, delimiter: _, json: __, ...rest } = table
  // The cells of a wide table are its values.
  const value = table.melt === undefined ? table.value : undefined
  const options: ReadTableOptions = { ...rest, value, modes: modes.map(spell) }
  const tensor = await readTable(files, options)
  return { labels: tensor.labels!.map((labels) => [...labels!]), entries: entriesOf(tensor) }
}

/** The entries of a tensor, sorted by their indices. */
function entriesOf({ indices, values, weights }: SparseTensor): Reading['entries'] {
  const entries = Array.from(values, (x, e): [number[], number, number] => [
    indices.map((column) => column[e]),
    x,
    weights ? weights[e] : 1,
  ])
  return entries.sort(([a], [b]) => {
    const mode = a.findIndex((index, m) => index !== b[m])
    return mode < 0 ? 0 : a[mode] - b[mode]
  })
}

/** Expects that both readings agree; a label that Python has as a number is compared as a number. */
async function expectSameReading(table: TableCase): Promise<void> {
  const expected = await readByPython(table)
  if (expected.entries.length === 0) {
    await expect(readByLacuna(table)).rejects.toThrow(
      table.query === undefined ? /no rows|nothing to learn from/ : InputError,
    )
    return
  }
  const found = await readByLacuna(table).catch((error) => {
    // SQL has one type for a column, and refuses cells that are of another.
    if (table.query !== undefined && error instanceof InputError) return undefined
    throw error
  })
  if (!found) return
  const labels = found.labels.map((list, m) =>
    list.map((label, i) => {
      const other = expected.labels[m][i]
      // JSON has no whole numbers beyond a double; these are compared as doubles.
      return typeof other === 'number' && label.trim() !== '' ? Number(label) : label
    }),
  )
  const weighed = table.weight !== undefined
  const strip = ([cell, x, w]: Reading['entries'][number]) => (weighed ? [cell, x + 0, w] : [cell, x + 0])
  expect({ labels, entries: found.entries.map(strip) }).toEqual({
    labels: expected.labels,
    entries: expected.entries.map(strip),
  })
}

// Cells of each kind of column.

const MARKS = ['', 'N/A', 'null', '-', '?', 'NA']
const nasty = fc.constantFrom(...'ab yZ0,;|"\'\t\\:é日😀#.', '\n', '\r\n', '""', ', ')
const text = fc
  .array(nasty, { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(''))
  .filter((t) => !/^[\s.]*$/.test(t)) // of dots alone it would be a mark of a missing value
const two = (n: number): string => String(n).padStart(2, '0')
const date = fc
  .tuple(
    fc.integer({ min: 1900, max: 2099 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
  )
  .map(([y, m, d]) => `${y}-${two(m)}-${two(d)}`)
const clock = fc
  .tuple(
    fc.nat(23),
    fc.nat(59),
    fc.nat(59),
    fc.constantFrom('', '.25', '.000001'),
    fc.constantFrom('', 'Z', '+02:00', '-05:30'),
  )
  .map(([h, m, s, fraction, zone]) => `${two(h)}:${two(m)}:${two(s)}${fraction}${zone}`)
const timestamp = fc.tuple(date, fc.constantFrom(' ', 'T'), clock).map((parts) => parts.join(''))
const whole = fc.oneof(fc.integer({ min: -9, max: 30 }), fc.integer({ min: -(10 ** 12), max: 10 ** 12 }))
const decimal = fc.oneof(
  fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((x) => String(x)),
  fc.integer({ min: -999, max: 999 }).map((x) => (x / 8).toFixed(3)),
  fc.constantFrom('.5', '5.', '+2', '1e3', '1E-2', '0', '-0', '0.10', '2.50'),
)

/** Kinds of columns that can be modes: their cells, and binnings of them. */
const kinds: Record<string, { cell: fc.Arbitrary<string>; binnings?: string[] }> = {
  text: { cell: text },
  whole: { cell: whole.map(String), binnings: ['bins(5)'] },
  'whole with signs and blanks': {
    cell: fc
      .tuple(fc.constantFrom('', '+', ' '), fc.nat(20), fc.constantFrom('', ' '))
      .map((p) => p.join('')),
  },
  codes: { cell: fc.constantFrom('007', '7', '07', '1.0', '10') },
  decimal: { cell: decimal },
  date: { cell: date, binnings: ['year', 'month', 'week', 'day', 'hour', 'weekday'] },
  timestamp: { cell: timestamp, binnings: ['year', 'month', 'week', 'day', 'hour', 'weekday'] },
  'dates and times': { cell: fc.oneof(date, timestamp) },
  boolean: { cell: fc.constantFrom('true', 'FALSE', 'True', 'false') },
  mixed: { cell: fc.oneof(text, whole.map(String), date, decimal) },
}

/** A column: its name, kind, the pool of its cells, and its binning as a mode. */
const column = (name: string) =>
  fc.constantFrom(...Object.keys(kinds)).chain((kind) =>
    fc.record({
      name: fc.constant(name),
      kind: fc.constant(kind),
      pool: fc.array(kinds[kind].cell, { minLength: 1, maxLength: 5 }),
      binning: fc.option(fc.constantFrom(...(kinds[kind].binnings ?? [''])), { nil: undefined, freq: 1 }),
    }),
  )

/** A number for the values, in one of many notations. */
const valueText = (negative: boolean) =>
  fc.oneof(
    { weight: 6, arbitrary: decimal.map((t) => (negative || Number(t) >= 0 ? t : t.replace('-', ''))) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 99 }).map((x) => ` ${x} `) },
    { weight: 1, arbitrary: fc.constantFrom(...MARKS) },
  )

/** A random table: columns, rows as picks from the columns' cells, and options. */
const tables = fc.record({
  columns: fc.tuple(column('user'), column('wh,at "x"'), column('3rd')),
  order: fc.constantFrom(2, 3),
  merge: fc.constantFrom('sum', 'mean', 'last', 'count' as const),
  negative: fc.constantFrom('keep' as const, 'clip' as const),
  hasWeight: fc.boolean(),
  picks: fc.array(
    fc.tuple(
      fc.nat(9),
      fc.nat(9),
      fc.nat(9),
      valueText(true),
      fc.constantFrom('1', '2.5', '0', '', '0.125', '1e-3'),
    ),
    {
      minLength: 1,
      maxLength: 12,
    },
  ),
  empty: fc.nat(30),
  style: fc.record({
    format: fc.constantFrom('csv', 'csv', 'csv', 'csv', 'json', 'ndjson'),
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    end: fc.constantFrom('\n', '\r\n'),
    quotes: fc.constantFrom('minimal', 'all', 'text'),
    hasMark: fc.boolean(),
    blankLines: fc.boolean(),
    lastEnd: fc.boolean(),
    gzip: fc.boolean(),
    files: fc.integer({ min: 1, max: 3 }),
    commas: fc.boolean(),
  }),
})

type Drawn = typeof tables extends fc.Arbitrary<infer T> ? T : never
let written = 0

/** Writes a drawn table to files. */
function writeTable({ columns, order, merge, negative, hasWeight, picks, empty, style }: Drawn): TableCase {
  const { format, end, quotes, hasMark, blankLines, lastEnd, gzip, files } = style
  const modes = columns.slice(0, order)
  const isCsv = format === 'csv'
  // Of commas before fractions only what is clear: elsewhere the reader asks for --decimal.
  const commas = isCsv && style.commas && style.delimiter !== ','
  const delimiter = isCsv ? style.delimiter : undefined
  const names = [...modes.map(({ name }) => name), 'value', ...(hasWeight ? ['weight'] : [])]
  const withComma = (cell: string): string => (commas ? cell.replace('.', ',') : cell)
  const rows = picks.map(([a, b, c, value, weight], r) => {
    const cells = modes.map(({ pool, kind }, m) => {
      if ((r * 3 + m) % 31 === empty) return ''
      const cell = pool[[a, b, c][m] % pool.length]
      return kind === 'decimal' ? withComma(cell) : cell
    })
    return [...cells, withComma(value), ...(hasWeight ? [withComma(weight)] : [])]
  })
  const isText = (c: number): boolean => c < order && ['text', 'mixed', 'codes'].includes(modes[c].kind)
  const field = (cell: string, c: number): string => {
    const needed =
      cell.includes('"') ||
      /[\r\n]/.test(cell) ||
      cell.includes(delimiter!) ||
      (delimiter === ';' && cell.includes('::'))
    const wanted = quotes === 'all' || (quotes === 'text' && isText(c) && cell !== '')
    return needed || wanted ? `"${cell.replaceAll('"', '""')}"` : cell
  }
  const isNumber = (c: number): boolean => c >= order || ['whole', 'decimal'].includes(modes[c].kind)
  const property = (cell: string, c: number): string =>
    isNumber(c) && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(cell) && quotes !== 'all'
      ? cell
      : cell === ''
        ? 'null'
        : JSON.stringify(cell)
  const write = (some: readonly string[][]): string => {
    const blank = blankLines ? end : ''
    if (format === 'csv')
      return (
        [names, ...some]
          .map((row, r) =>
            (r === 0
              ? row.map((n) => (/[",;\t|]/.test(n) ? `"${n.replaceAll('"', '""')}"` : n))
              : row.map(field)
            ).join(delimiter),
          )
          .join(end + blank) + (lastEnd ? end : '')
      )
    const objects = some.map(
      (row) => `{${row.map((cell, c) => `${JSON.stringify(names[c])}: ${property(cell, c)}`).join(', ')}}`,
    )
    return format === 'json' ? `[${objects.join(`,${end}`)}]` : objects.join(end + blank)
  }
  const at = join(folder, String(written++))
  mkdirSync(at)
  const count = Math.min(files, rows.length)
  const paths = Array.from({ length: count }, (_, f) => {
    const some = rows.slice(
      Math.floor((f * rows.length) / count),
      Math.floor(((f + 1) * rows.length) / count),
    )
    const path = join(at, `${f}.${format}${gzip ? '.gz' : ''}`)
    const content = (hasMark ? '\uFEFF' : '') + write(some)
    writeFileSync(path, gzip ? gzipSync(content) : content)
    return path
  })
  return {
    files: paths,
    json: format !== 'csv',
    delimiter,
    modes: modes.map(({ name, binning }, m) => ({
      column: name,
      ...(binning && { binning }),
      quoted: quotes === 'text' && isText(m),
    })),
    ...(merge !== 'count' && { value: 'value' }),
    ...(hasWeight && (merge === 'mean' || merge === 'last') && { weight: 'weight' }),
    merge: merge as TableCase['merge'],
    negative,
    ...(commas && { decimal: ',' }),
  }
}

test('random tables have the labels and entries that Python reads from the same files', async () => {
  await checkProperty(
    fc.asyncProperty(tables, (drawn) => expectSameReading(writeTable(drawn))),
    { numRuns: Number(process.env.LACUNA_READINGS ?? 150) },
  )
}, 600_000)

test('random tables have the same labels and entries through SQL, or are refused', async () => {
  await checkProperty(
    fc.asyncProperty(tables, (drawn) => {
      const style = { ...drawn.style, format: 'csv' as const, files: 1 }
      // No row is left out: in SQL the type of a column is that of all its cells.
      const picks = drawn.picks.map(([a, b, c, x]): Drawn['picks'][number] => [
        a,
        b,
        c,
        MARKS.includes(x) ? '1' : x,
        '1',
      ])
      const whole = { ...drawn, style, picks, empty: Number.NaN, hasWeight: false }
      return expectSameReading({ ...writeTable(whole), query: 'SELECT * FROM data' })
    }),
    { numRuns: Number(process.env.LACUNA_READINGS ?? 30) },
  )
}, 600_000)

/** A random wide table: a label per row, a column per label of the other mode. */
const wideTables = fc.record({
  rows: fc.uniqueArray(text, { minLength: 1, maxLength: 5 }),
  names: fc.uniqueArray(date, { minLength: 2, maxLength: 6 }),
  cells: fc.infiniteStream(valueText(true)),
  style: fc.record({ delimiter: fc.constantFrom(',', ';', '\t'), end: fc.constantFrom('\n', '\r\n') }),
})

test('random wide tables have the labels and entries that Python makes of their cells', async () => {
  await checkProperty(
    fc.asyncProperty(wideTables, ({ rows, names, cells, style: { delimiter, end } }) => {
      const lines = rows.map((row) => [
        `"${row.replaceAll('"', '""')}"`,
        ...names.map(() => cells.next().value ?? ''),
      ])
      const path = join(folder, `wide-${written++}.csv`)
      writeFileSync(path, [['station', ...names], ...lines].map((line) => line.join(delimiter)).join(end))
      return expectSameReading({
        files: [path],
        json: false,
        delimiter,
        modes: [
          { column: 'station', quoted: true },
          { column: 'day', quoted: false },
        ],
        melt: 'day',
        merge: 'error',
        negative: 'keep',
        value: 'value',
      })
    }),
    { numRuns: 60 },
  )
})
