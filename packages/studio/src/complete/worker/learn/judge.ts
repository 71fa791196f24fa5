/** Compares a model with baselines on entries that it has not seen, as `lacuna complete` does. */
import { type CpModel, complete, InputError, type RunOptions, type SparseTensor, split } from 'lacuna'
import { evaluate } from 'lacuna/answers'
import { CpEnsemble, completeByFolds, type OutOfFold } from 'lacuna/folds'
import {
  type BaselineError,
  baselinesOnCells,
  baselinesOnTest,
  compareWithBaselines,
  isWorthUsing,
} from 'lacuna/internal'
import { openEngine } from '../../../run/engine.ts'
import type { RunSettings } from '../../../run/interactiveRun.ts'
import type { Calibration, ModelSummary, Verdict } from '../../protocol.ts'

/** The probability with which an interval should contain the value. */
const LEVEL = 0.9
/** Below this number of entries a comparison is a rough one, and says so. */
const FEW = 10
/** The folds in which the entries of a small table are left out. */
const FOLDS = 10
/** A verdict on fewer entries in all is a rough one. */
const ROUGH = 100
/** Fraction of the entries that a second model is learned without, if nothing is held out. */
const HELD_OUT = 0.1
/** The most epochs of that model. */
const EPOCHS = 40
/** The most entries × modes × R² of that model: about a second on two cores. */
const MOST_WORK = 6e7

/** The verdict on a model and its calibration, or why there is none. */
export type Judgement = Pick<ModelSummary, 'verdict' | 'calibration' | 'notJudged'>

/**
 * Makes a verdict.
 * @param on the entries, in words
 * @param subject what has the error
 * @param caution a sentence that says how rough the verdict is; none by default
 */
function verdictOf(
  on: string,
  rmse: number,
  baselines: readonly BaselineError[],
  {
    entries,
    subject = `On ${on} the error`,
    caution,
  }: { entries?: number; subject?: string; caution?: string } = {},
): Verdict {
  const text = `${subject} is ${withPlainModes(compareWithBaselines(rmse, baselines))}.`
  return {
    ...{ on, entries, rmse },
    baselines: baselines.map(({ name, error }) => ({ name: withPlainModes(name), rmse: error.rmse })),
    isWorthUsing: isWorthUsing(rmse, baselines),
    text: caution === undefined ? text : `${text} ${caution}`,
  }
}

/** A text in which modes without a name are called as on the rest of the page: mode 1 in place of mode_1. */
const withPlainModes = (text: string): string => text.replace(/\bmode_(\d+)\b/g, 'mode $1')

/** Whether there are too few held-out entries to compare on, so that folds say more. */
export const areFew = ({ values }: SparseTensor): boolean => values.length < FEW

/**
 * Judges a model on entries that it has not seen; without a verdict if there are none.
 * @param train the entries that it was learned from
 * @param zeros whether cells that are not listed are zeros
 */
export async function judgeOnEntries(
  model: CpModel | CpEnsemble,
  train: SparseTensor,
  entries: SparseTensor,
  on: string,
  zeros = false,
): Promise<Judgement> {
  const count = entries.values.length
  if (count === 0) return { notJudged: 'no entries were held out' }
  const { rmse, calibration } = evaluate(model, entries)
  const baselines = (zeros ? baselinesOnCells : baselinesOnTest)(train, entries)
  return {
    verdict: verdictOf(on, rmse, baselines, {
      entries: count,
      ...(count < FEW && {
        caution: `These are only ${count === 1 ? 'one entry' : `${count} entries`}: a rough verdict.`,
      }),
    }),
    calibration: { groups: calibration, ...coverageOf(model, entries) },
  }
}

/** The fraction of the entries within their prediction intervals, if the model has intervals. */
function coverageOf(
  model: CpModel | CpEnsemble,
  { indices, values }: SparseTensor,
): Pick<Calibration, 'coverage'> {
  if (!(model instanceof CpEnsemble) || !model.intervals) return {}
  const { low, high } = model.intervalMany(indices, LEVEL)
  let inside = 0
  let known = 0
  for (let e = 0; e < values.length; e++) {
    if (Number.isNaN(low[e])) continue
    known++
    if (values[e] >= low[e] && values[e] <= high[e]) inside++
  }
  return known === 0 ? {} : { coverage: { level: LEVEL, fraction: inside / known } }
}

/** The verdict of a cross-fit: every entry is predicted by the model that was fitted without it. */
export const judgeOutOfFold = ({ error, baselines }: OutOfFold): Verdict =>
  verdictOf('entries left out', error.rmse, baselines, { subject: 'Out of fold the error' })

/**
 * Judges settings by the entries of a small table: in each of several folds they are predicted by a model that is
 * learned without them. Without a verdict if there are too few even for that.
 */
export async function judgeByFolds(tensor: SparseTensor, settings: RunOptions): Promise<Judgement> {
  const { length } = tensor.values
  try {
    const folds = Math.min(FOLDS, length)
    const result = await completeByFolds(
      tensor,
      { ...settings, validation: undefined },
      { folds, choose: false },
    )
    if (!result?.outOfFold) return { notJudged: 'the comparison was interrupted' }
    const { error, baselines } = result.outOfFold
    const parts = folds === length ? 'each entry' : `each of ${folds} parts of the entries`
    return {
      verdict: verdictOf('entries left out', error.rmse, baselines, {
        entries: length,
        subject: `Learned without ${parts} in turn, the error on what was left out`,
        ...(length < ROUGH && { caution: `The table has only ${length} entries: a rough verdict.` }),
      }),
    }
  } catch (error) {
    // Tables of a few entries cannot be divided such that every row keeps one.
    if (error instanceof InputError)
      return { notJudged: `the table has only ${length} entries, too few to leave any of them out` }
    throw error
  }
}

/**
 * Judges settings where nothing was held out: learns a second model without a tenth of the entries. Without a
 * verdict if that would take long.
 */
export async function judgeBySecondRun(
  tensor: SparseTensor,
  settings: RunSettings,
  signal: AbortSignal,
): Promise<Judgement> {
  const { rank, seed = 1 } = settings
  const { dims, values } = tensor
  const work = values.length * dims.length * (4 * Math.ceil(rank / 4)) ** 2
  const options = { ...settings, epochs: EPOCHS, choose: false, signal, engine: await openEngine() }
  if (work > MOST_WORK)
    return {
      notJudged:
        'nothing was held out, and a second model to judge it by would take long; hold out some entries (“More”)',
    }
  if (settings.missing === 'zero')
    return {
      notJudged:
        'nothing was held out, and cells that are not listed are zeros; hold out some entries (“More”)',
    }
  if (HELD_OUT * values.length < FEW) return judgeByFolds(tensor, options)
  const { train, test } = split(tensor, { test: HELD_OUT }, seed)
  const { model } = await complete(train, options)
  const { verdict, calibration } = await judgeOnEntries(model, train, test, '10% of the entries')
  if (!verdict) return {}
  const text = verdict.text.replace(
    'On 10% of the entries the error',
    'Learned without 10% of the entries, its error on these',
  )
  return { verdict: { ...verdict, text }, calibration }
}
