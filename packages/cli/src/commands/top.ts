/** `lacuna top`: the best rows along a mode, for given rows or for every row of a mode. */
import { Command } from 'commander'
import { InputError, readModel, type SparseTensor } from 'lacuna'
import { topForAll } from 'lacuna/answers'
import {
  type AnswerOutput,
  checkAnswerOutput,
  checkOutputs,
  labelOf,
  modeName,
  type OutputRow,
  type TensorModel,
  writeAnswers,
} from 'lacuna/internal'
import { positiveWholeNumber, threadsOption, wholeNumber } from '../options/arguments.ts'
import { readCooccurrences } from '../options/knownEntries.ts'
import { type Assignment, assignment, namesHelp, RowNames } from '../options/rowNames.ts'
import { formatCount } from '../print/format.ts'
import { print } from '../print/print.ts'
import { printable } from '../print/printable.ts'
import { startProgress } from '../print/terminal.ts'
import { answerColumns, printTop } from '../print/topTable.ts'

/** Options of `lacuna top`, as parsed from the command line; the help describes each. */
interface Options {
  for?: Assignment[]
  of?: string
  n: number
  exclude?: string[]
  minEntries?: number
  names?: Assignment[]
  clip: boolean
  threads: number
  output?: string
  json?: boolean
  quiet?: boolean
}

/** Creates the command `top`. */
export function topCommand(): Command {
  return new Command('top')
    .description('Finds the best rows along a mode: ten films for a user, say, and why.')
    .argument('<model>', 'a model made by lacuna complete (.npz), or - for stdin')
    .option(
      '--for <mode=label...>',
      'the rows that are fixed, as in userId=42; other modes are averaged, by their entries. userId alone: one answer for each of its rows',
      assignment,
    )
    .option('--of <mode>', 'the mode whose rows are ranked')
    .option('-n <n>', 'how many rows', positiveWholeNumber, 10)
    .option(
      '--exclude <file...>',
      'leave out rows that occur in these tables together with the fixed ones: films already rated',
    )
    .option('--min-entries <n>', 'leave out rows of fewer entries than this (default: 1)', wholeNumber)
    .option('--names <mode=file:column...>', namesHelp, assignment)
    .option('--no-clip', 'predictions may lie outside the range of the training values')
    .option(...threadsOption)
    .option(
      '-o, --output <file>',
      'write a table: .csv, .tsv, .json, .ndjson (each also .gz) or .parquet (default for every row: CSV on stdout)',
    )
    .option('--json', 'print JSON')
    .option('-q, --quiet', 'no progress and no remarks')
    .addHelpText(
      'after',
      `
An answer comes with its support: the number of training entries of the row, and their mean. With few entries a
prediction is close to the mean; --min-entries leaves such rows out.

Examples:
  lacuna data fetch movielens-latest-small -o ml
  lacuna complete ml/ratings.csv --modes userId movieId --value rating -o films.npz
  lacuna top films.npz --for userId=42 --of movieId --exclude ml/ratings.csv --names movieId=ml/movies.csv:title
  lacuna top films.npz --of movieId --min-entries 50         the best for all users on average
  lacuna top films.npz --for userId --of movieId --exclude ml/ratings.csv -o recommended.parquet`,
    )
    .action(runTop)
}

/**
 * Runs `lacuna top`: ranks the rows of a mode for the fixed rows, or for every row of a mode without a label.
 */
async function runTop(modelFile: string, options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  if (options.output && options.output !== '-') checkAnswerOutput(options.output)
  const nameFiles = (options.names ?? []).map(({ text = '' }) => text.slice(0, text.lastIndexOf(':')))
  await checkOutputs([options.output], [modelFile, ...(options.exclude ?? []), ...nameFiles.filter(Boolean)])
  const model = await readModel(modelFile)
  if (options.of === undefined)
    throw new InputError(
      'option',
      `Say with --of which mode is to be ranked: ${model.dims.map((_, mode) => modeName(model, mode)).join(', ')}.`,
    )
  const names = await RowNames.read(model, options.names, progress)
  const of = names.mode(options.of)
  const fixed = (options.for ?? []).map(({ mode, text }) => ({ mode: names.mode(mode), text }))
  const repeated = fixed.find(({ mode }, i) => fixed.findIndex((each) => each.mode === mode) < i)
  if (repeated)
    throw new InputError(
      'option',
      `${modeName(model, repeated.mode)} is asked for twice; give one label for each mode.`,
    )
  const labels: Record<string, string> = {}
  for (const { mode, text } of fixed)
    if (text !== undefined) labels[modeName(model, mode)] = labelOf(model, mode, names.row(mode, text))
  const every = fixed.filter(({ text }) => text === undefined)
  if (every.length > 1)
    throw new InputError(
      'option',
      'Only one mode can be asked for as a whole; give the others a label, as in userId=42.',
    )
  const modes = [...new Set([...fixed.map(({ mode }) => mode), of])]
  let exclude: SparseTensor | undefined
  for (const file of options.exclude ?? [])
    exclude = joinEntries(exclude, await readCooccurrences(file, model, modes, progress))
  const { n, minEntries, clip, threads, output, json } = options
  const question = { n, minEntries, clip, of: modeName(model, of), exclude }
  if (every.length === 1) {
    await printTopForAll(
      model,
      every[0].mode,
      { ...question, threads, output, json, fixed: labels, names },
      progress,
    )
    return
  }
  const ranked = model.top({ ...question, for: labels })
  progress.end()
  if (ranked.length === 0) progress.say('No row is left: all are excluded, or have fewer entries.')
  await printTop(model, of, labels, ranked, names, options)
}

/**
 * Concatenates the coordinates of two tensors; the values of the result are zeros. Returns b if a is
 * undefined.
 */
function joinEntries(a: SparseTensor | undefined, b: SparseTensor): SparseTensor {
  if (!a) return b
  const indices = a.indices.map((column, mode) => {
    const both = new Uint32Array(column.length + b.indices[mode].length)
    both.set(column)
    both.set(b.indices[mode], column.length)
    return both
  })
  return { ...a, indices, values: new Float32Array(indices[0].length) }
}

/** Options of printTopForAll. */
interface TopForAllOptions extends Omit<Options, 'for' | 'exclude' | 'names' | 'quiet'> {
  of: string
  /** Labels of the fixed rows, by the names of their modes. */
  fixed: Readonly<Record<string, string>>
  exclude?: SparseTensor
  names: RowNames
}

/** Writes the best rows for every row of a mode as a table, to the file of -o or to stdout. */
async function printTopForAll(
  model: TensorModel,
  mode: number,
  options: TopForAllOptions,
  progress: ReturnType<typeof startProgress>,
): Promise<void> {
  const { names, output, json, ...question } = options
  const of = names.mode(options.of)
  const name = modeName(model, mode)
  const hasNames = names.titles[of] !== undefined
  const total = model.dims[mode]
  const batches = topForAll(model, { ...question, for: name })
  // An error in the question is thrown here, before anything is written.
  const firstBatch = await batches.next()
  /** Rows of the table, one list per batch of questions; prints progress. */
  async function* rows(): AsyncGenerator<OutputRow[]> {
    for (let batch = firstBatch; !batch.done; batch = await batches.next()) {
      const { first, count, n, rows, predicted, found } = batch.value
      const answers: OutputRow[] = []
      for (let q = 0; q < count; q++)
        for (let i = 0; i < found[q]; i++) {
          const row = rows[q * n + i]
          const label = labelOf(model, of, row)
          answers.push([
            labelOf(model, mode, first + q),
            ...[i + 1, label, ...(hasNames ? [names.nameOf(of, row) ?? null] : []), predicted[q * n + i]],
            model.observed?.counts[of][row] ?? null,
          ])
        }
      progress.update(`${formatCount(first + count)} of ${formatCount(total)} rows of ${name}`)
      yield answers
    }
  }
  const out: AnswerOutput =
    output && output !== '-'
      ? output
      : {
          format: json ? 'ndjson' : 'csv',
          write: (text) => print(process.stdout.isTTY ? printable(text) : text),
        }
  try {
    await writeAnswers(out, answerColumns(model, [name], of, names, false), rows())
  } finally {
    await batches.return(undefined)
  }
  progress.end()
  if (typeof out === 'string')
    progress.say(
      `${out}: the best ${options.n} of ${options.of} for each of ${formatCount(total)} rows of ${name}`,
    )
}
