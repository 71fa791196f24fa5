/**
 * The reducer of the Complete view. It is pure: the controller (useComplete.ts) calls the worker and dispatches
 * what it answers. Every answer carries the number of its job, and is dropped unless it is the one awaited.
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
import { type SideTable, withTable } from '../sideTables.ts'
import {
  type CompleteState,
  canStart,
  initialState,
  isSame,
  type LoadedData,
  type RunRecord,
  type StoredCheckpoint,
} from './state.ts'

/** A change of the state: by the user, or by an answer of the worker. */
export type Action =
  /** A file is opened; the shown one stays until its content is known. */
  | { type: 'open'; job: number; file: File }
  /** The content of the file is known. A table or tensor is then read; a model is shown. */
  | { type: 'opened'; job: number; content: Opened; reading?: ReadSettings }
  /** The shown file is read, with these settings. */
  | { type: 'read'; job: number; reading: ReadSettings }
  | { type: 'readProgress'; job: number; fraction: number }
  | { type: 'readDone'; job: number; summary: DataSummary }
  /** Opening or reading has failed. */
  | { type: 'jobFailed'; job: number }
  | {
      type: 'start'
      job: number
      began: number
      kind: RunKind
      settings: LearnSettings
      /** The run that this one continues. */
      from?: StoredCheckpoint
    }
  | { type: 'trial'; job: number; trial: TrialSummary }
  | { type: 'activity'; job: number; activity: string }
  | { type: 'progress'; job: number; history: readonly Progress[] }
  | { type: 'ended'; job: number; model: ModelSummary; history: readonly Progress[] }
  /** A run has failed. @param fault why, as a sentence */
  | { type: 'runFailed'; job: number; fault: string }
  | { type: 'pause'; job: number }
  | { type: 'resume'; job: number }
  /** The model of a run has new rows, by fold-in. */
  | { type: 'modelChanged'; job: number; model: ModelSummary }
  /** The row of the user's own has changed. */
  | { type: 'ownChanged'; job: number; own: OwnRow }
  /** The model of a run was evaluated on a test file. */
  | { type: 'tested'; job: number; result: TestResult }
  /** Another run is shown, with the data it was learned from. */
  | { type: 'show'; run: number }
  | { type: 'remove'; run: number }
  /** Runs that were stored are back. */
  | {
      type: 'restored'
      runs: readonly RunRecord[]
      shown?: number
      interrupted?: StoredCheckpoint
      tables: readonly SideTable[]
      /** The settings that the panel is to show; those of the address by default. */
      settings?: LearnSettings
    }
  /** A table beside the file that was opened by job `source` is being read. */
  | { type: 'tableRead'; source: number; name: string }
  /** Names or attributes of the rows of that file; no table if it could not be read. */
  | { type: 'tableAdded'; source: number; name: string; table?: SideTable }
  | { type: 'tableRemoved'; table: SideTable }
  /** The data of a restored run was read again. */
  | { type: 'attached'; run: number; data: LoadedData }
  /** The user does not go on with the interrupted run. */
  | { type: 'forget' }
  /** The file, its data and its runs are closed. */
  | { type: 'close' }

/** Returns the state after an action. */
export function reduce(state: CompleteState, action: Action): CompleteState {
  switch (action.type) {
    case 'open':
      return { ...state, pending: { id: action.job, kind: 'open', file: action.file, fraction: 0 } }
    case 'opened':
      return showFile(state, action)
    case 'read':
      if (!state.source || state.pending?.kind === 'open') return state
      return {
        ...state,
        reading: action.reading,
        pending: { id: action.job, kind: 'read', file: state.source.file, fraction: 0 },
      }
    case 'readProgress':
      if (state.pending?.id !== action.job) return state
      return { ...state, pending: { ...state.pending, fraction: action.fraction } }
    case 'readDone':
      return showData(state, action)
    case 'jobFailed':
      return failJob(state, action.job)
    case 'start':
      return startRun(state, action)
    case 'runFailed':
      return failRun(state, action)
    case 'close':
      return initialState
    case 'show':
      return showRun(state, action.run)
    case 'remove':
      return removeRun(state, action.run)
    case 'restored':
      return restore(state, action)
    case 'tableAdded':
      if (state.source?.id !== action.source) return state
      return {
        ...state,
        tablesPending: withoutFirst(state.tablesPending, action.name),
        tables: action.table ? withTable(state.tables, action.table) : state.tables,
      }
    case 'tableRead':
      if (state.source?.id !== action.source) return state
      return { ...state, tablesPending: [...state.tablesPending, action.name] }
    case 'tableRemoved':
      return { ...state, tables: state.tables.filter((table) => table !== action.table) }
    case 'forget':
      return { ...state, interrupted: undefined }
    case 'attached':
      return {
        ...state,
        runs: state.runs.map((run) => (run.id === action.run ? { ...run, data: action.data } : run)),
      }
    default:
      return {
        ...state,
        runs: state.runs.map((run) => (run.id === action.job ? changeRun(run, action) : run)),
      }
  }
}

/** Shows an opened file, in place of the file before with its data and runs. */
function showFile(
  state: CompleteState,
  { job, content, reading }: Extract<Action, { type: 'opened' }>,
): CompleteState {
  const { pending } = state
  if (pending?.id !== job || pending.kind !== 'open') return state
  const runs: RunRecord[] =
    content.kind === 'model' ? [{ ...NEW_RUN, id: job, began: 0, status: 'done', model: content.model }] : []
  return {
    source: { id: job, file: pending.file, content },
    reading: reading ?? {
      ...state.reading,
      choice: content.kind === 'table' ? content.choice : undefined,
      variable: content.kind === 'tensor' ? content.arrays?.guess : undefined,
    },
    runs,
    shown: runs[0]?.id,
    tables: [],
    tablesPending: [],
  }
}

/** The names without the first one that equals `name`. */
const withoutFirst = (names: readonly string[], name: string): string[] =>
  names.filter((_, n) => n !== names.indexOf(name))

/** Brings stored runs and tables back, in place of those of the file that was just opened. */
function restore(
  state: CompleteState,
  { runs, shown, interrupted, tables, settings }: Extract<Action, { type: 'restored' }>,
): CompleteState {
  return { ...state, runs, shown, interrupted, tables, restoredSettings: settings }
}

/** Shows the data of the read that is awaited. Runs on the file as it was read before stay in the list. */
function showData(
  state: CompleteState,
  { job, summary }: Extract<Action, { type: 'readDone' }>,
): CompleteState {
  const { pending, source, reading } = state
  if (pending?.id !== job || pending.kind !== 'read' || !source) return state
  const data = { id: job, source: source.id, reading, summary }
  return { ...state, pending: undefined, data }
}

/**
 * Ends a job that failed. A file that cannot be opened leaves the shown one, with the settings that its data was
 * read with (a read may have been superseded); a read that fails leaves no data.
 */
function failJob(state: CompleteState, job: number): CompleteState {
  if (state.pending?.id !== job) return state
  if (state.pending.kind === 'read') return { ...state, pending: undefined, data: undefined }
  return { ...state, pending: undefined, reading: state.data?.reading ?? state.reading }
}

/** The fields of a run before anything has happened to it. */
const NEW_RUN = { history: [], trials: [], tests: [] } as const

/** Adds a run on the shown data to the list, and shows it. */
function startRun(
  state: CompleteState,
  { job, began, kind, settings, from }: Extract<Action, { type: 'start' }>,
): CompleteState {
  if (!canStart(state)) return state
  const { history = [], trials = [] } = from ?? {}
  const run: RunRecord = {
    ...{ ...NEW_RUN, history, trials, id: job, began },
    ...{ data: state.data, kind, settings, status: 'running' },
  }
  return {
    ...state,
    runs: [...state.runs, run],
    ...{ shown: job, shownBefore: state.shown, interrupted: undefined },
  }
}

/** Marks a run as failed. The run that was shown when it began is shown again, or else the last one with a model. */
function failRun(state: CompleteState, action: Extract<Action, { type: 'runFailed' }>): CompleteState {
  const runs = state.runs.map((run) => (run.id === action.job ? changeRun(run, action) : run))
  const isShown =
    state.shown === action.job && runs.some(({ id, status }) => id === action.job && status === 'failed')
  const good = runs.filter(({ model }) => model !== undefined)
  const before = good.find(({ id }) => id === state.shownBefore) ?? good.at(-1)
  return { ...state, runs, shown: isShown && before ? before.id : state.shown }
}

/** Shows a run together with the data that it was learned from. */
function showRun(state: CompleteState, id: number): CompleteState {
  const run = state.runs.find((one) => one.id === id)
  if (!run) return state
  // A read or open in progress would replace the data that is shown here: it is superseded.
  if (!run.data) return { ...state, shown: id }
  return { ...state, shown: id, data: run.data, reading: run.data.reading, pending: undefined }
}

/** Removes a run from the list; the last one that has not failed is shown in its place. */
function removeRun(state: CompleteState, id: number): CompleteState {
  const runs = state.runs.filter((run) => run.id !== id)
  const last = runs.findLast(({ status }) => status !== 'failed') ?? runs.at(-1)
  return { ...state, runs, shown: state.shown === id ? last?.id : state.shown }
}

/** Returns a run after something happened to it. A run that has ended only gets new rows. */
function changeRun(run: RunRecord, action: Action): RunRecord {
  const isActive = run.status === 'running' || run.status === 'paused'
  if (action.type === 'modelChanged') return isActive ? run : { ...run, model: action.model }
  if (action.type === 'ownChanged') return { ...run, own: action.own }
  if (action.type === 'tested') {
    const others = run.tests.filter(({ name }) => name !== action.result.name)
    return { ...run, tests: [...others, action.result] }
  }
  if (!isActive) return run
  switch (action.type) {
    case 'trial':
      // A search that is continued reports its earlier trials again.
      return run.trials.some((trial) => isSame(trial, action.trial))
        ? run
        : { ...run, trials: [...run.trials, action.trial] }
    case 'activity':
      return { ...run, activity: action.activity }
    case 'progress':
      return { ...run, history: action.history }
    case 'ended':
      return {
        ...run,
        status: 'done',
        model: action.model,
        history: action.history,
        activity: undefined,
      }
    case 'runFailed':
      return { ...run, status: 'failed', fault: action.fault, activity: undefined }
    case 'pause':
      return { ...run, status: 'paused' }
    case 'resume':
      return { ...run, status: 'running' }
    default:
      return run
  }
}
