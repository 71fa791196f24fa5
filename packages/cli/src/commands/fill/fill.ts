/** `lacuna fill`: fills the empty cells of a table, of an array, or a slice of a model. */
import { Command } from 'commander'
import { InputError } from 'lacuna'
import {
  checkAnswerOutput,
  checkOutputs,
  hardwareThreads,
  isTableKind,
  kindByName,
  readTensorOrModel,
  TensorModel,
} from 'lacuna/internal'
import { positiveWholeNumber, probability, rankNumber, wholeNumber } from '../../options/arguments.ts'
import { assignment } from '../../options/rowNames.ts'
import { addTableOptions } from '../../options/tableOptions.ts'
import { startProgress } from '../../print/terminal.ts'
import { fillArray, fillSliceOfModel } from './fillCells.ts'
import type { FillOptions } from './fillOptions.ts'
import { fillRows } from './fillRows.ts'

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
    .option(
      '--interval <level>',
      'ends of an interval that holds a filled value with this probability, as in 0.9: columns low and high; without a model, five are learned by folds',
      probability,
    )
    .option(
      '--absent',
      'of a long table: also the rows that it lacks, one for each combination of labels (default: if they are at most as many as it has, and there is no model)',
    )
    .option('--no-absent', 'only the rows that the table has')
    .option(
      '--add-steps',
      'of a long table: also the steps of time that no row has, such as hours in which all sensors were silent',
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
A table keeps its rows, columns and form (separator, decimal sign, digits). Empty values are filled in, and a column
'inferred' marks them: true or false in a long table, in a wide one (--melt) a JSON array of the columns that were
filled. A long table also gets the rows that it lacks, in its own order. Without a model, one is learned first.

Examples:
  printf 'day,a,b,c\\nmon,1,2,3\\ntue,2,,6\\nwed,3,6,9\\nthu,,8,12\\n' > wide.csv
  lacuna fill wide.csv --modes day --melt shop --rank 1
  lacuna fill sensors.csv --modes sensor time --value temp --interval 0.9 -o filled.csv
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
 * Throws if the ending of the output is not one that is written: a table for a table, an array for an array.
 * @param input the first file
 */
function checkFilledOutput(input: string, output: string): void {
  const kind = kindByName(input)
  if (kind === 'npy' || kind === 'arrays')
    throw new InputError(
      'option',
      `${output}: an array is written as .npy; use -o ${output.replace(/\.[^.]+$/, '')}.npy.`,
    )
  checkAnswerOutput(output, 'filled cells')
}

/**
 * Runs `lacuna fill`. The first file is a table or array to be filled, with a model of its own entries; or a
 * model, followed by the table or array, if any: without one, a slice of the model is written.
 */
async function runFill(files: string[], options: FillOptions): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  const [first, second, ...more] = files
  if (more.length > 0)
    throw new InputError('option', `${more[0]}: fill takes a table, or a model and a table; no more.`)
  const { output } = options
  const isArrayOut = output?.endsWith('.npy') ?? false
  if (output !== undefined && output !== '-' && !isArrayOut) checkFilledOutput(first, output)
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
  if (kind === 'npy' || kind === 'npz' || kind === 'arrays') return fillArray(table, model, options, progress)
  if (!isTableKind(kind))
    throw new InputError(
      'option',
      `${table}: only a table or an array has cells to be filled; use 'lacuna predict' for .tns.`,
    )
  if (isArrayOut)
    throw new InputError(
      'option',
      `${output}: a table is filled in its own shape; use .csv or another table.`,
    )
  return fillRows(table, model, options, progress)
}
