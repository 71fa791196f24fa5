/**
 * The controller of the Complete view: holds the state, calls the worker, and dispatches its answers. It cancels
 * every call that the state no longer awaits, and lets the worker drop data and models that the state has left.
 */
import type { Progress } from '../../run/interactiveRun.ts'
import type { Connection } from '../../run/remote.ts'
import type { OwnRow } from '../answers.ts'
import type { LearnSettings, ModelSummary, Opened, ReadSettings, RunKind, TrialSummary } from '../protocol.ts'
import type { SideTable, SideTableOffer } from '../sideTables.ts'
import type { CompleteFunctions, JobEvent } from '../worker/worker.ts'
import { type Action, reduce } from './reducer.ts'
import {
  activeRun,
  type CompleteState,
  canStart,
  initialState,
  isSame,
  type RunRecord,
  type StoredCheckpoint,
} from './state.ts'

/** The shortest time between two updates of a run's history, in milliseconds. */
const CHART_INTERVAL_MS = 300

/** Callbacks and functions of the page that the controller uses. */
export interface ControllerHooks {
  /** Called after every change of the state. */
  onState(state: CompleteState): void
  showError(error: unknown): void
  clearError(): void
  /** Called when data was read, to store the file. */
  onData?(state: CompleteState): void
  /** Called when a run has begun. */
  onRunStarted?(run: RunRecord): void
  /** Called every few seconds with a checkpoint of the active run. */
  onCheckpoint?(bytes: Uint8Array, run: RunRecord): void
  /** Called when a run has ended, to store its model. */
  onRunEnded?(run: RunRecord): void
  /** Called when a run has failed or was discarded before its end. */
  onRunGone?(): void
  /** Called when a run that had ended has changed: rows were folded in, or it was evaluated on a test file. */
  onRunChanged?(run: RunRecord): void
  /** Called when the row of the user's own has changed, of which a run has one. */
  onOwnRow?(run: RunRecord): void
  /** Called when names or attributes of rows were added or removed. */
  onTables?(tables: readonly SideTable[]): void
  /** Called when the user has chosen another run to be shown, with its data. */
  onRunShown?(run: RunRecord): void
  /** Called when the user has removed a run that had ended. */
  onRunRemoved?(run: RunRecord): void
}

/** Holds the state of the view and acts on what the user does. */
export class CompleteController {
  readonly #connection: Connection<CompleteFunctions>
  readonly #hooks: ControllerHooks
  #state = initialState
  #lastJob = 0
  /** The calls in flight by their job. */
  readonly #calls = new Map<number, AbortController>()
  /** Histories of runs, which are shown at most every CHART_INTERVAL_MS. */
  readonly #histories = new Map<number, { history: Progress[]; shownAt: number }>()
  /** The last request to the worker to retain and show models, as text. */
  #retained = ''

  constructor(connection: Connection<CompleteFunctions>, hooks: ControllerHooks) {
    this.#connection = connection
    this.#hooks = hooks
    connection.onEvent<JobEvent<number>>('reading', ({ job, value }) =>
      this.#dispatch({ type: 'readProgress', job, fraction: value }),
    )
    connection.onEvent<JobEvent<TrialSummary>>('trial', ({ job, value }) =>
      this.#dispatch({ type: 'trial', job, trial: value }),
    )
    connection.onEvent<JobEvent<Uint8Array>>('checkpoint', ({ job, value }) => {
      const run = activeRun(this.#state)
      const history = this.#histories.get(job)?.history ?? []
      if (run?.id === job) this.#hooks.onCheckpoint?.(value, { ...run, history: [...history] })
    })
    connection.onEvent<JobEvent<string>>('activity', ({ job, value }) =>
      this.#dispatch({ type: 'activity', job, activity: value }),
    )
    connection.onEvent<JobEvent<Progress>>('epoch', ({ job, value }) => this.#addProgress(job, value))
  }

  /** The current state. */
  get state(): CompleteState {
    return this.#state
  }

  /**
   * Opens a file: shows a model; reads a tensor or table; or shows the columns of a table that could not be
   * guessed, and why, or the arrays to choose from.
   * @param reading how to read it; by default as it is guessed
   * @returns whether the file is shown and read; false if it failed or another file was opened meanwhile
   */
  async open(file: File, reading?: ReadSettings): Promise<boolean> {
    const job = this.nextJob()
    this.#dispatch({ type: 'open', job, file })
    const content = await this.#await(job, (call) => call.inspect(job, file))
    if (!content) return false
    this.#hooks.clearError()
    this.#dispatch({ type: 'opened', job, content, reading })
    if (this.#state.source?.id !== job) return false
    return this.#readOpened(content, reading)
  }

  /** Reads the file that was just opened, unless it is a model, or its columns or its array are not known. */
  async #readOpened(content: Opened, reading: ReadSettings | undefined): Promise<boolean> {
    if (content.kind === 'model') {
      this.#hooks.onData?.(this.#state)
      return true
    }
    if (content.kind === 'table' && content.problem !== undefined && !reading) {
      this.#hooks.showError(new Error(content.problem))
      return false
    }
    const isOpen = content.kind === 'tensor' && content.arrays !== undefined
    if (isOpen && this.#state.reading.variable === undefined) return false
    return this.read(this.#state.reading)
  }

  /** Reads the shown file with these settings. @returns whether its data is shown */
  async read(reading: ReadSettings): Promise<boolean> {
    const job = this.nextJob()
    this.#dispatch({ type: 'read', job, reading })
    const { source, pending } = this.#state
    if (!source || pending?.id !== job) return false
    const summary = await this.#await(job, (call) => call.read(job, source.file, reading))
    if (!summary) return false
    this.#dispatch({ type: 'readDone', job, summary })
    if (this.#state.data?.id !== job) return false
    this.#hooks.clearError()
    this.#hooks.onData?.(this.#state)
    return true
  }

  /**
   * Starts a run on the shown data; without effect while data is read or another run is active.
   * @param from an interrupted run that is continued
   */
  async start(kind: RunKind, settings: LearnSettings, from?: StoredCheckpoint): Promise<void> {
    const { data } = this.#state
    if (!canStart(this.#state) || !data) return
    this.#hooks.clearError()
    const job = this.nextJob()
    this.#histories.set(job, { history: [...(from?.history ?? [])], shownAt: 0 })
    this.#dispatch({ type: 'start', job, began: Date.now(), kind, settings, from })
    this.#hooks.onRunStarted?.(activeRun(this.#state)!)
    const model = await this.#await(job, (call) => call.start(job, data.id, kind, settings, from?.bytes))
    const history = this.#histories.get(job)?.history ?? []
    this.#histories.delete(job)
    // A run that ended because another file was opened can be gone on with in its session.
    if (!model && this.#state.source?.id === data.source) this.#hooks.onRunGone?.()
    if (!model) return
    this.#dispatch({ type: 'ended', job, model, history })
    const run = this.#state.runs.find(({ id }) => id === job)
    if (run) this.#hooks.onRunEnded?.(run)
  }

  /** Continues the run that a reload has interrupted, after reading the file as it was read for it. */
  async goOn(): Promise<void> {
    const { interrupted, data } = this.#state
    if (!interrupted) return
    if (!data || !isSame(data.reading, interrupted.reading)) await this.read(interrupted.reading)
    await this.start(interrupted.kind, interrupted.settings, interrupted)
  }

  /** Gives up the run that a reload has interrupted. */
  forget(): void {
    this.#dispatch({ type: 'forget' })
    this.#hooks.onRunGone?.()
  }

  /** Shows a run with its data, which is read again if the run was restored without it. */
  async show(run: RunRecord): Promise<void> {
    const { data } = run
    if (!data || data.id > 0) {
      this.#dispatch({ type: 'show', run: run.id })
      return this.#hooks.onRunShown?.(run)
    }
    if (!isSame(this.#state.data?.reading, data.reading) && !(await this.read(data.reading))) return
    const loaded = this.#state.data
    if (!loaded || !isSame(loaded.reading, data.reading)) return
    this.#dispatch({ type: 'attached', run: run.id, data: loaded })
    void this.#connection.call.attachData(run.id, loaded.id)
    this.#dispatch({ type: 'show', run: run.id })
    this.#hooks.onRunShown?.(run)
  }

  /** Removes a run that has ended. */
  remove(run: RunRecord): void {
    this.#dispatch({ type: 'remove', run: run.id })
    this.#hooks.onRunRemoved?.(run)
  }

  /** Pauses the active run before its next round. */
  pause(): void {
    const run = activeRun(this.#state)
    if (!run) return
    void this.#connection.call.pause(run.id)
    this.#dispatch({ type: 'pause', job: run.id })
  }

  /** Ends the pause of the active run. */
  resume(): void {
    const run = activeRun(this.#state)
    if (!run) return
    void this.#connection.call.resume(run.id)
    this.#dispatch({ type: 'resume', job: run.id })
  }

  /** Stops the active run; it ends with the best model so far. */
  stop(): void {
    const run = activeRun(this.#state)
    if (run) void this.#connection.call.stop(run.id)
  }

  /** Discards the active run. */
  cancel(): void {
    const run = activeRun(this.#state)
    if (run) this.#dispatch({ type: 'remove', run: run.id })
  }

  /** Evaluates the model of a run on a test file, which is read as the shown file is. */
  async test(run: RunRecord, file: File): Promise<void> {
    try {
      const reading = run.data?.reading ?? this.#state.reading
      const result = await this.#connection.call.evaluateFile(
        run.id,
        file,
        reading,
        run.settings?.missing === 'zero',
      )
      this.#hooks.clearError()
      this.#dispatch({ type: 'tested', job: run.id, result })
      this.#runChanged(run.id)
    } catch (error) {
      this.#hooks.showError(error)
    }
  }

  /** Replaces the model of a run by one with rows that were folded in. */
  changeModel(run: RunRecord, model: ModelSummary): void {
    this.#dispatch({ type: 'modelChanged', job: run.id, model })
    this.#runChanged(run.id)
  }

  /** Changes the row of the user's own. */
  changeOwnRow(run: RunRecord, own: OwnRow): void {
    this.#dispatch({ type: 'ownChanged', job: run.id, own })
    const changed = this.#state.runs.find(({ id }) => id === run.id)
    if (changed) this.#hooks.onOwnRow?.(changed)
  }

  /** Reports a change of a run that had ended. */
  #runChanged(id: number): void {
    const run = this.#state.runs.find((one) => one.id === id)
    if (run) this.#hooks.onRunChanged?.(run)
  }

  /**
   * Asks the worker what another file describes of the rows of the shown one; undefined if it describes
   * nothing.
   */
  async inspectBeside(file: File): Promise<SideTableOffer | undefined> {
    const { data, shown } = this.#state
    if (!data && shown === undefined) return undefined
    return this.#connection.call.inspectBeside(data?.id, file).catch(() => undefined)
  }

  /** Reads names or attributes of rows from another file. They are dropped if another file was opened meanwhile. */
  async addTable(file: File, kind: SideTable['kind']): Promise<void> {
    const { source, data } = this.#state
    if (!source) return
    const read = { source: source.id, name: file.name }
    this.#dispatch({ type: 'tableRead', ...read })
    try {
      const table = await this.#connection.call.readBeside(data?.id, file, kind)
      this.#dispatch({ type: 'tableAdded', ...read, table })
      this.#hooks.onTables?.(this.#state.tables)
    } catch (error) {
      this.#dispatch({ type: 'tableAdded', ...read })
      this.#hooks.showError(error)
    }
  }

  /** Removes names or attributes of rows. */
  removeTable(table: SideTable): void {
    this.#dispatch({ type: 'tableRemoved', table })
    this.#hooks.onTables?.(this.#state.tables)
  }

  /** Dispatches an action that needs no call: showing or removing a run, closing the file, or what was stored of it. */
  apply(action: Extract<Action, { type: 'show' | 'remove' | 'close' | 'restored' }>): void {
    this.#dispatch(action)
  }

  /** Returns the number of a new job, or of a run that is restored. */
  nextJob(): number {
    return ++this.#lastJob
  }

  /** Changes the state, cancels the calls it no longer awaits, and sends the worker the list of what to retain. */
  #dispatch(action: Action): void {
    const state = reduce(this.#state, action)
    if (state === this.#state) return
    const hasOtherTables = state.tables !== this.#state.tables
    this.#state = state
    if (hasOtherTables) void this.#connection.call.setSideTables(state.tables)
    const awaited = [state.pending?.id, activeRun(state)?.id]
    for (const [job, controller] of this.#calls) if (!awaited.includes(job)) controller.abort()
    this.#retain()
    this.#hooks.onState(state)
  }

  /** Lets the worker drop the data and models that the state does not name, and answer about the shown run. */
  #retain(): void {
    const { pending, data, runs, shown } = this.#state
    const ids = [pending?.id, data?.id, ...runs.flatMap((run) => [run.id, run.data?.id])]
    const retained = [...new Set(ids)].filter((id) => id !== undefined)
    const text = `${retained} ${shown}`
    if (text === this.#retained) return
    this.#retained = text
    void this.#connection.call.retain(retained, shown)
  }

  /**
   * Awaits a call for a job. Returns undefined if it was cancelled or has failed; the state then has ended the
   * job, and an error is shown.
   */
  async #await<T>(
    job: number,
    act: (call: Connection<CompleteFunctions>['call']) => Promise<T>,
  ): Promise<T | undefined> {
    const controller = new AbortController()
    this.#calls.set(job, controller)
    try {
      return await act(this.#connection.callUntil(controller.signal))
    } catch (error) {
      if (controller.signal.aborted) return undefined
      this.#calls.delete(job)
      this.#dispatch({ type: 'jobFailed', job })
      const fault = error instanceof Error ? error.message : String(error)
      this.#dispatch({ type: 'runFailed', job, fault })
      this.#hooks.showError(error)
      return undefined
    } finally {
      this.#calls.delete(job)
    }
  }

  /** Adds a round to the history of a run, and shows it if the last one was shown long enough ago. */
  #addProgress(job: number, progress: Progress): void {
    const live = this.#histories.get(job)
    if (!live) return
    live.history.push(progress)
    if (performance.now() - live.shownAt < CHART_INTERVAL_MS) return
    live.shownAt = performance.now()
    this.#dispatch({ type: 'progress', job, history: [...live.history] })
  }
}
