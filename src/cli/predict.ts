import { Command, InvalidArgumentError } from 'commander'
import { InputError } from '../inputError.ts'
import { readCoordinates, writeTns } from '../io/index.ts'
import { isTableFile } from '../io/node/duckdb/source.ts'
import { endings, hasEnding } from '../io/node/files/endings.ts'
import { checkOutput, openFile, readModel, writeFileWhole } from '../io/node/index.ts'
import type { CpModel, ErrorSummary } from '../model/index.ts'
import { decimalNumber } from './arguments.ts'
import { count, figure } from './format.ts'
import { print } from './print.ts'
import { type Progress, startProgress } from './terminal.ts'

interface Options {
  output?: string
  fallback?: number | 'mean'
  value?: string
  json?: boolean
  quiet?: boolean
}

export function predictCommand(): Command {
  return new Command('predict')
    .description('Predicts the values at given coordinates, or for the rows of a table.')
    .argument('<model>', 'a model made by lacuna complete (.npz)')
    .argument(
      '<queries>',
      "a table with the model's columns (.csv, .tsv, .parquet, .json …), or a .tns file of coordinates; a column of values is compared with the predictions",
    )
    .option(
      '-o, --output <file>',
      'where to write the rows and predictions: .csv, .tsv, .json, .ndjson (each also .gz) or .parquet; for .tns queries .tns; stdout by default',
    )
    .option(
      '--fallback <mean|number>',
      'what to predict for labels that the model does not know (default: nothing)',
      fallback,
    )
    .option(
      '--value <column>',
      "the column of observed values (default: the training data's, if it is there)",
    )
    .option('--json', 'print one JSON object per line')
    .option('-q, --quiet', 'no remarks on stderr')
    .addHelpText(
      'after',
      `
Examples:
  lacuna predict model.npz wanted.csv                            the same rows, with a column prediction
  lacuna predict model.npz wanted.parquet -o predicted.parquet
  lacuna predict model.npz new-users.csv --fallback mean         unknown users get the mean over users
  lacuna predict model.npz wanted.tns -o predicted.tns`,
    )
    .action(predict)
}

function fallback(text: string): number | 'mean' {
  if (text === 'mean') return text
  try {
    return decimalNumber(text)
  } catch {
    throw new InvalidArgumentError('It must be mean or a number.')
  }
}

async function predict(modelFile: string, queries: string, options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  if (options.output) await checkOutput(options.output)
  const model = await readModel(modelFile)
  await (isTableFile(queries) ? predictRows : predictCoordinates)(model, queries, options, progress)
}

async function predictRows(
  model: CpModel,
  queries: string,
  options: Options,
  progress: Progress,
): Promise<void> {
  const { output, fallback, json } = options
  const { predictTable } = await import('../io/node/duckdb/predictTable.ts')
  const trained = model.training.value
  const value = options.value ?? (typeof trained === 'string' ? { ifPresent: trained } : undefined)
  const { rows, unknown, error } = await predictTable(model, queries, {
    output: output ?? { format: json ? 'ndjson' : 'csv', write: print },
    ...(fallback !== undefined && { fallback }),
    ...(value !== undefined && { value }),
    onRows: (done) => {
      if (done > 1e6) progress.update(`Predicting: ${count(done)} rows`)
    },
  })
  if (output) progress.say(`${output}: ${count(rows)} rows`)
  if (unknown > 0) {
    const which = unknown === 1 ? '1 row has' : `${count(unknown)} rows have`
    const given = fallback === undefined ? 'no prediction' : `the fallback (${fallback})`
    progress.say(
      `${which} a label that the model does not know, and ${unknown === 1 ? 'gets' : 'get'} ${given}.`,
    )
  }
  if (error) progress.say(compared(error))
}

async function predictCoordinates(
  model: CpModel,
  file: string,
  { output, json, fallback, value: column }: Options,
  progress: Progress,
): Promise<void> {
  if (fallback !== undefined || column !== undefined)
    throw new InputError('option', `${file}: --fallback and --value go with tables; a .tns file has indices.`)
  if (output && !hasEnding(output, endings.tns))
    throw new InputError(
      'option',
      `${output}: predictions at .tns coordinates are .tns, too; use .tns or .tns.gz.`,
    )
  const { source } = await openFile(file)
  const { dims } = model
  const { indices, values } = await readCoordinates(source, { name: file, order: dims.length, dims })
  const predicted = { dims, indices, values: model.predictMany(indices) }
  const text = writeTns(predicted, { header: false })
  if (output) await writeFileWhole(output, text)
  else if (json) await printLines(predicted.indices, predicted.values)
  else for (const chunk of text) await print(new TextDecoder().decode(chunk))
  if (values) progress.say(compared(model.error({ dims, indices, values })))
}

const compared = ({ relative, rmse, mae }: ErrorSummary): string =>
  `Against the values given: relative error ${figure(relative)}, RMSE ${figure(rmse)}, MAE ${figure(mae)}`

async function printLines(indices: readonly Uint32Array[], values: Float32Array): Promise<void> {
  for (let e = 0; e < values.length; e++)
    await print(
      JSON.stringify({ coordinates: indices.map((column) => column[e] + 1), prediction: values[e] }),
    )
}
