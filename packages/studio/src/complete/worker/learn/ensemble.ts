/** Runs by folds: several models, each without one fold, and for the best run a search of the settings. */
import { InputError } from 'lacuna'
import {
  type ByFoldsOptions,
  completeByFolds,
  decodeSearch,
  encodeSearch,
  type FoldedCompletion,
} from 'lacuna/folds'
import { choosesByDefault, concatenate } from 'lacuna/internal'
import { openEngine } from '../../../run/engine.ts'
import { describeTrial } from './describeTrial.ts'
import { areFew, type Judgement, judgeOnEntries, judgeOutOfFold } from './judge.ts'
import { holdOut, runOptions, unknownCells } from './quick.ts'
import type { Learned, Learner, LearnTask } from './task.ts'
import { searchReports } from './trial.ts'

/** The time between two checkpoints, in seconds. */
const CHECKPOINT_SECONDS = 4

/** Starts a run by folds: the best run, or a quick one with the number of folds of the settings. */
export function startByFolds(task: LearnTask): Learner {
  const finish = new AbortController()
  return {
    pause() {},
    resume() {},
    stop: () => finish.abort(),
    result: learnEnsemble(task, finish.signal),
  }
}

/** Learns an ensemble, and judges it on the held-out entries, or out of fold. */
async function learnEnsemble(task: LearnTask, finish: AbortSignal): Promise<Learned> {
  const { kind, tensor, settings, signal } = task
  const { train, validation } = holdOut(tensor, settings)
  const options = {
    ...runOptions(task),
    ...unknownCells(settings, validation),
    engine: await openEngine(),
    signal,
  }
  const search: ByFoldsOptions =
    kind === 'best'
      ? { findRank: 'best', choose: true, seconds: settings.seconds }
      : {
          // Without a search the time is not limited, but a run can finish early only where there is a limit.
          ...{ folds: settings.folds, choose: choosesByDefault(options), seconds: 1e9 },
          ...(settings.rank === 'auto' && { findRank: 'smallest' as const, seconds: settings.seconds }),
        }
  const rank = kind === 'best' || settings.rank === 'auto' ? {} : { rank: settings.rank }
  const result = await completeByFolds(
    train,
    { ...options, ...rank },
    { ...search, ...watchSearch(task), finish },
  )
  if (!result) throw new InputError('option', 'The run was stopped before any model was there.')
  signal.throwIfAborted()
  task.onActivity('Comparing the models with baselines')
  const { model, outOfFold } = result
  // The error out of fold says more than a few held-out entries.
  const judgement: Judgement =
    validation && !(outOfFold && areFew(validation))
      ? await judgeOnEntries(model, train, validation, 'the held-out entries', settings.missing === 'zero')
      : outOfFold
        ? {}
        : { notJudged: 'the time was up before the models could be compared' }
  return {
    model,
    heldOut: validation,
    extra: {
      stopped: describeEnd(result, finish.aborted),
      leftOut: result.leftOut,
      chosen: result.choice && describeTrial(result.choice.chosen, tensor),
      ...(outOfFold && { verdict: judgeOutOfFold(outOfFold) }),
      ...judgement,
    },
  }
}

/** Reports a search, saves it after each trial and every few seconds, and continues a saved one. */
export function watchSearch(task: LearnTask): ByFoldsOptions {
  const { checkpoint, onCheckpoint } = task
  const reports = searchReports(task)
  let hasNewTrial = false
  return {
    ...reports,
    onTrial(trial) {
      hasNewTrial = true
      reports.onTrial?.(trial)
    },
    checkpointing: {
      saved: checkpoint && decodeSearch(checkpoint, 'the checkpoint'),
      get every() {
        return hasNewTrial ? 0 : CHECKPOINT_SECONDS
      },
      async save(state) {
        hasNewTrial = false
        onCheckpoint(concatenate(Uint8Array, encodeSearch(state)))
      },
    },
  }
}

/** Why a run by folds ended, as a clause. */
function describeEnd({ model, leftOut }: FoldedCompletion, isFinished: boolean): string {
  const { length } = model.members
  const models = length === 1 ? 'there was one model' : `${length} models were combined`
  if (isFinished) return `${models}, when you asked to finish`
  return leftOut.length > 0 ? `${models}, when the time was up` : models
}
