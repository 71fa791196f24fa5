/**
 * `complete --folds`, `--rank auto` and `--best`: models of cross-fitting, with progress, and a checkpoint beside the ensemble that
 * they will be.
 */
import { decodeRun, type Engine, InputError, type RunOptions, type SparseTensor } from 'lacuna'
import {
  type ByFoldsOptions,
  type CpEnsemble,
  completeByFolds,
  decodeSearch,
  encodeSearch,
  type SearchState,
} from 'lacuna/folds'
import {
  chooseByFolds,
  choosesByDefault,
  type FoldChoice,
  isSearch,
  option,
  parseFoldBy,
  type SearchOptions,
  sentence,
  type TrialSettings,
  trialName,
  writeFileWhole,
} from 'lacuna/internal'
import { figure } from '../../print/format.ts'
import { print, printJson } from '../../print/print.ts'
import type { Progress } from '../../print/terminal.ts'
import { saveModel } from '../../process/saveModel.ts'
import type { Interruption } from '../../process/signals.ts'
import { checkPlot, writeRankPlot } from './foldDetails.ts'
import { foldsAsJson, foldsAsText, judge } from './foldReport.ts'
import {
  checkpointOf,
  readCheckpoint,
  removeCheckpoint,
  resumingCommand,
  saveOrSay,
  tellLeftover,
} from './learnModel.ts'
import { parseOrdered } from './ordered.ts'

export interface FoldingOptions {
  rank?: number | 'auto'
  folds?: number
  foldBy?: string
  ordered?: string[]
  starts?: number
  plot?: string
  best?: boolean
  choose?: boolean
  seconds?: number
  resume?: boolean
  checkpointEvery: number
  output?: string
  json?: boolean
}

/** Whether the answer is several models. */
export const isFolded = ({ folds, best }: Pick<FoldingOptions, 'folds' | 'best'>): boolean =>
  folds !== undefined || best === true

/** Says before anything is read what does not go together. */
export function checkFolding(given: FoldingOptions & Record<string, unknown>, processes: number): void {
  const { folds, best, ...others } = given
  checkPlot(given.plot, others.rank === 'auto' || rankToFind(given) !== undefined)
  if (!isFolded(given) && others.rank !== 'auto') {
    const alone = (['foldBy', 'ordered', 'starts'] as const).find((name) => given[name] !== undefined)
    if (alone)
      throw new InputError('option', sentence`${option(alone)} is about folds; give ${option('folds')} too.`)
    return
  }
  const what = best ? option('best') : folds === undefined ? option('rank', 'auto') : option('folds')
  for (const name of ['initial', ...(isFolded(given) ? ['validation', 'patience'] : [])])
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

/** Learns the models, and keeps and tells what they are together. */
export async function learnByFolds(
  engine: Engine,
  { train, test }: { train: SparseTensor; test?: SparseTensor },
  { seconds, ...settings }: RunOptions,
  options: FoldingOptions,
  interruption: Interruption,
  progress: Progress,
): Promise<void> {
  const { ordered, best = false, choose, output, resume } = options
  // What --best may take is for everything together.
  const limited = { ...settings, engine, ...(!best && seconds !== undefined && { seconds }) }
  const path = output === undefined ? undefined : checkpointOf(output)
  const checkpoint = resume && path !== undefined ? await readCheckpoint(path, progress) : undefined
  if (!resume && path !== undefined) await tellLeftover(path, progress)
  const result = await completeByFolds(
    train,
    { ...limited, signal: interruption.signal },
    {
      ...searching(train, options, interruption, progress, checkpoint),
      ...(best && { seconds }),
      findRank: rankToFind(options),
      choose: choose ?? (best || choosesByDefault(settings)),
      ...(ordered && { ordered: parseOrdered(ordered, train) }),
    },
  )
  progress.end()
  if (!result) throw interrupted(options, interruption, progress)
  const { model } = result
  const judged = test && judge(model, test)
  if (judged) model.training.test = judged.error
  const failure = output === undefined ? undefined : await interruption.protect(() => kept(output, model))
  if (output === undefined) progress.say('The model is not kept; -o model.npz would write it.')
  const written = failure === undefined ? output : undefined
  // What was learned is told even where it could not be written.
  if (options.json) await printJson(foldsAsJson(train, settings, result, judged, written))
  else await print(foldsAsText(result, judged, written))
  if (failure !== undefined) throw failure
  await drawRanks(options.plot, result.choice)
}

/** Writes the ensemble, and says why if it cannot be; then the checkpoint stays. */
async function kept(output: string, model: CpEnsemble): Promise<unknown> {
  try {
    await saveModel(output, model)
    await removeCheckpoint(output)
    return undefined
  } catch (failure) {
    return failure
  }
}

/** The rank by folds, for one model; `isBegun`: that model is on its way, and its checkpoint knows the rank. */
export async function findRank(
  train: SparseTensor,
  settings: RunOptions,
  options: FoldingOptions,
  interruption: Interruption,
  progress: Progress,
): Promise<{ rank: number; isBegun: boolean; choice?: FoldChoice }> {
  const { output, resume } = options
  const path = output === undefined ? undefined : checkpointOf(output)
  const bytes = resume && path !== undefined ? await readCheckpoint(path, progress) : undefined
  if (path !== undefined && bytes && !isSearch(bytes))
    return { rank: decodeRun(bytes, path).settings.rank, isBegun: true }
  // Time is for all trials together, and again for the model; patience is for its validation entries.
  const { seconds, patience, ...trying } = settings
  const found = await chooseByFolds(
    train,
    { ...trying, signal: interruption.signal },
    {
      ...searching(train, options, interruption, progress, bytes),
      ...(seconds !== undefined && { seconds }),
      ...{ findRank: 'smallest', withModels: false },
    },
  )
  progress.end()
  if (!found) throw interrupted(options, interruption, progress)
  await drawRanks(options.plot, found.choice)
  return { rank: found.choice.chosen.rank, isBegun: false, choice: found.choice }
}

/** Ranks that were tried alike. */
async function drawRanks(path: string | undefined, choice: FoldChoice | undefined): Promise<void> {
  if (path === undefined || !choice) return
  const { trials, chosen } = choice
  const apartFromRank = (trial: TrialSettings): string => trialName({ ...trial, rank: 0 })
  const alike = trials.filter((trial) => apartFromRank(trial) === apartFromRank(trials[0]))
  const marked = alike.includes(chosen) ? chosen : alike.find(({ rank }) => rank === chosen.rank)
  await writeRankPlot(path, alike, marked ?? alike[0])
}

function rankToFind({ rank, best }: FoldingOptions): ByFoldsOptions['findRank'] {
  if (best) return typeof rank === 'number' ? undefined : 'best'
  return rank === 'auto' ? 'smallest' : undefined
}

/** Folds as they were asked for, progress, and the checkpoint. */
function searching(
  train: SparseTensor,
  options: FoldingOptions,
  { protect }: Interruption,
  progress: Progress,
  checkpoint: Uint8Array | undefined,
): SearchOptions {
  const { folds, foldBy, starts, output, checkpointEvery } = options
  const saved =
    checkpoint && output !== undefined ? savedSearch(checkpoint, checkpointOf(output), progress) : undefined
  let trying = ''
  let done = 0
  // One after another: models side by side may be due at the same time.
  let writing = Promise.resolve()
  const save = (path: string, state: SearchState): Promise<void> => {
    writing = writing.then(() =>
      protect(() => saveOrSay(() => writeFileWhole(path, encodeSearch(state)), progress)),
    )
    return writing
  }
  return {
    ...(folds !== undefined && { folds }),
    ...(starts !== undefined && { starts }),
    ...(foldBy !== undefined && { by: parseFoldBy(foldBy, train, option('foldBy')) }),
    onBegin: (trial) => {
      trying = trialName(trial)
      done = 0
    },
    onEpoch: (fold, { epoch, train: { relative }, watch }) => {
      const out = watch?.out ? `, left out ${figure(watch.out.relative)}` : ''
      progress.update(
        `${trying}, model ${fold + 1}, epoch ${Math.round(epoch)}: train ${figure(relative)}${out}; ${done} models done`,
      )
    },
    onModel: () => {
      done++
    },
    onTrial: (trial) => progress.say(`Out of fold: RMSE ${figure(trial.rmse)} with ${trialName(trial)}`),
    ...(output !== undefined && {
      checkpointing: {
        saved,
        every: checkpointEvery > 0 ? checkpointEvery : Infinity,
        save: (state) => save(checkpointOf(output), state),
      },
    }),
  }
}

function savedSearch(bytes: Uint8Array, path: string, progress: Progress): SearchState {
  if (!isSearch(bytes))
    throw new InputError(
      'checkpoint',
      sentence`${path} is of one model, and not of folds; go on without ${option('folds')}, or start anew.`,
    )
  const saved = decodeSearch(bytes, path)
  const begun = saved.runs.filter((run) => run !== undefined).length
  const { trials, folds } = saved
  progress.say(
    `Going on from ${path}, ${trials.length > 0 ? `after ${trials.length} trials, ` : ''}with ${begun} of ${folds} models begun.`,
  )
  return saved
}

function interrupted({ output }: FoldingOptions, { outcome }: Interruption, progress: Progress): Error {
  progress.say(
    output === undefined
      ? 'Interrupted: nothing is kept of models that are not all there; -o model.npz would keep a checkpoint.'
      : `Interrupted. To go on:\n  ${resumingCommand()}`,
  )
  return outcome()
}
