/** `lacuna predict`: predictions for one cell, for the rows of a table, for coordinates, or for all cells. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { type ErrorSummary, InputError, readModel } from 'lacuna'
import { CpEnsemble } from 'lacuna/folds'
import {
  type Coordinates,
  checkOutputs,
  endings,
  hasEnding,
  isTableKind,
  labelOf,
  modeName,
  numberAsText,
  openInput,
  RowIntervals,
  readCoordinates,
  type TensorModel,
  type Thousands,
  thousandsSigns,
  writeCompleted,
  writeFileWhole,
} from 'lacuna/internal'
import { type AskedRows, answerTable, RowPredictor } from 'lacuna/tables'
import { decimalNumber, probability } from '../options/arguments.ts'
import { inputName } from '../options/readTensor.ts'
import { type Assignment, assignment } from '../options/rowNames.ts'
import { formatCount, formatCounted, formatNumber } from '../print/format.ts'
import { print, printJson } from '../print/print.ts'
import { printable } from '../print/printable.ts'
import { type Progress, startProgress } from '../print/terminal.ts'

/** Options of `lacuna predict`, as parsed from the command line; the help describes each. */
interface Options {
  sheet?: string
  output?: string
  fallback?: number | 'mean'
  modes?: string[]
  value?: string
  decimal?: ',' | '.'
  thousands?: Thousands
  at?: Assignment[]
  query?: string
  database?: string
  clip: boolean
  json?: boolean
  quiet?: boolean
  interval?: number
}

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
async function runPredict(modelFile: string, queries: string | undefined, options: Options): Promise<void> {
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
    throw new InputError('option', `${input.name}: an array is no list of queries; give a table, or .tns.`)
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
  { clip, json, interval }: Options,
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

/** Returns the model as an ensemble; throws if it is not one, because only ensembles have intervals. */
function requireEnsemble(model: TensorModel): CpEnsemble {
  if (model instanceof CpEnsemble) return model
  throw new InputError('option', '--interval needs models of folds; learn them by lacuna complete --folds 5.')
}

/**
 * Intervals of a model at a level; undefined without a level. Throws if the model is not an ensemble.
 * @param fallback prediction for labels that the model does not know
 */
export const intervalsOf = (
  model: TensorModel,
  level: number | undefined,
  fallback?: number | 'mean',
): RowIntervals | undefined =>
  level === undefined ? undefined : new RowIntervals(requireEnsemble(model), level, fallback)

/** Says of how many cells there is no interval, and why; nothing if all have one. */
export function reportWithoutInterval(
  model: TensorModel,
  intervals: RowIntervals | undefined,
  progress: Progress,
): void {
  if (!intervals || intervals.withoutInterval === 0) return
  const { withoutInterval: count } = intervals
  progress.say(
    `${formatCounted(count, 'cell')} of rows without entries, or of fewer than in training, ${count === 1 ? 'has' : 'have'} no interval: ${requireEnsemble(model).reasonWithoutInterval}.`,
  )
}

/** Says, to follow a file's size, by which range predictions were limited; empty if by none. */
export const describeClipping = ({ range }: TensorModel, clip: boolean): string =>
  clip && range
    ? `, limited to the range of the training values, ${range.map(formatNumber).join(' to ')}`
    : ''

/** Writes the predictions of all cells to a .npy; throws for other outputs, and with --interval. */
async function predictAll(
  model: TensorModel,
  { output, interval, clip }: Options,
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
  options: Options & { input?: Awaited<ReturnType<typeof openInput>> },
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

/** Prints errors and the coverage of intervals, if the rows have observed values. */
function reportQuality(
  predictor: RowPredictor,
  intervals: RowIntervals | undefined,
  progress: Progress,
): void {
  const error = predictor.error()
  if (error) progress.say(formatErrors(error))
  if (!intervals || intervals.coverage.rows === 0) return
  const { rows, inside } = intervals.coverage
  progress.say(
    `Intervals of ${formatNumber(100 * intervals.level)}% hold ${((100 * inside) / rows).toFixed(1)}% of ${formatCount(rows)} values.`,
  )
}

/** Prints rows unchanged; on a terminal, control characters are escaped. */
const printData = (text: string): Promise<void> => print(process.stdout.isTTY ? printable(text) : text)

/**
 * Predicts at the coordinates of a .tns file, and writes them as .tns or JSON lines; throws for options that
 * go with tables.
 * @param name of the file in messages
 */
async function predictCoordinates(
  model: TensorModel,
  name: string,
  source: AsyncIterable<Uint8Array>,
  { output, json, fallback, value, modes, clip, interval }: Options,
  progress: Progress,
): Promise<void> {
  if (fallback !== undefined || value !== undefined || modes)
    throw new InputError(
      'option',
      `${name}: --fallback, --modes and --value go with tables; a .tns file has indices.`,
    )
  if (output && output !== '-' && !hasEnding(output, endings.tns))
    throw new InputError(
      'option',
      `${output}: predictions at .tns coordinates are .tns, too; use .tns or .tns.gz.`,
    )
  if (interval !== undefined && (!json || (output !== undefined && output !== '-')))
    throw new InputError(
      'option',
      `${name}: a line of .tns has one value, and no room for --interval; add --json and leave out -o, or ask by a table.`,
    )
  const intervals = intervalsOf(model, interval)
  const { dims } = model
  const queries = await readCoordinates(source, { name, order: dims.length, dims })
  const predictor = new RowPredictor(model, undefined, { clip })
  const texts = predictionLines(queries, predictor, json ?? false, intervals)
  if (output && output !== '-') await writeFileWhole(output, encodeTexts(texts))
  else for (const text of texts) await print(text)
  reportQuality(predictor, intervals, progress)
  reportWithoutInterval(model, intervals, progress)
}

/** Number of lines that are predicted and written at once. */
const LINES_AT_ONCE = 2 ** 14

/** Yields lines of coordinates (from 1) and predictions, as .tns or JSON, LINES_AT_ONCE in each text. */
function* predictionLines(
  { indices, values }: Coordinates,
  predictor: RowPredictor,
  json: boolean,
  intervals: RowIntervals | undefined,
): Generator<string> {
  const length = indices[0].length
  for (let start = 0; start < length; start += LINES_AT_ONCE) {
    const end = Math.min(length, start + LINES_AT_ONCE)
    const batchIndices = indices.map((column) => Float64Array.from(column.subarray(start, end)))
    const observed = values
      ? Float64Array.from(values.subarray(start, end))
      : new Float64Array(end - start).fill(NaN)
    const batch = { rowCount: end - start, indices: batchIndices, observed }
    const predictions = predictor.predict(batch)
    const ends = intervals?.ends(batch, predictions)
    let text = ''
    predictions.forEach((y, e) => {
      const coordinates = batchIndices.map((column) => column[e] + 1)
      text += json
        ? `{"coordinates":[${coordinates.join()}],"prediction":${numberAsText(y)}${ends ? `,"low":${jsonNumber(ends[0][e])},"high":${jsonNumber(ends[1][e])}` : ''}}\n`
        : `${coordinates.join(' ')} ${numberAsText(y)}\n`
    })
    yield text
  }
}

/** A number as JSON; null for NaN. */
const jsonNumber = (x: number): string => (Number.isNaN(x) ? 'null' : numberAsText(x))

/** Encodes texts as UTF-8. */
function* encodeTexts(texts: Iterable<string>): Generator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text)
}

/** Formats the errors of predictions as a sentence. */
const formatErrors = ({ relative, rmse, mae }: ErrorSummary): string =>
  `Against the values given: relative error ${formatNumber(relative)}, RMSE ${formatNumber(rmse)}, MAE ${formatNumber(mae)}`
