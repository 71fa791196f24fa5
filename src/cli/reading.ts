import { InputError } from '../inputError.ts'
import { isTableFile, type ReadTableOptions, readTable, readTensor } from '../io/node/index.ts'
import type { DuplicatePolicy, NegativePolicy, SparseTensor } from '../tensor/index.ts'
import { count } from './format.ts'
import { tableOptions } from './tableOptions.ts'
import type { Progress } from './terminal.ts'

export interface ReadingOptions extends Omit<ReadTableOptions, 'onRows'> {
  dims?: readonly number[]
  negative?: NegativePolicy
  duplicates?: DuplicatePolicy
}

/** Reads the tensor in a file, or in files that are one table, with progress, and says what it is. */
export async function readWithProgress(
  files: readonly string[],
  options: ReadingOptions,
  progress: Progress,
): Promise<SparseTensor> {
  const name = files.join(' ') || (options.database ?? 'query')
  const tensor = isTable(files, options)
    ? await readTable(files, {
        onRemark: progress.say,
        ...options,
        onRows: (rows) => {
          if (rows > 500_000) progress.update(`Reading ${name}: ${count(rows)} rows`)
        },
      })
    : await readTensor(oneFile(files, options), {
        ...options,
        onProgress: (bytes, total) => {
          if (total > 20e6) progress.update(`Reading ${name}: ${Math.round((100 * bytes) / total)}%`)
        },
      })
  progress.say(`${name}: ${tensor.dims.join('×')}, ${count(tensor.values.length)} entries`)
  return tensor
}

function isTable(files: readonly string[], { query, database }: ReadingOptions): boolean {
  return query !== undefined || database !== undefined || (files.length > 0 && files.every(isTableFile))
}

function oneFile(files: readonly string[], options: ReadingOptions): string {
  const [file, ...more] = files
  if (file === undefined) throw new InputError('There is nothing to read; name a file, before --modes.')
  if (more.length > 0)
    throw new InputError(
      `${more[0]}: only tables of the same columns can be read several at a time; name one file.`,
    )
  const [foreign] = Object.keys(tableOptions(options))
  if (foreign && !options.like)
    throw new InputError(`${file}: this is no table, so that --${foreign} means nothing; leave it out.`)
  return file
}
