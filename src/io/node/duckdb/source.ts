/** Files as SQL: what comes after FROM. */
import { InputError } from '../../../inputError.ts'
import { openFile } from '../files/openFile.ts'
import { literal, type TableSession } from './session.ts'
import { type Dialect, quotedFields, textTypes } from './textColumns.ts'
import { checkZstd } from './zstd.ts'

const TEXT = ['csv', 'tsv', 'dat', 'data', 'txt']
const JSON_TEXT = ['json', 'jsonl', 'ndjson']
const PACKED = ['', '.gz', '.zst']

/** The endings of files that hold tables. */
export const tableEndings: readonly string[] = [
  ...[...TEXT, ...JSON_TEXT].flatMap((ending) => PACKED.map((packed) => `.${ending}${packed}`)),
  '.parquet',
]

export function isTableFile(path: string): boolean {
  return tableEndings.some((ending) => path.toLowerCase().endsWith(ending))
}

/**
 * Files of the same columns as one table: SQL to put after FROM. Says so if a file is missing, empty or a damaged
 * gzip; what else may be wrong shows when the table is read. `allText` leaves the fields of a text as they stand.
 */
export async function tableExpression(
  session: TableSession,
  paths: readonly string[],
  { allText = false }: { allText?: boolean } = {},
): Promise<string> {
  const kinds = new Set(paths.map(kindOf))
  if (kinds.size > 1)
    throw new InputError(
      'table',
      `${paths.join(', ')}: files read as one table must be of one kind; convert them first.`,
    )
  const files = `[${paths.map(file).join(', ')}]`
  const [kind] = kinds
  if (kind === 'text') {
    const starts: string[] = []
    for (const path of paths) starts.push(await startOf(session, path))
    const csv = dialect(starts[0], paths[0])
    await checkFields(session, paths, csv)
    if (allText) return `read_csv(${files}, ${csv.options}, all_varchar = true)`
    return `read_csv(${files}, ${csv.options}${await textTypes(session, file(paths[0]), csv)})`
  }
  for (const path of paths) await checkFile(path)
  return `read_${kind}(${files})`
}

/** Whether a table's file is text, whose fields have no types but what is guessed. */
export const isTextTable = (path: string): boolean => kindOf(path) === 'text'

/** A path as it is: DuckDB would take some of its characters for a pattern of names. */
const file = (path: string): string => literal(path.replace(/[*?[]/g, '[$&]'))

function kindOf(path: string): 'text' | 'json' | 'parquet' {
  const name = path.toLowerCase().replace(/\.(gz|zst)$/, '')
  const ending = name.slice(name.lastIndexOf('.') + 1)
  if (TEXT.includes(ending)) return 'text'
  if (JSON_TEXT.includes(ending)) return 'json'
  if (ending === 'parquet') return 'parquet'
  throw new InputError('table', `${path}: the ending is not that of a table; use ${tableEndings.join(', ')}.`)
}

/**
 * How the fields of a text are separated and whether it begins with names (if none is a number), by its first line.
 * DuckDB would guess too, but drops lines that do not fit: here every line counts, and one that does not is an error.
 */
function dialect(start: string, path: string): Dialect {
  const delimiter = /\.tsv(\.|$)/i.test(path) ? '\t' : likeliestDelimiter(start)
  const fields = fieldsOf(start, delimiter)
  const header = !fields.some((field) => field.trim() !== '' && Number.isFinite(Number(field)))
  const quoted = quotedFields(start, delimiter, header ? 1 : 0)
  const options =
    `delim = ${literal(delimiter)}, header = ${header}, quote = '"', escape = '"', comment = '', skip = 0` +
    // Where quotes are used for text alone, "" is a text.
    (quoted.length > 0 ? ', allow_quoted_nulls = false' : '')
  return { options, fields: fields.length, quoted }
}

/** If DuckDB cannot make columns of the first lines, says which line is to blame. */
async function checkFields(
  session: TableSession,
  paths: readonly string[],
  { options, fields }: Dialect,
): Promise<void> {
  const files = `[${paths.map(file).join(', ')}]`
  await session.columns(`SELECT * FROM read_csv(${files}, ${options})`).catch(async (error) => {
    const columns = Array.from({ length: fields }, (_, c) => `'c${c}': 'VARCHAR'`).join(', ')
    // Told what the columns are, it reads line by line, and names the first that does not fit.
    await session.run(
      `SELECT count(*) FROM read_csv(${files}, ${options}, auto_detect = false, columns = {${columns}})`,
    )
    throw error
  })
}

function likeliestDelimiter(start: string): string {
  const numbers = ['::', '\t', ',', ';', '|'].map((delimiter) => fieldsOf(start, delimiter).length)
  const most = Math.max(...numbers)
  return ['::', '\t', ',', ';', '|'][most > 1 ? numbers.indexOf(most) : 2]
}

const QUOTED = /"([^"]*(?:""[^"]*)*)"/y

/** The fields of the first line; quotes may hold delimiters and newlines. */
function fieldsOf(start: string, delimiter: string): string[] {
  const fields: string[] = []
  let at = 0
  for (;;) {
    QUOTED.lastIndex = at
    const quoted = QUOTED.exec(start)
    const end = quoted ? at + quoted[0].length : nearest(start, at, delimiter)
    fields.push(quoted ? quoted[1] : start.slice(at, end))
    if (!start.startsWith(delimiter, end)) return fields
    at = end + delimiter.length
  }
}

function nearest(text: string, at: number, delimiter: string): number {
  const ends = [delimiter, '\n', '\r'].map((end) => text.indexOf(end, at)).filter((end) => end >= 0)
  return Math.min(text.length, ...ends)
}

/** The first piece of a text file. A gzip file is unpacked to its end, since DuckDB takes a truncated one for whole. */
async function startOf(session: TableSession, path: string): Promise<string> {
  if (/\.zst$/i.test(path)) return startOfZstd(session, path)
  let start: string | undefined
  for await (const piece of (await openFile(path)).source) {
    start ??= new TextDecoder().decode(piece).replace(/^\uFEFF/, '')
    if (!/\.gz$/i.test(path)) break
  }
  if (!start?.trim()) throw new InputError('empty', `${path}: the file is empty.`)
  return start
}

async function startOfZstd(session: TableSession, path: string): Promise<string> {
  await checkFile(path)
  const options = `auto_detect = false, delim = '\\x01', quote = '', escape = '', header = false`
  const [row] = await session.rows(
    `SELECT line FROM read_csv(${file(path)}, ${options}, columns = {'line': 'VARCHAR'}) LIMIT 1`,
  )
  if (!row) throw new InputError('empty', `${path}: the file is empty.`)
  return String(row[0])
}

/** That the file is there and holds something; that a packed one can be unpacked to its end. */
async function checkFile(path: string): Promise<void> {
  const { source, byteLength } = await openFile(path)
  if (byteLength === 0) throw new InputError('empty', `${path}: the file is empty.`)
  if (/\.zst$/i.test(path)) await checkZstd(path)
  if (/\.gz$/i.test(path)) for await (const _ of source);
}
