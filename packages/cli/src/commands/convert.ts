/** `lacuna convert`: writes a tensor in another format, or the factors or values of a model. */
import { Command } from 'commander'
import { CpModel, InputError, type SparseTensor, writeTensor } from 'lacuna'
import { CpEnsemble } from 'lacuna/folds'
import {
  checkEnding,
  checkOutputs,
  endings,
  hasEnding,
  type NegativePolicy,
  readTensorOrModel,
  rowsWithEntries,
  tableTextByName,
  type WriteTensorOptions,
  writableEndings,
  writeCompleted,
  writeFactorTable,
} from 'lacuna/internal'
import type { TableOptions } from 'lacuna/tables'
import { negative, oneOf, sizes } from '../options/arguments.ts'
import {
  inputName,
  readingProgress,
  refuseTableOptions,
  reportRemark,
  rowProgress,
} from '../options/readTensor.ts'
import { addTableOptions, duplicatesOf, maskHelp, tableOptions } from '../options/tableOptions.ts'
import { escapeFormulas } from '../print/escapeFormulas.ts'
import { formatCount, formatCounted } from '../print/format.ts'
import { type Progress, startProgress } from '../print/terminal.ts'
import { type CompactKind, compactKinds, saveCompact } from '../process/saveCompact.ts'
import { describeClipping } from './predict/predictions.ts'

/** Options of `lacuna convert`, as parsed from the command line; the help describes each. */
interface Options extends TableOptions {
  format?: string
  dims?: number[]
  negative: NegativePolicy
  mask?: string
  safeCsv?: boolean
  compact?: CompactKind
  quiet?: boolean
}

/** Parses the argument of --compact. */
const compactKind = oneOf<CompactKind>(compactKinds)

/** Creates the command `convert`. */
export function convertCommand(): Command {
  const command = new Command('convert')
    .description(
      'Writes a tensor in another format, or the factors or values of a model; the endings determine which.',
    )
    .argument(
      '<in>',
      'a tensor (.tns, .npy, .npz; .mat, .h5, .nc, .zarr; or a table: .csv, .parquet, .arrow, .xlsx …), or a model (.npz); - for stdin',
    )
    .argument(
      '<out>',
      `a tensor: ${writableEndings.join(' ')}; of a model: its factors (.csv …) or all values (.npy); - for stdout`,
    )
    .option(
      '--format <ext>',
      'what to write to stdout, or to a file whose ending does not say so: csv, tns …',
    )
    .option('--dims <sizes>', 'size of each mode, as in 183x24x1140', sizes)
    .option('--negative <policy>', 'negative values: error, keep or clip (to zero)', negative, 'keep')
    .option('--mask <file>', maskHelp)
    .option(
      '--safe-csv',
      'an apostrophe before labels and names that begin with = + - @, which spreadsheets run',
    )
    .option(
      '--compact <kind>',
      'of a model: a smaller .npz, with factors as float16, or as int8 with a scale per row',
      compactKind,
    )
    .option('-q, --quiet', 'no progress')
  return addTableOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  lacuna convert measured.npy measured.tns.gz       every element but NaN is an entry
  lacuna convert era5.nc t2m.npz --variable t2m     coordinates become labels, fill values are gaps
  lacuna convert ratings.csv ratings.tns.gz --modes userId movieId "week(timestamp)" --value rating
  lacuna convert ratings.tns ratings.parquet        a row per entry, a column per mode
  lacuna convert ratings.tns ratings.npz            COO: coords, data, shape, as PyData/sparse reads them
  lacuna convert model.npz factors.csv              a row per row of each factor
  lacuna convert model.npz completed.npy            every cell as the model has it, observed or not
  lacuna convert model.npz small.npz --compact int8 a smaller file, and its error
  zcat day.csv.gz | lacuna convert - day.npz --modes user item --value rating
  lacuna convert ratings.npz - --format csv | head`,
    )
    .action(runConvert)
}

/**
 * Runs `lacuna convert`: reads a tensor or model, writes it in the format of the output's ending or --format,
 * and prints what that format cannot hold.
 * @param from path of the input
 * @param to path of the output; - for stdin and stdout
 */
async function runConvert(from: string, to: string, options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  await checkOutputs([to], [from, options.mask])
  const format = options.format === undefined ? undefined : `.${options.format.replace(/^\./, '')}`
  const ending = format ?? to
  if (to === '-' && format === undefined)
    throw new InputError(
      'option',
      'stdout has no ending that says what to write; say it with --format, as in --format csv.',
    )
  checkEnding(ending, 'tensor', writableEndings)
  refuseTableOptions(from, tableOptions(options))
  const { dims, negative, mask } = options
  const duplicates = duplicatesOf(options)
  const found = await readTensorOrModel(from, {
    ...tableOptions(options),
    negative,
    dims,
    duplicates,
    mask,
    onProgress: readingProgress(inputName(from), progress),
    onRows: rowProgress(inputName(from), progress),
    onRemark: reportRemark(progress),
  })
  const name = to === '-' ? 'stdout' : to
  const onProgress = (bytes: number) => {
    if (bytes > 20e6) progress.update(`Writing ${name}: ${Math.round(bytes / 1e6)} MB`)
  }
  const writeOptions = { onProgress, format }
  if (options.compact !== undefined) {
    if (!(found instanceof CpModel || found instanceof CpEnsemble) || !hasEnding(to, endings.npz))
      throw new InputError(
        'option',
        `--compact makes a model file of another one: name two .npz files, the first of them a model.`,
      )
    return progress.say(`${name}: ${await saveCompact(to, found, options.compact)}`)
  }
  if (found instanceof CpEnsemble)
    throw new InputError(
      'format',
      `${inputName(from)}: an ensemble of models has no factors of its own; lacuna predict MODEL -o all.npy writes all of its values.`,
    )
  const isSafe = options.safeCsv && /^[ct]sv$/.test(tableTextByName(ending) ?? '')
  if (options.safeCsv && !isSafe)
    throw new InputError('option', `${ending}: --safe-csv goes with .csv and .tsv alone; leave it out.`)
  if (found instanceof CpModel) {
    const model = isSafe ? new CpModel({ ...found.fields, ...escapeFormulas(found) }) : found
    return convertModel(inputName(from), model, to, ending, writeOptions, progress)
  }
  await writeTensor(to, isSafe ? { ...found, ...escapeFormulas(found) } : found, writeOptions)
  progress.say(`${name}: ${found.dims.join('×')}, ${formatCounted(found.values.length, 'entry')}`)
  const lost = listLost(found, ending)
  if (lost.length > 0) progress.say(`Not kept: ${lost.join('; ')}.`)
}

/**
 * Writes a model: all its values as .npy, or its factors as a table; throws for other formats.
 * @param from name of the model's file in messages
 * @param ending name or extension that determines the format
 */
async function convertModel(
  from: string,
  model: CpModel,
  to: string,
  ending: string,
  options: WriteTensorOptions,
  progress: Progress,
): Promise<void> {
  const what = `${model.dims.join('×')}, rank ${model.rank}`
  const name = to === '-' ? 'stdout' : to
  if (hasEnding(ending, endings.npy)) {
    await writeCompleted(to, model, options)
    progress.say(`${name}: every value of the model in ${from} (${what})${describeClipping(model, true)}`)
  } else if (tableTextByName(ending)) {
    await writeFactorTable(to, model, options.format)
    progress.say(`${name}: the factors of the model in ${from} (${what})`)
  } else
    throw new InputError(
      'option',
      `${from}: this is a model; write its factors to .csv, .tsv or .json, or every value of it to .npy.`,
    )
}

/**
 * Lists, in words, what of a tensor the output format cannot hold: weights in .tns; weights, labels and names
 * of modes in .npy; rows without entries in a table. Empty for .npz.
 * @param ending name or extension of the output
 */
function listLost(tensor: SparseTensor, ending: string): string[] {
  const { dims, labels, modes } = tensor
  if (hasEnding(ending, endings.npz)) return []
  const isTns = hasEnding(ending, endings.tns)
  const isNpy = hasEnding(ending, endings.npy)
  const isHdf5 = hasEnding(ending, endings.arrays)
  const lostWeights = tensor.weights && (isTns || isNpy || isHdf5) ? ['the weights'] : []
  if (isTns || isHdf5) return lostWeights
  if (isNpy)
    return [
      ...lostWeights,
      ...(labels?.some(Boolean)
        ? ['labels, for which .npy has no place']
        : modes
          ? ['the names of the modes']
          : []),
    ]
  return dims.flatMap((dim, mode) => {
    const empty = dim - rowsWithEntries(tensor, mode)
    return empty > 0
      ? [`${formatCount(empty)} of ${formatCount(dim)} rows of mode ${mode + 1}, which have no entries`]
      : []
  })
}
