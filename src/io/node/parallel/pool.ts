/** Threads that read: all are asked the same, and share what there is to do among themselves. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { readingWorkerSource } from '../../../embedded/readingWorker.js'
import type { Reply, Request } from './messages.ts'

export interface ReadingPool {
  readonly threads: number
  /** The answers of all. */
  ask<Answer>(request: Request): Promise<Answer[]>
  close(): Promise<unknown>
}

/** A smaller file is read sooner than threads are started. */
export const PARALLEL_FROM: number = 2 ** 24

/** Threads worth having: one per core, unless the caller says how many. */
export const readingThreads = (threads = availableParallelism()): number => Math.max(1, threads)

export function startReading(threads: number): ReadingPool {
  const workers = Array.from(
    { length: threads },
    (_, thread) => new Worker(readingWorkerSource, { eval: true, workerData: { thread, threads } }),
  )
  let fail: (error: Error) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {}) // it is looked at by who asks
  for (const worker of workers) worker.once('error', fail)
  return {
    threads,
    ask: (request) =>
      Promise.race([
        failed,
        Promise.all(
          workers.map(
            (worker) =>
              new Promise<never>((resolve, reject) => {
                worker.once('message', (reply: Reply) =>
                  'failure' in reply ? reject(new Error(reply.failure)) : resolve(reply.answer as never),
                )
                worker.postMessage(request)
              }),
          ),
        ),
      ]),
    close: () => Promise.all(workers.map((worker) => worker.terminate())),
  }
}
