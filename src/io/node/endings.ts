import { InputError } from '../../inputError.ts'

/** What files are called. */
export const endings = {
  tns: ['.tns', '.tns.gz'],
  npy: ['.npy'],
  npz: ['.npz'],
  /** Tables that can be written. */
  written: [
    ...['.csv', '.tsv', '.json', '.ndjson', '.jsonl'].flatMap((text) => [text, `${text}.gz`]),
    '.parquet',
  ],
} as const

export function hasEnding(path: string, allowed: readonly string[]): boolean {
  return allowed.some((ending) => path.toLowerCase().endsWith(ending))
}

export function checkEnding(path: string, what: string, allowed: readonly string[]): void {
  if (!hasEnding(path, allowed))
    throw new InputError(`${path}: the ending is not that of a ${what} file; use ${list(allowed)}.`)
}

const list = (items: readonly string[]): string =>
  items.length < 2 ? items.join() : `${items.slice(0, -1).join(', ')} or ${items[items.length - 1]}`
