/** The served models: questions go to the threads that answer, updates to the writer, whose new versions are published. */
import { basename } from 'node:path'
import { InputError } from 'lacuna'
import type { ModelAnswer } from './schemas/index.ts'
import { AnswerPool, type PoolOptions } from './threads/pool.ts'
import {
  type Answer,
  errorOf,
  type FromWriter,
  type PublishedModel,
  type Question,
} from './threads/protocol.ts'
import { Writer } from './threads/writer.ts'

/** The name of a model by its path: films of films.npz. */
export const nameOfFile = (path: string): string => basename(path).replace(/\.npz$/, '')

/** All models of a server. */
export class Models {
  readonly #pool: AnswerPool
  readonly #writer: Writer
  readonly #options: PoolOptions
  readonly #about = new Map<string, ModelAnswer>()
  /** Resolves when the threads have the last version of all models. */
  #published: Promise<void> = Promise.resolve()

  private constructor(options: PoolOptions & { onEnd(message: string): void }) {
    this.#pool = new AnswerPool(options)
    this.#writer = new Writer(options.onEnd)
    this.#options = options
  }

  /**
   * Opens models and starts the threads. Throws if a file is no model or its updates are unreadable.
   * @param options onEnd: called when the server cannot go on
   */
  static async open(
    paths: readonly string[],
    options: PoolOptions & { isReadOnly: boolean; onEnd(message: string): void },
  ): Promise<Models> {
    const names = paths.map(nameOfFile)
    const repeated = names.find((name, at) => names.indexOf(name) !== at)
    if (repeated !== undefined)
      throw new InputError('option', `Two models are called ${repeated}; rename one of the files.`)
    const models = new Models(options)
    try {
      for (const [at, path] of paths.entries()) {
        const { status, text } = await models.add(names[at], path, options.isReadOnly)
        if (status !== 200) throw new InputError('file', JSON.parse(text).error)
      }
    } catch (error) {
      await models.close()
      throw error
    }
    return models
  }

  /** Opens one more model; answers with what is known of it, or why it cannot be opened. */
  async add(name: string, path: string, isReadOnly: boolean): Promise<Answer> {
    const { mostRows } = this.#options
    const { status, text } = await this.#take(
      await this.#writer.perform('open', { name, path, isReadOnly, mostRows }),
    )
    return status === 200 ? { status, text: JSON.stringify(this.#about.get(name)) } : { status, text }
  }

  /** Closes a model; its updates have been written. */
  async remove(name: string): Promise<Answer> {
    this.#about.delete(name)
    this.#pool.forget(name)
    return this.#take(await this.#writer.perform('closeModel', { name }))
  }

  /** The descriptions of all served models. */
  get list(): ModelAnswer[] {
    return [...this.#about.values()]
  }

  /** The description of a model; undefined if no model has this name. */
  about(name: string): ModelAnswer | undefined {
    return this.#about.get(name)
  }

  /** Questions and updates that wait, and threads that are answering. */
  get load(): { waiting: number; busy: number; updates: number } {
    return { waiting: this.#pool.waiting, busy: this.#pool.busy, updates: this.#writer.waiting }
  }

  /** Whether further questions are refused now. */
  get isFull(): boolean {
    return this.#pool.isFull
  }

  /** Answers a question. @param isAdmitted whether it is a part of a stream that has been admitted */
  ask(question: Question, isAdmitted?: boolean): Promise<Answer> {
    return this.#pool.ask(question, isAdmitted)
  }

  /** Makes an update; resolves when it is on the disk and all threads have the new version. */
  async update(name: string, body: Uint8Array | string, isLines: boolean): Promise<Answer> {
    if (this.#writer.waiting >= this.#options.mostWaiting)
      return errorOf(503, 'The server has too many updates waiting; try again in a second.')
    return this.#take(await this.#writer.perform('update', { name, body, isLines }))
  }

  /** Reads a model again; questions are answered meanwhile. */
  async reload(name: string, discard: boolean): Promise<Answer> {
    return this.#take(await this.#writer.perform('reload', { name, discard }))
  }

  /** Ends the threads, after updates have been written. */
  async close(): Promise<void> {
    await this.#writer.close()
    await this.#pool.close()
  }

  /** Publishes the new version of a result, if it has one, and returns its answer when all threads have that. */
  async #take({ published, answer }: FromWriter): Promise<Answer> {
    if (published) this.#publish(published)
    await this.#published
    return answer ?? { status: 200, text: '{}' }
  }

  /** Sends a version to the threads, after those before it. */
  #publish({ about, bytes }: PublishedModel): void {
    const before = this.#published
    const sent = this.#pool.publish(about.name, bytes).then(() => {
      const known = this.#about.get(about.name)
      if (!known || about.updates >= known.updates || about.updates === 0) this.#about.set(about.name, about)
    })
    this.#published = Promise.all([before, sent]).then(() => {})
  }
}
