/** The quick run: one model that the user watches, with its rank as given or found by cross-validation. */
import {
  type CpModel,
  decodeRun,
  encodeRun,
  type RunOptions,
  type RunState,
  type SparseTensor,
  split,
} from 'lacuna'
import {
  type Chosen,
  chooseByFolds,
  chooseSettings,
  choosesByDefault,
  concatenate,
  explainStop,
  type FeatureSets,
  type FoldChoice,
  featuresDigest,
  splitCells,
} from 'lacuna/internal'
import { openEngine } from '../../../run/engine.ts'
import { InteractiveRun, type RunSettings } from '../../../run/interactiveRun.ts'
import type { LearnSettings } from '../../protocol.ts'
import { describeTrial } from './describeTrial.ts'
import { areFew, type Judgement, judgeByFolds, judgeBySecondRun, judgeOnEntries } from './judge.ts'
import { parseLags } from './lags.ts'
import type { Learned, Learner, LearnTask } from './task.ts'
import { searchReports } from './trial.ts'

/** The rank of a run whose search for it is ended before the first model has. */
const FALLBACK_RANK = 6

/** The settings of a run as options of the library; without the rank. */
export function runOptions({ settings, features }: Pick<LearnTask, 'settings' | 'features'>): RunOptions {
  const { lambda, seed, noise, loss, link, missing, lags } = settings
  return {
    ...(features && { features }),
    ...{ lambda, seed },
    ...(noise && { noise }),
    ...(loss && { loss }),
    ...(link && { link }),
    ...(missing && { missing }),
    ...(lags && { lags: parseLags(lags) }),
  }
}

/** Splits off the held-out entries: the same ones for the same seed as on the command line. */
export function holdOut(
  tensor: SparseTensor,
  { heldOut, seed, missing }: Pick<LearnSettings, 'heldOut' | 'seed' | 'missing'>,
): { train: SparseTensor; validation?: SparseTensor } {
  if (heldOut === 0) return { train: tensor }
  return (missing === 'zero' ? splitCells : split)(tensor, { validation: heldOut }, seed)
}

/**
 * The held-out cells as a watched set of a search by folds, where unlisted cells are zeros: folds must neither take
 * them for zeros nor draw them.
 */
export const unknownCells = (
  { missing }: Pick<LearnSettings, 'missing'>,
  heldOut: SparseTensor | undefined,
): Pick<RunOptions, 'watch'> => (missing === 'zero' && heldOut ? { watch: { heldOut } } : {})

/** Starts a quick run. */
export function startQuick(task: LearnTask): Learner {
  const { tensor, settings, signal, onEpoch } = task
  const { train, validation } = holdOut(tensor, settings)
  const run = new InteractiveRun(
    train,
    { validation },
    {
      onEpoch,
      onCheckpoint: (state) => task.onCheckpoint(concatenate(Uint8Array, encodeRun(state))),
    },
  )
  /** Aborted when the user wants the search for settings to end with the best ones so far. */
  const finish = new AbortController()
  let isSearching = !task.checkpoint && (settings.rank === 'auto' || choosesByDefault(runOptions(task)))
  /** Learns the model, and judges it on the held-out entries. */
  const learn = async (): Promise<Learned> => {
    try {
      const saved = task.checkpoint && decodeRun(task.checkpoint, 'the checkpoint')
      const chosen = saved
        ? savedSettings(saved, task.features)
        : await settingsOfRun(task, train, validation, finish.signal)
      // A search that is discarded has ended as if it were to be finished.
      signal.throwIfAborted()
      isSearching = false
      const { model, train: error, stopped, settings: used } = await run.run(chosen.settings, saved)
      signal.throwIfAborted()
      task.onActivity('Comparing the model with baselines')
      const judgement = await judge(task, model, { ...chosen.settings, rank: model.rank }, train, validation)
      return {
        model,
        heldOut: validation,
        extra: { train: error, stopped: explainStop(stopped, used), chosen: chosen.text, ...judgement },
      }
    } finally {
      await run.close()
    }
  }
  return {
    pause: () => run.pause(),
    resume: () => run.resume(),
    stop() {
      finish.abort()
      if (!isSearching) run.stop()
    },
    result: learn(),
  }
}

/** Judges a model on its held-out entries; where there are none or few, its settings by other models. */
async function judge(
  { tensor, settings, signal }: LearnTask,
  model: CpModel,
  chosen: RunSettings,
  train: SparseTensor,
  validation: SparseTensor | undefined,
): Promise<Judgement> {
  if (!validation) return judgeBySecondRun(train, chosen, signal)
  const hasZeros = settings.missing === 'zero'
  const onHeldOut = (): Promise<Judgement> =>
    judgeOnEntries(model, train, validation, 'the held-out entries', hasZeros)
  if (!areFew(validation) || hasZeros) return onHeldOut()
  const byFolds = await judgeByFolds(tensor, { ...chosen, signal, engine: await openEngine() })
  return byFolds.verdict || validation.values.length === 0 ? byFolds : onHeldOut()
}

/** The settings that a saved run was begun with; whether trials had chosen the attributes follows from its digest. */
function savedSettings(
  { settings, digest }: RunState,
  features: FeatureSets | undefined,
): { settings: RunSettings; text?: string } {
  const { rank, lambda, seed, noise, loss, link, missing, lags } = settings
  const isUsed = features !== undefined && digest.endsWith(featuresDigest(features))
  return {
    settings: { rank, lambda, seed, noise, loss, link, missing, lags, ...(isUsed && { features }) },
  }
}

/** How the rank was found. @param isFinished whether the user has ended the search */
function describeRank(rank: number, choice: FoldChoice | undefined, isFinished: boolean): string {
  const end = isFinished ? 'when you asked to finish' : 'when the time was up'
  if (!choice) return `rank ${rank}, as no trial had ended ${end}`
  return choice.isCut ? `rank ${rank}, the best ${end}` : `rank ${rank} by cross-validation`
}

/** The settings of the run: the rank found by cross-validation and others chosen by trials, where asked for. */
async function settingsOfRun(
  { tensor, settings, features, signal, onTrial, onActivity }: LearnTask,
  train: SparseTensor,
  validation: SparseTensor | undefined,
  finish: AbortSignal,
): Promise<{ settings: RunSettings; text?: string }> {
  const options: RunOptions = { ...runOptions({ settings, features }), engine: await openEngine(), signal }
  const names: string[] = []
  let { rank } = settings
  if (rank === 'auto') {
    const search = { findRank: 'smallest', withModels: false, seconds: settings.seconds, finish } as const
    const found = await chooseByFolds(
      train,
      { ...options, ...unknownCells(settings, validation) },
      { ...search, ...searchReports({ tensor, onTrial, onActivity }) },
    )
    const choice = found && 'choice' in found ? found.choice : undefined
    const begun = found && 'unfinished' in found ? found.unfinished[0].rank : FALLBACK_RANK
    rank = choice?.chosen.rank ?? begun
    names.push(describeRank(rank, choice, finish.aborted))
  }
  let chosen: Chosen = { options: { ...options, rank } }
  if (choosesByDefault(options) && !finish.aborted) {
    onActivity('Trying whether lags and noise help')
    chosen = await chooseSettings(train, {
      ...{ ...options, rank, validation },
      signal: AbortSignal.any([signal, finish]),
    })
    if (chosen.choice) names.push(describeTrial(chosen.choice.chosen, tensor))
  }
  const { engine, signal: _, validation: __, ...used } = chosen.options
  return {
    settings: { ...used, rank, lambda: settings.lambda } as RunSettings,
    ...(names.length > 0 && { text: names.join(', ') }),
  }
}
