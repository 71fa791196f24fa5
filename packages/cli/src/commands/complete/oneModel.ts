/** The last steps of `complete` for one model: learn, evaluate, save, report. */
import type { Completion, FileRun, RunOptions } from 'lacuna'
import type { Selection } from 'lacuna/internal'
import { nextCommands } from '../../print/nextCommands.ts'
import { print, printJson } from '../../print/print.ts'
import { printable } from '../../print/printable.ts'
import { Interrupted } from '../../process/failure.ts'
import { saveModel } from '../../process/saveModel.ts'
import { removeCheckpoint, resumeCommand } from './checkpoint.ts'
import type { LearningContext } from './context.ts'
import type { FoundRank } from './crossFit.ts'
import { proposeLargerRank } from './largerRank.ts'
import { learnModel } from './learnModel.ts'
import { jsonReport, textReport } from './report/completeReport.ts'
import { type Errors, judgeRun, parameterCaution } from './verdict.ts'

/**
 * Learns one model, evaluates it, saves it and prints the report. Throws if it was interrupted or could not
 * be written, after the report.
 * @param context entries and settings
 * @param found the rank, if it was found by cross-validation
 */
export async function completeOneModel(context: LearningContext, found?: FoundRank): Promise<void> {
  const { options, settings, sets, interruption, progress, communicator } = context
  const { run, selection } = await learnModel(
    found
      ? {
          ...context,
          settings: { ...settings, rank: found.rank, seconds: found.seconds ?? settings.seconds },
        }
      : context,
    found,
  )
  try {
    const { result, errors, output, failure } = await interruption.protect(async () => {
      if (!run.stopped && run.epochs === 0 && communicator.size === 1) {
        const notWritten = options.output === undefined ? '' : `: ${options.output} is not written`
        progress.say(`Interrupted. Nothing has been learned yet${notWritten}.`)
        throw interruption.outcome()
      }
      const { result, errors } = await evaluateRun(context, run, selection)
      return { result, errors, ...(await saveResult(context, run, result)) }
    })
    const entries = await context.entries.count(sets.train)
    const verdict = await judgeRun(context, result, errors, selection)
    progress.end()
    if (run.isRoot) {
      const report = {
        threads: options.threads,
        processes: communicator.size > 1 ? communicator.size : undefined,
        output,
        ranks: selection.ranks,
        verdict,
        // With missing: 'zero' all cells are trained on, so that the caution about few entries does not apply.
        caution: settings.missing === 'zero' ? undefined : parameterCaution(result.model, entries, verdict),
        plannedMemory: context.plannedMemory,
        took: { reading: context.readingSeconds, setUp: run.setUpSeconds, solving: result.seconds },
      }
      if (options.json)
        await printJson(jsonReport({ dims: sets.train.dims, entries }, result, errors, report))
      else await print(textReport(result, errors, report))
    }
    if (output !== undefined && result.stopped !== 'aborted' && communicator.size === 1) {
      const better = await proposeLargerRank(context, result, verdict)
      progress.end()
      const { model } = result
      progress.say(
        printable(nextCommands({ model, train: sets.train, output, files: context.files, options, better })),
      )
    }
    if (isPriorMissing(settings, result))
      progress.say(
        'No prior was learned, which lags, features and noise are part of: the entries or epochs are too few, or λ leaves too little unexplained.',
      )
    await throwOnAll(context, failure)
    if (result.stopped === 'aborted') await throwInterrupted(context, run)
  } finally {
    await run.close()
  }
}

/**
 * Measures the errors of the run's model on its sets, and adds them and the trials to the model's training
 * record.
 * @param selection the trials that chose the settings
 */
async function evaluateRun(
  { entries, settings, sets }: LearningContext,
  run: FileRun,
  { choice, ranks }: Selection,
): Promise<{ result: Completion; errors: Errors }> {
  const { test } = sets
  const result = { ...(await run.result()), choice }
  const { model, validation } = result
  if (choice) model.training.choice = choice
  if (ranks) model.training.ranks = ranks.trials
  const errors: Errors = {
    train: result.train,
    validation,
    ...(test && (await entries.evaluate(model, { ...sets, test }, settings.missing === 'zero'))),
  }
  if (errors.test) model.training.test = errors.test
  return { result, errors }
}

/**
 * Writes the model on the root and, if the run has ended, removes its checkpoint. Without an output, or if
 * nothing has been learned, prints a notice instead: an untrained model never replaces a trained one.
 * @returns the path that was written, or the error that prevented it; empty if there is nothing to write
 */
async function saveResult(
  { options: { output }, progress }: LearningContext,
  run: FileRun,
  { model, stopped }: Completion,
): Promise<{ output?: string; failure?: unknown }> {
  if (output === undefined) {
    progress.say('The model is not kept; -o model.npz would write it.')
    return {}
  }
  if (!run.learned) {
    progress.say(`Nothing has been learned yet: ${output} is not written.`)
    return {}
  }
  if (!run.isRoot) return { output }
  try {
    await saveModel(output, model)
  } catch (failure) {
    return { failure }
  }
  if (stopped !== 'aborted') await removeCheckpoint(output)
  return { output }
}

/** Whether options were given that only a learned prior uses, and the run ended without learning one. */
function isPriorMissing(settings: RunOptions, { stopped, model }: Completion): boolean {
  const isAsked =
    settings.prior === 'learned' ||
    settings.loss === 'huber' ||
    Object.keys(settings.lags ?? {}).length > 0 ||
    settings.features !== undefined ||
    (settings.noise !== undefined && settings.noise !== 'gaussian')
  const isOver = stopped !== 'aborted' && stopped !== 'seconds'
  return isOver && isAsked && stopped !== 'learned' && model.prior?.kind !== 'learned'
}

/** Throws on all processes if there is a failure on any; undefined means none on this one. */
async function throwOnAll({ communicator }: LearningContext, failure: unknown): Promise<void> {
  await communicator.failTogether(() => {
    if (failure) throw failure
  })
}

/**
 * Prints that the run was interrupted, and how to continue if it has a checkpoint; throws the interruption,
 * on several processes with the largest exit code of all.
 */
async function throwInterrupted(
  { options, progress, interruption, communicator }: LearningContext,
  run: FileRun,
): Promise<never> {
  progress.say(
    options.output && run.epochs > 0
      ? `Interrupted. To go on:\n  ${resumeCommand(communicator.size)}`
      : 'Interrupted.',
  )
  if (communicator.size === 1) throw interruption.outcome()
  throw new Interrupted(Math.max(...(await communicator.allGatherNumbers(interruption.code())).flat()))
}
