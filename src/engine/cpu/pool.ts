import type { Reply, Request } from './messages.ts'
import { startWorker, type WorkerPort } from './platform.ts'
import { newThread } from './thread.ts'

/** Worker threads that are asked together and answer together. */
export interface Pool {
  /** Sends each worker its request and waits for all answers. */
  ask(request: (thread: number) => Request): Promise<number[]>
  close(): Promise<void>
}

export function startPool(threads: number): Pool {
  const workers = Array.from({ length: threads }, () => startWorker<Request, Reply>())
  let waiting: { replies: Promise<number>[]; reject: (error: Error) => void } | undefined

  /** A worker that fails would leave the others at a barrier for ever: all of them end. */
  function fail(error: Error): void {
    waiting?.reject(error)
    void close()
  }

  function reply(worker: WorkerPort<Request, Reply>): () => Promise<number> {
    let resolve: (done: number) => void = () => {}
    worker.onMessage((message) =>
      'failure' in message ? fail(new Error(message.failure)) : resolve(message.done),
    )
    worker.onError(fail)
    return () =>
      new Promise((set) => {
        resolve = set
      })
  }
  const replies = workers.map(reply)

  async function close(): Promise<void> {
    await Promise.all(workers.splice(0).map((worker) => worker.terminate()))
  }

  return {
    async ask(request) {
      if (workers.length === 0) throw new Error('The worker threads have ended.')
      const failed = new Promise<never>((_, reject) => {
        waiting = { replies: [], reject }
      })
      const answers = Promise.all(replies.map((next) => next()))
      workers.forEach((worker, thread) => {
        worker.send(request(thread))
      })
      return Promise.race([answers, failed])
    },
    close,
  }
}

/** For pages that may share no memory: this thread does all the work, with a breath between requests for messages. */
export function lonePool(): Pool {
  const answer = newThread()
  return {
    async ask(request) {
      await new Promise((resolve) => setTimeout(resolve))
      return [answer(request(0))]
    },
    close: async () => {},
  }
}
