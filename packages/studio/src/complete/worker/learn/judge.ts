/** Compares a model with baselines on entries that it has not seen, as `lacuna complete` does. */
import { type CpModel, complete, type SparseTensor, split } from 'lacuna'
import { evaluate } from 'lacuna/answers'
import { CpEnsemble, type OutOfFold } from 'lacuna/folds'
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
/** The fewest entries on which errors are compared. */
const FEWEST = 10
/** Fraction of the entries that a second model is learned without, if nothing is held out. */
const HELD_OUT = 0.1
/** The most epochs of that model. */
const EPOCHS = 40
/** The most entries × modes × R² of that model: about a second on two cores. */
const MOST_WORK = 6e7

/** The verdict on a model, and its calibration. */
export type Judgement = Pick<ModelSummary, 'verdict' | 'calibration'>

/** Makes a verdict. @param on the entries, in words @param subject what has the error */
function verdictOf(
  on: string,
  rmse: number,
  baselines: readonly BaselineError[],
  entries?: number,
  subject = `On ${on} the error`,
): Verdict {
  return {
    ...{ on, entries, rmse },
    baselines: baselines.map(({ name, error }) => ({ name, rmse: error.rmse })),
    isWorthUsing: isWorthUsing(rmse, baselines),
    text: `${subject} is ${compareWithBaselines(rmse, baselines)}.`,
  }
}

/**
 * Judges a model on entries that it has not seen; without a verdict if these are too few.
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
  if (count < FEWEST) return {}
  const { rmse, calibration } = evaluate(model, entries)
  const baselines = (zeros ? baselinesOnCells : baselinesOnTest)(train, entries)
  return {
    verdict: verdictOf(on, rmse, baselines, count),
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
  verdictOf('entries left out', error.rmse, baselines, undefined, 'Out of fold the error')

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
  if (work > MOST_WORK || HELD_OUT * values.length < FEWEST || settings.missing === 'zero') return {}
  const { train, test } = split(tensor, { test: HELD_OUT }, seed)
  const options = { ...settings, epochs: EPOCHS, choose: false, signal, engine: await openEngine() }
  const { model } = await complete(train, options)
  const { verdict, calibration } = await judgeOnEntries(model, train, test, '10% of the entries')
  if (!verdict) return {}
  const text = verdict.text.replace(
    'On 10% of the entries the error',
    'Learned without 10% of the entries, its error on these',
  )
  return { verdict: { ...verdict, text }, calibration }
}
