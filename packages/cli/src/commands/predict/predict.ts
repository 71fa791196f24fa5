/** `lacuna predict`: predictions for one cell, for the rows of a table, for coordinates, or for all cells. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { InputError, readModel } from 'lacuna'
import {
  checkOutputs,
  endings,
  hasEnding,
  isTableKind,
  labelOf,
  modeName,
  numberAsText,
  openInput,
  type TensorModel,
  thousandsSigns,
  writeCompleted,
} from 'lacuna/internal'
import { type AskedRows, answerTable, RowPredictor } from 'lacuna/tables'
import { decimalNumber, probability } from '../../options/arguments.ts'
import { inputName } from '../../options/readTensor.ts'
import { type Assignment, assignment } from '../../options/rowNames.ts'
import { formatCount } from '../../print/format.ts'
import { print, printJson } from '../../print/print.ts'
import { printable } from '../../print/printable.ts'
import { type Progress, startProgress } from '../../print/terminal.ts'
import type { PredictOptions } from './options.ts'
import { predictCoordinates } from './predictCoordinates.ts'
import {
  describeClipping,
  intervalsOf,
  reportQuality,
  reportWithoutInterval,
  requireEnsemble,
} from './predictions.ts'

/** Creates the command `predict`. */
export function predictCommand(): Command {
  return new Command('predict')
    .description('Predicts the values at given coordinates, or for the rows of a table.')
    .argument('<model>', 'a model made by lacuna complete (.npz), or - for stdin')
    .argument(
      '[queries]',
      "a table with the model's columns (.csv, .tsv, .parquet, .json …), a .tns file of coordinates, or - for stdin; a column of values is compared with the predictions",
    )
    .option(
      '-o, --output <file>',
      'where to write the rows and predictions: .csv, .tsv, .json, .ndjson (each also .gz) or .parquet; for .tns queries .tns; without queries, all cells: .npy; stdout by default',
    )
    .option(
      '--at <mode=label...>',
      'one cell instead of queries, as in --at userId=42 movieId=318',
      assignment,
    )
    .option('--query <sql>', 'ask about the result of an SQL query, in which the queries are the table data')
    .option(
      '--database <file|url>',
      'ask about a table of a DuckDB, SQLite or Postgres database, named in place of the queries',
    )
    .option('--no-clip', 'predictions may lie outside the range of the training values')
    .option(
      '--interval <level>',
      'ends of an interval that holds the value with this probability, as in 0.9: columns low and high; for models of --folds',
      probability,
    )
    .option(
      '--fallback <mean|number>',
      'what to predict for labels that the model does not know (default: nothing)',
      parseFallback,
    )
    .option(
      '--modes <expr...>',
      "how each of the model's modes is made of the table's columns, where they have other names",
    )
    .option(
      '--value <column>',
      "the column of observed values (default: the training data's, if it is there)",
    )
    .addOption(
      new Option('--decimal <sign>', 'what stands before the fraction of a number').choices([',', '.']),
    )
    .addOption(
      new Option('--thousands <sign>', 'what stands between thousands of a number').choices(thousandsSigns),
    )
    .option(
      '--sheet <name>',
      'of an .xlsx: the sheet, by its name or number (default: the first that is not empty)',
    )
    .option('--json', 'print one JSON object per line')
    .option('-q, --quiet', 'no remarks on stderr')
    .addHelpText(
      'after',
      `
Examples:
  lacuna predict model.npz wanted.csv                            the same rows, with a column prediction
  lacuna predict model.npz wanted.parquet -o predicted.parquet
  lacuna predict model.npz new-users.csv --fallback mean         unknown users get the mean over users
  lacuna predict model.npz --at userId=42 movieId=318            one number
  lacuna predict folds.npz wanted.csv --interval 0.9             columns prediction, low and high
  lacuna predict model.npz all.parquet --query "SELECT * FROM data WHERE userId = 42"
  zcat wanted.csv.gz | lacuna predict model.npz - > predicted.csv
  lacuna predict model.npz wanted.tns -o predicted.tns
  lacuna predict model.npz -o all.npy                            every cell, as an array`,
    )
    .action(runPredict)
}

/** Parses the value of --fallback: mean, or a number. */
function parseFallback(text: string): number | 'mean' {
  if (text === 'mean') return text
  try {
    return decimalNumber(text)
  } catch {
    throw new InvalidArgumentError('It must be mean or a number.')
  }
}

/** Runs `lacuna predict`: one cell (--at), a table, a .tns file of coordinates, or all cells. */
async function runPredict(
  modelFile: string,
  queries: string | undefined,
  options: PredictOptions,
): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  await checkOutputs([options.output], [modelFile, queries])
  const model = await readModel(modelFile)
  if (options.at && options.output !== undefined)
    throw new InputError('option', '--at prints its one number; leave out -o.')
  if (options.at) return predictCell(model, queries, options.at, options)
  if (queries === undefined && options.query === undefined) return predictAll(model, options, progress)
  if (queries === undefined || options.database !== undefined)
    return predictRows(model, queries, options, progress)
  const input = await openInput(queries, { sheet: options.sheet })
  const { kind } = input
  if (kind === 'npy' || kind === 'npz' || kind === 'arrays')
    throw new InputError(
      'option',
      `${input.name}: an array is no list of queries; fill its gaps by lacuna fill ${modelFile} ${input.name} -o filled.npy, or ask with a table or .tns.`,
    )
  if (isTableKind(kind)) return predictRows(model, queries, { ...options, input }, progress)
  if (options.query !== undefined)
    throw new InputError(
      'option',
      `${input.name}: this is no table, so that --query means nothing; leave it out.`,
    )
  return predictCoordinates(model, input.name, input.open(), options, progress)
}

/** Prints the prediction of the cell of --at, with the ends of its interval if asked for. */
async function predictCell(
  model: TensorModel,
  queries: string | undefined,
  at: readonly Assignment[],
  { clip, json, interval }: PredictOptions,
): Promise<void> {
  if (queries !== undefined)
    throw new InputError('option', `${queries}: --at asks about one cell; leave out one of them.`)
  const rowsByName: Record<string, number> = {}
  for (const { mode, text = '' } of at) {
    // A column may be that of several modes: of the hour and the weekday, say.
    const made = model.lookup.modesOfColumn(mode)
    for (const m of made) rowsByName[modeName(model, m)] ??= model.lookup.rowOfCell(m, text)
    if (made.length > 0 && !model.modes?.some(({ name }) => name === mode)) continue
    const named = model.lookup.mode(mode)
    rowsByName[modeName(model, named)] = model.lookup.row(named, text)
  }
  const rows = model.dims.map((_, mode) => {
    const name = modeName(model, mode)
    if (!(name in rowsByName))
      throw new InputError(
        'option',
        `There is no ${name}; give a label for each mode: ${model.dims.map((_, m) => modeName(model, m)).join(', ')}.`,
      )
    return rowsByName[name]
  })
  const labels = Object.fromEntries(
    rows.map((row, mode) => [modeName(model, mode), labelOf(model, mode, row)]),
  )
  const prediction = model.predict(rows, { clip })
  if (interval === undefined) {
    if (json) await printJson({ ...labels, prediction })
    else await print(numberAsText(prediction))
    return
  }
  const { low, high } = requireEnsemble(model).interval(rows, interval)
  if (json) await printJson({ ...labels, prediction, low, high })
  else await print(`${numberAsText(prediction)} (${numberAsText(low)} to ${numberAsText(high)})`)
}

/** Writes the predictions of all cells to a .npy; throws for other outputs, and with --interval. */
async function predictAll(
  model: TensorModel,
  { output, interval, clip }: PredictOptions,
  progress: Progress,
): Promise<void> {
  if (output === undefined || !hasEnding(output, endings.npy))
    throw new InputError(
      'option',
      'There are no queries; name them, ask about one cell with --at, or name an array for all cells by -o all.npy.',
    )
  if (interval !== undefined)
    throw new InputError(
      'option',
      `${output}: an array has one number for each cell, and no room for --interval; ask about the cells of a table.`,
    )
  await writeCompleted(output, model, { clip })
  progress.say(`${output}: ${model.dims.join('×')}${describeClipping(model, clip)}`)
}

/**
 * Predicts for the rows of a table, writes them with their predictions, and prints errors if the rows have
 * observed values.
 * @param queries path of the table, or its name in the database; undefined with --query alone
 */
async function predictRows(
  model: TensorModel,
  queries: string | undefined,
  options: PredictOptions & { input?: Awaited<ReturnType<typeof openInput>> },
  progress: Progress,
): Promise<void> {
  const { output, fallback, json, modes, decimal, thousands, input, query, database, clip } = options
  const trainingValue = model.training.value
  const value =
    options.value ?? (typeof trainingValue === 'string' ? { ifPresent: trainingValue } : undefined)
  const predictor = new RowPredictor(model, fallback, { clip })
  const intervals = intervalsOf(model, options.interval, fallback)
  const answer = (batch: AskedRows): Float64Array[] => {
    const predictions = predictor.predict(batch)
    return intervals ? [predictions, ...intervals.ends(batch, predictions)] : [predictions]
  }
  await answerTable(queries, model, answer, {
    answers: intervals ? ['prediction', 'low', 'high'] : ['prediction'],
    input,
    query,
    database,
    output: output && output !== '-' ? output : { format: json ? 'ndjson' : 'csv', write: printData },
    modes,
    decimal,
    thousands,
    value,
    onRows: (done) => {
      if (done > 1e6) progress.update(`Predicting: ${formatCount(done)} rows`)
    },
  })
  const { rows, unknown } = predictor
  if (output) progress.say(`${inputName(output)}: ${formatCount(rows)} rows`)
  if (unknown > 0) {
    const which = unknown === 1 ? '1 row has' : `${formatCount(unknown)} rows have`
    const given = fallback === undefined ? 'no prediction' : `the fallback (${fallback})`
    progress.say(
      `${which} a label that the model does not know, and ${unknown === 1 ? 'gets' : 'get'} ${given}.`,
    )
  }
  reportQuality(predictor, intervals, progress)
  reportWithoutInterval(model, intervals, progress)
}

/** Prints rows unchanged; on a terminal, control characters are escaped. */
const printData = (text: string): Promise<void> => print(process.stdout.isTTY ? printable(text) : text)
