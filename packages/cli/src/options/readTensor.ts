/** Reads the tensor of a command, with progress and notices. */
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

/** Options of commands that read a tensor. */
export interface ReadingOptions extends Omit<ReadTableOptions, 'onRows'> {
  dims?: readonly number[]
  negative?: NegativePolicy
  duplicates?: DuplicatePolicy
  mask?: string
  /** Leaves the duplicate check to the engine, where a run starts from these entries unchanged. */
  deferDuplicateCheck?: boolean
}

/** Reads a tensor from a file, or from files that form one table, and prints its size. */
export async function readWithProgress(
  files: readonly string[],
  options: ReadingOptions,
  progress: Progress,
): Promise<SparseTensor> {
  const name = files.map(inputName).join(' ') || (options.database ?? 'query')
  const readOptions = { onRemark: reportRemark(progress), ...options, onRows: rowProgress(name, progress) }
  const tensor = isTable(files, options)
    ? await readTable(files, readOptions)
    : await readTensor(oneFile(files, options), {
        ...readOptions,
        onProgress: readingProgress(name, progress),
      })
  progress.say(`${name}: ${tensor.dims.join('×')}, ${formatCount(tensor.values.length)} entries`)
  return tensor
}

/** Name of an input in messages. */
export const inputName = (file: string): string => (file === '-' ? 'stdin' : file)

/** Prints what was found out while reading; a guess is printed even with `--quiet`. */
export const reportRemark =
  ({ say, insist }: Pick<Progress, 'say' | 'insist'>) =>
  ({ sentence, guess }: Remark): void =>
    (guess ? insist : say)(oneLine(formatSentence(sentence, asFlag)))

/** Callback that shows the progress of reading a large file, in bytes. */
export function readingProgress(name: string, progress: Progress): (bytes: number, total: number) => void {
  return (bytes, total) => {
    if (total > 20e6) progress.update(`Reading ${name}: ${Math.round((100 * bytes) / total)}%`)
  }
}

/**
 * Callback that shows the progress of reading a large table, in rows: its length is not known before the end.
 */
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

/** Refuses table options for a file that is no table, by its name; a pipe may be a table. */
export function refuseTableOptions(file: string, options: ReadingOptions): void {
  const kind = kindByName(file)
  const [foreign] = Object.keys(tableOptions(options))
  if (foreign && !options.like && kind !== undefined && !isTableKind(kind))
    throw new InputError(
      'option',
      `${file}: this is no table, so that --${foreign} means nothing; leave it out.`,
    )
}
