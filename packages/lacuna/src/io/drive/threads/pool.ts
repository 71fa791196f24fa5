/**
 * Starts pools of threads that read. Every request goes to all threads, which divide the work among
 * themselves.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { type NodeThread, takeThread } from '../../../base/nodeThreads.ts'
import { waitFor } from '../../../base/waits.ts'
import { readingWorkerSource } from '../../../embedded/readingWorker.js'
import type { Reply, Request } from './messages.ts'

/** A pool of threads that read. */
export interface ReadingPool {
  /** The number of threads. */
  readonly threads: number
  /** Sends a request to all threads; returns their answers in the order of threads. Throws if one fails. */
  ask<Answer>(request: Request): Promise<Answer[]>
  /** Releases the threads for reuse, or terminates them if one has crashed or not answered yet. */
  close(): Promise<unknown>
}

/** The interval between progress reports of threads, in milliseconds. */
export const PROGRESS_MS = 100

/** A file of fewer bytes is read by one thread, which is quicker than starting several. */
export const PARALLEL_FROM: number = 2 ** 24

/**
 * Returns the number of threads to read with: `threads`, or 1 where the limits of the shell do not permit
 * them.
 * @param threads the number asked for; by default one per core
 * @param files the number of files that the threads read
 */
export function readingThreads(threads: number = availableParallelism(), files = 1): number {
  return threads > 1 && !isLimited(threads, files) ? threads : 1
}

/** File descriptors that a thread takes. */
const DESCRIPTORS_PER_THREAD = 4
/** File descriptors that are left for other files of the user and for modules that are still to be loaded. */
const SPARE_DESCRIPTORS = 32

/**
 * Whether the shell's limit of open files is too low for the threads, or address space is limited at all:
 * threads and wasm reserve much of it, and V8 ends the process where it is too little. False where /proc is
 * missing.
 * @param files the number of files that the threads read
 */
function isLimited(threads: number, files: number): boolean {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1')
    const maxOpen = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity)
    const open = maxOpen < Infinity ? readdirSync('/proc/self/fd').length : 0
    return (
      /^Max address space +\d/m.test(limits) ||
      open + threads * DESCRIPTORS_PER_THREAD + files + SPARE_DESCRIPTORS > maxOpen
    )
  } catch {
    return false
  }
}

/**
 * Starts a pool, or reuses idle threads; throws if the system has no thread left. The caller must close it.
 */
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
  let failure: Error | undefined
  /** The functions that reject the requests without an answer. */
  const unanswered = new Set<(error: Error) => void>()
  const fail = (error: Error): void => {
    failure ??= error
    for (const reject of unanswered) reject(error)
  }
  for (const thread of taken) thread.onError(fail)
  const askOne = ({ port }: NodeThread, at: number, request: Request): Promise<never> =>
    waitFor(`reading thread ${at + 1} to answer '${request.ask}'`, (resolve, reject) => {
      if (failure) return reject(failure)
      unanswered.add(reject)
      port.once('message', (reply: Reply) => {
        unanswered.delete(reject)
        if ('failure' in reply) reject(new Error(reply.failure))
        else resolve(reply.answer as never)
      })
      port.postMessage(request)
    })
  return {
    threads,
    ask: (request) => Promise.all(taken.map((thread, at) => askOne(thread, at, request))),
    async close() {
      // Idle threads can be used by other pools.
      if (failure || unanswered.size > 0) return terminate()
      for (const thread of taken) thread.release()
    },
  }
}
