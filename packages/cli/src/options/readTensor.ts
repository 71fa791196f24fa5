import { InputError, readTensor, type SparseTensor } from 'lacuna'
import {
  type DuplicatePolicy,
  formatSentence,
  isTableFile,
  isTableKind,
  kindByName,
  type NegativePolicy,
  type Remark,
} from 'lacuna/internal'
import { type ReadTableOptions, readTable } from 'lacuna/tables'
import { formatCount } from '../print/format.ts'
import { oneLine } from '../print/printable.ts'
import type { Progress } from '../print/terminal.ts'
import { asFlag } from '../process/failure.ts'
import { tableOptions } from './tableOptions.ts'

export interface ReadingOptions extends Omit<ReadTableOptions, 'onRows'> {
  dims?: readonly number[]
  negative?: NegativePolicy
  duplicates?: DuplicatePolicy
  mask?: string
  /** Whether a run is started with the entries as they are, which finds out whether coordinates repeat. */
  deferDuplicateCheck?: boolean
}

/** Reads the tensor in a file, or in files that are one table, with progress, and says what it is. */
export async function readWithProgress(
  files: readonly string[],
  options: ReadingOptions,
  progress: Progress,
): Promise<SparseTensor> {
  const name = files.map(nameOf).join(' ') || (options.database ?? 'query')
  const told = { onRemark: tellRemark(progress), ...options, onRows: rowProgress(name, progress) }
  const tensor = isTable(files, options)
    ? await readTable(files, told)
    : await readTensor(oneFile(files, options), { ...told, onProgress: readingProgress(name, progress) })
  progress.say(`${name}: ${tensor.dims.join('×')}, ${formatCount(tensor.values.length)} entries`)
  return tensor
}

export const nameOf = (file: string): string => (file === '-' ? 'stdin' : file)

/** What was found out while reading; what was guessed is told even to who wants quiet. */
export const tellRemark =
  ({ say, insist }: Pick<Progress, 'say' | 'insist'>) =>
  ({ sentence, guess }: Remark): void =>
    (guess ? insist : say)(oneLine(formatSentence(sentence, asFlag)))

/** Shows how far a large file has been read. */
export function readingProgress(name: string, progress: Progress): (bytes: number, total: number) => void {
  return (bytes, total) => {
    if (total > 20e6) progress.update(`Reading ${name}: ${Math.round((100 * bytes) / total)}%`)
  }
}

/** The same for a table, whose length shows only at its end. */
export function rowProgress(name: string, progress: Progress): (rows: number) => void {
  return (rows) => {
    if (rows > 500_000) progress.update(`Reading ${name}: ${formatCount(rows)} rows`)
  }
}

function isTable(files: readonly string[], { query, database }: ReadingOptions): boolean {
  return query !== undefined || database !== undefined || (files.length > 0 && files.every(isTableFile))
}

function oneFile(files: readonly string[], options: ReadingOptions): string {
  const [file, ...more] = files
  if (file === undefined)
    throw new InputError('empty', 'There is nothing to read; name a file, before --modes.')
  if (more.length > 0)
    throw new InputError(
      'option',
      `${more[0]}: only tables of the same columns can be read several at a time; name one file.`,
    )
  refuseTableOptions(file, options)
  return file
}

/** What is no table has no columns to choose. A pipe without an ending may be one. */
export function refuseTableOptions(file: string, options: ReadingOptions): void {
  const kind = kindByName(file)
  const [foreign] = Object.keys(tableOptions(options))
  if (foreign && !options.like && kind !== undefined && !isTableKind(kind))
    throw new InputError(
      'option',
      `${file}: this is no table, so that --${foreign} means nothing; leave it out.`,
    )
}
