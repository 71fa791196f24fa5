/** `lacuna similar`: the rows of a mode that are most similar to one of them. */
import { Command } from 'commander'
import { InputError, readModel } from 'lacuna'
import { labelOf, modeName } from 'lacuna/internal'
import { positiveWholeNumber, wholeNumber } from '../options/arguments.ts'
import { type Assignment, assignment, namesHelp, RowNames } from '../options/rowNames.ts'
import { formatCount, formatNumber, formatTable } from '../print/format.ts'
import { print, printJson } from '../print/print.ts'
import { oneLine } from '../print/printable.ts'
import { painter, startProgress } from '../print/terminal.ts'

/** Options of `lacuna similar`, as parsed from the command line; the help describes each. */
interface Options {
  to: Assignment[]
  n: number
  minEntries?: number
  names?: Assignment[]
  json?: boolean
  quiet?: boolean
}

/** Creates the command `similar`. */
export function similarCommand(): Command {
  return new Command('similar')
    .description('Finds the rows of a mode that are most similar to one of them: films like this film.')
    .argument('<model>', 'a model made by lacuna complete (.npz), or - for stdin')
    .requiredOption('--to <mode=label>', 'the row, as in movieId=260', assignment)
    .option('-n <n>', 'how many rows', positiveWholeNumber, 10)
    .option(
      '--min-entries <n>',
      'only rows with at least this many training entries (default: 1)',
      wholeNumber,
    )
    .option('--names <mode=file:column...>', namesHelp, assignment)
    .option('--json', 'print a JSON object')
    .option('-q, --quiet', 'no remarks on stderr')
    .addHelpText(
      'after',
      `
Two rows are similar if their predictions consist of the same components.

Examples:
  lacuna similar films.npz --to movieId=260 --min-entries 20
  lacuna similar films.npz --to movieId=260 --names movieId=ml/movies.csv:title`,
    )
    .action(runSimilar)
}

/** Runs `lacuna similar`: prints the rows with their similarities, as a table or as JSON. */
async function runSimilar(modelFile: string, options: Options): Promise<void> {
  const [{ mode: name, text }, ...more] = options.to
  if (more.length > 0 || text === undefined)
    throw new InputError('option', '--to names one row, as in --to movieId=260.')
  const model = await readModel(modelFile)
  const names = await RowNames.read(model, options.names, startProgress(options.quiet ?? false))
  const mode = names.mode(name)
  const { n, minEntries, json } = options
  const label = labelOf(model, mode, names.row(mode, text))
  const found = model.similar(modeName(model, mode), label, {
    n,
    ...(minEntries !== undefined && { minEntries }),
  })
  const rows = found.map(({ row, ...rest }) => ({ ...rest, name: names.nameOf(mode, row) }))
  if (json) return printJson({ to: { [modeName(model, mode)]: label }, similar: rows })
  const head = [names.titles[mode] ?? modeName(model, mode), 'similarity', 'entries']
  const cells = rows.map(({ label, name, similarity, entries }) => [
    oneLine(name ?? label),
    formatNumber(similarity),
    entries === undefined ? '' : formatCount(entries),
  ])
  const [first, ...lines] = formatTable([head, ...cells]).split('\n')
  await print([painter(process.stdout).bold(first), ...lines].join('\n'))
}
