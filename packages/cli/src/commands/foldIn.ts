import { Command } from 'commander'
import { type CpModel, InputError, readModel, type SparseTensor } from 'lacuna'
import { align, checkOutputs, labelOf, modeName } from 'lacuna/internal'
import type { TableOptions } from 'lacuna/tables'
import { positiveWholeNumber, wholeNumber } from '../options/arguments.ts'
import { readNewEntries } from '../options/knownEntries.ts'
import { type Assignment, assignment, namesHelp, RowNames } from '../options/rowNames.ts'
import { addTableOptions, filesHelp, tableOptions } from '../options/tableOptions.ts'
import { formatCount, formatSeconds } from '../print/format.ts'
import { print, printJson } from '../print/print.ts'
import { oneLine } from '../print/printable.ts'
import { type Progress, startProgress } from '../print/terminal.ts'
import { tellTop } from '../print/topTable.ts'
import { saveModel } from '../process/saveModel.ts'

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

export function foldCommand(): Command {
  const command = new Command('fold')
    .description(
      'Adds rows to a model that it did not have, a new user with five ratings, say, without learning anew.',
    )
    .argument('<model>', 'a model made by lacuna complete (.npz)')
    .argument('<files...>', `entries of the new rows: ${filesHelp}`)
    .option('-o, --output <file>', 'where to write the larger model (.npz)')
    .option('--top <mode>', 'the best rows of this mode for each new row, but for those in its entries')
    .option('-n <n>', 'with --top: how many rows', positiveWholeNumber, 10)
    .option(
      '--min-entries <n>',
      'with --top: leave out rows of fewer entries than this (default: 1)',
      wholeNumber,
    )
    .option('--names <mode=file:column...>', namesHelp, assignment)
    .option('--no-clip', 'predictions may lie beyond the values that were seen')
    .option('--json', 'print a JSON object')
    .option('-q, --quiet', 'no remarks')
  return addTableOptions(command)
    .addHelpText(
      'after',
      `
New rows are solved under the prior that the model was learned with, all others stay as they are; it takes milliseconds.
Entries that speak of known rows only are passed over: 'lacuna update' learns from them, too.

Examples:
  lacuna data fetch movielens-latest-small -o ml
  lacuna complete ml/ratings.csv --modes userId movieId --value rating -o films.npz
  printf 'userId,movieId,rating\\nme,260,5\\nme,1196,5\\nme,2571,4.5\\nme,318,4\\nme,4306,2\\n' > me.csv
  lacuna fold films.npz me.csv --top movieId --names movieId=ml/movies.csv:title -o films-and-me.npz`,
    )
    .action(fold)
}

async function fold(modelFile: string, files: string[], options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  const { output } = options
  if (output === undefined && options.top === undefined)
    throw new InputError('option', 'Nothing would come of it: name the larger model by -o, or ask by --top.')
  if (output !== undefined) checkModelName(output)
  await checkOutputs([output], [modelFile, ...files])
  const model = await readModel(modelFile)
  const entries = await readNewEntries(files, model, tableOptions(options), progress)
  const started = performance.now()
  const folded = model.foldIn(entries)
  const elapsed = (performance.now() - started) / 1000
  const rows = newRows(model, folded)
  if (rows.every((list) => list.length === 0))
    throw new InputError(
      'empty',
      `The model knows all of these rows already; 'lacuna update' learns from new entries of known rows.`,
    )
  tellFolded(folded, rows, entries, elapsed, progress)
  if (output !== undefined) await saveModel(output, folded)
  if (options.top !== undefined)
    await topOfNew(folded, rows, align(model, entries), options.top, options, progress)
  else if (options.json) await printJson(report(folded, rows, elapsed, output))
  else if (output !== undefined) await print(`The model is in ${output}.`)
}

export function checkModelName(path: string): void {
  if (path !== '-' && !path.endsWith('.npz'))
    throw new InputError('option', `${path}: a model file must end in .npz.`)
}

/**
 * Per mode, the rows that have been solved for: those that are new, and those that nothing had been known of.
 */
export function newRows(before: CpModel, after: CpModel): number[][] {
  return after.dims.map((dim, mode) => {
    const unseen = new Set(after.unobserved[mode])
    const fresh = Array.from({ length: dim - before.dims[mode] }, (_, i) => before.dims[mode] + i)
    return [...before.unobserved[mode], ...fresh].filter((row) => !unseen.has(row))
  })
}

function tellFolded(
  model: CpModel,
  rows: readonly (readonly number[])[],
  { values }: SparseTensor,
  elapsed: number,
  progress: Progress,
): void {
  const kinds = rows.flatMap((list, mode) => {
    if (list.length === 0) return []
    const labels = list.slice(0, 3).map((row) => labelOf(model, mode, row))
    const named = list.length <= 3 ? ` (${labels.join(', ')})` : ''
    return [`${formatCount(list.length)} of ${modeName(model, mode)}${named}`]
  })
  progress.say(
    oneLine(
      `New rows: ${kinds.join(', ')}, from ${formatCount(values.length)} entries in ${formatSeconds(elapsed)}`,
    ),
  )
}

const report = (
  model: CpModel,
  rows: readonly (readonly number[])[],
  elapsed: number,
  output?: string,
): object => ({
  rows: Object.fromEntries(
    rows.map((list, mode) => [modeName(model, mode), list.map((row) => labelOf(model, mode, row))]),
  ),
  seconds: elapsed,
  ...(output !== undefined && { model: output }),
})

async function topOfNew(
  model: CpModel,
  rows: readonly (readonly number[])[],
  entries: SparseTensor,
  wanted: string,
  options: Options,
  progress: Progress,
): Promise<void> {
  const names = await RowNames.read(model, options.names, progress)
  const of = names.mode(wanted)
  const mode = rows.findIndex((list, m) => m !== of && list.length > 0)
  if (mode < 0)
    throw new InputError('option', `There are no new rows but those of ${wanted} itself; rank another mode.`)
  const { n, minEntries, clip, json } = options
  for (const row of rows[mode]) {
    const asked = { [modeName(model, mode)]: labelOf(model, mode, row) }
    const ranked = model.top({ for: asked, of: modeName(model, of), n, minEntries, clip, exclude: entries })
    if (!json && rows[mode].length > 1) await print(`\n${oneLine(Object.entries(asked)[0].join(' '))}`)
    await tellTop(model, of, asked, ranked, names, { json })
  }
}
