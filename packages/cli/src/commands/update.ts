/** `lacuna update`: continues learning a model with new entries and new labels. */
import { Command } from 'commander'
import {
  CpModel,
  complete,
  type ErrorSummary,
  InputError,
  readModel,
  type SparseTensor,
  sparseTensor,
} from 'lacuna'
import {
  align,
  checkOutputs,
  concatenate,
  hardwareThreads,
  modeName,
  pickEntries,
  type TensorModel,
} from 'lacuna/internal'
import type { TableOptions } from 'lacuna/tables'
import { positiveWholeNumber } from '../options/arguments.ts'
import { readKnownEntries, readNewEntries } from '../options/knownEntries.ts'
import { addTableOptions, filesHelp, tableOptions } from '../options/tableOptions.ts'
import { formatCount, formatCounted, formatNumber, formatSeconds } from '../print/format.ts'
import { print, printJson } from '../print/print.ts'
import { type Progress, startProgress } from '../print/terminal.ts'
import { saveModel } from '../process/saveModel.ts'
import { withSignals } from '../process/signals.ts'
import { epochFormatter } from './complete/report/epochFormatter.ts'
import { checkModelName, listNewRows } from './foldIn.ts'

/** Options of `lacuna update`, as parsed from the command line; the help describes each. */
interface Options extends TableOptions {
  output?: string
  data?: string[]
  test?: string
  threads: number
  json?: boolean
  quiet?: boolean
}

/** Creates the command `update`. */
export function updateCommand(): Command {
  const command = new Command('update')
    .description('Continues learning with new entries and new labels.')
    .argument('<model>', 'a model made by lacuna complete (.npz), also with --folds or --best')
    .argument('<files...>', `new entries: ${filesHelp}`)
    .option('-o, --output <file>', 'where to write the model (.npz)')
    .option(
      '--data <file...>',
      'the entries that it was learned from: learns from all entries again, starting from the model',
    )
    .option('--test <file>', 'held-out entries: errors before and after')
    .option('--threads <n>', 'with --data: worker threads', positiveWholeNumber, hardwareThreads())
    .option('--json', 'print a JSON object')
    .option('-q, --quiet', 'no progress and no remarks')
  return addTableOptions(command)
    .addHelpText(
      'after',
      `
The old entries are not needed: a model stores how many entries each of its rows had, and its prior. The more entries a
row had, the less new ones move it. With --data, all factors are learned from all entries, starting from the model.

Examples:
  lacuna data fetch movielens-latest-small -o ml
  lacuna split ml/ratings.csv --modes userId movieId --value rating --test 0.1 -o part
  lacuna complete part.train.csv --modes userId movieId --value rating -o films.npz
  lacuna update films.npz part.test.csv -o films-now.npz`,
    )
    .action(runUpdate)
}

/** Runs `lacuna update`: learns from the new entries, saves the model, and prints errors before and after. */
async function runUpdate(modelFile: string, files: string[], options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  const { output, data = [], test: testFile } = options
  if (output === undefined) throw new InputError('option', 'Name the model that comes of it by -o.')
  checkModelName(output)
  await checkOutputs([output], [modelFile, ...files, ...data, testFile])
  const before = await readModel(modelFile)
  if (data.length > 0 && !(before instanceof CpModel))
    throw new InputError(
      'option',
      '--data learns one model from all entries, and these are several of folds; learn them anew by lacuna complete --folds 5, with all files.',
    )
  const read = (paths: readonly string[]) => readNewEntries(paths, before, tableOptions(options), progress)
  const entries = await read(files)
  const old = data.length > 0 ? await read(data) : undefined
  progress.update(`Learning from ${formatCounted(entries.values.length, 'entry')} …`)
  const started = performance.now()
  const updated = before.foldIn(entries, { update: true })
  const after =
    old && updated instanceof CpModel
      ? await learnFromAll(updated, [old, entries], options, progress)
      : updated
  const elapsed = (performance.now() - started) / 1000
  const test = testFile === undefined ? undefined : await readKnownEntries(testFile, after, {}, progress)
  const errors = test && { before: errorOnKnownRows(before, test), after: after.error(test) }
  await saveModel(output, after)
  const added = listNewRows(before, after).map((list, mode) => [modeName(after, mode), list.length] as const)
  if (options.json)
    return printJson({
      entries: entries.values.length,
      newRows: Object.fromEntries(added),
      seconds: elapsed,
      test: errors,
      model: output,
    })
  const newRowCounts = added
    .filter(([, rows]) => rows > 0)
    .map(([name, rows]) => `${formatCount(rows)} of ${name}`)
  const total = entries.values.length + (old?.values.length ?? 0)
  const summary = `${formatCounted(total, 'entry')} in ${formatSeconds(elapsed)}`
  await print(
    `Learned from ${summary}${newRowCounts.length > 0 ? `; new rows: ${newRowCounts.join(', ')}` : ''}.`,
  )
  if (errors)
    await print(
      `RMSE on ${testFile}: ${formatNumber(errors.before.rmse)} before, ${formatNumber(errors.after.rmse)} now.`,
    )
  await print(`The model is in ${output}.`)
}

/** Measures the error of a model on those test entries whose rows it has: the update may have added rows. */
function errorOnKnownRows(model: TensorModel, test: SparseTensor): ErrorSummary {
  const known = Uint32Array.from(test.values.keys()).filter((e) =>
    test.indices.every((column, mode) => column[e] < model.dims[mode]),
  )
  return model.error({ ...pickEntries(test, known), dims: model.dims })
}

/**
 * Learns a model from all entries, starting from the factors and settings of another; of repeated coordinates
 * the last one counts. Throws if a signal interrupts it.
 * @param sets old and new entries
 */
async function learnFromAll(
  model: CpModel,
  sets: readonly SparseTensor[],
  { threads }: Options,
  progress: Progress,
): Promise<CpModel> {
  const aligned = sets.map((set) => align(model, set))
  const columns = model.dims.map((_, mode) =>
    concatenate(
      Uint32Array,
      aligned.map(({ indices }) => indices[mode]),
    ),
  )
  const all = sparseTensor(
    {
      ...aligned[0],
      dims: model.dims,
      indices: columns,
      values: concatenate(
        Float32Array,
        aligned.map((set) => set.values),
      ),
      labels: model.labels,
    },
    { duplicates: 'last', negative: 'keep' },
  )
  const { rank, training } = model
  const { seed, missing, noise, prior } = training as Record<string, never>
  return withSignals(async ({ signal, outcome }) => {
    const formatEpoch = epochFormatter({ entries: all.values.length, epochs: 500, link: model.link?.name })
    const { model: result, stopped } = await complete(all, {
      ...{ rank, initial: model, threads, signal, seed, missing, noise, prior },
      onEpoch: (report) => progress.update(formatEpoch(report)),
    })
    progress.end()
    if (stopped === 'aborted') throw outcome()
    return result
  })
}
