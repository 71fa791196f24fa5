/** `lacuna forecast`: the command, its options and its help. */
import { Command, Option } from 'commander'
import { linkNames, noiseNames, timePriorNames } from 'lacuna/internal'
import {
  decimalNumber,
  negative,
  positiveWholeNumber,
  probability,
  rankNumber,
  sizes,
  threadsOption,
  wholeNumber,
} from '../../options/arguments.ts'
import { assignment } from '../../options/rowNames.ts'
import { addTableOptions } from '../../options/tableOptions.ts'
import { addReshapingOptions } from '../complete/reshape.ts'
import { parseLags } from '../complete/sideInformation.ts'
import { runForecast } from './runForecast.ts'

/** Creates the command `forecast` with its options and help; its action is runForecast. */
export function forecastCommand(): Command {
  const command = new Command('forecast')
    .description('Forecasts the rows after the last one of a mode of time, with intervals.')
    .argument('<files...>', 'a table or tensor; or a model (.npz) that was learned with --lags of time')
    .option(
      '--horizon <n>',
      'steps ahead: rows after the last one with a value (default: those that the data has without values)',
      positiveWholeNumber,
    )
    .option(
      '--step <step>',
      'from one label of time to the next: hour, day, "15 minutes", month … or a number (default: found)',
    )
    .option(
      '--time <modes>',
      'the mode of time, or several from the slowest to the fastest, as in day+slot (default: found)',
    )
    .option('--for <mode=label...>', 'only these rows, as in station=A', assignment)
    .option(
      '--backtest <k>',
      'origins in the past from which known values are forecast, for errors, intervals and the choice of settings; 0 for none (default: 5)',
      wholeNumber,
    )
    .option(
      '--interval <p>',
      'chance that an interval holds the value (default: 0.9 where backtests allow)',
      probability,
    )
    .option('--rank <r>', 'number of components (default: tried)', rankNumber)
    .addOption(
      new Option('--link <function>', 'what is learned: identity, sqrt or log1p (default: tried)').choices(
        linkNames,
      ),
    )
    .addOption(
      new Option('--noise <kind>', 'how noise grows with the values (default: auto, estimated)').choices(
        noiseNames,
      ),
    )
    .option(
      '--lags <mode=distances>',
      'distances at which rows of time are similar, as in day=1,7 (default: found)',
      parseLags,
    )
    .addOption(
      new Option(
        '--time-prior <kind>',
        'prior of rows of time: coupled (similar on both sides) or autoregressive (default: tried)',
      ).choices(timePriorNames),
    )
    .option('--no-choose', 'do not try settings; the first candidate, with the settings that are given')
    .option(
      '--seconds <s>',
      'end after this time: fewer settings are tried, and fewer backtests made',
      decimalNumber,
    )
    .option('--seed <s>', 'the same seed gives the same bits', wholeNumber, 1)
    .option(...threadsOption)
    .option('--dims <sizes>', 'size of each mode, as in 183x24x1140; the largest index by default', sizes)
    .option(
      '--negative <policy>',
      'negative values: error, keep (noise around zero) or clip (to zero)',
      negative,
    )
    .option(
      '-o, --output <file>',
      'write the forecast: .csv, .tsv, .json, .ndjson (each also .gz) or .parquet; stdout by default',
    )
    .option('--json', 'print one JSON object with settings, errors and, without -o, the forecast')
    .option('-q, --quiet', 'no progress and no remarks')
  return addTableOptions(addReshapingOptions(command))
    .addHelpText(
      'after',
      `
The data is extended by empty rows of time, which the prior of the rows predicts. Settings that are not given are
chosen by backtests. These are forecasts of known values by models of the entries before several origins in the past.
Their errors are compared with those of two simple rules, the value one season before and the mean of the season, and
give intervals. From a model, rows follow by its own prior alone; there are no backtests and no intervals.

Examples:
  lacuna forecast sales.csv --modes shop date --value sold --horizon 7
  lacuna forecast sales.csv --modes shop date --value sold --horizon 7 --for shop=mitte --backtest 8 -o next-week.csv
  lacuna complete sales.csv --modes shop date --value sold --lags date=1,7 --no-choose -o sales.npz
  lacuna forecast sales.npz --horizon 7`,
    )
    .action(runForecast)
}
