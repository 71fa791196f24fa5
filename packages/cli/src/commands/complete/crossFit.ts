/**
 * `complete --folds`, `--rank auto` and `--best`: models of a cross-fit, with progress, and a checkpoint
 * beside the ensemble.
 */
import { decodeRun, InputError, type RunOptions, type SparseTensor } from 'lacuna'
import {
  type ByFoldsOptions,
  type CpEnsemble,
  completeByFolds,
  decodeSearch,
  encodeSearch,
  type SearchState,
} from 'lacuna/folds'
import {
  chooseByFolds,
  choosesByDefault,
  type FoldBy,
  type FoldChoice,
  isSearch,
  linkScaleNames,
  option,
  parseFoldBy,
  sentence,
  type TrialSettings,
  trialName,
  writeFileWhole,
} from 'lacuna/internal'
import { formatNumber } from '../../print/format.ts'
import { nextCommands } from '../../print/nextCommands.ts'
import { print, printJson } from '../../print/print.ts'
import { printable } from '../../print/printable.ts'
import type { Progress } from '../../print/terminal.ts'
import { trialWords } from '../../print/trialWords.ts'
import { fileExists } from '../../process/fileExists.ts'
import { saveModel } from '../../process/saveModel.ts'
import {
  checkpointPath,
  readCheckpoint,
  removeCheckpoint,
  reportReplacedCheckpoint,
  resumeCommand,
  trySaveCheckpoint,
} from './checkpoint.ts'
import { type CompleteOptions, isCrossFitted } from './completeOptions.ts'
import type { LearningContext } from './context.ts'
import { parseOrdered } from './ordered.ts'
import { checkPlot, writeRankPlot, writeTrialPlot } from './report/crossFitDetails.ts'
import { crossFitJson, crossFitText, describeLeftOut, evaluateOnTest } from './report/crossFitReport.ts'

/** Options of `complete` that concern cross-fitting. */
export type CrossFitOptions = Pick<
  CompleteOptions,
  'rank' | 'folds' | 'foldBy' | 'ordered' | 'starts' | 'plot' | 'best'
>

/**
 * Throws if options contradict cross-fitting (--folds, --rank auto, --best), or need it and it is not asked
 * for; before anything is read.
 * @param given all options of the command
 * @param processes number of MPI processes
 */
export function checkCrossFitOptions(
  given: CrossFitOptions & Record<string, unknown>,
  processes: number,
): void {
  const { folds, best, ...others } = given
  checkPlot(given.plot, others.rank === 'auto' || rankCriterion(given) !== undefined)
  if (!isCrossFitted(given) && others.rank !== 'auto') {
    const alone = (['foldBy', 'ordered', 'starts'] as const).find((name) => given[name] !== undefined)
    if (alone)
      throw new InputError('option', sentence`${option(alone)} is about folds; give ${option('folds')} too.`)
    return
  }
  const what = best ? option('best') : folds === undefined ? option('rank', 'auto') : option('folds')
  for (const name of ['initial', ...(isCrossFitted(given) ? ['validation', 'patience'] : [])])
    if (others[name] !== undefined)
      throw new InputError(
        'option',
        sentence`${what} does not go with ${option(name)}; leave one of them out.`,
      )
  for (const name of ['foldBy', 'ordered'] as const)
    if (others.missing === 'zero' && given[name] !== undefined)
      throw new InputError(
        'option',
        sentence`${option(name)} does not go with ${option('missing', 'zero')}, with which single cells are held out; leave one of them out.`,
      )
  if (processes > 1)
    throw new InputError('option', sentence`${what} is work for one process; start it without mpirun.`)
}

/**
 * Learns the models of a cross-fit, evaluates the ensemble on the test entries, saves it and prints the
 * report. Throws if interrupted or if the ensemble cannot be written; the report is printed in the latter
 * case, too.
 */
export async function learnEnsemble(context: LearningContext): Promise<void> {
  const { options, interruption, progress } = context
  const { train, test } = context.sets
  const { seconds, ...settings } = context.settings // seconds are for everything together
  const { ordered, best = false, choose, output, resume } = options
  const path = output === undefined ? undefined : checkpointPath(output)
  const checkpoint = resume && path !== undefined ? await readCheckpoint(path, progress) : undefined
  if (!resume && path !== undefined && (await fileExists(path))) reportReplacedCheckpoint(path, progress)
  const result = await completeByFolds(
    train,
    { ...settings, ...unknownCells(context), signal: interruption.signal },
    {
      ...searchOptions(context, checkpoint),
      seconds: secondsToLearn(context),
      findRank: rankCriterion(options),
      ranks: typeof options.rank === 'number' ? [options.rank] : undefined,
      choose: choose ?? (best || choosesByDefault(settings)),
      ordered: ordered && parseOrdered(ordered, train),
    },
  )
  progress.end()
  if (!result) throw reportInterruption(context)
  const { model } = result
  if (result.leftOut.length > 0)
    progress.say(describeLeftOut(result.leftOut, options.seconds, secondsToLearn(context)))
  const onTest = test && evaluateOnTest(model, test)
  if (onTest) model.training.test = onTest.error
  const failure = output === undefined ? undefined : await interruption.protect(() => trySave(output, model))
  if (output === undefined) progress.say('The model is not kept; -o model.npz would write it.')
  const written = failure === undefined ? output : undefined
  const { plannedMemory, readingSeconds: reading } = context
  if (options.json)
    await printJson(
      crossFitJson(train, settings, result, onTest, { output: written, plannedMemory, reading }),
    )
  else await print(crossFitText(result, onTest, written))
  if (failure !== undefined) throw failure
  if (output !== undefined)
    progress.say(printable(nextCommands({ model, train, output, files: context.files, options })))
  await plotRanks(options.plot, result.choice, train)
}

/**
 * The held-out cells as watched sets, where unlisted cells are zeros: folds must neither take them for zeros nor
 * draw them.
 */
const unknownCells = ({ settings, sets }: LearningContext): Pick<RunOptions, 'watch'> => {
  const { validation, test } = sets
  const watch = { ...(validation && { validation }), ...(test && { test }) }
  return settings.missing === 'zero' ? { watch } : {}
}

/** Seconds from the start of the program to the command, and from the report to its end. */
const PROGRAM_SECONDS = 0.2
/** Bytes that are written in a second, at least, with checksums. */
const WRITTEN_PER_SECOND = 5e7
/** Test entries that an ensemble predicts in a second, at least, per component and model. */
const PREDICTED_PER_SECOND = 1e7

/**
 * Returns the seconds of --seconds that are left for learning: without those since the command began, and
 * those for evaluating and writing the model; undefined without --seconds.
 */
function secondsToLearn({ options, settings, sets, begun }: LearningContext): number | undefined {
  const { seconds } = settings
  if (seconds === undefined) return undefined
  const { train, test } = sets
  const { folds = 5, output } = options
  const rank = settings.rank ?? 16
  const rows = train.dims.reduce((sum, dim) => sum + dim, 0)
  // The file has the factors of all models, and the entries where neighbours are used.
  const bytes =
    output === undefined ? 0 : 4 * (folds * rows * rank + (train.dims.length + 1) * train.values.length)
  const predicted = (test?.values.length ?? 0) * folds * rank
  const after = PROGRAM_SECONDS + bytes / WRITTEN_PER_SECOND + predicted / PREDICTED_PER_SECOND
  const since = (performance.now() - begun) / 1000
  return Math.max(0.5 * (seconds - since), seconds - since - after, 1e-3)
}

/** Writes the ensemble and removes its checkpoint. @returns the error that prevented it, or else undefined */
async function trySave(output: string, model: CpEnsemble): Promise<unknown> {
  try {
    await saveModel(output, model)
    await removeCheckpoint(output)
    return undefined
  } catch (failure) {
    return failure
  }
}

/** Result of findRank: the rank that cross-validation found for one model. */
export interface FoundRank {
  rank: number
  /** Whether the run of that model has a checkpoint already, which contains the rank. */
  isBegun: boolean
  /** The ranks that were tried; undefined if the time was up before, or the checkpoint has the rank alone. */
  choice?: FoldChoice
  /** What stayed together in the folds of these trials. */
  foldBy?: FoldBy
  /** Seconds of --seconds that are left for the model; as given if undefined. */
  seconds?: number
}

/**
 * Finds the rank of one model by cross-validation: the smallest whose error is within one standard error of
 * the best. With --resume, a checkpoint of the model itself gives the rank without trials.
 */
export async function findRank(context: LearningContext): Promise<FoundRank> {
  const { options, interruption, progress } = context
  const { output, resume } = options
  const path = output === undefined ? undefined : checkpointPath(output)
  const bytes = resume && path !== undefined ? await readCheckpoint(path, progress) : undefined
  if (path !== undefined && bytes && !isSearch(bytes)) {
    const { settings, progress } = decodeRun(bytes, path)
    const { ranks, foldBy } = progress.selection ?? {}
    return { rank: settings.rank, isBegun: true, choice: ranks, foldBy }
  }
  // The seconds are for the trials and the model together; patience is for its validation entries.
  const { seconds, patience, ...settings } = context.settings
  const found = await chooseByFolds(
    context.sets.train,
    { ...settings, ...unknownCells(context), signal: interruption.signal },
    {
      ...searchOptions(context, bytes),
      seconds: secondsToLearn(context),
      findRank: 'smallest',
      withModels: false,
    },
  )
  progress.end()
  if (!found) throw reportInterruption(context)
  if (found.leftOut.length > 0)
    progress.say(describeLeftOut(found.leftOut, context.options.seconds, secondsToLearn(context)))
  const left = secondsToLearn(context)
  // Loading the entries on the engine takes no longer than reading them did.
  const secondsLeft = left && Math.max(0.7 * left, left - context.readingSeconds)
  if ('unfinished' in found) return { rank: found.unfinished[0].rank, isBegun: false, seconds: secondsLeft }
  const { choice, by: foldBy } = found
  await plotRanks(options.plot, choice, context.sets.train)
  return { rank: choice.chosen.rank, isBegun: false, choice, foldBy, seconds: secondsLeft }
}

/**
 * Writes the plot of all trials where shapes or links were tried, or else of errors against ranks, of those
 * trials that differ from the first in nothing but the rank; does nothing without a path or trials.
 */
async function plotRanks(
  path: string | undefined,
  choice: FoldChoice | undefined,
  train: SparseTensor,
): Promise<void> {
  if (path === undefined || !choice) return
  const { trials, chosen, combined } = choice
  if (trials.some(({ isScreening }) => isScreening) || combined) return writeTrialPlot(path, choice, train)
  const apartFromRank = (trial: TrialSettings): string => trialName({ ...trial, rank: 0 })
  const comparable = trials.filter((trial) => apartFromRank(trial) === apartFromRank(trials[0]))
  const marked = comparable.includes(chosen) ? chosen : comparable.find(({ rank }) => rank === chosen.rank)
  await writeRankPlot(path, comparable, marked ?? comparable[0])
}

/**
 * Returns the criterion by which settings are searched: the best error (--best), or the smallest rank near it
 * (--rank auto); undefined if nothing is searched.
 */
function rankCriterion({ rank, best }: CrossFitOptions): ByFoldsOptions['findRank'] {
  if (best) return 'best'
  return rank === 'auto' ? 'smallest' : undefined
}

/**
 * Builds the options of a search by folds: folds and starts as given, callbacks that print progress, and
 * checkpointing if there is an output.
 * @param checkpoint bytes of the checkpoint to continue from, if any
 */
function searchOptions(
  { options, sets: { train }, interruption, progress }: LearningContext,
  checkpoint: Uint8Array | undefined,
): ByFoldsOptions {
  const { folds, foldBy, starts, output, checkpointEvery } = options
  const path = output === undefined ? undefined : checkpointPath(output)
  const saved = checkpoint && path !== undefined ? decodeCheckpoint(checkpoint, path, progress) : undefined
  let current = ''
  let scale = ''
  let done = 0
  // Writes follow one another: models that are learned in parallel may be due at the same time.
  let lastWrite = Promise.resolve()
  const save = (path: string, state: SearchState): Promise<void> => {
    lastWrite = lastWrite.then(() =>
      interruption.protect(() =>
        trySaveCheckpoint(() => writeFileWhole(path, encodeSearch(state)), progress),
      ),
    )
    return lastWrite
  }
  return {
    folds,
    starts,
    by: foldBy === undefined ? undefined : parseFoldBy(foldBy, train, option('foldBy')),
    onBegin: (trial) => {
      current = trialWords(trial, train)
      scale = linkScaleNames[trial.link ?? 'identity']
      done = 0
    },
    onEpoch: (fold, { epoch, train: { relative }, watch }) => {
      const out = watch?.out ? `, left out ${formatNumber(watch.out.relative)}` : ''
      progress.update(
        `${current}, model ${fold + 1}, epoch ${Math.round(epoch)}: train ${formatNumber(relative)}${out}${scale && ` ${scale}`}; ${done} models done`,
      )
    },
    onModel: () => {
      done++
    },
    onRefit: (model, models) => progress.update(`fitting model ${model + 1} of ${models} to all entries`),
    onTrial: (trial) =>
      progress.say(`Out of fold: RMSE ${formatNumber(trial.rmse)} with ${trialWords(trial, train)}`),
    ...(path !== undefined && {
      checkpointing: {
        saved,
        every: checkpointEvery > 0 ? checkpointEvery : Infinity,
        save: (state) => save(path, state),
      },
    }),
  }
}

/** Decodes the state of an interrupted search and prints how far it was; throws if it is of one model. */
function decodeCheckpoint(bytes: Uint8Array, path: string, progress: Progress): SearchState {
  if (!isSearch(bytes))
    throw new InputError(
      'checkpoint',
      sentence`${path} is of one model, and not of folds; go on without ${option('folds')}, or start anew.`,
    )
  const saved = decodeSearch(bytes, path)
  const begun = saved.runs.filter((run) => run !== undefined).length
  const { trials, folds } = saved
  const after = trials.length > 0 ? `after ${trials.length} trials, ` : ''
  progress.say(`Going on from ${path}, ${after}with ${begun} of ${folds} models begun.`)
  return saved
}

/** Prints how to continue after a signal, and returns the error to throw. */
function reportInterruption({ options: { output }, interruption, progress }: LearningContext): Error {
  progress.say(
    output === undefined
      ? 'Interrupted: nothing is kept of models that are not all there; -o model.npz would keep a checkpoint.'
      : `Interrupted. To go on:\n  ${resumeCommand()}`,
  )
  return interruption.outcome()
}
