/** The quick run: one model that the user watches, with its rank as given or found by cross-validation. */
import {
  decodeRun,
  encodeRun,
  InputError,
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
  explainStop,
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

/** The settings as options of the library; without the rank. */
export function runOptions({ lambda, seed, noise, loss, link, missing, lags }: LearnSettings): RunOptions {
  return {
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
  const abort = new AbortController()
  /** Learns the model, and judges it on the held-out entries. */
  const learn = async (): Promise<Learned> => {
    try {
      const saved = task.checkpoint && decodeRun(task.checkpoint, 'the checkpoint')
      const chosen = saved
        ? savedSettings(saved)
        : await settingsOfRun(task, train, validation, AbortSignal.any([signal, abort.signal]))
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
      abort.abort()
      run.stop()
    },
    result: learn(),
  }
}

/** The settings that a saved run was begun with. */
function savedSettings({ settings }: RunState): { settings: RunSettings; text?: string } {
  const { rank, lambda, seed, noise, loss, link, missing, lags } = settings
  return { settings: { rank, lambda, seed, noise, loss, link, missing, lags } }
}

/** The settings of the run: the rank found by cross-validation and others chosen by trials, where asked for. */
async function settingsOfRun(
  { settings, onTrial, onActivity }: LearnTask,
  train: SparseTensor,
  validation: SparseTensor | undefined,
  signal: AbortSignal,
): Promise<{ settings: RunSettings; text?: string }> {
  const options: RunOptions = { ...runOptions(settings), engine: await openEngine(), signal }
  const names: string[] = []
  let { rank } = settings
  if (rank === 'auto') {
    const found = await chooseByFolds(train, options, {
      ...{ findRank: 'smallest', withModels: false },
      onBegin: (trial) => onActivity(`Trying ${trialName(trial)}`),
      onTrial: (trial) => onTrial(trialSummary(trial)),
    })
    if (!found || !('choice' in found)) throw new InputError('option', 'The search for the rank was stopped.')
    rank = found.choice.chosen.rank
    names.push(`rank ${rank} by cross-validation`)
  }
  let chosen: Chosen = { options: { ...options, rank } }
  if (choosesByDefault(options)) {
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
