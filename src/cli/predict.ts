import { Command } from 'commander'
import { readCoordinates, writeTns } from '../io/index.ts'
import { openFile, readModel, writeTensor } from '../io/node/index.ts'
import { figure } from './format.ts'
import { print } from './print.ts'
import { startProgress } from './terminal.ts'

interface Options {
  output?: string
  json?: boolean
  quiet?: boolean
}

export function predictCommand(): Command {
  return new Command('predict')
    .description('Predicts the values at given coordinates.')
    .argument('<model>', 'a model made by lacuna complete (.npz)')
    .argument(
      '<coordinates>',
      'a .tns file; a value column may be there, and is then compared with the predictions',
    )
    .option(
      '-o, --output <file>',
      'where to write coordinates and predictions (.tns, .tns.gz); stdout by default',
    )
    .option('--json', 'print one JSON object per line')
    .option('-q, --quiet', 'no remarks on stderr')
    .addHelpText('after', '\nExample:\n  lacuna predict model.npz wanted.tns -o predicted.tns')
    .action(predict)
}

async function predict(modelFile: string, coordinatesFile: string, options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  const model = await readModel(modelFile)
  const { source } = await openFile(coordinatesFile)
  const { dims } = model
  const { indices, values } = await readCoordinates(source, {
    name: coordinatesFile,
    order: dims.length,
    dims,
  })
  const predicted = { dims, indices, values: model.predictMany(indices) }
  if (options.output) await writeTensor(options.output, predicted)
  else if (options.json) await printLines(predicted.indices, predicted.values)
  else for (const chunk of writeTns(predicted)) await print(new TextDecoder().decode(chunk))
  if (values) {
    const { relative, rmse, mae } = model.error({ dims, indices, values })
    progress.say(
      `Against the values given: relative error ${figure(relative)}, RMSE ${figure(rmse)}, MAE ${figure(mae)}`,
    )
  }
}

async function printLines(indices: readonly Uint32Array[], values: Float32Array): Promise<void> {
  for (let e = 0; e < values.length; e++)
    await print(
      JSON.stringify({ coordinates: indices.map((column) => column[e] + 1), prediction: values[e] }),
    )
}
