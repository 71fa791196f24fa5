/** `lacuna fold`: adds new rows to a model by fold-in. */
import { Command } from 'commander'
import { InputError, readModel, type SparseTensor } from 'lacuna'
import { align, checkOutputs, labelOf, modeName, type TensorModel, unobservedRowsOf } from 'lacuna/internal'
import type { TableOptions } from 'lacuna/tables'
import { positiveWholeNumber, wholeNumber } from '../options/arguments.ts'
import { readNewEntries } from '../options/knownEntries.ts'
import { type Assignment, assignment, namesHelp, RowNames } from '../options/rowNames.ts'
import { addTableOptions, filesHelp, tableOptions } from '../options/tableOptions.ts'
import { formatCount, formatCounted, formatSeconds } from '../print/format.ts'
import { print, printJson } from '../print/print.ts'
import { oneLine } from '../print/printable.ts'
import { type Progress, startProgress } from '../print/terminal.ts'
import { printTop } from '../print/topTable.ts'
import { saveModel } from '../process/saveModel.ts'

/** Options of `lacuna fold`, as parsed from the command line; the help describes each. */
interface Options extends TableOptions {
  output?: string
  top?: string
  n: number
  minEntries?: number
  names?: Assignment[]
  clip: boolean
  json?: boolean
  quiet?: boolean
}

/** Creates the command `fold`. */
export function foldInCommand(): Command {
  const command = new Command('fold')
    .description(
      'Adds new rows to a model, such as a user with five ratings, by fold-in: without learning again.',
    )
    .argument('<model>', 'a model made by lacuna complete (.npz), also with --folds or --best')
    .argument('<files...>', `entries of the new rows: ${filesHelp}`)
    .option('-o, --output <file>', 'where to write the larger model (.npz)')
    .option('--top <mode>', 'print the best rows of this mode for each new row, without those in its entries')
    .option('-n <n>', 'with --top: how many rows', positiveWholeNumber, 10)
    .option(
      '--min-entries <n>',
      'with --top: leave out rows of fewer entries than this (default: 1)',
      wholeNumber,
    )
    .option('--names <mode=file:column...>', namesHelp, assignment)
    .option('--no-clip', 'predictions may lie outside the range of the training values')
    .option('--json', 'print a JSON object')
    .option('-q, --quiet', 'no remarks')
  return addTableOptions(command)
    .addHelpText(
      'after',
      `
New rows are solved under the prior of the model, all others stay as they are; it takes milliseconds.
Entries of known rows only are ignored: 'lacuna update' learns from them, too.

Examples:
  lacuna data fetch movielens-latest-small -o ml
  lacuna complete ml/ratings.csv --modes userId movieId --value rating -o films.npz
  printf 'userId,movieId,rating\\nme,260,5\\nme,1196,5\\nme,2571,4.5\\nme,318,4\\nme,4306,2\\n' > me.csv
  lacuna fold films.npz me.csv --top movieId --names movieId=ml/movies.csv:title -o films-and-me.npz`,
    )
    .action(runFoldIn)
}

/** Runs `lacuna fold`: adds the new rows, saves the larger model, and prints the best rows for them. */
async function runFoldIn(modelFile: string, files: string[], options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  const { output } = options
  if (output === undefined && options.top === undefined)
    throw new InputError('option', 'Nothing would come of it: name the larger model by -o, or ask by --top.')
  if (output !== undefined) checkModelName(output)
  await checkOutputs([output], [modelFile, ...files])
  const model = await readModel(modelFile)
  const entries = await readNewEntries(files, model, tableOptions(options), progress)
  const started = performance.now()
  const larger = model.foldIn(entries)
  const elapsed = (performance.now() - started) / 1000
  const rows = listNewRows(model, larger)
  if (rows.every((list) => list.length === 0))
    throw new InputError(
      'empty',
      `The model knows all of these rows already; 'lacuna update' learns from new entries of known rows, unless modes were merged or split: then learn the model anew.`,
    )
  reportNewRows(larger, rows, entries, elapsed, progress)
  if (output !== undefined) await saveModel(output, larger)
  if (options.top !== undefined)
    await printTopOfNewRows(larger, rows, align(model, entries), options.top, options, progress)
  else if (options.json) await printJson(jsonReport(larger, rows, elapsed, output))
  else if (output !== undefined) await print(`The model is in ${output}.`)
}

/** Throws if the path of a model is neither .npz nor - (stdout). */
export function checkModelName(path: string): void {
  if (path !== '-' && !path.endsWith('.npz'))
    throw new InputError('option', `${path}: a model file must end in .npz.`)
}

/**
 * Lists the rows that fold-in solved, per mode: rows beyond the dims of the model before, and rows that had
 * no entries then; those still without entries are left out.
 */
export function listNewRows(before: TensorModel, after: TensorModel): number[][] {
  const [emptyBefore, emptyAfter] = [unobservedRowsOf(before), unobservedRowsOf(after)]
  return after.dims.map((dim, mode) => {
    const unobserved = new Set(emptyAfter[mode])
    const added = Array.from({ length: dim - before.dims[mode] }, (_, i) => before.dims[mode] + i)
    return [...emptyBefore[mode], ...added].filter((row) => !unobserved.has(row))
  })
}

/** Prints how many rows are new in each mode, with their labels if they are at most three. */
function reportNewRows(
  model: TensorModel,
  rows: readonly (readonly number[])[],
  { values }: SparseTensor,
  elapsed: number,
  progress: Progress,
): void {
  const kinds = rows.flatMap((list, mode) => {
    if (list.length === 0) return []
    const labels = list.slice(0, 3).map((row) => labelOf(model, mode, row))
    const rowNames = list.length <= 3 ? ` (${labels.join(', ')})` : ''
    return [`${formatCount(list.length)} of ${modeName(model, mode)}${rowNames}`]
  })
  progress.say(
    oneLine(
      `New rows: ${kinds.join(', ')}, from ${formatCounted(values.length, 'entry')} in ${formatSeconds(elapsed)}`,
    ),
  )
}

/** Builds the report of --json: labels of the new rows by mode, seconds, path of the model. */
const jsonReport = (
  model: TensorModel,
  rows: readonly (readonly number[])[],
  elapsed: number,
  output?: string,
): object => ({
  rows: Object.fromEntries(
    rows.map((list, mode) => [modeName(model, mode), list.map((row) => labelOf(model, mode, row))]),
  ),
  seconds: elapsed,
  model: output,
})

/**
 * Prints the best rows of a mode for each new row of the first other mode that has any.
 * @param entries the new entries, which are excluded from the answers
 * @param rankedMode number or name of the mode of --top
 */
async function printTopOfNewRows(
  model: TensorModel,
  rows: readonly (readonly number[])[],
  entries: SparseTensor,
  rankedMode: string,
  options: Options,
  progress: Progress,
): Promise<void> {
  const names = await RowNames.read(model, options.names, progress)
  const of = names.mode(rankedMode)
  const mode = rows.findIndex((list, m) => m !== of && list.length > 0)
  if (mode < 0)
    throw new InputError(
      'option',
      `There are no new rows but those of ${rankedMode} itself; rank another mode.`,
    )
  const { n, minEntries, clip, json } = options
  for (const row of rows[mode]) {
    const fixed = { [modeName(model, mode)]: labelOf(model, mode, row) }
    const ranked = model.top({ for: fixed, of: modeName(model, of), n, minEntries, clip, exclude: entries })
    if (!json && rows[mode].length > 1) await print(`\n${oneLine(Object.entries(fixed)[0].join(' '))}`)
    await printTop(model, of, fixed, ranked, names, { json })
  }
}
