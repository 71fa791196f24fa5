/** The same table in many forms: other orders of its lines, several files, and every format that is read. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openSession } from '#lacuna/io/node/duckdb/session.js'
import { lacuna } from './lacuna.ts'

/** A row of the table: the label of each mode, then the value. */
export type Row = readonly [user: string, item: number, day: string, value: number]

/** Options by which the forms that are tables are read. */
const MODES = ['--modes', 'user', 'item', 'day', '--value', 'value']

/** Files with the rows of a table, and the options by which they are read. */
interface Written {
  files: string[]
  options: string[]
}

/** The rows in another order, by a seed. */
export function shuffleRows<T>(rows: readonly T[], seed: number): T[] {
  const key = (i: number): number => (Math.imul(i + 1, 2654435761) ^ Math.imul(seed, 40503)) >>> 0
  return rows
    .map((row, i) => ({ row, key: Math.imul(key(i) ^ (key(i) >>> 15), 2246822519) >>> 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ row }) => row)
}

const quote = (text: string): string => (/[",;\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
const csv = (rows: readonly Row[], separator = ',', end = '\n'): string =>
  [['user', 'item', 'day', 'value'], ...rows]
    .map((row) => row.map((cell) => quote(String(cell))).join(separator) + end)
    .join('')
const json = (rows: readonly Row[]): string[] =>
  rows.map(([user, item, day, value]) => JSON.stringify({ user, item, day, value }))

/** Writes a text as a file, and returns how it is read as a table. */
function table(path: string, content: string | Uint8Array): Written {
  writeFileSync(path, content)
  return { files: [path], options: MODES }
}

/** Converts the rows, as a CSV file, by the CLI itself. */
async function convert(path: string, rows: readonly Row[]): Promise<Written> {
  const { files, options } = table(`${path}.source.csv`, csv(rows))
  const run = await lacuna(['convert', ...files, path, ...options, '-q'])
  if (run.code !== 0) throw new Error(run.stderr)
  return { files: [path], options: path.endsWith('.parquet') ? MODES : [] }
}

/** Copies the rows, as a CSV file, to another format by DuckDB. */
async function copyBySql(path: string, rows: readonly Row[]): Promise<Written> {
  const { files } = table(`${path}.source.csv`, csv(rows))
  const session = await openSession('test')
  await session.run(`COPY (SELECT * FROM read_csv('${files[0]}')) TO '${path}'`)
  session.close()
  return { files: [path], options: MODES }
}

/** The entry lines of a .tns file in another order, its comments first. */
const reverseLines = (lines: readonly string[]): string[] => [
  ...lines.filter((line) => line.startsWith('#')),
  ...lines.filter((line) => line !== '' && !line.startsWith('#')).reverse(),
]

/** Writes the rows in one form; `path` has no extension. */
type Form = (path: string, rows: readonly Row[]) => Written | Promise<Written>

/** All forms by name; the first one is that which the others are compared with. */
export const forms: Readonly<Record<string, Form>> = {
  csv: (path, rows) => table(`${path}.csv`, csv(rows)),
  'csv, reversed': (path, rows) => table(`${path}.csv`, csv(rows.toReversed())),
  'csv, shuffled': (path, rows) => table(`${path}.csv`, csv(shuffleRows(rows, 1))),
  'csv, one thread': (path, rows) => {
    const { files, options } = table(`${path}.csv`, csv(shuffleRows(rows, 2)))
    return { files, options: [...options, '--threads', '1'] }
  },
  'csv, three threads': (path, rows) => {
    const { files, options } = table(`${path}.csv`, csv(shuffleRows(rows, 3)))
    return { files, options: [...options, '--threads', '3'] }
  },
  'csv with CRLF': (path, rows) => table(`${path}.csv`, csv(shuffleRows(rows, 4), ',', '\r\n')),
  'csv with a byte order mark': (path, rows) => table(`${path}.csv`, `\uFEFF${csv(shuffleRows(rows, 5))}`),
  'csv with semicolons': (path, rows) => table(`${path}.csv`, csv(shuffleRows(rows, 6), ';')),
  'csv with blank lines': (path, rows) => table(`${path}.csv`, csv(shuffleRows(rows, 7), ',', '\n\n')),
  'csv.gz': (path, rows) => table(`${path}.csv.gz`, gzipSync(csv(shuffleRows(rows, 8)))),
  'csv.zst': (path, rows) => copyBySql(`${path}.csv.zst`, shuffleRows(rows, 9)),
  tsv: (path, rows) => table(`${path}.tsv`, csv(shuffleRows(rows, 10), '\t')),
  'tsv.gz': (path, rows) => table(`${path}.tsv.gz`, gzipSync(csv(shuffleRows(rows, 11), '\t'))),
  json: (path, rows) => table(`${path}.json`, `[${json(shuffleRows(rows, 12)).join(',')}]`),
  ndjson: (path, rows) => table(`${path}.ndjson`, json(shuffleRows(rows, 13)).join('\n')),
  'ndjson.gz': (path, rows) => table(`${path}.ndjson.gz`, gzipSync(json(shuffleRows(rows, 14)).join('\r\n'))),
  parquet: (path, rows) => convert(`${path}.parquet`, shuffleRows(rows, 15)),
  'parquet by DuckDB': (path, rows) => copyBySql(`${path}.parquet`, shuffleRows(rows, 16)),
  'csv by a query': (path, rows) => {
    const { files, options } = table(`${path}.csv`, csv(shuffleRows(rows, 17)))
    return { files, options: [...options, '--query', 'SELECT * FROM data ORDER BY value'] }
  },
  tns: (path, rows) => convert(`${path}.tns`, shuffleRows(rows, 18)),
  'tns, its lines reversed': async (path, rows) => {
    const { files, options } = await convert(`${path}.tns`, shuffleRows(rows, 19))
    writeFileSync(files[0], reverseLines(readFileSync(files[0], 'utf8').split('\n')).join('\r\n'))
    return { files, options }
  },
  'tns.gz': async (path, rows) => {
    const { files, options } = await convert(`${path}.tns`, shuffleRows(rows, 20))
    writeFileSync(`${path}.tns.gz`, gzipSync(readFileSync(files[0])))
    return { files: [`${path}.tns.gz`], options }
  },
  npz: (path, rows) => convert(`${path}.npz`, shuffleRows(rows, 21)),
  'two files': (path, rows) => severalFiles(path, shuffleRows(rows, 22), [0, 1]),
  'two files, the second first': (path, rows) => severalFiles(path, shuffleRows(rows, 22), [1, 0]),
  'three files, one of them empty': (path, rows) => severalFiles(path, shuffleRows(rows, 23), [1, 2, 0]),
}

/** Writes two files of half of the rows each, and a third with a header alone; they are read in `order`. */
function severalFiles(path: string, rows: readonly Row[], order: readonly number[]): Written {
  const half = Math.floor(rows.length / 2)
  const parts = [rows.slice(0, half), rows.slice(half), []]
  const files = order.map((part) => table(`${path}.${part}.csv`, csv(parts[part])).files[0])
  return { files, options: MODES }
}

/** Writes the rows in a form to a folder, under a name of its own. */
export const writeForm = async (
  form: string,
  folder: string,
  name: string,
  rows: readonly Row[],
): Promise<Written> => forms[form](join(folder, `${name}-${form.replaceAll(/[^a-z0-9]+/gi, '-')}`), rows)
