/** Threads that read: all are asked the same, and share what there is to do among themselves. */
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { type NodeThread, takeThread } from '../../../base/nodeThreads.ts'
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
  const taken: NodeThread[] = []
  const terminate = (): Promise<unknown> => Promise.all(taken.map((thread) => thread.terminate()))
  try {
    for (let thread = 0; thread < threads; thread++)
      taken.push(takeThread(readingWorkerSource, { thread, threads }))
  } catch (error) {
    void terminate() // the system has no thread left: those that there are would keep the process alive
    throw error
  }
  let fail: (error: Error) => void = () => {}
  let isSound = true
  const failed = new Promise<never>((_, reject) => {
    fail = (error) => {
      isSound = false
      reject(error)
    }
  })
  failed.catch(() => {}) // it is looked at by who asks
  for (const thread of taken) thread.onError(fail)
  let unanswered = 0
  const askOne = ({ port }: NodeThread, request: Request): Promise<never> =>
    new Promise((resolve, reject) => {
      unanswered++
      port.once('message', (reply: Reply) => {
        unanswered--
        if ('failure' in reply) reject(new Error(reply.failure))
        else resolve(reply.answer as never)
      })
      port.postMessage(request)
    })
  return {
    threads,
    ask: (request) => Promise.race([failed, Promise.all(taken.map((thread) => askOne(thread, request)))]),
    async close() {
      // Others can use those that have nothing to do.
      if (!isSound || unanswered > 0) return terminate()
      for (const thread of taken) thread.rest()
    },
  }
}
