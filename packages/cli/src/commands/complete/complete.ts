/** `lacuna complete`: the command, its options and its help. */
import { Command, Option } from 'commander'
import {
  defaults,
  linkNames,
  lossNames,
  missingNames,
  noiseNames,
  priorNames,
  solverNames,
  timePriorNames,
} from 'lacuna/internal'
import {
  decimalFromZero,
  decimalNumber,
  fileOrFraction,
  negative,
  numberOrAuto,
  positiveWholeNumber,
  rankOrAuto,
  sizes,
  threadsOption,
  wholeNumber,
} from '../../options/arguments.ts'
import { isHelpAll } from '../../options/firstOptions.ts'
import { assignment } from '../../options/rowNames.ts'
import { addTableOptions, filesHelp, maskHelp } from '../../options/tableOptions.ts'
import { addEngineOption } from '../../process/engines.ts'
import { runOnAllProcesses } from '../../process/processes.ts'
import { addReshapingOptions } from './reshape.ts'
import { runComplete } from './runComplete.ts'
import { parseLags } from './sideInformation.ts'

/** Creates the command `complete` with its options and help; its action is runComplete. */
export function completeCommand(): Command {
  const command = new Command('complete')
    .description('Learns a nonnegative model of low rank from the entries of a tensor.')
    .argument('[files...]', filesHelp)
    .option(
      '--rank <r>',
      'number of components, up to 256, or auto: by folds (default: 10, or that of --initial)',
      rankOrAuto,
    )
    .addOption(
      new Option('--solver <name>', "fast, or the paper's Algorithm 2").choices(solverNames).default('fast'),
    )
    .option(
      '--sample <c>',
      "fraction of each row's entries in a step, or auto (default: auto; paper: 0.5)",
      numberOrAuto,
    )
    .option(
      '--lambda <l>',
      'weight of the squared factors, or auto (default: auto; paper: 0.01)',
      numberOrAuto,
    )
    .addOption(
      new Option(
        '--missing <what>',
        'value of a cell without an entry: unknown (default), or zero (counts of events)',
      ).choices(missingNames),
    )
    .addOption(
      new Option(
        '--link <function>',
        'what is learned: identity (default: the values), sqrt or log1p, which make large values count less; predictions are in the units of the values',
      ).choices(linkNames),
    )
    .addOption(
      new Option(
        '--prior <kind>',
        'prior of the rows: isotropic (λ alone), learned, or auto (default: learned where that is quick)',
      ).choices(priorNames),
    )
    .addOption(
      new Option(
        '--noise <kind>',
        'how noise grows with the values: gaussian (not), poisson, auto (default: estimated), or row (not, but differs by row)',
      ).choices(noiseNames),
    )
    .addOption(
      new Option(
        '--loss <kind>',
        'loss of a residual: squares (default), or huber (robust to outliers)',
      ).choices(lossNames),
    )
    .option(
      '--lags <mode=distances>',
      'distances at which rows of an ordered mode are similar, as in hour=1,24, or of several as in day+hour=1,24; may be repeated',
      parseLags,
    )
    .addOption(
      new Option(
        '--time-prior <kind>',
        'prior of rows with lags: coupled (default: similar on both sides), or autoregressive (forecast from those before)',
      ).choices(timePriorNames),
    )
    .option(
      '--extend <mode=label...>',
      'rows of time after the last one, up to this label, without entries, as in date=2024-05-07',
      assignment,
    )
    .option(
      '--features <mode=table:columns>',
      'attributes of the rows of a mode, as in movieId=movies.csv:genres',
      assignment,
    )
    .option(
      '--choose',
      'try noise, lags and features on held-out entries (default where lags or features are given)',
    )
    .option('--no-choose', 'use noise, lags and features as they are given')
    .option(
      '--folds <k>',
      'learn k models, each without one fold of the entries: a better answer, an out-of-fold error, intervals',
      positiveWholeNumber,
    )
    .option(
      '--best',
      'the best answer, within --seconds if given: rank, noise, lags and features chosen by folds, and an ensemble',
    )
    .option(
      '--fold-by <modes>',
      'what a fold leaves out together: entry, station+day, hour:24 (default: as cells are missing)',
    )
    .option(
      '--ordered <modes...>',
      'modes whose rows are ordered, for residuals of neighbours, with periods as in hour:24,day:7 (default: found)',
    )
    .option(
      '--starts <n>',
      'starts of each model of --folds; the one with the smallest training error continues',
      positiveWholeNumber,
    )
    .option(
      '--plot <file>',
      'with --rank auto or --best: plot of errors against ranks, with standard errors (.svg or .html)',
    )
    .option(
      '--max-inner <m>',
      "steps per mode and iteration of the paper's solver (default: 1)",
      positiveWholeNumber,
    )
    .option(
      '--epochs <e>',
      'stop after this many passes over the entries (default: 500; paper: 100)',
      positiveWholeNumber,
    )
    .option('--seconds <s>', 'stop after this time', decimalNumber)
    .option(
      '--tolerance <t>',
      'stop when an epoch changes the training error by less than this fraction (default: 0.0001; paper: 0)',
      decimalNumber,
    )
    .option(
      '--validation <file|fraction>',
      'held-out entries that choose the best epoch: a file, or a fraction such as 0.1',
      fileOrFraction,
    )
    .option(
      '--patience <n>',
      'stop after n epochs without a better validation error (default: 10; paper: never)',
      positiveWholeNumber,
    )
    .option(
      '--test <file|fraction>',
      'held-out entries for the final evaluation: a file, or a fraction',
      fileOrFraction,
    )
    .option('--seed <s>', 'the same seed gives the same bits', wholeNumber, defaults.fast.seed)
    .option(...threadsOption)
    .option('--initial <model>', 'start from a model (.npz) instead of random factors')
    .option('--resume', 'continue from the checkpoint of the same command, which was interrupted')
    .option(
      '--checkpoint-every <seconds>',
      'how often to save a checkpoint beside the model (MODEL.run); 0 for never',
      decimalFromZero,
      60,
    )
    .option('--dims <sizes>', 'size of each mode, as in 183x24x1140; the largest index by default', sizes)
    .option(
      '--negative <policy>',
      'negative values: error, keep (noise around zero) or clip (to zero)',
      negative,
    )
    .option('--mask <file>', maskHelp)
    .option('-o, --output <file>', 'where to write the model (.npz, opens in NumPy)')
    .option('--json', 'print one JSON object with settings, epochs and errors')
    .option('-q, --quiet', 'no progress and no remarks')
  return addTableOptions(addReshapingOptions(addEngineOption(runOnAllProcesses(command))))
    .addHelpText(
      'after',
      `
Examples:
  lacuna complete ratings.csv --modes userId movieId "week(timestamp)" --value rating --test 0.1 -o model.npz
  lacuna complete ratings.tns --rank 20 --validation 0.1 --patience 5 -o model.npz
  lacuna complete noisy.tns.gz --rank 10 --negative keep --lambda 1 --test held-out.tns --json > run.json
  lacuna complete uber-raw-data-*.csv --recipe uber --rank 20 -o model.npz
  lacuna complete trips.tns --best --seconds 120 --test 0.1 -o model.npz
  lacuna complete trips.tns --merge-modes 1,2 --split 3:24 --test 0.1 -o model.npz${isHelpAll() ? MORE_HELP : ''}`,
    )
    .action(runComplete)
}

/** Paragraphs that the help of all options adds. */
const MORE_HELP = `

--epochs limits each model of --folds and --best. --seconds limits everything together with --folds, --best and
--rank auto, from reading to writing: what there is no time for is left out, and named. The model is written when
all models of an ensemble are learned; a checkpoint is saved on the way, as for one model.

Ctrl-C, SIGTERM and SIGHUP stop after the current iteration and save the model so far, and a checkpoint: the same command
with --resume continues, on any number of threads, with the same result as an uninterrupted run. A run that is killed
otherwise loses at most the time since its last checkpoint.

mpirun -n 8 lacuna complete … works on 8 processes, on one machine or many, and gives the same bits: see docs/scale.md.`
