/**
 * Cross-fitting from entries to an ensemble: searches settings, fits the models and combines the best of
 * them.
 */
import { collectGarbage } from '../../base/garbage.ts'
import { InputError, option } from '../../base/inputError.ts'
import {
  type Assembly,
  type AssemblySeconds,
  assembleEnsemble,
  assembleUnfinished,
  type CpEnsemble,
  type EnsembleStability,
  type ErrorSummary,
  type OptionalStage,
  type Ordered,
  type OutOfFold,
  replaceMembers,
} from '../../model/index.ts'
import {
  byEntry,
  foldsOf,
  isByEntry,
  modeNumber,
  refuseRepeatedModes,
  type SparseTensor,
  splitFold,
  tensorBytes,
} from '../../tensor/index.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import {
  type Candidate,
  type ChooseByFoldsOptions,
  chooseByFolds,
  type UnfinishedSearch,
  WITHOUT_ERRORS,
} from './chooseByFolds.ts'
import { fitModel, refit, signalWithin } from './refit.ts'
import type { FoldChoice } from './trials.ts'

/**
 * Options of `completeByFolds`: how folds are made, which settings are searched, and which modes are ordered.
 */
export interface ByFoldsOptions extends ChooseByFoldsOptions {
  /** Modes whose rows are ordered, for the correction by neighbours; by default found from the residuals. */
  ordered?: readonly Ordered[]
  /**
   * Called before each model that is fitted to all entries in the end, with its number from 0 and their number; none by
   * default.
   */
  onRefit?: (model: number, models: number) => void
}

/** The result of cross-fitting. M are the names of the modes. */
export interface FoldedCompletion<M extends string = string> {
  /** The models of all folds as one. */
  model: CpEnsemble<M>
  /**
   * Errors on the training entries, each predicted by the model that was fitted without it; undefined where a
   * time limit left no time for all models, and then the model has no intervals either.
   */
  outOfFold?: OutOfFold
  /** Trials and the chosen one; undefined where there was only one setting to try. */
  choice?: FoldChoice
  /** Whether the models agree on their components; undefined where a time limit left it out. */
  stability?: EnsembleStability
  /** Descriptions of what was left out because the time was up, or there was too little memory. */
  leftOut: string[]
  /** Seconds that it took, including those before it was resumed. */
  seconds: number
  /** Seconds of its stages, without those before it was resumed. */
  took: FoldSeconds
}

/** Seconds that the stages of a cross-fit took; plain data. */
export interface FoldSeconds extends AssemblySeconds {
  /** All trials but the one whose models are returned, and ensembles that were not as good. */
  search: number
  /** Splitting the entries and loading them on the engine, for all models. */
  setUp: number
  /** Fitting the models. */
  models: number
  /** Fitting models to all entries, once settings and weights are chosen; only with `findRank: 'best'`. */
  refit?: number
}

/**
 * Fits one model per fold without it and combines them into an ensemble, with out-of-fold errors and
 * conformal intervals. With `findRank: 'best'` the best trials are stacked (model/ensemble/stack.ts),
 * and their models fitted again to all entries (refit.ts).
 * @param options settings of the runs
 * @param foldOptions folds, search and checkpointing
 * @returns undefined if it was interrupted
 */
export async function completeByFolds(
  tensor: SparseTensor,
  options: RunOptions,
  foldOptions: ByFoldsOptions = {},
): Promise<FoldedCompletion | undefined> {
  const start = performance.now()
  const { ordered, onRefit, ...searchOptions } = foldOptions
  checkModes(tensor, foldOptions)
  const found = await chooseByFolds(tensor, options, searchOptions)
  if (!found) return undefined
  const before = foldOptions.checkpointing?.saved?.seconds ?? 0
  if ('unfinished' in found) return completeUnfinished(tensor, found, before, start)
  const { candidates, deadline } = found
  if (!deadline.hasTimeForIntervals) {
    const leftOut = [...found.leftOut, WITHOUT_ERRORS]
    return completeUnfinished(tensor, { unfinished: candidates[0].fit.models, leftOut }, before, start)
  }
  const leftOut = [...found.leftOut]
  const hasTimeFor: Assembly['hasTimeFor'] = (stage, ranks) => deadline.hasTimeFor(stage, ranks)
  const hasSeconds = (seconds: number): boolean => deadline.hasSeconds(seconds)
  const { seed } = settingsOf(options)
  const attributes = Object.entries(options.features ?? {}).map(([name, features]) => ({
    mode: modeNumber(tensor, name, option('features')),
    ...features,
  }))
  const fits = candidates.map(({ trial, fit }) => (trial.features ? { ...fit, attributes } : fit))
  const { sampled } = found
  const assembled = assembleEnsemble(sampled?.cells ?? tensor, {
    ...{ fits, seed, ordered, weights: found.weights, hasTimeFor, hasSeconds },
    listed: sampled?.listed,
  })
  collectGarbage(tensorBytes(tensor)) // arrays of the assembly, and models that are not part of the ensemble
  const { outOfFold, stability, weights, took: assembly } = assembled
  for (const stage of assembled.leftOut) leftOut.push(stageNames[stage])
  const combined = candidates
    .map((candidate, c) => ({ ...candidate, weight: weights[c] }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
  let { model } = assembled
  let refitSeconds = 0
  if (foldOptions.findRank === 'best') {
    const begun = performance.now()
    // No trial follows that would save the search: an interruption from here on loses the models, but no trial.
    if ((foldOptions.checkpointing?.every ?? Infinity) < Infinity) await found.save()
    const hasTimeFor = (seconds: number): boolean => deadline.hasTimeForRefit(seconds)
    const secondsLeft = (): number => deadline.secondsLeft
    const { models, refitted, refused } = await refit(tensor, combined, { hasTimeFor, secondsLeft, onRefit })
    if (refitted > 0) model = replaceMembers(model, models, tensor)
    const others = models.length - refitted - refused
    const whichOf = (count: number): string => `the fit of ${count} of ${models.length} models to all entries`
    if (others > 0) leftOut.push(whichOf(others))
    if (refused > 0) leftOut.push(`${whichOf(refused)}, for which there was too little memory`)
    refitSeconds = (performance.now() - begun) / 1000
    // Where folds are made of single entries, the error out of fold is that at random cells.
    if (!isByEntry(candidates[0].fit.by, tensor)) {
      const { seconds, models } = candidates[0].fit
      const error = hasTimeFor(seconds / models.length)
        ? await errorAtRandomCells(tensor, candidates[0], seed, secondsLeft())
        : undefined
      if (error) outOfFold.atRandomCells = error
      else leftOut.push('the error at random cells')
    }
    if (options.signal?.aborted) {
      await found.save()
      return undefined
    }
  }
  const elapsed = (performance.now() - start) / 1000
  const seconds = before + elapsed
  const used = {
    setUp: sumOver(combined, ({ fit }) => fit.setUpSeconds),
    models: sumOver(combined, ({ fit }) => fit.seconds - fit.setUpSeconds),
    ...assembly,
    ...(foldOptions.findRank === 'best' && { refit: refitSeconds }),
  }
  const search = elapsed - Object.values(used).reduce((sum, stage) => sum + stage, 0)
  const took = { search: Math.max(0, search), ...used }
  const { trials, isCut } = found.choice
  const choice = (trials.length > 1 || isCut) && {
    choice: {
      ...found.choice,
      chosen: combined[0].trial,
      ...(combined.length > 1 && { combined: combined.map(({ trial, weight }) => ({ trial, weight })) }),
    },
  }
  Object.assign(model.training, { seconds, ...choice, ...(leftOut.length > 0 && { leftOut }) })
  return { model, outOfFold, stability, ...choice, leftOut, seconds, took }
}

/**
 * The error of a model at a random part of the entries, which it was fitted without; undefined where it was interrupted,
 * took longer than a number of seconds, or there was too little memory.
 */
async function errorAtRandomCells(
  tensor: SparseTensor,
  { options, fit }: Candidate,
  seed: number,
  seconds: number,
): Promise<ErrorSummary | undefined> {
  const { train, out } = splitFold(tensor, foldsOf(tensor, byEntry(tensor), fit.models.length, seed), 0)
  const model = await fitModel(train, { ...options, signal: signalWithin(seconds, options.signal) })
  return typeof model === 'string' ? undefined : model.error(out)
}

/** The sum of a number over items. */
const sumOver = <T>(items: readonly T[], numberOf: (item: T) => number): number =>
  items.reduce((sum, item) => sum + numberOf(item), 0)

/** The stages that can be left out, in words. */
const stageNames: Readonly<Record<OptionalStage, string>> = {
  neighbours: 'the correction by neighbours',
  emptyRows: 'intervals of rows without entries',
  fewEntries: 'some of the intervals of rows that are folded in from few entries',
  stability: 'the stability of components',
}

/**
 * The result where the time was up before there were models of all folds.
 * @param before seconds before it was resumed
 * @param start in milliseconds of `performance.now`
 */
function completeUnfinished(
  tensor: SparseTensor,
  { unfinished, leftOut }: UnfinishedSearch,
  before: number,
  start: number,
): FoldedCompletion {
  const model = assembleUnfinished(tensor, unfinished)
  const models = (performance.now() - start) / 1000
  const seconds = before + models
  Object.assign(model.training, { seconds, leftOut })
  const none = { search: 0, setUp: 0, neighbours: 0, intervals: 0, errors: 0, stability: 0 }
  return { model, leftOut, seconds, took: { ...none, models } }
}

/** Throws if `by` or `ordered` names a mode that does not exist, or `by` one twice, or a lag is no whole number from 1. */
function checkModes(tensor: SparseTensor, { by = [], ordered = [] }: ByFoldsOptions): void {
  const { dims } = tensor
  for (const { mode, lags = [] } of ordered)
    for (const lag of lags)
      if (!(Number.isInteger(lag) && lag >= 1))
        throw new InputError(
          'option',
          `Rows of mode ${mode} cannot be ${lag} apart; give whole numbers from 1.`,
        )
  for (const { mode } of [...by, ...ordered])
    if (!(Number.isInteger(mode) && mode >= 0 && mode < dims.length))
      throw new InputError('option', `There is no mode ${mode}; there are 0 to ${dims.length - 1}.`)
  refuseRepeatedModes(by, tensor, option('foldBy'))
}
