/** The long part of `complete`: one run with progress and checkpoints, which a signal ends in order. */
import { decodeRun, InputError, type RunOptions } from 'lacuna'
import {
  type Chosen,
  chooseSettings,
  choosesByDefault,
  FileRun,
  isSearch,
  openInput,
  option,
  readWhole,
  type Selection,
  sentence,
  settingsOf,
  type Trial,
  trialName,
} from 'lacuna/internal'
import { formatNumber } from '../../print/format.ts'
import { fileExists } from '../../process/fileExists.ts'
import {
  checkpointPath,
  reportMissingCheckpoint,
  reportReplacedCheckpoint,
  saveRun,
  trySaveCheckpoint,
} from './checkpoint.ts'
import type { LearningContext } from './context.ts'
import type { FoundRank } from './crossFit.ts'
import { epochFormatter } from './report/epochFormatter.ts'
import { applyChoice } from './sideInformation.ts'

/** An open run (ended, interrupted or about to start), and the trials that chose its settings. */
export interface LearnedRun {
  run: FileRun
  selection: Selection
}

/**
 * Starts or resumes a run and advances it to its end, or to a signal, upon which a checkpoint is saved. The
 * caller closes the run.
 * @param context entries and settings
 * @param found the rank, if it was found by cross-validation
 */
export async function learnModel(context: LearningContext, found?: FoundRank): Promise<LearnedRun> {
  const { options, settings, sets, entries, interruption, progress, communicator } = context
  const { signal, protect } = interruption
  const { output, checkpointEvery } = options
  const path = output === undefined ? undefined : checkpointPath(output)
  // With missing: 'zero', cells that are held out must not be taken for zeros.
  const watch = settings.missing === 'zero' && sets.test ? { test: sets.test } : undefined
  const runOptions = { ...settings, validation: sets.validation, watch, signal }
  const { run, selection } = await openRun(context, runOptions, path, found)
  // A signal may reach one process before the others.
  const isAborted = async (): Promise<boolean> =>
    (await communicator.sumNumbers(signal.aborted ? 1 : 0))[0] > 0
  try {
    const formatEpoch = epochFormatter({
      entries: await entries.count(sets.train),
      epochs: run.settings.epochs,
      seconds: settings.seconds,
      link: run.settings.link,
    })
    const isSaved = path !== undefined && checkpointEvery > 0
    let savedAt = run.seconds
    while (!run.stopped && !(await isAborted())) {
      const left = isSaved ? Math.max(0, savedAt + checkpointEvery - run.seconds) : Infinity
      const report = await run.advance({ seconds: left })
      if (report) progress.update(formatEpoch(report, run.isLearningPrior))
      if (isSaved && run.seconds - savedAt >= checkpointEvery) {
        await protect(() => trySaveCheckpoint(() => saveRun(run, path, selection), progress))
        savedAt = run.seconds
      }
    }
    progress.end()
    // A run that was interrupted before its first step has nothing to continue from.
    if (!run.stopped && path !== undefined && run.epochs > 0)
      await protect(() => trySaveCheckpoint(() => saveRun(run, path, selection), progress))
    return { run, selection }
  } catch (error) {
    await run.close()
    throw error
  }
}

/**
 * Opens a run: resumes the checkpoint with --resume, or starts anew, with noise, lags and features chosen by
 * trials if that is wanted. Prints a notice if a checkpoint is resumed or replaced.
 * @param path of the checkpoint; undefined without an output
 * @param found the rank, if it was found by cross-validation
 */
async function openRun(
  context: LearningContext,
  runOptions: RunOptions,
  path: string | undefined,
  found: FoundRank | undefined,
): Promise<LearnedRun> {
  const {
    options,
    sets: { train },
    progress,
    communicator,
  } = context
  // The checkpoint of a search for the rank is not one of this run.
  const isOfSearch = found?.isBegun === false
  const isThere =
    path !== undefined &&
    (await communicator.broadcastText(0, async () => String(await fileExists(path)))) === 'true'
  const chooses = isChoiceWanted(context, runOptions)
  if (options.resume && !isOfSearch) {
    if (isThere) {
      const resumed = await resumeRun(context, withDefaults(runOptions), path, chooses)
      progress.say(`Going on from ${path}, after ${Number(resumed.run.epochs.toFixed(1))} epochs.`)
      return resumed
    }
    reportMissingCheckpoint(String(path), progress)
  } else if (isThere && !isOfSearch) reportReplacedCheckpoint(path, progress)
  const onTrial = (trial: Trial): void =>
    progress.update(`Trying ${trialName(trial)}: RMSE ${formatNumber(trial.rmse)} on what is held out`)
  const chosen: Chosen = chooses
    ? await chooseSettings(train, runOptions, { onTrial })
    : { options: runOptions }
  const { choice, state } = chosen
  const run = state
    ? await FileRun.resume(state, train, chosen.options)
    : await FileRun.start(train, chosen.options)
  return { run, selection: { choice, ranks: found?.choice, foldBy: found?.foldBy } }
}

/**
 * Whether noise, lags and features are chosen by trials first. With several processes never, and a notice is
 * printed: each has only some of the entries, which do not show the pattern of missing cells.
 */
function isChoiceWanted(
  { options, progress, communicator }: LearningContext,
  runOptions: RunOptions,
): boolean {
  const isAsked = options.choose ?? choosesByDefault(runOptions)
  const isDistributed = communicator.size > 1
  if (isAsked && isDistributed)
    progress.say('Several processes use noise, lags and features as they are given, and try nothing first.')
  return isAsked && !isDistributed
}

/**
 * Returns the options with defaults in place of omitted ones, so that the settings of a checkpoint do not
 * fill them: the same command means the same settings. Limits (epochs, seconds) stay as they are; patience
 * gets its default only where there is a validation set.
 */
function withDefaults(options: RunOptions): RunOptions {
  const { epochs, seconds, patience, ...decisive } = settingsOf(options)
  return { ...options, ...decisive, ...(options.validation && { patience }) }
}

/**
 * Resumes from a checkpoint, which the root reads and broadcasts: it lies beside the root's output. Throws if
 * it is one of a search by folds.
 * @param chooses whether trials may have chosen settings when it was saved, which are then taken from it
 */
async function resumeRun(
  { communicator, sets: { train } }: LearningContext,
  options: RunOptions,
  path: string,
  chooses: boolean,
): Promise<LearnedRun> {
  const bytesOnRoot = await communicator.runOnRoot(async () => readWhole(await openInput(path)))
  const bytes = await communicator.broadcastBytes(bytesOnRoot ?? new Uint8Array(0))
  if (isSearch(bytes))
    throw new InputError(
      'checkpoint',
      sentence`${path} is of folds; go on with ${option('folds')}, ${option('rank', 'auto')} or ${option('best')}, as it was begun, or start anew.`,
    )
  const state = decodeRun(bytes, path)
  const run = await FileRun.resume(state, train, chooses ? applyChoice(options, state) : options)
  return { run, selection: state.progress.selection ?? {} }
}
