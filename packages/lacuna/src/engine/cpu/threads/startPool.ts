/** Starts pools of worker threads, or a stand-in that works on the calling thread. */
import { InputError } from '../../../base/inputError.ts'
import { waitFor } from '../../../base/waits.ts'
import type { Answer, Reply, Request } from './messages.ts'
import type { Pool } from './pool.ts'
import { startWorker, type WorkerPort } from './startWorker.ts'
import type { createThread } from './thread.ts'

/** A request without an answer yet. */
interface PendingRequest {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/**
 * Opens a pool of worker threads, each of which starts when it is needed. If one fails, all requests without an answer reject and all threads end.
 * @param options canReuse: whether the threads may serve other pools afterwards; not if other processes are
 * connected to them
 */
export function startPool(threads: number, { canReuse = true } = {}): Pool {
  const workers: (WorkerPort<Request, Reply> | undefined)[] = new Array(threads).fill(undefined)
  const pending: PendingRequest[][] = workers.map(() => [])
  let ended: Error | undefined

  /** Ends the pool: a worker that fails would leave the others at a barrier forever. */
  function fail(error: Error): void {
    ended ??= error
    for (const queue of pending) for (const { reject } of queue.splice(0)) reject(error)
    void close()
  }

  /** Returns worker w, which it starts if that has not been done. */
  function workerOf(w: number): WorkerPort<Request, Reply> {
    const started = workers[w]
    if (started) return started
    const worker = startWorker<Request, Reply>()
    workers[w] = worker
    worker.onMessage((message) => {
      if ('failure' in message) return fail(errorOf(message))
      pending[w].shift()?.resolve(message.answer)
      if (pending[w].length === 0) worker.unref()
    })
    worker.onError(fail)
    worker.unref()
    return worker
  }

  /** Sends a request to worker w; resolves with its answer. */
  function send(w: number, request: Request): Promise<Answer> {
    const worker = workerOf(w)
    return waitFor(`worker thread ${w + 1} to answer '${request.type}'`, (resolve, reject) => {
      pending[w].push({ resolve, reject })
      worker.ref()
      worker.send(request)
    })
  }

  /** Releases all workers, or ends them if one has failed or not answered yet; later requests reject. */
  async function close(): Promise<void> {
    const isIdle = !ended && pending.every((queue) => queue.length === 0)
    ended ??= new Error('The worker threads have ended.')
    const left = workers.splice(0).filter((worker) => worker !== undefined)
    if (canReuse && isIdle) for (const worker of left) worker.release()
    else await Promise.all(left.map((worker) => worker.terminate()))
  }

  return {
    threads,
    async ask(members, request) {
      if (ended) throw ended
      return Promise.all(members.map((w, position) => send(w, request(position))))
    },
    start(members) {
      if (!ended) for (const w of members) workerOf(w)
    },
    close,
  }
}

/** The error of a failed worker: an InputError if it was one there. */
function errorOf({ failure, input }: Extract<Reply, { failure: string }>): Error {
  return input ? new InputError(input.code, input.sentence) : new Error(failure)
}

/**
 * Returns a pool for pages that cannot share memory: the calling thread does all the work, with a pause
 * between requests for messages. Its program is loaded when it is first needed: other pages have it as the text
 * of their workers.
 */
export function callingThreadPool(): Pool {
  let thread: Promise<ReturnType<typeof createThread>> | undefined
  return {
    threads: 1,
    async ask(_, request) {
      thread ??= import('./thread.ts').then(({ createThread }) => createThread())
      const answer = await thread
      await new Promise((resolve) => setTimeout(resolve))
      return [await answer(request(0))]
    },
    start() {},
    close: async () => {},
  }
}
