/**
 * A served model with its updates: the file that was given, which is never changed, beside it the log of updates
 * and, after compaction, the updated model. The training record of the updated model holds which updates it includes, so that a
 * crash between its writing and the clearing of the log applies none of them twice.
 */
import { createHash } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { CpModel, encodeModel, InputError, readModel, writeModel } from 'lacuna'
import { CpEnsemble, encodeEnsemble } from 'lacuna/folds'
import { explainFileError } from 'lacuna/internal'
import { checkNewRows, newRowsByMode } from '../newRows.ts'
import type { UpdateRequest } from '../schemas/index.ts'
import { takeLock } from './lock.ts'
import { readLog, UpdateLog } from './updateLog.ts'

/** The result of an update: what it added, or why it was refused. */
export type UpdateResult =
  | { sequence: number; entries: number; newRows: Record<string, string[]> }
  | { refused: InputError }

/** Updates in the log from which on it is compacted. */
const MOST_LOGGED = 256
/** Bytes of the log from which on it is compacted. */
const MOST_LOG_BYTES = 4 * 2 ** 20

/** The key of the training record of an updated model, and its content. */
const UPDATES = 'updates'
interface Included {
  base: string
  through: number
}

/** A model that is served, and its updates. */
export class ModelStore {
  readonly #path: string
  readonly #isReadOnly: boolean
  #model: CpModel | CpEnsemble
  #base: string
  /** Number of the last update that the model includes. */
  #sequence: number
  #logged: number
  #log: UpdateLog | undefined
  #release: (() => void) | undefined

  private constructor(path: string, isReadOnly: boolean, opened: Opened, release?: () => void) {
    this.#path = path
    this.#isReadOnly = isReadOnly
    this.#release = release
    this.#model = opened.model
    this.#base = opened.base
    this.#sequence = opened.sequence
    this.#logged = opened.logged
    this.#log = opened.log
  }

  /**
   * Reads a model and applies its updates; throws if they are those of another version of the file.
   * @param isReadOnly whether the store takes no updates; then nothing is written
   */
  static async open(path: string, isReadOnly: boolean): Promise<ModelStore> {
    const release = isReadOnly ? undefined : takeLock(besides(path, 'lock'))
    try {
      return new ModelStore(path, isReadOnly, await openModel(path, isReadOnly), release)
    } catch (error) {
      release?.()
      throw error
    }
  }

  /** The model with all updates. */
  get model(): CpModel | CpEnsemble {
    return this.#model
  }

  /** Number of the last update that the model includes. */
  get sequence(): number {
    return this.#sequence
  }

  /**
   * Learns from updates, one after another, and returns when all of them are on the disk. Updates that the model
   * refuses are left out. If the log cannot be written, the model stays as it was, and this throws.
   */
  async update(requests: readonly UpdateRequest[]): Promise<UpdateResult[]> {
    if (!this.#log)
      throw new InputError('option', 'This server takes no updates; start it without --read-only.')
    let model = this.#model
    const accepted: UpdateRequest[] = []
    const results = requests.map((request): UpdateResult => {
      try {
        const after = applyUpdate(model, request)
        const newRows = newRowsByMode(model, after)
        model = after
        accepted.push(request)
        return { sequence: this.#sequence + accepted.length, entries: request.entries.length, newRows }
      } catch (error) {
        if (error instanceof InputError) return { refused: error }
        throw error
      }
    })
    if (accepted.length === 0) return results
    await this.#log.append({ first: this.#sequence + 1, updates: accepted })
    this.#model = model
    this.#sequence += accepted.length
    this.#logged += accepted.length
    if (this.#logged >= MOST_LOGGED || this.#log.byteLength >= MOST_LOG_BYTES) await this.compactIfPossible()
    return results
  }

  /** Compacts the log; if that fails (a full disk), the log keeps all updates, and the next update tries again. */
  async compactIfPossible(): Promise<void> {
    try {
      await this.compact()
    } catch (error) {
      if (!(error instanceof InputError)) throw error
    }
  }

  /** Writes the updated model beside the file, and empties the log. */
  async compact(): Promise<void> {
    if (!this.#log || this.#logged === 0) return
    const included: Included = { base: this.#base, through: this.#sequence }
    await writeModel(besides(this.#path, 'npz'), withTraining(this.#model, { [UPDATES]: included }))
    await this.#log.clear(this.#base)
    this.#logged = 0
  }

  /**
   * Reads the file again, with its updates. If it has changed and there are updates, throws, or with `discard`
   * renames the log and the updated model, so that they are out of use but not lost.
   */
  async reload(discard: boolean): Promise<void> {
    const base = await digestOf(this.#path)
    const hasUpdates = this.#sequence > 0
    if (base === this.#base) return
    if (hasUpdates && !discard)
      throw new InputError(
        'checkpoint',
        `The file has changed, and the ${this.#sequence} updates were made to what it was before; ask for it with "discard": true to set them aside.`,
      )
    await readModel(this.#path) // a damaged file must not end what is served
    if (!this.#isReadOnly) {
      await this.#log?.close()
      for (const ending of ['log', 'npz']) {
        const file = besides(this.#path, ending)
        if (existsSync(file)) renameSync(file, `${file}.${this.#base.slice(0, 12)}`)
      }
    }
    const opened = await openModel(this.#path, this.#isReadOnly)
    this.#model = opened.model
    this.#base = opened.base
    this.#sequence = opened.sequence
    this.#logged = opened.logged
    this.#log = opened.log
  }

  /** The model as bytes in shared memory, which threads decode. */
  encode(): Uint8Array<SharedArrayBuffer> {
    const model = this.#model
    const bytes = model instanceof CpEnsemble ? encodeEnsemble(model) : encodeModel(model)
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
    shared.set(bytes)
    return shared
  }

  /** Releases the files; the log stays if it has updates that no file of the model includes. */
  async close(): Promise<void> {
    await this.#log?.close()
    if (this.#log && this.#logged === 0) await rm(besides(this.#path, 'log'), { force: true })
    this.#release?.()
  }
}

/** The path of a file of updates: films.npz has films.updates.log, .npz and .lock. */
const besides = (path: string, ending: string): string => `${path.replace(/\.npz$/, '')}.updates.${ending}`

/** A model and the log of its updates, as read from their files. */
interface Opened {
  model: CpModel | CpEnsemble
  base: string
  sequence: number
  logged: number
  log?: UpdateLog
}

/** Reads the model or its updated version, and applies the updates of the log that it lacks. */
async function openModel(path: string, isReadOnly: boolean): Promise<Opened> {
  const base = await digestOf(path)
  const updated = besides(path, 'npz')
  let model = await readModel(path)
  let sequence = 0
  if (existsSync(updated)) {
    const later = await readModel(updated)
    const included = later.training[UPDATES] as Included | undefined
    if (included?.base !== base)
      throw new InputError(
        'checkpoint',
        `${updated} has updates of another version of the model; move it and the log of updates away to serve the file without them.`,
      )
    model = later
    sequence = included.through
  }
  const { log, batches } = isReadOnly
    ? { log: undefined, batches: await readLog(besides(path, 'log'), base) }
    : await UpdateLog.open(besides(path, 'log'), base)
  let logged = 0
  for (const { first, updates } of batches)
    for (const [i, request] of updates.entries()) {
      if (first + i <= sequence) continue
      model = applyUpdate(model, request)
      sequence++
      logged++
    }
  return { model, base, sequence, logged, log }
}

/** A model that has learned from the entries of an update. */
function applyUpdate(model: CpModel | CpEnsemble, { entries, value }: UpdateRequest): CpModel | CpEnsemble {
  checkNewRows(model, entries)
  return model.foldIn(entries, { value, update: true })
}

/** Returns a copy of a model with more settings in its training record. */
function withTraining(model: CpModel | CpEnsemble, more: Record<string, unknown>): CpModel | CpEnsemble {
  const training = { ...model.training, ...more }
  if (model instanceof CpModel) return new CpModel({ ...model.fields, training })
  const { dims, labels, modes, observed, members, weights, neighbours, intervals } = model
  return new CpEnsemble({ dims, labels, modes, observed, members, weights, neighbours, intervals, training })
}

/** SHA-256 of a file, in hexadecimal digits. */
async function digestOf(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error) => {
    throw explainFileError(error, path, 'read')
  })
  return createHash('sha256').update(bytes).digest('hex')
}
