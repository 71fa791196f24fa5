/**
 * Keeps the session of a tab in the browser's storage: stores what the controller reads and learns, and restores
 * it after a reload. Writes follow one another in order.
 */
import type { Connection } from '../../run/remote.ts'
import type { CompleteFunctions } from '../worker/worker.ts'
import type { CompleteController } from './controller.ts'
import type { SessionStore } from './sessionStore.ts'
import {
  type CompleteState,
  isSame,
  type LoadedData,
  type RunRecord,
  type StoredCheckpoint,
} from './state.ts'
import { lastSession, leaveSession, sessionsInUse, takeSession } from './tabSession.ts'

/** Larger files are not stored for a reload. */
const MOST_STORED_BYTES = 200e6

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
  /** Set while a session is being restored: its file is not stored again. */
  #restoring: Kept | undefined

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
    if (this.#restoring) {
      this.#kept = this.#restoring
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
      const id = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`
      const { name, size } = file
      await takeSession(id)
      const inUse = await sessionsInUse()
      const summary = {
        id,
        hash,
        name,
        size,
        reading: this.#controller.state.reading,
        changed: Date.now(),
        runs: 0,
      }
      await this.#sessions.save(summary, file, (other) => inUse.includes(other))
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

  /** Stores a run that has ended, with its model, and removes its checkpoint. */
  storeRun(run: RunRecord): void {
    this.#write(async () => {
      const kept = this.#kept
      if (!kept) return
      const bytes = await this.#call.modelBytes(run.id)
      await this.#sessions.saveRun(kept.id, nameOfRun(run), { hash: kept.hash, run, bytes })
      const { length } = this.#controller.state.runs
      await this.#sessions.change(kept.id, { runs: length, changed: Date.now() })
    })
    this.dropCheckpoint()
  }

  /** Removes a run that the user has removed. */
  removeRun(run: RunRecord): void {
    this.#write(async () => {
      if (!this.#kept) return
      await this.#sessions.removeRun(this.#kept.id, nameOfRun(run))
      await this.#sessions.change(this.#kept.id, { runs: this.#controller.state.runs.length })
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
    if (id !== undefined && !(await this.reopen(id))) leaveSession()
  }

  /** Opens a stored session in this tab. @returns false if it is not there, or another tab has it */
  async reopen(id: string): Promise<boolean> {
    const stored = await this.#sessions.load(id)
    // A file that was opened meanwhile stays.
    if (!stored || this.#controller.state.pending || !(await takeSession(id))) return false
    const { summary, file } = stored
    this.#restoring = { id, hash: summary.hash }
    const isOpen = await this.#controller.open(file, summary.reading)
    this.#restoring = undefined
    const { data, source } = this.#controller.state
    if (!isOpen || !source || source.file !== file) return false
    if (data) await this.#restoreRuns(summary, data)
    return true
  }

  /** Restores the runs of the session, and the offer to go on with an interrupted one. */
  async #restoreRuns(session: Kept, data: LoadedData): Promise<void> {
    const [stored, interrupted] = await Promise.all([
      this.#sessions.runs(session),
      this.#sessions.checkpoint(session),
    ])
    if (this.#controller.state.data !== data) return
    const models: { run: RunRecord; bytes: Uint8Array }[] = stored.map(({ run, bytes }) => {
      const isCurrent = run.data !== undefined && isSame(run.data.reading, data.reading)
      const id = this.#controller.nextJob()
      const past = run.data && { ...run.data, id: -id, source: data.source }
      return { run: { ...run, id, data: isCurrent ? data : past }, bytes }
    })
    const runs = models.map(({ run }) => run)
    this.#checkpoint = interrupted
    this.#controller.apply({ type: 'restored', runs, shown: runs.at(-1)?.id, interrupted })
    for (const { run, bytes } of models)
      await this.#call.restoreModel(run.id, run.data === data ? data.id : undefined, bytes)
  }
}

/** The name of a run in the store: the time of its start, so that runs are sorted by it. */
const nameOfRun = ({ began }: RunRecord): string => String(began).padStart(16, '0')
