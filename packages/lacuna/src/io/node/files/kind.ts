/** What files are: by the ending of their names, or, for pipes that have none, by their first bytes. */
import { InputError } from '../../../base/inputError.ts'

/** What files are called. */
export const endings = {
  tns: ['.tns', '.tns.gz'],
  npy: ['.npy'],
  npz: ['.npz'],
  parquet: ['.parquet'],
} as const

const TEXT = ['csv', 'tsv', 'dat', 'data', 'txt']
const JSON_TEXT = ['json', 'jsonl', 'ndjson']
const PACKED = ['', '.gz', '.zst']

/** The endings of files that hold tables. */
export const tableEndings: readonly string[] = [
  ...[...TEXT, ...JSON_TEXT].flatMap((ending) => PACKED.map((packed) => `.${ending}${packed}`)),
  '.parquet',
]

const TABLE_TEXT = ['.csv', '.tsv', '.json', '.ndjson', '.jsonl'].flatMap((text) => [text, `${text}.gz`])

/** The files that a tensor can be written to. */
export const writableEndings: readonly string[] = [
  ...[...endings.tns, ...endings.npz, ...endings.npy],
  ...[...TABLE_TEXT, ...endings.parquet],
]

export function hasEnding(path: string, allowed: readonly string[]): boolean {
  return allowed.some((ending) => path.toLowerCase().endsWith(ending))
}

export const isTableFile = (path: string): boolean => hasEnding(path, tableEndings)

export function checkEnding(path: string, what: string, allowed: readonly string[]): void {
  if (!hasEnding(path, allowed))
    throw new InputError('file', `${path}: the ending is not that of a ${what} file; use ${list(allowed)}.`)
}

const list = (items: readonly string[]): string =>
  items.length < 2 ? items.join() : `${items.slice(0, -1).join(', ')} or ${items[items.length - 1]}`

export type FileKind = 'tns' | 'npy' | 'npz' | 'parquet' | 'text' | 'json'
export type TableKind = 'parquet' | 'text' | 'json'

export const isTableKind = (kind: FileKind | undefined): kind is TableKind =>
  kind === 'parquet' || kind === 'text' || kind === 'json'

/** By the ending; undefined if it says nothing. */
export function kindByName(path: string): FileKind | undefined {
  for (const kind of ['tns', 'npy', 'npz', 'parquet'] as const)
    if (hasEnding(path, endings[kind])) return kind
  const ending = path
    .toLowerCase()
    .replace(/\.(gz|zst)$/, '')
    .replace(/^.*\./s, '')
  if (TEXT.includes(ending) && isTableFile(path)) return 'text'
  if (JSON_TEXT.includes(ending) && isTableFile(path)) return 'json'
}

/** By the first bytes: what numbers between blanks are is .tns, other text is a table. */
export function kindByContent(head: Uint8Array): FileKind {
  const start = new TextDecoder('latin1').decode(head.subarray(0, 2 ** 16))
  if (start.startsWith('PK')) return 'npz'
  if (start.startsWith('\x93NUMPY')) return 'npy'
  if (start.startsWith('PAR1')) return 'parquet'
  const text = start.replace(/^\xef\xbb\xbf/, '')
  if (/^\s*[{[]/.test(text)) return 'json'
  const line = text.split('\n').find((each) => !/^\s*([#%]|$)/.test(each)) ?? ''
  const isNumbers = /^\s*\d+([ \t]+[-+.\deE]+)+\s*$/.test(line)
  return isNumbers || text.startsWith('# lacuna') ? 'tns' : 'text'
}
