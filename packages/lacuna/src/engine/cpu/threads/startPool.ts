/** Starts pools of worker threads, or a stand-in that works on the calling thread. */
import { InputError } from '../../../base/inputError.ts'
import type { Answer, Reply, Request } from './messages.ts'
import type { Pool } from './pool.ts'
import { startWorker, type WorkerPort } from './startWorker.ts'
import { createThread } from './thread.ts'

/** A request without an answer yet. */
interface Waiting {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** Starts a pool of worker threads. */
export function startPool(threads: number): Pool {
  const workers = Array.from({ length: threads }, () => startWorker<Request, Reply>())
  const waiting: Waiting[][] = workers.map(() => [])
  let ended: Error | undefined

  /** A worker that fails would leave the others at a barrier forever: all of them end. */
  function fail(error: Error): void {
    ended ??= error
    for (const queue of waiting) for (const { reject } of queue.splice(0)) reject(error)
    void close()
  }

  workers.forEach((worker, w) => {
    worker.onMessage((message) => {
      if ('failure' in message) return fail(failureOf(message))
      waiting[w].shift()?.resolve(message.answer)
      if (waiting[w].length === 0) worker.unref()
    })
    worker.onError(fail)
    worker.unref()
  })

  function send(worker: WorkerPort<Request, Reply>, w: number, request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      waiting[w].push({ resolve, reject })
      worker.ref()
      worker.send(request)
    })
  }

  async function close(): Promise<void> {
    ended ??= new Error('The worker threads have ended.')
    await Promise.all(workers.splice(0).map((worker) => worker.terminate()))
  }

  return {
    threads,
    async ask(members, request) {
      if (ended) throw ended
      return Promise.all(members.map((w, position) => send(workers[w], w, request(position))))
    },
    close,
  }
}

function failureOf({ failure, input }: Extract<Reply, { failure: string }>): Error {
  return input ? new InputError(input.code, input.sentence) : new Error(failure)
}

/**
 * A pool for pages that cannot share memory: the calling thread does all the work, with a pause between
 * requests for messages.
 */
export function callingThreadPool(): Pool {
  const answer = createThread()
  return {
    threads: 1,
    async ask(_, request) {
      await new Promise((resolve) => setTimeout(resolve))
      return [await answer(request(0))]
    },
    close: async () => {},
  }
}
