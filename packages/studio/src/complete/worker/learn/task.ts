/** The data, settings and callbacks of a run in the worker, and the controls of the run. */
import type { CpModel, SparseTensor } from 'lacuna'
import type { CpEnsemble } from 'lacuna/folds'
import type { FeatureSets } from 'lacuna/internal'
import type { Progress } from '../../../run/interactiveRun.ts'
import type { LearnSettings, ModelSummary, RunKind, TrialSummary } from '../../protocol.ts'

/** A run: its data and settings, and callbacks for its progress. */
export interface LearnTask {
  kind: RunKind
  /** The name of the file, for messages. */
  name: string
  tensor: SparseTensor
  settings: LearnSettings
  /** Attributes of rows. */
  features?: FeatureSets
  /** Aborted when the page no longer wants the model. */
  signal: AbortSignal
  onEpoch(progress: Progress): void
  /** Called after each trial of a search. */
  onTrial(trial: TrialSummary): void
  /** A checkpoint of a run with the same settings on the same entries, from which it continues. */
  checkpoint?: Uint8Array
  /** Called every few seconds with a checkpoint of the run. */
  onCheckpoint(bytes: Uint8Array): void
  /** Called with what is being done, in words. */
  onActivity(text: string): void
}

/** A model, and what is known of it beside its own fields. */
export interface Learned {
  model: CpModel | CpEnsemble
  /** The entries that were held out of learning, if any. */
  heldOut?: SparseTensor
  extra: Partial<ModelSummary>
}

/** A run that has begun. */
export interface Learner {
  /** Pauses before the next round, if this kind of run can. */
  pause(): void
  resume(): void
  /** Ends early with the best model so far. */
  stop(): void
  result: Promise<Learned>
}
