/** `lacuna components`: describes the components of a model, as text, JSON or an HTML page. */
import { basename } from 'node:path'
import { Command } from 'commander'
import { InputError, readModel } from 'lacuna'
import { checkOutputs, linkScaleNames, type TensorModel, writeFileWhole } from 'lacuna/internal'
import { describeComponents, type ModelDescription } from 'lacuna-figures/describe'
import { positiveWholeNumber, wholeNumber } from '../options/arguments.ts'
import { type Assignment, assignment, namesHelp, RowNames } from '../options/rowNames.ts'
import { formatCount, formatNumber, formatTable } from '../print/format.ts'
import { print, printJson } from '../print/print.ts'
import { oneLine } from '../print/printable.ts'
import { painter, startProgress } from '../print/terminal.ts'

/** Options of `lacuna components`, as parsed from the command line; the help describes each. */
interface Options {
  strongest: number
  minEntries?: number
  names?: Assignment[]
  html?: string
  title?: string
  modeNames?: string[]
  json?: boolean
  quiet?: boolean
}

/** Creates the command `components`. */
export function componentsCommand(): Command {
  return new Command('components')
    .description('Describes the components of a model: the rows that are special about each.')
    .argument('<model>', 'a model made by lacuna complete (.npz), or - for stdin')
    .option('--strongest <n>', 'rows that are named in each mode', positiveWholeNumber, 5)
    .option('--min-entries <n>', 'do not name rows of fewer entries than this (default: 1)', wholeNumber)
    .option('--names <mode=file:column...>', namesHelp, assignment)
    .option('--html <file>', 'write a page with plots, all in one file')
    .option('--title <text>', 'the heading of that page (default: the name of the model)')
    .option('--mode-names <name...>', 'what to call the modes, where the model does not say, in their order')
    .option('--json', 'print a JSON object')
    .option('-q, --quiet', 'no remarks')
    .addHelpText(
      'after',
      `
A component's share is its part in all that is predicted. Of models of --folds, it is found in another model if the product over
the modes of the cosines of their columns is at least 0.85. The rows that are named are special, not just frequent: ×3
says that the component is three times as large a part of the row's predictions as of all (its lift).

Examples:
  lacuna data fetch movielens-latest-small -o ml
  lacuna complete ml/ratings.csv --modes userId movieId "year(timestamp)" --value rating -o films.npz
  lacuna components films.npz --min-entries 20 --names movieId=ml/movies.csv:title
  lacuna components films.npz --min-entries 20 --names movieId=ml/movies.csv:title --html films.html`,
    )
    .action(runComponents)
}

/** Runs `lacuna components`: describes the model, writes the page of --html, prints JSON or text. */
async function runComponents(modelFile: string, options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  const { html, strongest, minEntries, modeNames } = options
  await checkOutputs([html], [modelFile])
  const model = await readModel(modelFile)
  if (model.members.length > 1)
    progress.say(
      `These are the components of the first of ${model.members.length} models, and in how many of them each is found.`,
    )
  const [{ link }] = model.members
  if (link)
    progress.say(
      `The model was learned ${linkScaleNames[link.name]}: its components, which add up there, describe these and not the values.`,
    )
  if (modeNames && modeNames.length !== model.dims.length)
    throw new InputError(
      'option',
      `The model has ${model.dims.length} modes, but --mode-names names ${modeNames.length}; name each.`,
    )
  const names = await RowNames.read(model, options.names, progress)
  const description = describeComponents(model, (mode, row) => names.nameOrLabel(mode, row), {
    strongest,
    minEntries,
    titles: modeNames,
  })
  if (html !== undefined) {
    const { componentsPage } = await import('lacuna-figures/report')
    const { createDocument } = await import('../report/document.ts')
    const title = options.title ?? basename(modelFile, '.npz')
    const page = componentsPage(model, description, { title, document: await createDocument() })
    await writeFileWhole(html, [new TextEncoder().encode(page)])
    progress.say(
      `${html}: ${formatCount(description.components.length)} components, ${Math.ceil(page.length / 1024)} kB`,
    )
    if (!options.json) return
  }
  if (options.json) return printJson(jsonReport(model, description))
  await print(textReport(description))
}

/** Builds the report of --json: for each component, the strongest rows and the course of every mode. */
function jsonReport(model: TensorModel, { modes, components }: ModelDescription): object {
  return {
    rank: model.members[0].rank,
    components: components.map(({ number, share, found, sentence, modes: described }) => ({
      number,
      share,
      found,
      sentence,
      modes: Object.fromEntries(
        described.map(({ rows, course }, mode) => [
          modes[mode].name,
          {
            strongest: rows.map(({ label, name, weight, lift, entries }) => ({
              label,
              name: name === label ? undefined : name,
              weight,
              lift,
              entries,
            })),
            course: course && Array.from(course, (x) => Number(x.toPrecision(6))),
          },
        ]),
      ),
    })),
  }
}

/**
 * Formats the report as text: for each component its share, a sentence and a table of its strongest rows.
 */
function textReport({ modes, components }: ModelDescription): string {
  const { bold, dim } = painter(process.stdout)
  const width = Math.max(...modes.map(({ title }) => title.length))
  return components
    .map(({ number, share, found, sentence, modes: described }) => {
      const rows = described.flatMap(({ rows }, mode) =>
        rows.map(({ name, weight, lift, entries }, i) => [
          `  ${(i === 0 ? oneLine(modes[mode].title) : '').padEnd(width)}  ${oneLine(name)}`,
          formatNumber(weight),
          `×${lift.toFixed(1)}`,
          ...(entries === undefined ? [] : [formatCount(entries)]),
        ]),
      )
      const head = ['', 'weight', 'lift', ...(rows.some(({ length }) => length === 4) ? ['entries'] : [])]
      const padded = rows.map((row) => [...row, ...Array<string>(head.length - row.length).fill('')])
      const [first, ...lines] = formatTable([head, ...padded]).split('\n')
      return [
        bold(
          `Component ${number}, ${(100 * share).toFixed(1)}%${found ? `, found in ${found.in} of ${found.of}` : ''}`,
        ),
        oneLine(sentence),
        dim(first),
        ...lines,
      ].join('\n')
    })
    .join('\n\n')
}
