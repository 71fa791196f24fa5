/** `complete --folds`: models of cross-fitting, their errors on what they had not seen, and the ensemble that they are. */
import type { Engine } from '../engine/engine.ts'
import { InputError, option, sentence } from '../inputError.ts'
import type { CpEnsemble, ErrorSummary } from '../model/index.ts'
import { FOLDS } from '../solver/crossFit.ts'
import {
  chooseRank,
  completeByFolds,
  type FoldedCompletion,
  type RankChoice,
  type RunOptions,
} from '../solver/index.ts'
import { parseFoldBy } from '../tensor/folds.ts'
import type { SparseTensor } from '../tensor/index.ts'
import { modeNumber } from '../tensor/modeNumber.ts'
import { count, errorHeads, errorRow, figure, seconds, table } from './format.ts'
import { print, printJson } from './print.ts'
import { saveModel } from './saveModel.ts'
import type { Interruption } from './signals.ts'
import { type Progress, painter } from './terminal.ts'

export interface FoldingOptions {
  folds?: number
  foldBy?: string
  ordered?: string[]
  output?: string
  json?: boolean
}

const LEVEL = 0.9
/** Test entries by which intervals are judged. */
const MOST_JUDGED = 50_000

/** Says before anything is read what does not go together. */
export function checkFolding(
  { folds, foldBy, ordered, ...others }: FoldingOptions & Record<string, unknown>,
  processes: number,
): void {
  const isAuto = others.rank === 'auto'
  if (folds === undefined && !isAuto) {
    const alone = foldBy !== undefined ? 'foldBy' : ordered !== undefined ? 'ordered' : undefined
    if (alone)
      throw new InputError('option', sentence`${option(alone)} is about folds; give ${option('folds')} too.`)
    return
  }
  const what = folds === undefined ? option('rank', 'auto') : option('folds')
  if (folds !== undefined && others.choose === true)
    throw new InputError(
      'option',
      sentence`${option('folds')} does not go with ${option('choose')}: lags and features are used as they are given.`,
    )
  for (const name of ['resume', 'initial', ...(folds === undefined ? [] : ['validation'])])
    if (others[name] !== undefined)
      throw new InputError(
        'option',
        sentence`${what} does not go with ${option(name)}; leave one of them out.`,
      )
  if (others.missing === 'zero')
    throw new InputError(
      'option',
      sentence`${what} does not go with ${option('missing', 'zero')}; leave one of them out.`,
    )
  if (processes > 1)
    throw new InputError('option', sentence`${what} is work for one process; start it without mpirun.`)
}

export async function learnByFolds(
  engine: Engine,
  { train, test }: { train: SparseTensor; test?: SparseTensor },
  settings: RunOptions,
  options: FoldingOptions,
  { signal, protect, outcome }: Interruption,
  progress: Progress,
  ranks?: RankChoice,
): Promise<void> {
  const { folds = FOLDS, ordered } = options
  let done = 0
  const result = await completeByFolds(
    train,
    { ...settings, engine, signal },
    {
      folds,
      ...foldsAsked(train, options),
      ...(ranks && { fit: ranks.fit }),
      ...(ordered && {
        ordered: ordered.map((name) => ({ mode: modeNumber(train, name, option('ordered')) })),
      }),
      onEpoch: (fold, { epoch, train: { relative }, watch }) => {
        const out = watch?.out ? `, left out ${figure(watch.out.relative)}` : ''
        progress.update(
          `model ${fold + 1}/${folds}, epoch ${Math.round(epoch)}: train ${figure(relative)}${out}; ${done} done`,
        )
      },
      onModel: () => {
        done++
      },
    },
  )
  progress.end()
  if (!result) {
    progress.say('Interrupted: nothing is kept of models that are not all there.')
    throw outcome()
  }
  const { model } = result
  const judged = test && judge(model, test)
  if (judged) model.training.test = judged.error
  if (ranks) model.training.ranks = ranks.trials
  const { output } = options
  if (output !== undefined) await protect(() => saveModel(output, model))
  else progress.say('The model is not kept; -o model.npz would write it.')
  if (options.json)
    await printJson({
      ...jsonReport(train, settings, result, judged, output),
      ...(ranks && { ranks: ranks.trials }),
    })
  else
    await print([...(ranks ? [ranksReport(ranks), ''] : []), textReport(result, judged, output)].join('\n'))
}

const foldsAsked = (
  train: SparseTensor,
  { folds, foldBy }: FoldingOptions,
): { folds?: number; by?: ReturnType<typeof parseFoldBy> } => ({
  ...(folds !== undefined && { folds }),
  ...(foldBy !== undefined && { by: parseFoldBy(foldBy, train, option('foldBy')) }),
})

/** The rank by folds; says what it has tried. */
export async function findRank(
  train: SparseTensor,
  settings: RunOptions,
  options: FoldingOptions,
  { signal, outcome }: Interruption,
  progress: Progress,
): Promise<RankChoice> {
  const ranks = await chooseRank(
    train,
    { ...settings, signal },
    {
      ...foldsAsked(train, options),
      onEpoch: (fold, { epoch }) => progress.update(`model ${fold + 1}, epoch ${Math.round(epoch)}`),
      onRank: ({ rank, rmse }) => progress.say(`Rank ${rank}: RMSE ${figure(rmse)} out of fold`),
    },
  )
  progress.end()
  if (ranks) return ranks
  progress.say('Interrupted: no rank has been found yet.')
  throw outcome()
}

/** The ranks that were tried, and which is used. */
export function ranksReport({ rank: chosen, trials }: RankChoice): string {
  const rows = trials.map(({ rank, rmse, spread }) => [
    String(rank),
    figure(rmse),
    `± ${figure(spread)}`,
    rank === chosen ? 'chosen' : '',
  ])
  return table([['rank', 'RMSE out of fold', '', ''], ...rows])
}

interface Judged {
  error: ErrorSummary
  /** Of test entries within their intervals of 90%. */
  coverage: number
}

function judge(model: CpEnsemble, test: SparseTensor): Judged {
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

function jsonReport(
  { dims, values }: SparseTensor,
  settings: RunOptions,
  { model, outOfFold, seconds }: FoldedCompletion,
  judged: Judged | undefined,
  output: string | undefined,
): object {
  const { rank, seed } = settings
  return {
    settings: { rank: rank ?? model.members[0].rank, seed, folds: outOfFold.folds },
    tensor: { dims, entries: values.length },
    outOfFold,
    ...(model.neighbours && { neighbours: { lags: model.neighbours.lags } }),
    ...(judged && { test: judged.error, intervals: { level: LEVEL, coverage: judged.coverage } }),
    seconds,
    ...(output !== undefined && { model: output }),
  }
}

function textReport(
  { model, outOfFold, seconds: elapsed }: FoldedCompletion,
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
    ...(output !== undefined ? ['', `The model is in ${output}.`] : []),
  ].join('\n')
}
