/** Whether the model of a run is worth using: its error on entries it has not seen, beside those of baselines. */
import { type Completion, type CpModel, complete, type ErrorSummary, split } from 'lacuna'
import {
  type BaselineError,
  baselinesByFolds,
  baselinesOnCells,
  baselinesOnTest,
  compareWithBaselines,
  type FoldBy,
  foldGroupsOf,
  foldsOf,
  isWorthUsing,
  type Missing,
  option,
  parseFoldBy,
  type Selection,
} from 'lacuna/internal'
import { formatCount, formatCounted } from '../../print/format.ts'
import type { LearningContext } from './context.ts'

/** Errors of a model on the sets of its job; undefined where there is no such set. */
export interface Errors {
  train: ErrorSummary
  validation?: ErrorSummary
  test?: ErrorSummary
  /** Error on the test entries of the mean training value. */
  meanOnTest?: ErrorSummary
}

/** A comparison with baselines on entries that a model has not seen. */
export interface Verdict {
  /** The entries, in words: the test entries, say. */
  on: string
  /** RMSE on them. */
  rmse: number
  /** Errors of the baselines, on the same entries. */
  baselines: BaselineError[]
  /** Whether the RMSE is below that of the best baseline by enough. */
  isWorthUsing: boolean
  /** The comparison as a sentence. */
  text: string
}

/** Makes a verdict. @param on the entries, in words @param subject what has the error */
function compare(
  on: string,
  { rmse }: Pick<ErrorSummary, 'rmse'>,
  baselines: BaselineError[],
  subject = `On ${on} the error`,
): Verdict {
  const text = `${subject} is ${compareWithBaselines(rmse, baselines)}.`
  return { on, rmse, baselines, isWorthUsing: isWorthUsing(rmse, baselines), text }
}

/** Fraction of the entries that a model is learned without where nothing else is held out. */
export const HELD_OUT = 0.1
/** Most epochs of that model: half for the components, half for the prior. */
export const EPOCHS = 40
/**
 * Most entries × modes × R² of that model: about a second on two cores. For more, the user is asked to
 * hold out entries.
 */
const MOST_WORK = 6e7
/** Fewest entries on which errors are compared. */
const FEWEST = 10

/**
 * Compares a run's error with those of baselines: on the test entries, the validation entries, out of fold
 * (--rank auto), or else, where that is cheap, on a tenth of the entries that a short second run is without.
 * Returns undefined where none of these is possible.
 * @param selection the trials of --rank auto, and their folds
 */
export async function judgeRun(
  context: LearningContext,
  result: Completion,
  errors: Errors,
  { ranks, foldBy }: Selection,
): Promise<Verdict | undefined> {
  const { sets, settings, options, communicator } = context
  const { train, test, validation } = sets
  const isWhole = communicator.size === 1 && !train.weights
  const hasZeros = settings.missing === 'zero'
  if (errors.test && errors.test.entries >= FEWEST && test && errors.meanOnTest) {
    const baselines = (): BaselineError[] =>
      hasZeros ? baselinesOnCells(train, test, validation && [validation]) : baselinesOnTest(train, test)
    const mean = [{ name: 'the mean', error: errors.meanOnTest }]
    return compare('the test entries', errors.test, isWhole ? baselines() : mean)
  }
  if (!isWhole || hasZeros) return undefined
  if (errors.validation && errors.validation.entries >= FEWEST && validation)
    return compare('the validation entries', errors.validation, baselinesOnTest(train, validation))
  if (ranks) {
    // A checkpoint of an earlier version does not have the folds of its search: they are taken for those of this one.
    const typed = options.foldBy
    const byNow = (): FoldBy =>
      typed === undefined ? foldGroupsOf(train) : parseFoldBy(typed, train, option('foldBy'))
    const by = foldBy ?? byNow()
    const count = ranks.chosen.folds
    return compare(
      'entries left out',
      ranks.chosen,
      baselinesByFolds(train, foldsOf(train, by, count, result.settings.seed), count),
      'Out of fold the error',
    )
  }
  return judgeBySecondRun(context, result)
}

/** Learns a model without a tenth of the entries, and compares it with baselines on these; undefined if that is not cheap. */
async function judgeBySecondRun(
  { sets: { train }, settings, options, progress, interruption: { signal } }: LearningContext,
  { settings: { rank, epochs, seed }, choice, stopped }: Completion,
): Promise<Verdict | undefined> {
  const { dims, values } = train
  const work = values.length * dims.length * (4 * Math.ceil(rank / 4)) ** 2
  const isPossible =
    (options.engine ?? 'cpu') === 'cpu' &&
    settings.initial === undefined &&
    settings.seconds === undefined &&
    !choice &&
    stopped !== 'aborted'
  if (!isPossible || work > MOST_WORK || HELD_OUT * values.length < FEWEST) return undefined
  progress.update('Learning a model without a tenth of the entries, to compare it with baselines …')
  const parts = split(train, { test: HELD_OUT }, seed)
  const short = { ...settings, rank, epochs: Math.min(epochs, EPOCHS), choose: false, signal }
  const { model } = await complete(parts.train, short)
  if (signal.aborted) return undefined
  const percent = Math.round(100 * HELD_OUT)
  return compare(
    `${percent}% of the entries`,
    model.error(parts.test),
    baselinesOnTest(parts.train, parts.test),
    `Learned without ${percent}% of the entries, its error on these`,
  )
}

/**
 * Advice on how to get a verdict, for a run without held-out entries.
 * @param missing the meaning of unlisted cells
 */
export const adviseVerdict = (missing: Missing): string =>
  missing === 'zero'
    ? 'How good it is for entries that it has not seen is not known: --test 0.1 holds some out; lacuna evaluate --ranking judges the order of predictions.'
    : 'How good it is where nothing was observed is not known: --test 0.1 holds out entries, --folds 5 holds out each in turn.'

/** From this many times as many parameters as entries a smaller rank is often better. */
const MANY_TIMES = 4

/**
 * A caution if there are fewer entries than parameters, and no verdict in the model's favour, or far fewer; else undefined.
 * Such a rank may still be right, since the prior keeps rows from fitting noise; only the training error does not
 * show it.
 * @param entries number of training entries, of all processes
 * @param way the options by which the error on other entries is measured
 */
export function parameterCaution(
  { rank, factors, unobserved }: CpModel,
  entries: number,
  verdict: Verdict | undefined,
  way = '--test 0.1 or --folds 5',
): string | undefined {
  const parameters = factors.reduce(
    (sum, { length }, mode) => sum + length - rank * unobserved[mode].length,
    0,
  )
  const start = `Caution: rank ${rank} has ${formatCount(parameters)} parameters for ${formatCounted(entries, 'entry')}`
  if (verdict?.isWorthUsing && parameters >= MANY_TIMES * entries)
    return `${start}, so that a smaller one may predict better; --rank auto finds one.`
  if (entries >= parameters || verdict?.isWorthUsing) return undefined
  return `${start}, so that a small training error means nothing; what counts is the error on entries that it has not seen, ${verdict ? 'which is the one above' : `as ${way} measures it`}.`
}
