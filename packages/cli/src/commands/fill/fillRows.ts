/** `lacuna fill` of a table: its empty cells, and the rows that it lacks. */
import { InputError } from 'lacuna'
import { type FilledTable, fillTable, modeName, openInput, type TensorModel } from 'lacuna/internal'
import { type AskedRows, RowPredictor } from 'lacuna/tables'
import { readWithProgress, reportRemark } from '../../options/readTensor.ts'
import { tableOptions } from '../../options/tableOptions.ts'
import { formatCount, formatCounted } from '../../print/format.ts'
import { oneLine } from '../../print/printable.ts'
import type { Progress } from '../../print/terminal.ts'
import { intervalsOf, reportWithoutInterval } from '../predict/predictions.ts'
import { answerOutput, type FillOptions } from './fillOptions.ts'
import { learnModel } from './learnToFill.ts'
import { addTimeSteps, describeSteps } from './timeSteps.ts'

/**
 * Fills the empty values of a table in its own shape, writes it, and prints how many were filled.
 * @param given the model to fill by; if undefined, one is learned from the table
 */
export async function fillRows(
  table: string,
  given: TensorModel | undefined,
  options: FillOptions,
  progress: Progress,
): Promise<void> {
  const { clip, melt, decimal, thousands, query, database, interval } = options
  if (database !== undefined)
    throw new InputError(
      'option',
      '--database: fill takes a file; write the table to one first, or use predict.',
    )
  if (melt !== undefined && interval !== undefined)
    throw new InputError(
      'option',
      `${table}: a cell of a wide table holds one number, and has no room for --interval; make it a long table first, by lacuna convert --modes … --melt ${melt}.`,
    )
  const { addSteps, absent } = options
  if (addSteps && (given || melt !== undefined || absent === false))
    throw new InputError(
      'option',
      `--add-steps goes with a long table that is filled without a model, and not with --no-absent; leave out ${given ? 'the model' : melt !== undefined ? '--melt' : 'one of them'}.`,
    )
  const model = given ?? (await learnFrom(table, options, progress))
  const trainingValue = typeof model.training.value === 'string' ? model.training.value : undefined
  const value = options.value ?? trainingValue
  const predictor = new RowPredictor(model, undefined, { clip })
  const intervals = intervalsOf(model, interval)
  const answer = (batch: AskedRows): Float64Array[] => {
    const predictions = predictor.predict(batch)
    return intervals ? [predictions, ...intervals.ends(batch, predictions)] : [predictions]
  }
  const counts = await fillTable(table, model, answer, {
    output: answerOutput(options),
    input: await openInput(table, { sheet: options.sheet }),
    ...(given && options.modes && melt === undefined && { modes: options.modes }),
    ...(melt !== undefined && { melt, modes: options.modes ?? [] }),
    ...{ decimal, thousands, query, value, typical: model.observed?.mean },
    // SQL is taken from the user alone, not from the file of a model.
    mayBeSql: options.value !== undefined && melt === undefined,
    added: intervals ? ['low', 'high'] : [],
    absent: addSteps || absent ? 'all' : absent === undefined && !given ? 'few' : 'none',
  })
  reportFilled(model, counts, options, progress)
  reportWithoutInterval(model, intervals, progress)
}

/** Learns a model, or with --interval models by folds, from the filled cells of a table. */
async function learnFrom(table: string, options: FillOptions, progress: Progress): Promise<TensorModel> {
  const report = reportRemark(progress)
  const tensor = await readWithProgress(
    [table],
    {
      ...tableOptions(options),
      // Rows without a value are those to be filled.
      onRemark: (remark) => {
        if (!remark.isAboutGaps) report(remark)
      },
    },
    progress,
  )
  const steps = options.melt === undefined ? addTimeSteps(tensor) : undefined
  if (!steps) return learnModel(tensor, options, progress)
  if (options.absent !== false) progress.say(describeSteps(steps, options.addSteps ?? false))
  return options.addSteps
    ? learnModel(steps.tensor, options, progress, steps.lags)
    : learnModel(tensor, options, progress)
}

/** Prints how many cells were empty and filled, and how many rows were added or could be. */
function reportFilled(
  model: TensorModel,
  { rows, empty, filled, absent = 0, addedRows, unwritable }: FilledTable,
  options: FillOptions,
  progress: Progress,
): void {
  const names = model.dims.map((_, mode) => modeName(model, mode)).join(' × ')
  const added = addedRows > 0 ? `; ${formatCounted(addedRows, 'row')} of ${names} that it lacked added` : ''
  progress.say(
    oneLine(
      `${formatCounted(rows, 'row')}, ${formatCounted(empty, 'empty cell')}, ${formatCount(filled)} filled${added}`,
    ),
  )
  if (unwritable)
    progress.say(
      oneLine(
        `Rows that the table lacks are not looked for, since no cell follows from a label of ${unwritable.join(' and ')}; give the columns themselves as modes for that.`,
      ),
    )
  if (filled < empty) progress.say('Cells of labels that the model does not know stay empty.')
  if (absent > 0 && addedRows === 0 && options.absent === undefined)
    progress.say(
      oneLine(
        `${formatCount(absent)} combinations of ${names} have no row; --absent would add and fill them.`,
      ),
    )
}
