/**
 * Sessions in the browser's storage: a file, how it is read, its runs with their models, and the checkpoint of a
 * run. A session belongs to one file, identified by the hash of its content; what was learned from other
 * content is never returned with it.
 */
import type { OwnRow } from '../answers.ts'
import type { ReadSettings, StoredModel } from '../protocol.ts'
import type { SideTable } from '../sideTables.ts'
import type { RunRecord, StoredCheckpoint } from './state.ts'

/** A session, as it is listed. */
export interface SessionSummary {
  id: string
  /** The hash of the file. */
  hash: string
  /** The name of the file. */
  name: string
  /** The size of the file in bytes. */
  size: number
  reading: ReadSettings
  /** Time of its last change, in milliseconds since 1970. */
  changed: number
  /** The number of its runs. */
  runs: number
  /** The start of the run that is shown, in milliseconds since 1970; by default that of the last one. */
  shown?: number
}

/** A stored run with its model. */
export interface StoredRun extends StoredModel {
  /** The hash of the file it was learned from. */
  hash: string
  run: RunRecord
}

/** All that is stored of a session. */
export interface SessionContent {
  summary: SessionSummary
  file: File
  runs: StoredRun[]
  /** The run that was interrupted. */
  interrupted?: StoredCheckpoint
  tables: readonly SideTable[]
  /** The row of the user's own of a model that was opened as a file, which has no stored run before rows are added. */
  own?: OwnRow
}

/** A store of values by name, such as IndexedDB (storage.ts). */
export interface ValueStore {
  storeValue(name: string, value: unknown): Promise<unknown>
  loadValue<T>(name: string): Promise<T | undefined>
  listNames(prefix: string): Promise<string[]>
  removeValues(...names: string[]): Promise<unknown>
}

/** The most sessions that are kept; beyond them the oldest go. */
export const MOST_SESSIONS = 12

/** Names of the values of a session. */
const nameOf = {
  summary: (id: string) => `session:${id}:summary`,
  file: (id: string) => `session:${id}:file`,
  run: (id: string, run: string) => `session:${id}:run:${run}`,
  checkpoint: (id: string) => `session:${id}:checkpoint`,
  tables: (id: string) => `session:${id}:tables`,
  own: (id: string, run: string) => `session:${id}:own:${run}`,
}

/** The sessions of a store. */
export class SessionStore {
  readonly #store: ValueStore

  constructor(store: ValueStore) {
    this.#store = store
  }

  /** All sessions, the one that was changed last first. */
  async list(): Promise<SessionSummary[]> {
    const names = (await this.#store.listNames('session:')).filter((name) => name.endsWith(':summary'))
    const found = await Promise.all(names.map((name) => this.#store.loadValue<SessionSummary>(name)))
    return found.filter((session) => session !== undefined).sort((a, b) => b.changed - a.changed)
  }

  /** A session with all that belongs to it; undefined if it is not there. */
  async load(id: string): Promise<SessionContent | undefined> {
    const [summary, file, tables = []] = await Promise.all([
      this.#store.loadValue<SessionSummary>(nameOf.summary(id)),
      this.#store.loadValue<File>(nameOf.file(id)),
      this.#store.loadValue<readonly SideTable[]>(nameOf.tables(id)),
    ])
    if (!summary || !file) return undefined
    const [runs, interrupted, [own]] = await Promise.all([
      this.runs(summary),
      this.checkpoint(summary),
      this.#ownRows(await this.#store.listNames(nameOf.own(id, ''))),
    ])
    return { summary, file, runs, interrupted, tables, own }
  }

  /** The runs of a session in the order of their start; only those learned from the content with its hash. */
  async runs({ id, hash }: Pick<SessionSummary, 'id' | 'hash'>): Promise<StoredRun[]> {
    const names = (await this.#store.listNames(nameOf.run(id, ''))).sort()
    const runs = await Promise.all(names.map((name) => this.#store.loadValue<StoredRun>(name)))
    const own = await this.#ownRows(
      names.map((name) => nameOf.own(id, name.slice(nameOf.run(id, '').length))),
    )
    return runs
      .map((stored, n) => stored && { ...stored, run: { ...stored.run, own: own[n] ?? stored.run.own } })
      .filter((stored) => stored !== undefined)
      .filter((stored) => stored.hash === hash)
  }

  /** The run that was interrupted; undefined if there is none, or it learned from other content. */
  async checkpoint({ id, hash }: Pick<SessionSummary, 'id' | 'hash'>): Promise<StoredCheckpoint | undefined> {
    const stored = await this.#store.loadValue<StoredCheckpoint>(nameOf.checkpoint(id))
    return stored?.hash === hash ? stored : undefined
  }

  /** Stores a session with its file, and removes the oldest ones that are too many and not in use. */
  async save(summary: SessionSummary, file: File, isInUse: (id: string) => boolean): Promise<void> {
    await this.#store.storeValue(nameOf.file(summary.id), file)
    await this.#store.storeValue(nameOf.summary(summary.id), summary)
    const others = (await this.list()).filter(({ id }) => id !== summary.id && !isInUse(id))
    for (const { id } of others.slice(MOST_SESSIONS - 1)) await this.remove(id)
  }

  /** Changes fields of a session. */
  async change(id: string, changes: Partial<SessionSummary>): Promise<void> {
    const summary = await this.#store.loadValue<SessionSummary>(nameOf.summary(id))
    if (summary) await this.#store.storeValue(nameOf.summary(id), { ...summary, ...changes })
  }

  /** Stores a run that has ended. @param name sorts after those of earlier runs */
  async saveRun(id: string, name: string, stored: StoredRun): Promise<void> {
    await this.#store.storeValue(nameOf.run(id, name), stored)
  }

  /** Removes a run. */
  async removeRun(id: string, name: string): Promise<void> {
    await this.#store.removeValues(nameOf.run(id, name), nameOf.own(id, name))
  }

  /** Stores the row of the user's own that belongs to a run. */
  async saveOwnRow(id: string, name: string, own: OwnRow): Promise<void> {
    await this.#store.storeValue(nameOf.own(id, name), own)
  }

  /** The rows of the user's own of these names; undefined where there is none. */
  #ownRows(names: readonly string[]): Promise<(OwnRow | undefined)[]> {
    return Promise.all(names.map((name) => this.#store.loadValue<OwnRow>(name)))
  }

  /** Stores the tables beside the data. */
  async saveTables(id: string, tables: readonly SideTable[]): Promise<void> {
    await this.#store.storeValue(nameOf.tables(id), tables)
  }

  /** Stores the state of the active run, or removes it. */
  async saveCheckpoint(id: string, checkpoint: StoredCheckpoint | undefined): Promise<void> {
    if (checkpoint) await this.#store.storeValue(nameOf.checkpoint(id), checkpoint)
    else await this.#store.removeValues(nameOf.checkpoint(id))
  }

  /** Removes a session with all its values. */
  async remove(id: string): Promise<void> {
    await this.#store.removeValues(...(await this.#store.listNames(`session:${id}:`)))
  }
}
