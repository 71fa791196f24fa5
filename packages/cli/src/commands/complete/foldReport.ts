/** What `complete` tells of folds: what was tried, errors of what the models had not seen, and whether intervals hold. */

import type { ErrorSummary, RunOptions, SparseTensor } from 'lacuna'
import type { CpEnsemble, FoldedCompletion } from 'lacuna/folds'
import { type FoldChoice, settingsOf, trialName } from 'lacuna/internal'
import { count, errorHeads, errorRow, figure, seconds, table } from '../../print/format.ts'
import { painter } from '../../print/terminal.ts'
import { foldDetails } from './foldDetails.ts'

const LEVEL = 0.9
/** Test entries by which intervals are judged. */
const MOST_JUDGED = 50_000

/** What was tried, and which is used. */
export function choiceTable({ trials, chosen, isCut }: FoldChoice): string {
  const rows = trials.map((trial) => [
    trialName(trial),
    figure(trial.rmse),
    `± ${figure(trial.spread)}`,
    trial === chosen ? 'chosen' : trial.folds < chosen.folds ? `given up after ${trial.folds} folds` : '',
  ])
  const lines = table([['', 'RMSE out of fold', '', ''], ...rows])
  return isCut ? `${lines}\nThe time was up before everything had been tried.` : lines
}

export interface Judged {
  error: ErrorSummary
  /** Of test entries within their intervals of 90%. */
  coverage: number
}

export function judge(model: CpEnsemble, test: SparseTensor): Judged {
  const step = Math.max(1, Math.ceil(test.values.length / MOST_JUDGED))
  let [inside, looked] = [0, 0]
  for (let e = 0; e < test.values.length; e += step) {
    const { low, high } = model.interval(
      test.indices.map((column) => column[e]),
      LEVEL,
    )
    looked++
    if (test.values[e] >= low && test.values[e] <= high) inside++
  }
  return { error: model.error(test), coverage: inside / looked }
}

export function foldsAsJson(
  { dims, values }: SparseTensor,
  settings: RunOptions,
  { model, outOfFold, stability, choice, seconds }: FoldedCompletion,
  judged: Judged | undefined,
  output: string | undefined,
): object {
  return {
    settings: {
      ...settingsOf(settings),
      rank: model.members[0].rank,
      threads: settings.threads,
      folds: outOfFold.folds,
    },
    tensor: { dims, entries: values.length },
    outOfFold,
    stability,
    ...(choice && { choice }),
    ...(model.neighbours && { neighbours: { lags: model.neighbours.lags } }),
    ...(judged && { test: judged.error, intervals: { level: LEVEL, coverage: judged.coverage } }),
    seconds,
    ...(output !== undefined && { model: output }),
  }
}

export function foldsAsText(
  { model, outOfFold, stability, choice, seconds: elapsed }: FoldedCompletion,
  judged: Judged | undefined,
  output: string | undefined,
): string {
  const { bold } = painter(process.stdout)
  const { folds, by, error, withoutNeighbours, baselines, verdict } = outOfFold
  const rows = [errorHeads, errorRow('out of fold', error)]
  if (withoutNeighbours) rows.push(errorRow('  without neighbours', withoutNeighbours))
  for (const { name, error } of baselines) rows.push(errorRow(`  ${name}`, error))
  if (judged) rows.push(errorRow('test', judged.error))
  const [head, ...lines] = table(rows).split('\n')
  const lags = model.neighbours?.lags.flatMap((some, mode) =>
    some.length > 0 ? [`${model.modes?.[mode].name ?? `mode ${mode + 1}`} at ${some.join(', ')}`] : [],
  )
  return [
    ...(choice ? [choiceTable(choice), ''] : []),
    `${folds} models, each learned without ${by === 'single entries' ? 'some of the' : 'some'} entries (${by}), in ${seconds(elapsed)}.`,
    '',
    bold(head),
    ...lines,
    '',
    `Out of fold the error is ${verdict}.`,
    ...(lags ? [`Residuals of neighbours help${lags.length > 0 ? `: along ${lags.join('; ')}` : ''}.`] : []),
    ...(judged
      ? [
          `Intervals of ${100 * LEVEL}% hold ${(100 * judged.coverage).toFixed(1)}% of ${count(judged.error.entries)} test entries.`,
        ]
      : []),
    ...foldDetails({ outOfFold, stability }),
    ...(output !== undefined ? ['', `The model is in ${output}.`] : []),
  ].join('\n')
}
