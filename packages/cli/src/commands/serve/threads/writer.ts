/** The server's side of the writer thread. */
import { Worker } from 'node:worker_threads'
import type { FromWriter, ToWriter, WriterTasks } from './protocol.ts'

/** Sends tasks to the writer thread and waits for their results. */
export class Writer {
  readonly #worker = new Worker(new URL('./serveWriter.js', import.meta.url))
  readonly #pending = new Map<number, (result: FromWriter) => void>()
  #last = 0

  /** @param onFault called when the thread ends that should not */
  constructor(onFault: (message: string) => void) {
    this.#worker.on('message', (result: FromWriter) => {
      this.#pending.get(result.id)?.(result)
      this.#pending.delete(result.id)
    })
    this.#worker.on('error', (error) => onFault(String(error.stack ?? error)))
  }

  /** Number of tasks that have not ended. */
  get waiting(): number {
    return this.#pending.size
  }

  /** Performs a task. */
  perform<K extends keyof WriterTasks>(task: K, content: WriterTasks[K]): Promise<FromWriter> {
    const id = ++this.#last
    return new Promise((resolve) => {
      this.#pending.set(id, resolve)
      this.#worker.postMessage({ id, task, ...content } as unknown as ToWriter)
    })
  }

  /** Writes what is to be written, and ends the thread. */
  async close(): Promise<void> {
    await this.perform('close', {})
    await this.#worker.terminate()
  }
}
