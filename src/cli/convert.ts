import { Command } from 'commander'
import { InputError } from '../inputError.ts'
import { checkEnding, endings, hasEnding, writableEndings } from '../io/node/files/endings.ts'
import {
  checkOutput,
  readTensorOrModel,
  type TableOptions,
  writeCompleted,
  writeFactorTable,
  writeTensor,
} from '../io/node/index.ts'
import { tableText } from '../io/table/index.ts'
import { CpModel } from '../model/index.ts'
import {
  type DuplicatePolicy,
  type NegativePolicy,
  rowsWithEntries,
  type SparseTensor,
} from '../tensor/index.ts'
import { duplicates, negative, sizes } from './arguments.ts'
import { count } from './format.ts'
import { readingProgress, rowProgress } from './reading.ts'
import { addTableOptions, tableOptions } from './tableOptions.ts'
import { type Progress, startProgress } from './terminal.ts'

interface Options extends TableOptions {
  dims?: number[]
  negative: NegativePolicy
  duplicates?: DuplicatePolicy
  mask?: string
  quiet?: boolean
}

export function convertCommand(): Command {
  const command = new Command('convert')
    .description('Writes a tensor in another format, or what a model holds; the endings say which.')
    .argument('<in>', 'a tensor (.tns, .npy, .npz, or a table: .csv, .parquet …), or a model (.npz)')
    .argument(
      '<out>',
      `a tensor: ${writableEndings.join(' ')}; of a model: its factors (.csv …) or all values (.npy)`,
    )
    .option('--dims <sizes>', 'size of each mode, as in 183x24x1140', sizes)
    .option('--negative <policy>', 'negative values: error, keep or clip (to zero)', negative, 'keep')
    .option('--duplicates <policy>', 'repeated coordinates: error, sum, mean or last', duplicates)
    .option('--mask <file>', 'which elements of a dense array are observed: an .npy of truth values')
    .option('-q, --quiet', 'no progress')
  return addTableOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  lacuna convert measured.npy measured.tns.gz       every element but NaN is an entry
  lacuna convert ratings.csv ratings.tns.gz --modes userId movieId "week(timestamp)" --value rating
  lacuna convert ratings.tns ratings.parquet        a row per entry, a column per mode
  lacuna convert ratings.tns ratings.npz            COO: coords, data, shape, as PyData/sparse reads them
  lacuna convert model.npz factors.csv              a row per row of each factor
  lacuna convert model.npz completed.npy            every cell as the model has it, observed or not`,
    )
    .action(convert)
}

async function convert(from: string, to: string, options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  await checkOutput(to)
  checkEnding(to, 'tensor', writableEndings)
  const { dims, negative, duplicates, mask } = options
  const found = await readTensorOrModel(from, {
    ...{
      ...tableOptions(options),
      negative,
      ...(dims && { dims }),
      ...(duplicates && { duplicates }),
      ...(mask && { mask }),
    },
    onProgress: readingProgress(from, progress),
    onRows: rowProgress(from, progress),
    onRemark: progress.say,
  })
  const onProgress = (bytes: number) => {
    if (bytes > 20e6) progress.update(`Writing ${to}: ${Math.round(bytes / 1e6)} MB`)
  }
  if (found instanceof CpModel) return convertModel(from, found, to, onProgress, progress)
  await writeTensor(to, found, { onProgress })
  progress.say(`${to}: ${found.dims.join('×')}, ${count(found.values.length)} entries`)
  const lost = listLost(found, to)
  if (lost.length > 0) progress.say(`Not kept: ${lost.join('; ')}.`)
}

async function convertModel(
  from: string,
  model: CpModel,
  to: string,
  onProgress: (bytes: number) => void,
  progress: Progress,
): Promise<void> {
  const what = `${model.dims.join('×')}, rank ${model.rank}`
  if (hasEnding(to, endings.npy)) {
    await writeCompleted(to, model, { onProgress })
    progress.say(`${to}: every value of the model in ${from} (${what})`)
  } else if (tableText(to)) {
    await writeFactorTable(to, model)
    progress.say(`${to}: the factors of the model in ${from} (${what})`)
  } else
    throw new InputError(
      'option',
      `${from}: this is a model; write its factors to .csv, .tsv or .json, or every value of it to .npy.`,
    )
}

/** What the format has no place for, in words. */
function listLost(tensor: SparseTensor, to: string): string[] {
  const { dims, labels, modes } = tensor
  if (hasEnding(to, [...endings.tns, ...endings.npz])) return []
  if (hasEnding(to, endings.npy))
    return labels?.some(Boolean)
      ? ['labels, for which .npy has no place']
      : modes
        ? ['the names of the modes']
        : []
  return dims.flatMap((dim, mode) => {
    const empty = dim - rowsWithEntries(tensor, mode)
    return empty > 0
      ? [`${count(empty)} of ${count(dim)} rows of mode ${mode + 1}, which have no entries`]
      : []
  })
}
