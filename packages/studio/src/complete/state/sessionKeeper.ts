/**
 * Keeps the session of a tab in the browser's storage: stores what the controller reads and learns, and restores
 * it after a reload. Writes follow one another in order.
 */
import type { Connection } from '../../run/remote.ts'
import type { SideTable } from '../sideTables.ts'
import type { CompleteFunctions } from '../worker/worker.ts'
import type { CompleteController } from './controller.ts'
import { decodeSession, encodeSession } from './sessionFile.ts'
import type { SessionContent, SessionStore, SessionSummary, StoredRun } from './sessionStore.ts'
import {
  type CompleteState,
  isSame,
  type LoadedData,
  type RunRecord,
  type StoredCheckpoint,
  shownRun,
} from './state.ts'
import { lastSession, leaveSession, sessionsInUse, takeSession } from './tabSession.ts'

/** Larger files are not stored for a reload. */
export const MOST_STORED_BYTES = 200e6

/** The session that is kept: its id and the hash of its file. */
interface Kept {
  id: string
  hash: string
}

/** Stores the state of a controller, and restores it. */
export class SessionKeeper {
  readonly #sessions: SessionStore
  readonly #controller: CompleteController
  readonly #call: Connection<CompleteFunctions>['call']
  /** The session of the shown file; undefined if that is not stored. */
  #kept: Kept | undefined
  /** The file whose session is `#kept`. */
  #source: number | undefined
  /** Mutex: resolves when the writes so far have ended. */
  #writes: Promise<unknown> = Promise.resolve()
  #checkpoint: StoredCheckpoint | undefined
  /** The run whose row of the user's own is to be stored. */
  #ownRow: RunRecord | undefined
  /** Set while a session is being restored: its file is not stored again. */
  #restoring: (Kept & { file: File }) | undefined

  constructor(
    sessions: SessionStore,
    controller: CompleteController,
    call: Connection<CompleteFunctions>['call'],
  ) {
    this.#sessions = sessions
    this.#controller = controller
    this.#call = call
  }

  /** The id of the session of the shown file; undefined if that is not stored. */
  get current(): string | undefined {
    return this.#kept?.id
  }

  /** Runs a write after those before it; a write that fails loses what it stores, and nothing else. */
  #write(act: () => Promise<unknown>): Promise<unknown> {
    this.#writes = this.#writes.then(act).catch(() => {})
    return this.#writes
  }

  /** Stores the shown file, in a session of its own unless it is the file of the current one, or how it is read. */
  storeData(state: CompleteState): void {
    const { source, reading } = state
    if (!source) return
    if (this.#source === source.id) {
      const changes = { reading, changed: Date.now() }
      this.#write(async () => this.#kept && this.#sessions.change(this.#kept.id, changes))
      return
    }
    this.#source = source.id
    if (this.#restoring?.file === source.file && this.#restoring.id !== '') {
      this.#kept = { id: this.#restoring.id, hash: this.#restoring.hash }
      return
    }
    this.#kept = undefined
    this.#checkpoint = undefined
    leaveSession()
    if (source.file.size >= MOST_STORED_BYTES) return
    this.#write(async () => {
      const { file } = source
      const hash = await this.#call.hashFile(file)
      if (this.#source !== source.id) return
      const id = newId()
      await takeSession(id)
      const { reading } = this.#controller.state
      await this.#save(
        { id, hash, name: file.name, size: file.size, reading, changed: Date.now(), runs: 0 },
        file,
      )
      if (this.#source === source.id) this.#kept = { id, hash }
    })
  }

  /** Stores that a run has begun, so that a reload offers to go on with it. */
  storeStart({ kind, settings, data, history, trials }: RunRecord): void {
    if (!kind || !settings || !data) return
    this.#write(async () => {
      if (!this.#kept) return
      this.#checkpoint = { hash: this.#kept.hash, kind, settings, reading: data.reading, history, trials }
      await this.#sessions.saveCheckpoint(this.#kept.id, this.#checkpoint)
    })
  }

  /** Stores a checkpoint of the active run. */
  storeCheckpoint(bytes: Uint8Array, { history, trials }: RunRecord): void {
    this.#write(async () => {
      if (!this.#kept || !this.#checkpoint) return
      this.#checkpoint = { ...this.#checkpoint, history, trials, bytes }
      await this.#sessions.saveCheckpoint(this.#kept.id, this.#checkpoint)
    })
  }

  /** Removes the checkpoint: its run has ended or was discarded. */
  dropCheckpoint(): void {
    this.#write(async () => {
      this.#checkpoint = undefined
      if (this.#kept) await this.#sessions.saveCheckpoint(this.#kept.id, undefined)
    })
  }

  /** Stores a session with its file, and removes the oldest ones that are too many and in no tab. */
  async #save(summary: SessionSummary, file: File): Promise<void> {
    const inUse = await sessionsInUse()
    await this.#sessions.save(summary, file, (other) => inUse.includes(other))
  }

  /** Stores a run that has ended, or has changed since, with its model. */
  storeRun(run: RunRecord): void {
    this.#write(async () => {
      const kept = this.#kept
      if (!kept) return
      const model = await this.#call.storedModel(run.id)
      await this.#sessions.saveRun(kept.id, nameOfRun(run), { hash: kept.hash, run, ...model })
      const { state } = this.#controller
      const runs = countKept(state)
      const shown = shownRun(state)?.began
      await this.#sessions.change(kept.id, { runs, shown, changed: Date.now() })
    })
  }

  /** Stores the row of the user's own of a run; of changes that follow quickly only the last. */
  storeOwnRow(run: RunRecord): void {
    const isWaiting = this.#ownRow !== undefined
    this.#ownRow = run
    if (isWaiting) return
    this.#write(async () => {
      const { own, began } = this.#ownRow!
      this.#ownRow = undefined
      if (this.#kept && own) await this.#sessions.saveOwnRow(this.#kept.id, nameOfRun({ began }), own)
    })
  }

  /** Stores which run is shown, and how its data is read, so that a reload shows it again. */
  storeShown({ began, data }: RunRecord): void {
    const changes = { shown: began, ...(data && { reading: data.reading }) }
    this.#write(async () => this.#kept && this.#sessions.change(this.#kept.id, changes))
  }

  /** Stores the tables beside the data. */
  storeTables(tables: readonly SideTable[]): void {
    this.#write(async () => this.#kept && this.#sessions.saveTables(this.#kept.id, tables))
  }

  /** Removes a run that the user has removed. */
  removeRun(run: RunRecord): void {
    this.#write(async () => {
      if (!this.#kept) return
      await this.#sessions.removeRun(this.#kept.id, nameOfRun(run))
      await this.#sessions.change(this.#kept.id, { runs: countKept(this.#controller.state) })
    })
  }

  /** Closes the shown file; its session stays in the list. */
  close(): void {
    this.#source = undefined
    this.#kept = undefined
    this.#checkpoint = undefined
    this.#controller.apply({ type: 'close' })
    leaveSession()
  }

  /** Restores the session that this tab had before a reload. */
  async restoreLast(): Promise<void> {
    const id = lastSession()
    // After a reload the address has the settings of the panel.
    if (id !== undefined && !(await this.reopen(id, false))) leaveSession()
  }

  /**
   * Opens a stored session in this tab.
   * @param showsSettings whether the panel shows the settings of the run that is shown
   * @returns false if it is not there, or another tab has it
   */
  async reopen(id: string, showsSettings = true): Promise<boolean> {
    const { source } = this.#controller.state
    const stored = await this.#sessions.load(id)
    /** Whether the user has opened a file meanwhile, which stays. */
    const isOvertaken = (): boolean =>
      this.#controller.state.pending !== undefined || this.#controller.state.source !== source
    if (!stored || isOvertaken() || !(await takeSession(id))) return false
    if (!isOvertaken()) return this.#restore(stored, showsSettings)
    leaveSession()
    return false
  }

  /** Returns the shown session as a file that opens elsewhere; its runs are those that have ended. */
  async exportFile(): Promise<File> {
    const { source } = this.#controller.state
    if (!source) throw new Error('There is no session yet; open a file first.')
    // The session may still be that of the file before: one that is not read yet has none.
    const kept = this.#source === source.id ? this.#kept : undefined
    const hash = kept?.hash ?? (await this.#call.hashFile(source.file))
    return encodeSession(await this.#copy(source.file, hash), this.#call)
  }

  /**
   * Returns the shown session with its models, if its file is too large to be stored; undefined if it is not. The
   * content of the file itself is not in memory.
   */
  async copyOfLarge(): Promise<SessionContent | undefined> {
    const { source } = this.#controller.state
    return source && source.file.size >= MOST_STORED_BYTES ? this.#copy(source.file, '') : undefined
  }

  /** Opens the copy of a session that is not stored. @returns whether it is shown */
  reopenCopy(content: SessionContent): Promise<boolean> {
    return this.#restore(content, true)
  }

  /** Returns the shown session with the models of runs that have ended, without an id. */
  async #copy(file: File, hash: string): Promise<SessionContent> {
    const { reading, runs, tables } = this.#controller.state
    const shown = shownRun(this.#controller.state)?.began
    const stored: StoredRun[] = []
    for (const run of runs)
      if (run.status === 'done') stored.push({ hash, run, ...(await this.#call.storedModel(run.id)) })
    const { name, size } = file
    const summary = { id: '', hash, name, size, reading, changed: Date.now(), runs: stored.length, shown }
    return { summary, file, runs: stored, tables }
  }

  /**
   * Opens a session file as a new session of this tab. Throws if it is damaged.
   * @param isWanted whether no other file was opened meanwhile
   * @returns false if another file was
   */
  async importFile(sessionFile: File, isWanted: () => boolean = () => true): Promise<boolean> {
    const content = await decodeSession(sessionFile, this.#call)
    if (!isWanted()) return false
    const summary = { ...content.summary, id: newId(), changed: Date.now() }
    const { id } = summary
    await takeSession(id)
    await this.#write(async () => {
      await this.#save(summary, content.file)
      for (const stored of content.runs) await this.#sessions.saveRun(id, nameOfRun(stored.run), stored)
      await this.#sessions.saveTables(id, content.tables)
    })
    if (!isWanted()) return false
    return this.#restore({ ...content, summary }, true)
  }

  /** Shows a session with its runs. @returns false if its file cannot be read, or another file was opened meanwhile */
  async #restore(stored: SessionContent, showsSettings: boolean): Promise<boolean> {
    const { summary, file } = stored
    this.#restoring = { id: summary.id, hash: summary.hash, file }
    const isOpen = await this.#controller.open(file, summary.reading)
    if (this.#restoring?.file === file) this.#restoring = undefined
    const { data, source } = this.#controller.state
    if (!isOpen || !source || source.file !== file) return false
    if (data) await this.#restoreRuns(stored, data, showsSettings)
    else await this.#restoreModel(stored)
    return true
  }

  /** Restores the runs of the session, and the offer to go on with an interrupted one. */
  async #restoreRuns(
    { summary, runs: stored, interrupted, tables }: SessionContent,
    data: LoadedData,
    showsSettings: boolean,
  ): Promise<void> {
    const models = stored.map(({ run, ...model }) => {
      const isCurrent = run.data !== undefined && isSame(run.data.reading, data.reading)
      const id = this.#controller.nextJob()
      const past = run.data && { ...run.data, id: -id, source: data.source }
      const restored: RunRecord = { ...run, id, data: isCurrent ? data : past }
      return { run: restored, model }
    })
    const runs = models.map(({ run }) => run)
    this.#checkpoint = interrupted
    const shown = runs.find(({ began }) => began === summary.shown) ?? runs.at(-1)
    const settings = showsSettings ? shown?.settings : undefined
    this.#controller.apply({ type: 'restored', runs, shown: shown?.id, interrupted, tables, settings })
    // All at once, so that the worker has the models before the page asks about the shown one.
    await Promise.all(
      models.map(({ run, model }) =>
        this.#call.restoreModel(run.id, run.data === data ? data.id : undefined, model, run.settings),
      ),
    )
    // A model with rows that were folded in again gets a new identity, so that its answers are asked for again.
    for (const { run, model } of models)
      if (model.folded?.length && run.model) this.#controller.changeModel(run, { ...run.model })
  }

  /** Restores what belongs to a model that was opened as a file: names, and rows that were folded in. */
  async #restoreModel({ runs: [stored], tables, own }: SessionContent): Promise<void> {
    const { shown, ...state } = this.#controller.state
    const runs = state.runs.map((run) => ({ ...run, own: own ?? stored?.run.own }))
    this.#controller.apply({ type: 'restored', runs, shown, tables })
    if (!stored?.folded?.length || !runs[0]) return
    this.#controller.changeModel(runs[0], await this.#call.foldAgain(runs[0].id, stored.folded))
  }
}

/** The number of runs that a session lists; those that have failed are not stored. */
const countKept = ({ runs }: CompleteState): number => runs.filter(({ status }) => status !== 'failed').length

/** A new id of a session. */
const newId = (): string => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`

/** The name of a run in the store: the time of its start, so that runs are sorted by it. */
const nameOfRun = ({ began }: Pick<RunRecord, 'began'>): string => String(began).padStart(16, '0')
