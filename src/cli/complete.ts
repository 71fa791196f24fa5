import { Command, Option } from 'commander'
import { type CpuEngine, hardwareThreads } from '../engine/cpu/index.ts'
import { checkLimits } from '../engine/cpu/limits.ts'
import type { World } from '../engine/cpu/world.ts'
import { InputError, inWords, option, sentence } from '../inputError.ts'
import { checkOutputs, readModel } from '../io/node/index.ts'
import type { FileRun } from '../solver/fileRun.ts'
import {
  type Completion,
  defaults,
  lossNames,
  missingNames,
  noiseNames,
  priorNames,
  type RankChoice,
  type RunOptions,
  settingsOf,
  sizeOfRun,
  solverNames,
} from '../solver/index.ts'
import { isArranged } from '../tensor/arrangement.ts'
import { countsRemark, type SparseTensor } from '../tensor/index.ts'
import {
  decimalFromZero,
  decimalNumber,
  duplicates,
  fileOrShare,
  negative,
  numberOrAuto,
  positiveWholeNumber,
  rankOrAuto,
  sizes,
  wholeNumber,
} from './arguments.ts'
import { addArrangementOptions, describeArrangement, readArrangement } from './arrangement.ts'
import type { CompleteOptions } from './completeOptions.ts'
import { type Errors, jsonReport, textReport } from './completeReport.ts'
import { type Entries, entriesOfMany, entriesOfOne } from './entries.ts'
import { asFlag, Interrupted } from './failure.ts'
import { checkFolding, findRank, learnByFolds } from './folding.ts'
import { learn, removeCheckpoint, resumingCommand } from './learning.ts'
import { collectGarbage, describeJob, type JobPlan, planJob, refuseTooLarge } from './memory.ts'
import { assignment } from './named.ts'
import { LARGE, type Parts, readParts } from './parts.ts'
import { print, printJson } from './print.ts'
import { oneLine } from './printable.ts'
import { onAllProcesses, spokenProgress, withEngine } from './processes.ts'
import { saveModel } from './saveModel.ts'
import { checkChoose, lags, readFeatures } from './sides.ts'
import { type Interruption, withSignals } from './signals.ts'
import { addTableOptions, filesHelp } from './tableOptions.ts'
import type { Progress } from './terminal.ts'

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
      "share of each row's entries in a step, or auto (default: auto; paper: 0.5)",
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
        'what a cell without an entry is: unknown (default), or zero (counts of events)',
      ).choices(missingNames),
    )
    .addOption(
      new Option(
        '--prior <kind>',
        'what is known of rows beforehand: isotropic (by λ), learned, or auto (default: learned where that is quick)',
      ).choices(priorNames),
    )
    .addOption(
      new Option(
        '--noise <kind>',
        'how noise grows with the values: gaussian (not), poisson, auto (default: as the data say), or row (not, but rows differ)',
      ).choices(noiseNames),
    )
    .addOption(
      new Option(
        '--loss <kind>',
        'what a residual costs: squares (default), or huber (outliers lead nothing astray)',
      ).choices(lossNames),
    )
    .option(
      '--lags <mode=distances>',
      'rows of an ordered mode that are alike, as in hour=1,24; may be repeated',
      lags,
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
    .option('--no-choose', 'use them as they are given')
    .option(
      '--folds <k>',
      'learn k models, each without some entries, and keep all: a better answer, an honest error, intervals',
      positiveWholeNumber,
    )
    .option(
      '--fold-by <modes>',
      'what is left out together: entry, station+day, hour:24 (default: as cells are missing)',
    )
    .option(
      '--ordered <modes...>',
      'modes whose rows are ordered, for residuals of neighbours (default: found)',
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
      'stop when an epoch changes the training error by less than this share (default: 0.0001; paper: 0)',
      decimalNumber,
    )
    .option(
      '--validation <file|share>',
      'held-out entries that choose the best epoch: a file, or a share such as 0.1',
      fileOrShare,
    )
    .option(
      '--patience <n>',
      'stop after n epochs without a better validation error (default: 10; paper: never)',
      positiveWholeNumber,
    )
    .option('--test <file|share>', 'held-out entries for the final verdict: a file, or a share', fileOrShare)
    .option('--seed <s>', 'the same seed gives the same bits', wholeNumber, defaults.fast.seed)
    .option(
      '--threads <n>',
      'worker threads; they do not change the result',
      positiveWholeNumber,
      hardwareThreads(),
    )
    .option('--initial <model>', 'start from a model (.npz) instead of random factors')
    .option('--resume', 'go on from the checkpoint of the same command, which was interrupted')
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
    .option('--duplicates <policy>', 'repeated coordinates: error, sum, mean or last', duplicates)
    .option('--mask <file>', 'which elements of a dense array are observed: an .npy of truth values')
    .option('-o, --output <file>', 'where to write the model (.npz, opens in NumPy)')
    .option('--json', 'print one JSON object with settings, epochs and errors')
    .option('-q, --quiet', 'no progress and no remarks')
  return addTableOptions(addArrangementOptions(onAllProcesses(command)))
    .addHelpText(
      'after',
      `
Examples:
  lacuna complete ratings.tns --rank 20 --validation 0.1 --patience 5 -o model.npz
  lacuna complete noisy.tns.gz --rank 10 --negative keep --lambda 1 --test held-out.tns --json > run.json
  lacuna complete ratings.csv --modes userId movieId "week(timestamp)" --value rating --test 0.1 -o model.npz
  lacuna complete uber-raw-data-*.csv --recipe uber --rank 20 -o model.npz
  lacuna complete trips.tns --merge-modes 1,2 --split 3:24 --test 0.1 -o model.npz

--seconds and --epochs hold for each model of --folds, of which nothing is kept before all are there.

Ctrl-C, SIGTERM and SIGHUP stop after the iteration at hand and keep the model so far, and a checkpoint: the same command
with --resume goes on, on any number of threads, and gives the bits that it would have given without a break. What is
killed otherwise loses at most the time since its last checkpoint.

mpirun -n 8 lacuna complete … works on 8 processes, on one machine or many, and gives the same bits: see docs/scale.md.`,
    )
    .action(run)
}

async function run(files: string[], options: CompleteOptions): Promise<void> {
  const progress = spokenProgress(options.quiet ?? false)
  if (!options.output && options.resume)
    throw new InputError(
      'option',
      sentence`${option('resume')} goes on from the checkpoint beside the model; name the model by -o.`,
    )
  checkChoose(options)
  await withEngine(options, (engine) => {
    checkFolding({ ...options }, engine.processes)
    return runOn(engine, files, options, progress)
  })
}

async function runOn(
  engine: CpuEngine,
  files: readonly string[],
  options: CompleteOptions,
  progress: Progress,
): Promise<void> {
  const world = engine.processes > 1 ? await engine.world() : undefined
  const entries = world ? entriesOfMany(world, progress) : entriesOfOne(progress)
  const holders = await entries.holders(files, options)
  const { initial, settings, reading } = await together(world, async () => {
    if (options.output && engine.process === 0) await checkModelOutput(options.output, files, options)
    const initial = options.initial === undefined ? undefined : await readModel(options.initial)
    const settings = {
      ...solverSettings(options),
      ...(initial && options.rank === undefined && { rank: initial.rank }),
    }
    // Before a long file is read; of what is held out, only whether there is any is known yet.
    settingsOf({ ...settings, ...(options.validation !== undefined && { validation: {} as SparseTensor }) })
    // Where addresses are short, memory would seem to be.
    checkLimits(engine.threads, 1)
    // Threads start and the kernel is compiled while the file is read.
    if (settings.rank !== undefined || options.rank === undefined)
      engine.warm(settings.rank ?? defaults.fast.rank)
    const isReader = engine.process === 0 || holders > 1
    const { modes, weight } = options
    const reading = isReader
      ? await refuseTooLarge(files, engine, { ...settings, modes, weight }, holders)
      : 0
    return { initial, settings, reading }
  })
  const start = performance.now()
  const parts = await readParts(files, options, initial, entries, progress)
  const readingSeconds = (performance.now() - start) / 1000
  const isSplit = [options.validation, options.test].some((share) => typeof share === 'number')
  if (isSplit && parts.train.values.length > LARGE) collectGarbage() // what it was split from
  if (parts.train.weights) progress.say('Entries count by their weights')
  const remark = countsRemark(parts.train)
  if (remark && options.missing === undefined) progress.say(inWords(remark, asFlag))
  const features = await together(world, () => readFeatures(parts.train, options.features ?? [], progress))
  const arrangement = await readArrangement(options, parts.train, initial, world)
  if (isArranged(arrangement)) progress.say(oneLine(describeArrangement(arrangement, parts.train)))
  const learning = { ...settings, ...arrangement, ...(features && { features }), engine, initial }
  const plan = await planParts(engine, parts, entries, learning, holders > 1 ? reading : 0)
  await withSignals(async (interruption) => {
    const rank = options.rank === 'auto' ? 'to be found' : (settings.rank ?? defaults.fast.rank)
    progress.say(`Rank ${rank} on ${engine.description}, ${describeJob(plan)}`)
    const ranks =
      options.rank === 'auto'
        ? await findRank(parts.train, learning, options, interruption, progress)
        : undefined
    const chosen = ranks ? { ...learning, rank: ranks.rank } : learning
    if (options.folds !== undefined)
      return learnByFolds(engine, parts, chosen, options, interruption, progress, ranks)
    return learnAndTell(parts, entries, chosen, options, interruption, progress, world, ranks, readingSeconds)
  }, world !== undefined)
}

/** Does what may go wrong in one process only, and tells all of them; what is told is the same as in one. */
const together = <T>(world: World | undefined, work: () => Promise<T>): Promise<T> =>
  world ? world.together(work) : work()

async function planParts(
  engine: CpuEngine,
  { train, validation, test }: Parts,
  entries: Entries,
  settings: RunOptions,
  reading: number,
): Promise<JobPlan> {
  const sizes: number[] = []
  for (const part of [train, validation, test]) sizes.push(part ? await entries.count(part) : 0)
  const sets = {
    ...(validation && { validation: sizes[1] }),
    ...(test && settings.missing === 'zero' && { test: sizes[2] }),
  }
  const weighted = train.weights !== undefined
  const size = sizeOfRun({ dims: train.dims, entries: sizes[0], sets, weighted }, settings)
  // Arranged entries are held beside those that were read.
  const isOther = size.dims.join() !== train.dims.join()
  const columns = train.dims.length + (isOther ? size.dims.length : 0)
  return planJob(engine, size, { columns, heldOut: sizes[1] + sizes[2], reading, holders: engine.processes })
}

async function learnAndTell(
  { train, validation, test }: Parts,
  entries: Entries,
  settings: RunOptions,
  options: CompleteOptions,
  interruption: Interruption,
  progress: Progress,
  world: World | undefined,
  ranks: RankChoice | undefined,
  readingSeconds: number,
): Promise<void> {
  const zeros = settings.missing === 'zero'
  // Cells that are held out must not be taken for zeros.
  const watch = zeros && test ? { test } : undefined
  const { run, choice } = await learn(
    train,
    { ...settings, validation, watch },
    options,
    interruption,
    progress,
    world,
  )
  try {
    const { result, errors, output, failure } = await interruption.protect(async () => {
      if (!run.stopped && run.epoch === 0 && !world) {
        const kept = options.output === undefined ? '' : `: ${options.output} is not written`
        progress.say(`Interrupted. Nothing has been learned yet${kept}.`)
        throw interruption.outcome()
      }
      const result = { ...(await run.result()), ...(choice && { choice }) }
      if (choice) result.model.training.choice = choice
      if (ranks) result.model.training.ranks = ranks.trials
      const errors: Errors = {
        train: result.train,
        ...(result.validation && { validation: result.validation }),
        ...(test && (await entries.judge(result.model, train, test, zeros))),
      }
      if (errors.test) result.model.training.test = errors.test
      return { result, errors, ...(await keepModel(run, result, options, progress)) }
    })
    const total = await entries.count(train)
    // What was learned is told even where it could not be written.
    if (run.isFirst) {
      const told = {
        ...options,
        output,
        took: { reading: readingSeconds, setUp: run.setUpSeconds, solving: result.seconds },
        ...(world && { processes: world.processes }),
        ...(ranks && { ranks }),
      }
      if (options.json) await printJson(jsonReport(train, total, result, errors, told))
      else await print(textReport(result, errors, told))
    }
    const isAsked =
      settings.prior === 'learned' ||
      settings.loss === 'huber' ||
      Object.keys(settings.lags ?? {}).length > 0 ||
      settings.features !== undefined ||
      (settings.noise !== undefined && settings.noise !== 'gaussian')
    const isOver = result.stopped !== 'aborted' && result.stopped !== 'seconds'
    if (isOver && isAsked && result.stopped !== 'learned' && result.model.prior?.kind !== 'learned')
      progress.say(
        'No prior was learned, which lags, features and noise are part of: the entries or epochs are too few, or λ leaves too little unexplained.',
      )
    await together(world, async () => {
      if (failure) throw failure
    })
    if (result.stopped === 'aborted') {
      progress.say(
        options.output && run.epoch > 0
          ? `Interrupted. To go on:\n  ${resumingCommand(world?.processes)}`
          : 'Interrupted.',
      )
      if (world) throw new Interrupted(Math.max(...(await world.gatherNumbers(interruption.code())).flat()))
      throw interruption.outcome()
    }
  } finally {
    await run.close()
  }
}

/** Writes the model, if there is one: what has not learned anything never takes the place of what has. */
async function keepModel(
  run: FileRun,
  { model, stopped }: Completion,
  { output }: CompleteOptions,
  progress: Progress,
): Promise<{ output?: string; failure?: unknown }> {
  if (output === undefined) {
    progress.say('The model is not kept; -o model.npz would write it.')
    return {}
  }
  if (!run.learned) {
    progress.say(`Nothing has been learned yet: ${output} is not written.`)
    return {}
  }
  if (!run.isFirst) return { output }
  try {
    await saveModel(output, model)
  } catch (failure) {
    return { failure }
  }
  if (stopped !== 'aborted') await removeCheckpoint(output)
  return { output }
}

async function checkModelOutput(
  path: string,
  files: readonly string[],
  options: CompleteOptions,
): Promise<void> {
  if (!path.endsWith('.npz')) throw new InputError('option', `${path}: a model file must end in .npz.`)
  const { initial, mask, database, validation, test } = options
  const heldOut = [validation, test].filter((given) => typeof given === 'string')
  await checkOutputs([path], [...files, initial, mask, database, ...heldOut])
}

function solverSettings(options: CompleteOptions): RunOptions {
  const rank = options.rank === 'auto' ? undefined : options.rank
  const { solver, sample, missing, prior, noise, loss, lags, lambda, maxInner } = options
  const { epochs, seconds, tolerance, patience, seed, threads } = options
  const model = { rank, solver, sample, missing, prior, noise, loss, lags, lambda, maxInner }
  return { ...model, epochs, seconds, tolerance, patience, seed, threads }
}
