/** A pool of threads that read. Every request goes to all of them; they divide the work among themselves. */
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { type NodeThread, takeThread } from '../../../base/nodeThreads.ts'
import { readingWorkerSource } from '../../../embedded/readingWorker.js'
import type { Reply, Request } from './messages.ts'

/** Threads that read. */
export interface ReadingPool {
  readonly threads: number
  /** Sends a request to all threads; returns their answers. */
  ask<Answer>(request: Request): Promise<Answer[]>
  /** Gives the threads back, or ends them if one has failed. */
  close(): Promise<unknown>
}

/** The interval between progress reports of threads, in milliseconds. */
export const PROGRESS_MS = 100

/** A file of fewer bytes is read by one thread, which is quicker than starting several. */
export const PARALLEL_FROM: number = 2 ** 24

/**
 * The number of threads that read: 1 where the limits of the shell leave no room for more.
 * @param threads the number asked for; by default one per core
 * @param files how many files the threads have open
 */
export function readingThreads(threads: number = availableParallelism(), files = 1): number {
  return threads > 1 && !isLimited(threads, files) ? threads : 1
}

/** Files that a thread opens. */
const THREAD_FILES = 4
/** Files left for the user's and for modules that are still to be loaded. */
const SPARE_FILES = 32

/**
 * Whether the shell limits open files too much, or address space at all: threads and wasm reserve much of it,
 * and V8 ends the process where it is too little. Known on Linux only.
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

/** Starts a pool. */
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
  failed.catch(() => {}) // `ask` throws it
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
      for (const thread of taken) thread.release()
    },
  }
}
