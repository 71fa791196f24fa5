/** Runs of the worker: starts a quick run or the best one, and judges models. */
import { startByFolds } from './ensemble.ts'
import { startQuick } from './quick.ts'
import type { Learner, LearnTask } from './task.ts'

export { judgeOnEntries } from './judge.ts'
export { holdOut } from './quick.ts'
export type { Learned, Learner } from './task.ts'

/** Starts a run: one model that is watched, or several by folds. */
export const startLearning = (task: LearnTask): Learner =>
  task.kind === 'best' || (task.settings.folds ?? 1) > 1 ? startByFolds(task) : startQuick(task)
