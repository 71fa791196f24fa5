/** Threads that read: all are asked the same, and share what there is to do among themselves. */
import { readdirSync, readFileSync } from 'node:fs'
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

/** Threads worth having for so many files: one per core, unless the caller says how many, or the shell's limits leave none. */
export function readingThreads(threads: number = availableParallelism(), files = 1): number {
  return threads > 1 && !isLimited(threads, files) ? threads : 1
}

/** Of a thread: the files that it opens. */
const THREAD_FILES = 4
/** For the files of the user, and modules that are still to be loaded. */
const SPARE_FILES = 32

/**
 * Whether files are few, or addresses counted at all, of which threads and wasm reserve very many: V8 would end the process where
 * there are too few. Only Linux tells.
 */
function isLimited(threads: number, ownFiles: number): boolean {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1')
    const files = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity)
    const open = files < Infinity ? readdirSync('/proc/self/fd').length : 0
    return (
      /^Max address space +\d/m.test(limits) || open + threads * THREAD_FILES + ownFiles + SPARE_FILES > files
    )
  } catch {
    return false
  }
}

export function startReading(threads: number): ReadingPool {
  const workers: Worker[] = []
  const close = (): Promise<unknown> => Promise.all(workers.map((worker) => worker.terminate()))
  try {
    for (let thread = 0; thread < threads; thread++)
      workers.push(new Worker(readingWorkerSource, { eval: true, workerData: { thread, threads } }))
  } catch (error) {
    void close() // the system has no thread left: those that there are would keep the process alive
    throw error
  }
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
    close,
  }
}
