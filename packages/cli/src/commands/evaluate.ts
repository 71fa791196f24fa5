/** `lacuna evaluate`: errors of models on test entries, beside baselines, and quality of rankings. */
import { Command } from 'commander'
import { InputError, readModel, type SparseTensor } from 'lacuna'
import {
  type Evaluation,
  evaluate,
  evaluateRanking,
  type Quality,
  type RankingEvaluation,
} from 'lacuna/answers'
import { hardwareThreads, modeName, type TensorModel } from 'lacuna/internal'
import type { TableOptions } from 'lacuna/tables'
import { decimalNumber, positiveWholeNumber, wholeNumber } from '../options/arguments.ts'
import { readCooccurrences, readKnownEntries } from '../options/knownEntries.ts'
import { type Assignment, assignment, namesHelp, RowNames } from '../options/rowNames.ts'
import { addTableOptions, tableOptions } from '../options/tableOptions.ts'
import { supportLine, worstHead, worstLine } from '../print/errorsByMode.ts'
import { formatCount, formatNumber, formatTable } from '../print/format.ts'
import { print, printJson } from '../print/print.ts'
import { oneLine } from '../print/printable.ts'
import { type Progress, painter, startProgress } from '../print/terminal.ts'

/** Options of `lacuna evaluate`, as parsed from the command line; the help describes each. */
interface Options extends TableOptions {
  test?: string
  ranking?: string
  of?: string
  n: number
  relevant?: number
  exclude?: string
  minEntries?: number
  names?: Assignment[]
  clip: boolean
  threads: number
  json?: boolean
  quiet?: boolean
}

/** Creates the command `evaluate`. */
export function evaluateCommand(): Command {
  const command = new Command('evaluate')
    .description(
      'Measures the errors of models on test entries, beside simple baselines, and where they are largest.',
    )
    .argument('<models...>', 'models made by lacuna complete (.npz)')
    .option('--test <file>', 'the entries: a table, .tns, .npy or .npz')
    .option(
      '--ranking <mode>',
      'also recall and nDCG of the best rows for each row of this mode: userId, say',
    )
    .option(
      '--of <mode>',
      'with --ranking: the mode whose rows are ranked (default: the other one, where there are two)',
    )
    .option('-n <n>', 'with --ranking: how many of the best', positiveWholeNumber, 10)
    .option('--relevant <value>', 'with --ranking: entries below this value are not relevant', decimalNumber)
    .option('--exclude <file>', 'with --ranking: the training entries, which are no answers')
    .option(
      '--min-entries <n>',
      'with --ranking: rows of fewer entries are no answers (default: 1)',
      wholeNumber,
    )
    .option('--names <mode=file:column...>', namesHelp, assignment)
    .option('--no-clip', 'predictions may lie outside the range of the training values')
    .option('--threads <n>', 'with --ranking: worker threads', positiveWholeNumber, hardwareThreads())
    .option('--json', 'print a JSON array, an object for each model')
    .option('-q, --quiet', 'no progress and no remarks')
  return addTableOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  lacuna data fetch movielens-latest-small -o ml
  lacuna split ml/ratings.csv --modes userId movieId timestamp --value rating --by last -o last
  lacuna complete last.train.csv --modes userId movieId --value rating -o r10.npz
  lacuna complete last.train.csv --modes userId movieId --value rating --rank 30 -o r30.npz
  lacuna evaluate r10.npz r30.npz --test last.test.csv
  lacuna evaluate r10.npz --test last.test.csv --ranking userId --exclude last.train.csv`,
    )
    .action(runEvaluate)
}

/** A model and its evaluation on the test entries; `ranking` only with --ranking. */
interface EvaluatedModel {
  file: string
  model: TensorModel
  names: RowNames
  test: SparseTensor
  evaluation: Evaluation
  ranking?: RankingEvaluation
}

/** Runs `lacuna evaluate`: evaluates every model on the test entries, and prints tables or JSON. */
async function runEvaluate(files: string[], options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  if (options.test === undefined) throw new InputError('option', 'Name the entries to judge by with --test.')
  const evaluated: EvaluatedModel[] = []
  for (const file of files) {
    const model = await readModel(file)
    const test = await readKnownEntries(options.test, model, tableOptions(options), progress)
    const { clip } = options
    const names = await RowNames.read(model, options.names, progress)
    const evaluation = evaluate(model, test, { clip })
    const ranking =
      options.ranking === undefined
        ? undefined
        : await evaluateRankings(model, test, options.ranking, options, progress)
    evaluated.push({ file, model, names, test, evaluation, ranking })
  }
  progress.end()
  if (options.json)
    return printJson(
      evaluated.map(({ file, evaluation, ranking }) => ({
        model: file,
        ...evaluation,
        ranking,
      })),
    )
  if (new Set(evaluated.map(({ evaluation }) => evaluation.entries)).size > 1)
    progress.say('The models know different labels, so that they are judged by different entries.')
  await print(errorsTable(evaluated))
  const { evaluation, test } = evaluated[0]
  if (evaluation.r2 === undefined && test.values.length > 0)
    await print(`R² is not defined: all values are ${formatNumber(test.values[0])}.`)
  if (evaluated.length === 1) await print(`\n${errorBreakdown(evaluated[0])}`)
  if (options.ranking !== undefined) await print(`\n${rankingTable(evaluated, options.n)}`)
}

/**
 * Evaluates the ranking of the rows of one mode (--of) for each row of another. Throws if there are several
 * modes to rank and --of is missing.
 * @param rankingMode number or name of the mode of --ranking
 */
async function evaluateRankings(
  model: TensorModel,
  test: SparseTensor,
  rankingMode: string,
  options: Options,
  progress: Progress,
): Promise<RankingEvaluation> {
  const mode = model.lookup.mode(rankingMode)
  const others = model.dims.map((_, m) => m).filter((m) => m !== mode)
  if (options.of === undefined && others.length > 1)
    throw new InputError(
      'option',
      `Say with --of which mode is ranked: ${others.map((m) => modeName(model, m)).join(', ')}.`,
    )
  const of = options.of === undefined ? others[0] : model.lookup.mode(options.of)
  const exclude =
    options.exclude === undefined
      ? undefined
      : await readCooccurrences(options.exclude, model, [mode, of], progress)
  const { n, relevant, minEntries, threads } = options
  return evaluateRanking(model, test, {
    for: modeName(model, mode),
    of: modeName(model, of),
    ...{ n, relevant, minEntries, threads, exclude },
  })
}

/** Cells of a row of the table of errors. @param name of the model or baseline */
const errorCells = (name: string, { rmse, mae, relative, r2, entries }: Quality): string[] => [
  oneLine(name),
  formatNumber(rmse),
  formatNumber(mae),
  formatNumber(relative),
  r2 === undefined ? '–' : (Math.abs(r2) < 5e-4 ? 0 : r2).toFixed(3),
  formatCount(entries),
]

/** Formats a table of the errors of all models, and below them of their baselines, equal ones once. */
function errorsTable(evaluated: readonly EvaluatedModel[]): string {
  const { bold, dim } = painter(process.stdout)
  const rows = evaluated.map(({ file, evaluation }) => errorCells(file, evaluation))
  // Baselines depend on the training data alone: models of the same data share them.
  const baselines = new Map<string, string[]>()
  for (const { evaluation } of evaluated)
    for (const { name, ...errors } of evaluation.baselines) {
      const cells = errorCells(name, errors)
      baselines.set(cells.join(), cells)
    }
  const [head, ...lines] = formatTable([
    ['', 'RMSE', 'MAE', 'relative error', 'R²', 'entries'],
    ...rows,
    ...baselines.values(),
  ]).split('\n')
  return [bold(head), ...lines.slice(0, rows.length), ...lines.slice(rows.length).map(dim)].join('\n')
}

/**
 * Formats where one model's errors lie: RMSE by the rows' numbers of training entries, the rows that add most
 * to the squared error, and calibration (mean predicted and observed values in ten groups).
 */
function errorBreakdown({ evaluation, names }: EvaluatedModel): string {
  const { bold } = painter(process.stdout)
  const support = evaluation.modes.filter(({ bySupport }) => bySupport.length > 1).map(supportLine)
  const worst = evaluation.modes.map((mode, m) => worstLine(mode, (row) => names.nameOrLabel(m, row)))
  const calibration = formatTable([
    ['predicted', ...evaluation.calibration.map(({ predicted }) => formatNumber(predicted))],
    ['observed', ...evaluation.calibration.map(({ observed }) => formatNumber(observed))],
  ])
  return [
    ...(support.length > 0
      ? [bold('RMSE by how many training entries a row had (entries)'), ...support, '']
      : []),
    bold(worstHead),
    ...worst,
    '',
    bold('Means over ten groups of the entries, in the order of their predictions'),
    calibration,
  ].join('\n')
}

/** Formats a table of recall@n and nDCG@n of all models, and of ranking by popularity. */
function rankingTable(evaluated: readonly EvaluatedModel[], n: number): string {
  const { bold } = painter(process.stdout)
  const rows = evaluated.flatMap(({ file, ranking }) =>
    ranking
      ? [
          [
            oneLine(file),
            ranking.model.recall.toFixed(4),
            ranking.model.ndcg.toFixed(4),
            formatCount(ranking.rows),
          ],
        ]
      : [],
  )
  const popularity = evaluated[0].ranking?.popularity
  const [head, ...lines] = formatTable([
    ['', `recall@${n}`, `nDCG@${n}`, 'rows'],
    ...rows,
    ...(popularity ? [['what is popular', popularity.recall.toFixed(4), popularity.ndcg.toFixed(4)]] : []),
  ]).split('\n')
  return [bold(head), ...lines].join('\n')
}
