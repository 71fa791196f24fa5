/**
 * The report of `complete --folds`, `--rank auto` and `--best`: trials, out-of-fold errors, coverage of
 * intervals.
 */
import type { ErrorSummary, RunOptions, SparseTensor } from 'lacuna'
import type { CpEnsemble, FoldedCompletion, OutOfFold } from 'lacuna/folds'
import { type FoldChoice, type FoldTrial, pickEntries, settingsOf, trialName } from 'lacuna/internal'
import {
  errorHeads,
  errorRow,
  formatCount,
  formatNumber,
  formatSeconds,
  formatTable,
} from '../../../print/format.ts'
import { oneLine, printable } from '../../../print/printable.ts'
import { painter } from '../../../print/terminal.ts'
import { trialWords } from '../../../print/trialWords.ts'
import { memoryReport } from '../../../process/memory.ts'
import { crossFitDetails } from './crossFitDetails.ts'

/** Level of the intervals whose coverage is reported. */
const LEVEL = 0.9
/** Number of test entries, about, on which the coverage of intervals is measured. */
const MAX_COVERAGE_ENTRIES = 50_000

/**
 * Formats trials as a table with their out-of-fold RMSE ± standard error; marks the chosen one and those
 * given up early, and mentions if time ran out.
 * @param modes the tensor or model whose modes the trials merge and split
 */
export function choiceTable(
  { trials, chosen, combined, isCut }: FoldChoice,
  modes: Pick<SparseTensor, 'modes'>,
): string {
  const weightOf = (trial: FoldTrial): number | undefined =>
    combined?.find((one) => trialName(one.trial) === trialName(trial))?.weight
  const remark = (trial: FoldTrial): string => {
    if (trial.isScreening) return `on ${trial.folds} folds`
    const weight = weightOf(trial)
    if (weight !== undefined) return `weight ${formatNumber(Number(weight.toFixed(2)))}`
    if (!combined && trialName(trial) === trialName(chosen)) return 'chosen'
    return trial.folds < chosen.folds ? `given up after ${trial.folds} folds` : ''
  }
  const isCapped = trials.some(({ criterion }) => criterion !== undefined)
  const rows = trials.map((trial) => [
    trialWords(trial, modes),
    formatNumber(trial.rmse),
    `± ${formatNumber(trial.spread)}`,
    ...(isCapped ? [formatNumber(trial.criterion ?? trial.rmse)] : []),
    remark(trial),
  ])
  const lines = formatTable([
    ['', 'RMSE out of fold', '', ...(isCapped ? ['largest blocks capped'] : []), ''],
    ...rows,
  ])
  return isCut ? `${lines}\nThere was no time for everything that could be tried.` : lines
}

/** Fraction of the time limit that may be left where the time counts as up. */
const NEARLY_UP = 0.1

/**
 * Names in one sentence what was left out because there was no time for it.
 * @param limit seconds of --seconds; undefined if it was not given
 * @param left seconds that are left of them: less than what was left out takes
 */
export function describeLeftOut(leftOut: readonly string[], limit?: number, left = 0): string {
  const what = leftOut.join(', ')
  if (limit === undefined) return `Left out: ${what}.`
  return left > NEARLY_UP * limit
    ? `${formatSeconds(left)} of the ${formatSeconds(limit)} are left, too little for what was left out: ${what}.`
    : `The time of ${formatSeconds(limit)} was up; left out: ${what}.`
}

/** Error and coverage of an ensemble on test entries. */
export interface TestEvaluation {
  error: ErrorSummary
  /** Fraction of the test entries with a 90% interval that lie within it; undefined where none has one. */
  coverage?: number
}

/**
 * Measures the error of an ensemble on all test entries, and the coverage of its intervals on at most about
 * MAX_COVERAGE_ENTRIES of them, evenly spaced.
 */
export function evaluateOnTest(model: CpEnsemble, test: SparseTensor): TestEvaluation {
  if (!model.intervals) return { error: model.error(test) }
  const step = Math.max(1, Math.ceil(test.values.length / MAX_COVERAGE_ENTRIES))
  const checked = pickEntries(
    test,
    Uint32Array.from(test.values.keys()).filter((e) => e % step === 0),
  )
  const { low, high } = model.intervalMany(checked.indices, LEVEL)
  let [inside, count] = [0, 0]
  for (let e = 0; e < low.length; e++) {
    if (Number.isNaN(low[e])) continue
    count++
    if (checked.values[e] >= low[e] && checked.values[e] <= high[e]) inside++
  }
  return { error: model.error(test), ...(count > 0 && { coverage: inside / count }) }
}

/**
 * Builds the report of --json.
 * @param onTest undefined without test entries
 * @param job path of the ensemble, if it was written; planned memory in bytes; seconds of reading the entries
 */
export function crossFitJson(
  { dims, values }: SparseTensor,
  settings: RunOptions,
  { model, outOfFold, stability, choice, leftOut, seconds, took }: FoldedCompletion,
  onTest: TestEvaluation | undefined,
  { output, plannedMemory, reading }: { output?: string; plannedMemory: number; reading: number },
): object {
  return {
    settings: {
      ...settingsOf(settings),
      rank: model.members[0].rank,
      threads: settings.threads,
      folds: outOfFold?.folds ?? model.members.length,
    },
    tensor: { dims, entries: values.length },
    outOfFold,
    stability,
    choice,
    neighbours: model.neighbours && { lags: model.neighbours.lags },
    test: onTest?.error,
    intervals: onTest?.coverage === undefined ? undefined : { level: LEVEL, coverage: onTest.coverage },
    leftOut: leftOut.length > 0 ? leftOut : undefined,
    seconds,
    took: { reading, ...took },
    ...memoryReport(plannedMemory),
    model: output,
  }
}

/**
 * Formats the report as text: trials, a table of errors, and details of the cross-fit.
 * @param onTest undefined without test entries
 * @param output path of the ensemble, if it was written
 */
export function crossFitText(
  { model, outOfFold, stability, choice, seconds: elapsed, took }: FoldedCompletion,
  onTest: TestEvaluation | undefined,
  output: string | undefined,
): string {
  const { bold } = painter(process.stdout)
  const rows = [errorHeads, ...(outOfFold ? outOfFoldRows(outOfFold) : [])]
  if (onTest) rows.push(errorRow('test', onTest.error))
  const [head, ...lines] = formatTable(rows).split('\n')
  const { length } = model.members
  const end = [
    ...(onTest?.coverage === undefined
      ? []
      : [
          `Intervals of ${100 * LEVEL}% hold ${(100 * onTest.coverage).toFixed(1)}% of ${formatCount(onTest.error.entries)} test entries.`,
        ]),
    ...(outOfFold ? crossFitDetails({ outOfFold, stability }).map(printable) : []),
    '',
    `Seconds: ${formatStages(took)}.`,
    ...(output !== undefined ? ['', `The model is in ${output}.`] : []),
  ]
  if (!outOfFold)
    return [
      `${formatCount(length)} of the models, in ${formatSeconds(elapsed)}: their mean is the prediction, without intervals.`,
      ...(onTest ? ['', bold(head), ...lines, ''] : []),
      ...end,
    ].join('\n')
  const { folds, by, verdict } = outOfFold
  const lags = model.neighbours?.lags.flatMap((distances, mode) =>
    distances.length > 0
      ? [`${model.modes?.[mode].name ?? `mode ${mode + 1}`} at ${distances.join(', ')}`]
      : [],
  )
  return [
    ...(choice ? [choiceTable(choice, model), ''] : []),
    `${folds} models, each learned without ${heldOutWords(by)} (${by}), in ${formatSeconds(elapsed)}.`,
    '',
    bold(head),
    ...lines,
    '',
    `Out of fold the error is ${oneLine(verdict)}.`,
    ...(lags
      ? [`Residuals of neighbours help${lags.length > 0 ? `: along ${oneLine(lags.join('; '))}` : ''}.`]
      : []),
    ...end,
  ].join('\n')
}

/** Describes the entries that a model was fitted without. @param by what was held out together */
function heldOutWords(by: string): string {
  if (by.startsWith('single cells')) return 'some of the cells'
  return by === 'single entries' ? 'some of the entries' : 'some entries'
}

/** Rows of the table of errors: out of fold, without neighbours, and of the baselines. */
function outOfFoldRows(outOfFold: OutOfFold): ReturnType<typeof errorRow>[] {
  const { error, withoutNeighbours, atRandomCells, baselines } = outOfFold
  const rows = [errorRow('out of fold', error)]
  if (atRandomCells) rows.push(errorRow('  one model, at random cells', atRandomCells))
  if (withoutNeighbours) rows.push(errorRow('  without neighbours', withoutNeighbours))
  for (const { name, error } of baselines) rows.push(errorRow(`  ${name}`, error))
  return rows
}

/** Formats the seconds of the stages of a cross-fit, without those that did nothing. */
function formatStages({ search, ...stages }: FoldedCompletion['took']): string {
  const names = { setUp: 'set-up' } as Partial<Record<string, string>>
  return Object.entries({ ...(search >= 0.05 && { 'other trials': search }), ...stages })
    .map(([stage, seconds]) => `${names[stage] ?? stage} ${formatNumber(Number(seconds.toFixed(2)))}`)
    .join(', ')
}
