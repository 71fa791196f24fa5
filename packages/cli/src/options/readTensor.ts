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
import { formatCount, formatCounted } from '../print/format.ts'
import { oneLine } from '../print/printable.ts'
import type { Progress } from '../print/terminal.ts'
import { asFlag } from '../process/failure.ts'
import { tableOptions } from './tableOptions.ts'

/** Options of commands that read a tensor. */
export interface ReadingOptions extends Omit<ReadTableOptions, 'onRows'> {
  /** Sizes of the modes, if not those of the file. */
  dims?: readonly number[]
  /** The treatment of negative values. */
  negative?: NegativePolicy
  /** The treatment of repeated coordinates. */
  duplicates?: DuplicatePolicy
  /** Where a dense array is observed: an .npy file of truth values, or an array of the same file. */
  mask?: string
  /** The array to read of a file of several. */
  variable?: string
  /** Leaves the duplicate check to the engine, where a run starts from these entries unchanged. */
  deferDuplicateCheck?: boolean
}

/**
 * Reads a tensor from a file, from files that form one table, or from a query or database, and prints its
 * size.
 * @param files may be empty if there is a query
 */
export async function readWithProgress(
  files: readonly string[],
  options: ReadingOptions,
  progress: Progress,
): Promise<SparseTensor> {
  const name = files.map(inputName).join(' ') || (options.database ?? 'query')
  if (options.variable !== undefined && isTable(files, options))
    throw new InputError(
      'option',
      `${name}: this is a table, so that --variable means nothing; name its columns by --modes and --value.`,
    )
  const readOptions = { onRemark: reportRemark(progress), ...options, onRows: rowProgress(name, progress) }
  const tensor = isTable(files, options)
    ? await readTable(files, readOptions)
    : await readTensor(onlyFile(files, options), {
        ...readOptions,
        onProgress: readingProgress(name, progress),
      })
  progress.say(`${name}: ${tensor.dims.join('×')}, ${formatCounted(tensor.values.length, 'entry')}`)
  return tensor
}

/** Name of an input in messages: the path, or stdin for `-`. */
export const inputName = (file: string): string => (file === '-' ? 'stdin' : file)

/** Makes the callback that prints notices of reading, with options as flags; guesses even with `--quiet`. */
export const reportRemark =
  ({ say, insist }: Pick<Progress, 'say' | 'insist'>) =>
  ({ sentence, guess }: Remark): void =>
    (guess ? insist : say)(oneLine(formatSentence(sentence, asFlag)))

/** Makes the callback that shows how much of a file above 20 MB has been read, in percent. */
export function readingProgress(name: string, progress: Progress): (bytes: number, total: number) => void {
  return (bytes, total) => {
    if (total > 20e6) progress.update(`Reading ${name}: ${Math.round((100 * bytes) / total)}%`)
  }
}

/**
 * Makes the callback that shows the rows of a table read so far, from 500,000: its length is not known before
 * the end.
 */
export function rowProgress(name: string, progress: Progress): (rows: number) => void {
  return (rows) => {
    if (rows > 500_000) progress.update(`Reading ${name}: ${formatCount(rows)} rows`)
  }
}

/** Whether a query or database is read, or all files are tables by their names. */
function isTable(files: readonly string[], { query, database }: ReadingOptions): boolean {
  return query !== undefined || database !== undefined || (files.length > 0 && files.every(isTableFile))
}

/** The only file; throws if there are several or none, or it is no table and there are table options. */
function onlyFile(files: readonly string[], options: ReadingOptions): string {
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

/** Throws if a file is no table by its name and there are table options; a pipe may be a table. */
export function refuseTableOptions(file: string, options: ReadingOptions): void {
  const kind = kindByName(file)
  const { merge, variable, ...others } = tableOptions(options)
  const [foreign] = [...(merge === 'count' ? ['merge count'] : []), ...Object.keys(others)]
  if (foreign && !options.like && kind !== undefined && !isTableKind(kind))
    throw new InputError(
      'option',
      `${file}: this is no table, so that --${foreign} means nothing; leave it out.`,
    )
}
