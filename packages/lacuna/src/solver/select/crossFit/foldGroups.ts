/** How the models of a cross-fit share the threads, and what part of its time some of them take. */
import { divideThreads, groupsOfFirst, type ModelGroup, timeOf } from '../../../engine/defaultEngine.ts'
import type { SparseTensor } from '../../../tensor/index.ts'
import { type RunOptions, settingsOf } from '../../settings/options.ts'

/**
 * Divides the threads among the models of a cross-fit, or those that are fitted to all entries after it.
 * @param tensor the entries
 * @param options settings of the models
 * @param folds number of folds
 */
export const foldGroups = (
  { dims, values }: Pick<SparseTensor, 'dims' | 'values'>,
  options: RunOptions,
  folds: number,
): ModelGroup[] =>
  divideThreads(
    { models: folds, entries: values.length, order: dims.length, rank: settingsOf(options).rank },
    options.threads,
  )

/** The part of the time of a cross-fit after which the models of the first folds have been fitted. */
export const fractionOfFirst = (groups: readonly ModelGroup[], folds: number): number =>
  timeOf(groupsOfFirst(groups, folds)) / timeOf(groups)

/** The part of the time of a cross-fit that one of its models takes, beside others of its group. */
export const fractionOfModel = (groups: readonly ModelGroup[], group: ModelGroup): number =>
  timeOf([{ ...group, models: group.sideBySide }]) / timeOf(groups)
