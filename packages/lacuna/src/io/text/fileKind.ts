/**
 * The kind of a file, recognized by the ending of its name or, for a pipe, which has none, by its first
 * bytes. Runs in Node and in browsers.
 */

import { LF } from '../../base/characters.ts'
import { InputError, joinWithOr, type Sentence, sentence, setting } from '../../base/inputError.ts'
import { byteOrderMarkLength } from './byteOrderMark.ts'
import { isEntryLine } from './entryLines.ts'

/** Endings of the files that hold tensors as entries or arrays, and of binary tables, by kind. */
export const endings = {
  tns: ['.tns', '.tns.gz'],
  npy: ['.npy'],
  npz: ['.npz'],
  parquet: ['.parquet'],
  arrow: ['.arrow', '.feather', '.ipc'],
  xlsx: ['.xlsx', '.xlsm'],
  arrays: ['.mat', '.h5', '.hdf5', '.he5', '.nc', '.nc4', '.zarr', '.zarr/', '.zarr.zip'],
} as const

/** Endings, without the point, of tables as text with delimiters. */
const TEXT_ENDINGS = ['csv', 'tsv', 'dat', 'data', 'txt']
/** Endings, without the point, of tables as JSON. */
const JSON_ENDINGS = ['json', 'jsonl', 'ndjson']
/** Endings that may follow those of tables: none, gzip, Zstandard. */
const PACKED_ENDINGS = ['', '.gz', '.zst']

/** The endings of files that hold tables. */
export const tableEndings: readonly string[] = [
  ...[...TEXT_ENDINGS, ...JSON_ENDINGS].flatMap((ending) =>
    PACKED_ENDINGS.map((packed) => `.${ending}${packed}`),
  ),
  ...[...endings.parquet, ...endings.arrow, ...endings.xlsx],
]

/** The endings of tables that can be written as text. */
const WRITABLE_TABLE_ENDINGS = ['.csv', '.tsv', '.json', '.ndjson', '.jsonl'].flatMap((text) => [
  text,
  `${text}.gz`,
])

/** The endings of files that a tensor can be written to. */
export const writableEndings: readonly string[] = [
  ...[...endings.tns, ...endings.npz, ...endings.npy],
  ...[...WRITABLE_TABLE_ENDINGS, ...endings.parquet, '.arrow', '.feather', '.h5', '.nc'],
]

/** Whether the name of a file has one of the endings, in whatever case. */
export function hasEnding(path: string, allowed: readonly string[]): boolean {
  return allowed.some((ending) => path.toLowerCase().endsWith(ending))
}

/** Whether a file's name has one of tableEndings (text, JSON, Parquet, Arrow, .xlsx), in upper or lower case. */
export const isTableFile = (path: string): boolean => hasEnding(path, tableEndings)

/**
 * Throws if the name of a file has none of the allowed endings.
 * @param what the kind of file, as the message names it: 'model'
 */
export function checkEnding(path: string, what: string, allowed: readonly string[]): void {
  if (!hasEnding(path, allowed))
    throw new InputError(
      'file',
      `${path}: the ending is not that of a ${what} file; use ${joinWithOr(allowed)}.`,
    )
}

/** Endings of spreadsheets. */
const SHEETS = ['.xls', '.xlsb', '.ods', '.numbers']
/** Endings of databases. */
const DATABASES = ['.db', '.sqlite', '.sqlite3', '.duckdb']

/** The error for a file of another program, with the way to read it; undefined for any other file. */
export function adviseFormat(path: string): Sentence | undefined {
  if (hasEnding(path, SHEETS))
    return sentence`${path}: this is a spreadsheet; save the sheet as .xlsx or CSV (File, Save As) and give that.`
  if (hasEnding(path, DATABASES))
    return sentence`${path}: this is a database; name one of its tables in place of the file, and the file by ${setting('database', path)}.`
}

/** The compression of a file, by its name; undefined if there is none. */
export function packingByName(path: string): 'gzip' | 'zstd' | undefined {
  if (hasEnding(path, ['.gz'])) return 'gzip'
  return hasEnding(path, ['.zst']) ? 'zstd' : undefined
}

/**
 * The content of a file: entries as text, an array, several arrays (NumPy's, or of scientific programs), or a table
 * as Parquet, Arrow, workbook, text or JSON.
 */
export type FileKind = 'tns' | 'npy' | 'npz' | 'arrays' | TableKind
/** The kinds of files that hold tables. */
export type TableKind = 'parquet' | 'arrow' | 'xlsx' | 'text' | 'json'

/** Whether a file of that kind holds a table. */
export const isTableKind = (kind: FileKind | undefined): kind is TableKind =>
  kind === 'parquet' || kind === 'arrow' || kind === 'xlsx' || kind === 'text' || kind === 'json'

/**
 * The kind of a file by its name, which may also end in .gz or, of tables as text or JSON, .zst; undefined if
 * the ending is unknown.
 */
export function kindByName(path: string): FileKind | undefined {
  for (const kind of ['tns', 'npy', 'npz', 'parquet', 'arrow', 'xlsx', 'arrays'] as const)
    if (hasEnding(path, endings[kind])) return kind
  const ending = unpackedEnding(path)
  if (TEXT_ENDINGS.includes(ending) && isTableFile(path)) return 'text'
  if (JSON_ENDINGS.includes(ending) && isTableFile(path)) return 'json'
}

/** The ending of a file's name without its point and without .gz or .zst, in lower case. */
export const unpackedEnding = (path: string): string =>
  path
    .toLowerCase()
    .replace(/\.(gz|zst)$/, '')
    .replace(/^.*\./s, '')

/**
 * The kind of a file by its first bytes. A zip is taken as .npz; text is JSON if it begins with { or [, .tns
 * if its first entry is numbers between blanks or it begins with # lacuna, and else a table.
 */
export function kindByContent(head: Uint8Array): FileKind {
  const bytes = head.subarray(0, 2 ** 16)
  const textOf = (from: number, to?: number): string =>
    new TextDecoder('latin1').decode(bytes.subarray(from, to))
  const magic = textOf(0, 6)
  if (magic.startsWith('PK')) return 'npz'
  if (magic === '\x93NUMPY') return 'npy'
  if (magic.startsWith('PAR1')) return 'parquet'
  if (magic === 'ARROW1' || magic.startsWith('\xff\xff\xff\xff')) return 'arrow'
  if (magic.startsWith('\x89HDF') || magic === 'MATLAB') return 'arrays'
  const start = byteOrderMarkLength(bytes)
  const text = textOf(start)
  if (/^\s*[{[]/.test(text)) return 'json'
  const line = firstEntryLine(bytes, start)
  const isNumbers = /^\s*\d+([ \t]+[-+.\deE]+)+\s*$/.test(textOf(line.start, line.end))
  return isNumbers || text.startsWith('# lacuna') ? 'tns' : 'text'
}

/**
 * The range of the first line that is neither blank nor a comment, without its line feed; an empty range at
 * the end if there is none.
 */
function firstEntryLine(bytes: Uint8Array, from: number): { start: number; end: number } {
  for (let start = from; start < bytes.length; ) {
    const feed = bytes.indexOf(LF, start)
    const end = feed < 0 ? bytes.length : feed
    if (isEntryLine(bytes, start)) return { start, end }
    start = end + 1
  }
  return { start: bytes.length, end: bytes.length }
}

/**
 * A table as text that can be written: separated by commas or tabs, an array of JSON objects, or an object
 * per line.
 */
export type TableText = 'csv' | 'tsv' | 'json' | 'ndjson'

/** The text format in which a table is written to a file, by its name; undefined if the name has none. */
export function tableTextByName(path: string): TableText | undefined {
  if (!hasEnding(path, WRITABLE_TABLE_ENDINGS)) return undefined
  const ending = unpackedEnding(path)
  return ending === 'jsonl' ? 'ndjson' : (ending as TableText)
}
