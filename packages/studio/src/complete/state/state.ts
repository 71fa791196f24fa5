/**
 * The state of the Complete view as plain data: the opened file, how it is read, its data, and the runs on it.
 * Files, reads and runs have numbers from one counter (jobs); a reply that carries another number than the
 * state expects is dropped (reducer.ts).
 */
import type { Progress } from '../../run/interactiveRun.ts'
import type { OwnRow } from '../answers.ts'
import type {
  DataSummary,
  LearnSettings,
  ModelSummary,
  Opened,
  ReadSettings,
  RunKind,
  TestResult,
  TrialSummary,
} from '../protocol.ts'
import type { SideTable } from '../sideTables.ts'
import { openQuestions, type Question } from '../understanding/index.ts'

/** A file and its content. */
export interface Source {
  /** The number of the job that opened it. */
  id: number
  file: File
  content: Opened
}

/** Data that the worker holds. */
export interface LoadedData {
  /** The number of the job that read it, by which the worker identifies it. */
  id: number
  /** The file it was read from. */
  source: number
  /** How it was read. */
  reading: ReadSettings
  summary: DataSummary
}

/** The status of a run; a stopped run has the model that it had reached. */
export type RunStatus = 'running' | 'paused' | 'done' | 'failed'

/** A run with its settings and scores; the worker holds its model under the same number. */
export interface RunRecord {
  id: number
  /** Time of its start, in milliseconds since 1970. */
  began: number
  /** The data it learns from; undefined for the model of an opened file. */
  data?: LoadedData
  /** The kind of the run; undefined for the model of an opened file. */
  kind?: RunKind
  settings?: LearnSettings
  status: RunStatus
  history: readonly Progress[]
  /** Settings that a search has tried so far. */
  trials: readonly TrialSummary[]
  /** The current activity of the run, in words. */
  activity?: string
  /** Why the run has failed, as a sentence. */
  fault?: string
  /** Evaluations of its model on test files. */
  tests: readonly TestResult[]
  /** The row of the user's own, as it is typed, with the answer about it. */
  own?: OwnRow
  /** Set once the run has ended. */
  model?: ModelSummary
}

/** A run that has begun and not ended; `bytes` is its last checkpoint, undefined before the first. */
export interface StoredCheckpoint {
  /** The hash of the file it learns from. */
  hash: string
  kind: RunKind
  settings: LearnSettings
  reading: ReadSettings
  history: readonly Progress[]
  trials: readonly TrialSummary[]
  bytes?: Uint8Array
}

/** A file that is being opened, or read, and is not yet shown. */
export interface PendingJob {
  id: number
  /** Whether a new file is being opened, or the shown one read with other settings. */
  kind: 'open' | 'read'
  file: File
  /** The fraction of the file that was read. */
  fraction: number
}

/** The state of the view. */
export interface CompleteState {
  source?: Source
  /** How the shown file is read, or is being read. */
  reading: ReadSettings
  /** The open or read in progress; there is one at a time, the latest. */
  pending?: PendingJob
  /** The data of the shown file; undefined if reading failed or has not ended. */
  data?: LoadedData
  /** The runs on the shown file, in the order of their start; none is ever replaced by another. */
  runs: readonly RunRecord[]
  /** The run that is shown. */
  shown?: number
  /** The run that was shown when the last one began; it is shown again if that one fails. */
  shownBefore?: number
  /** A run that a reload has interrupted, with which the user can go on. */
  interrupted?: StoredCheckpoint
  /** Names and attributes of rows, from other tables. */
  tables: readonly SideTable[]
  /** The names of tables beside the data that are being read. */
  tablesPending: readonly string[]
  /** The settings of the shown run of a session that was opened again, which the panel is to show. */
  restoredSettings?: LearnSettings
}

/** The state before a file is opened. */
export const initialState: CompleteState = {
  reading: { negative: 'error', merge: 'error' },
  runs: [],
  tables: [],
  tablesPending: [],
}

/** The run that is shown. */
export const shownRun = ({ runs, shown }: CompleteState): RunRecord | undefined =>
  runs.find(({ id }) => id === shown)

/** The run that learns now, or is paused. */
export const activeRun = ({ runs }: CompleteState): RunRecord | undefined =>
  runs.find(({ status }) => status === 'running' || status === 'paused')

/** The questions about the shown table: those of its first rows, and those found when it was read, which replace them. */
export function questionsOf({ source, data }: CompleteState): Question[] {
  if (source?.content.kind !== 'table') return []
  const questions = new Map(source.content.understanding.questions.map((one) => [one.id, one]))
  for (const one of data?.summary.questions ?? []) questions.set(one.id, one)
  return [...questions.values()]
}

/**
 * Whether a run can be started: the shown data is that of the shown settings, every question about it that must be
 * answered is, no table beside it is being read, and nothing else runs.
 */
export const canStart = (state: CompleteState): boolean =>
  state.data !== undefined &&
  state.pending === undefined &&
  state.tablesPending.length === 0 &&
  activeRun(state) === undefined &&
  openQuestions(questionsOf(state), state.reading).length === 0

/**
 * Why a run does not belong to what the panel shows: it was learned from the file as it was read before, or with
 * other settings. Undefined if it does.
 */
export function staleness(
  run: RunRecord,
  { reading }: CompleteState,
  settings: LearnSettings,
): 'reading' | 'settings' | undefined {
  if (!run.data || !run.settings) return undefined
  if (!isSame(run.data.reading, reading)) return 'reading'
  return isSame(usedSettings(run.kind, run.settings), usedSettings(run.kind, settings))
    ? undefined
    : 'settings'
}

/** The settings that a kind of run uses: the best one searches the rank; the quick one has a time limit if it does. */
function usedSettings(kind: RunKind | undefined, settings: LearnSettings): Partial<LearnSettings> {
  const { rank, folds, seconds, ...shared } = settings
  if (kind === 'best') return { ...shared, seconds }
  return { ...shared, rank, folds, ...(rank === 'auto' && { seconds }) }
}

/** Whether two settings are equal, in whatever order their fields were set; undefined fields do not count. */
export function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b)
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...keys].every((key) => isSame((a as Dictionary)[key], (b as Dictionary)[key]))
}

type Dictionary = Record<string, unknown>
