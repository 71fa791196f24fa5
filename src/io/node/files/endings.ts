import { InputError } from '../../../inputError.ts'

/** What files are called. */
export const endings = {
  tns: ['.tns', '.tns.gz'],
  npy: ['.npy'],
  npz: ['.npz'],
  parquet: ['.parquet'],
} as const

const TABLE_TEXT = ['.csv', '.tsv', '.json', '.ndjson', '.jsonl'].flatMap((text) => [text, `${text}.gz`])

/** The files that a tensor can be written to. */
export const writableEndings: readonly string[] = [
  ...[...endings.tns, ...endings.npz, ...endings.npy],
  ...[...TABLE_TEXT, ...endings.parquet],
]

export function hasEnding(path: string, allowed: readonly string[]): boolean {
  return allowed.some((ending) => path.toLowerCase().endsWith(ending))
}

export function checkEnding(path: string, what: string, allowed: readonly string[]): void {
  if (!hasEnding(path, allowed))
    throw new InputError('file', `${path}: the ending is not that of a ${what} file; use ${list(allowed)}.`)
}

const list = (items: readonly string[]): string =>
  items.length < 2 ? items.join() : `${items.slice(0, -1).join(', ')} or ${items[items.length - 1]}`
