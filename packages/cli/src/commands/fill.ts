/** `lacuna fill`: fills the empty cells of a table, of an array, or a slice of a model. */
import { Command } from 'commander'
import { complete, InputError, type SparseTensor } from 'lacuna'
import { fillSlice } from 'lacuna/answers'
import { encodeNpy } from 'lacuna/formats'
import {
  type AnswerOutput,
  checkAnswerOutput,
  checkOutputs,
  fillTable,
  hardwareThreads,
  isTableKind,
  kindByName,
  labelOf,
  modeName,
  type OutputColumn,
  type OutputRow,
  openInput,
  readTensorOrModel,
  TensorModel,
  writeAnswers,
  writeFileWhole,
} from 'lacuna/internal'
import { RowPredictor, type TableOptions } from 'lacuna/tables'
import { positiveWholeNumber, rankNumber, wholeNumber } from '../options/arguments.ts'
import { readKnownEntries } from '../options/knownEntries.ts'
import { readWithProgress } from '../options/readTensor.ts'
import { type Assignment, assignment } from '../options/rowNames.ts'
import { addTableOptions, tableOptions } from '../options/tableOptions.ts'
import { formatCount } from '../print/format.ts'
import { print } from '../print/print.ts'
import { printable } from '../print/printable.ts'
import { type Progress, startProgress } from '../print/terminal.ts'
import { withSignals } from '../process/signals.ts'
import { epochFormatter } from './complete/report/epochFormatter.ts'

/** Options of `lacuna fill`, as parsed from the command line; the help describes each. */
interface Options extends TableOptions {
  slice?: Assignment[]
  data?: string
  missingOnly?: boolean
  output?: string
  rank?: number
  seed: number
  threads: number
  clip: boolean
  json?: boolean
  quiet?: boolean
}

/** Creates the command `fill`. */
export function fillCommand(): Command {
  const command = new Command('fill')
    .description(
      'Fills gaps: the empty cells of a table in its own shape, of an array, or a slice of a model.',
    )
    .argument(
      '<files...>',
      'a table or array to be filled; or a model (.npz), and the table it is to fill, if any',
    )
    .option(
      '--slice <mode=label...>',
      'of a model: the fixed rows, as in hour=8; other modes are taken whole',
      assignment,
    )
    .option(
      '--data <file>',
      'with --slice: observed entries, whose values are written instead of predictions',
    )
    .option('--missing-only', 'with --data: only the cells that were not observed')
    .option(
      '-o, --output <file>',
      'where to write it: .csv, .tsv, .json, .ndjson (each also .gz), .parquet, or .npy for arrays and slices; stdout by default',
    )
    .option('--rank <r>', 'without a model: number of components (default: 10)', rankNumber)
    .option('--seed <s>', 'without a model: the same seed gives the same bits', wholeNumber, 1)
    .option('--threads <n>', 'without a model: worker threads', positiveWholeNumber, hardwareThreads())
    .option('--no-clip', 'filled values may lie outside the range of the training values')
    .option('--json', 'write one JSON object per line')
    .option('-q, --quiet', 'no progress and no remarks')
  return addTableOptions(command)
    .addHelpText(
      'after',
      `
A table keeps its rows and columns. Empty values are filled in, and a column 'inferred' marks them: true or false in a
long table, in a wide one (--melt) the names of the columns that were filled. Without a model, one is learned first.

Examples:
  printf 'day,a,b,c\\nmon,1,2,3\\ntue,2,,6\\nwed,3,6,9\\nthu,,8,12\\n' > wide.csv
  lacuna fill wide.csv --modes day --melt shop --rank 1
  lacuna synth --dims 20x30 --entries 300 --rank 2 -o some.tns
  lacuna convert some.tns some.npy                           an array, NaN where there is no entry
  lacuna fill some.npy --rank 2 -o filled.npy
  lacuna complete wide.csv --modes day --melt shop --rank 1 -o shops.npz
  lacuna fill shops.npz --slice day=tue                      all shops on that day
  lacuna fill shops.npz wide.csv --modes day --melt shop -o filled.csv`,
    )
    .action(runFill)
}

/**
 * Runs `lacuna fill`. The first file is a table or array to be filled, with a model of its own entries; or a
 * model, followed by the table or array, if any: without one, a slice of the model is written.
 */
async function runFill(files: string[], options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  const [first, second, ...more] = files
  if (more.length > 0)
    throw new InputError('option', `${more[0]}: fill takes a table, or a model and a table; no more.`)
  const { output } = options
  const isArrayOut = output?.endsWith('.npy') ?? false
  if (output !== undefined && output !== '-' && !isArrayOut) checkAnswerOutput(output)
  await checkOutputs([output], [...files, options.data])
  const given = kindByName(first) === 'npz' ? await readTensorOrModel(first) : undefined
  const model = given instanceof TensorModel ? given : undefined
  const table = model ? second : first
  if (!model && second !== undefined)
    throw new InputError(
      'option',
      `${first}: this is no model, so that it cannot fill ${second}; name one of them.`,
    )
  if (model && table === undefined) return fillSliceOfModel(model, options, progress)
  if (options.slice)
    throw new InputError('option', '--slice goes with a model alone; leave out the table, or --slice.')
  const kind = kindByName(table)
  if (kind === 'npy' || kind === 'npz') return fillArray(table, model, options, progress)
  if (!isTableKind(kind))
    throw new InputError(
      'option',
      `${table}: only a table, .npy or .npz has cells to be filled; use 'lacuna predict' for .tns.`,
    )
  if (isArrayOut)
    throw new InputError(
      'option',
      `${output}: a table is filled in its own shape; use .csv or another table.`,
    )
  return fillRows(table, model, options, progress)
}

/**
 * Fills the empty values of a table in its own shape, writes it, and prints how many were filled.
 * @param given the model to fill by; if undefined, one is learned from the table
 */
async function fillRows(
  table: string,
  given: TensorModel | undefined,
  options: Options,
  progress: Progress,
): Promise<void> {
  const { clip, melt, decimal, thousands, query, database } = options
  if (database !== undefined)
    throw new InputError(
      'option',
      '--database: fill takes a file; write the table to one first, or use predict.',
    )
  const model =
    given ??
    (await learnModel(await readWithProgress([table], tableOptions(options), progress), options, progress))
  const trainingValue = typeof model.training.value === 'string' ? model.training.value : undefined
  const value = options.value ?? trainingValue
  const predictor = new RowPredictor(model, undefined, { clip })
  const { rows, empty, filled } = await fillTable(table, model, (batch) => predictor.predict(batch), {
    output: answerOutput(options),
    input: await openInput(table),
    ...(given && options.modes && melt === undefined && { modes: options.modes }),
    ...(melt !== undefined && { melt, modes: options.modes ?? [] }),
    decimal,
    thousands,
    query,
    value,
  })
  const cells = empty === 1 ? '1 empty cell' : `${formatCount(empty)} empty cells`
  progress.say(
    `${rows === 1 ? '1 row' : `${formatCount(rows)} rows`}, ${cells}, ${formatCount(filled)} filled`,
  )
  if (filled < empty) progress.say('Cells of labels that the model does not know stay empty.')
}

/**
 * Fills the missing cells of an array (.npy or .npz), and writes all its cells to a .npy.
 * @param given the model to fill by; if undefined, one is learned from the array
 */
async function fillArray(
  file: string,
  given: TensorModel | undefined,
  options: Options,
  progress: Progress,
): Promise<void> {
  const { output } = options
  if (output === undefined || !output.endsWith('.npy'))
    throw new InputError(
      'option',
      `${file}: an array is filled into an array; name it by -o, as in filled.npy.`,
    )
  const tensor = await readWithProgress([file], {}, progress)
  const model = given ?? (await learnModel(tensor, options, progress))
  const { dims, values, inferred } = fillSlice(
    model,
    model.dims.map(() => null),
    tensor,
    options,
  )
  await writeFileWhole(output, [encodeNpy({ shape: dims, data: values })])
  progress.say(
    `${output}: ${dims.join('×')}, ${formatCount(inferred.reduce((sum, is) => sum + is, 0))} cells are filled`,
  )
}

/** Learns a model of the entries that are to be filled; throws if a signal interrupts it. */
async function learnModel(tensor: SparseTensor, options: Options, progress: Progress): Promise<TensorModel> {
  const { rank, seed, threads } = options
  return withSignals(async ({ signal, outcome }) => {
    const formatEpoch = epochFormatter({ entries: tensor.values.length, epochs: 500 })
    const { model, stopped } = await complete(tensor, {
      ...{ seed, threads, signal, rank },
      onEpoch: (report) => progress.update(formatEpoch(report)),
    })
    progress.end()
    if (stopped === 'aborted') throw outcome()
    return model
  })
}

/**
 * Writes a slice of a model: the cells in which the modes of --slice have the given rows, as .npy or as a
 * table with a row per cell. Observed values of --data replace predictions.
 */
async function fillSliceOfModel(model: TensorModel, options: Options, progress: Progress): Promise<void> {
  const { slice = [], data, clip, output, missingOnly } = options
  const fixed: (number | null)[] = model.dims.map(() => null)
  for (const { mode, text } of slice) {
    const m = model.lookup.mode(mode)
    if (text === undefined)
      throw new InputError(
        'option',
        `--slice ${mode}: say which row is meant, as in ${mode}=${labelOf(model, m, 0)}.`,
      )
    fixed[m] = model.lookup.row(m, text)
  }
  const observed =
    data === undefined ? undefined : await readKnownEntries(data, model, tableOptions(options), progress)
  if (missingOnly && !observed)
    throw new InputError('option', '--missing-only needs --data, to know what is not missing.')
  const filled = fillSlice(model, fixed, observed, { clip })
  const { free, dims, values, inferred } = filled
  if (output?.endsWith('.npy')) {
    await writeFileWhole(output, [encodeNpy({ shape: dims, data: values })])
    progress.say(`${output}: ${dims.join('×') || 'one value'}`)
    return
  }
  const valueName = typeof model.training.value === 'string' ? model.training.value : 'value'
  const columns: OutputColumn[] = [
    ...model.dims.map(
      (_, mode): OutputColumn => ({
        name: modeName(model, mode),
        kind: 'text',
        type: model.modes?.[mode]?.type ?? 'BIGINT',
      }),
    ),
    { name: valueName, kind: 'number' },
    { name: 'inferred', kind: 'text', type: 'BOOLEAN' },
  ]
  await writeAnswers(answerOutput(options), columns, rows())
  if (output !== undefined && output !== '-') progress.say(`${output}: ${formatCount(values.length)} cells`)

  /** Rows of the table in batches: labels, value, and whether it is inferred. */
  function* rows(): Generator<OutputRow[]> {
    const index = [...fixed].map((row) => row ?? 0)
    let batch: OutputRow[] = []
    for (let at = 0; at < values.length; at++) {
      let rest = at
      for (let f = free.length - 1; f >= 0; f--) {
        index[free[f]] = rest % dims[f]
        rest = Math.floor(rest / dims[f])
      }
      if (!missingOnly || inferred[at] === 1)
        batch.push([
          ...index.map((row, mode) => labelOf(model, mode, row)),
          values[at],
          inferred[at] === 1 ? 'true' : 'false',
        ])
      if (batch.length < 4096) continue
      yield batch
      batch = []
    }
    yield batch
  }
}

/** Where answers are written: the file of -o, or stdout as CSV or NDJSON, escaped on a terminal. */
const answerOutput = ({ output, json }: Options): AnswerOutput =>
  output !== undefined && output !== '-'
    ? output
    : {
        format: json ? 'ndjson' : 'csv',
        write: (text) => print(process.stdout.isTTY ? printable(text) : text),
      }
