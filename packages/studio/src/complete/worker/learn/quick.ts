/** The quick run: one model that the user watches, with its rank as given or found by cross-validation. */
import { decodeRun, encodeRun, type RunOptions, type RunState, type SparseTensor, split } from 'lacuna'
import {
  type Chosen,
  chooseByFolds,
  chooseSettings,
  choosesByDefault,
  explainStop,
  type FeatureSets,
  type FoldTrial,
  featuresDigest,
  splitCells,
  trialName,
} from 'lacuna/internal'
import { openEngine } from '../../../run/engine.ts'
import { InteractiveRun, type RunSettings } from '../../../run/interactiveRun.ts'
import type { LearnSettings } from '../../protocol.ts'
import { concatenate } from './concatenate.ts'
import { judgeBySecondRun, judgeOnEntries } from './judge.ts'
import { parseLags } from './lags.ts'
import type { Learned, Learner, LearnTask } from './task.ts'
import { trialSummary } from './trial.ts'

/** The rank of a run whose search for it is ended before the first trial has. */
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

/** Starts a quick run. */
export function startQuick(task: LearnTask): Learner {
  const { tensor, settings, signal, onEpoch } = task
  const { train, validation } = holdOut(tensor, settings)
  const run = new InteractiveRun(
    train,
    { validation },
    {
      onEpoch,
      onCheckpoint: (state) => task.onCheckpoint(concatenate(encodeRun(state))),
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
        : await settingsOfRun(task, train, validation, AbortSignal.any([signal, finish.signal]))
      isSearching = false
      const { model, train: error, stopped, settings: used } = await run.run(chosen.settings, saved)
      signal.throwIfAborted()
      task.onActivity('Comparing the model with baselines')
      const judgement = validation
        ? await judgeOnEntries(model, train, validation, 'the held-out entries', settings.missing === 'zero')
        : await judgeBySecondRun(train, { ...chosen.settings, rank: model.rank }, signal)
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

/** The settings that a saved run was begun with; its digest tells whether trials had chosen the attributes. */
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

/** The settings of the run: the rank found by cross-validation and others chosen by trials, where asked for. */
async function settingsOfRun(
  { settings, features, onTrial, onActivity }: LearnTask,
  train: SparseTensor,
  validation: SparseTensor | undefined,
  signal: AbortSignal,
): Promise<{ settings: RunSettings; text?: string }> {
  const options: RunOptions = { ...runOptions({ settings, features }), engine: await openEngine(), signal }
  const names: string[] = []
  let { rank } = settings
  if (rank === 'auto') {
    const tried: FoldTrial[] = []
    const found = await chooseByFolds(train, options, {
      ...{ findRank: 'smallest', withModels: false },
      onBegin: (trial) => onActivity(`Trying ${trialName(trial)}`),
      onTrial(trial) {
        tried.push(trial)
        onTrial(trialSummary(trial))
      },
    })
    // A search that the user has ended early: the best rank so far.
    const best = tried.reduce<FoldTrial | undefined>((a, b) => (a && a.rmse <= b.rmse ? a : b), undefined)
    const chosen = found && 'choice' in found ? found.choice.chosen : best
    rank = chosen?.rank ?? FALLBACK_RANK
    names.push(chosen ? `rank ${rank} by cross-validation` : `rank ${rank}, as no trial had ended`)
  }
  let chosen: Chosen = { options: { ...options, rank } }
  if (choosesByDefault(options) && !signal.aborted) {
    onActivity('Trying whether lags and noise help')
    chosen = await chooseSettings(train, { ...options, rank, validation })
    if (chosen.choice) names.push(trialName(chosen.choice.chosen))
  }
  const { engine, signal: _, validation: __, ...used } = chosen.options
  return {
    settings: { ...used, rank, lambda: settings.lambda } as RunSettings,
    ...(names.length > 0 && { text: names.join(', ') }),
  }
}
