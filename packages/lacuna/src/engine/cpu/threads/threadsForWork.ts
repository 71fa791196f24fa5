/**
 * How many of its threads a problem, its set-up or one of its operations uses. More would wait for each other
 * longer than they work: a thread costs a message, page faults that exclude each other, and a barrier that
 * waits for the slowest. The bits do not depend on it.
 */
import { paddedRank } from './kernel.ts'

/**
 * Multiply-adds of a sweep, about, for each thread: with fewer, threads would wait for each other longer than
 * they work.
 */
const WORK_PER_THREAD = 2 ** 19
/** Multiply-adds that take as long as gathering the rows of an entry. */
const GATHERING = 16

/**
 * Returns the number of threads that a sweep over a problem keeps busy: 1 for small problems.
 * @param order number of modes
 * @param most the threads that there are
 */
export function threadsForWork(entries: number, order: number, rank: number, most: number): number {
  const work = entries * order * (paddedRank(rank) ** 2 / 4 + GATHERING)
  return atMost(work / WORK_PER_THREAD, most)
}

/** Multiply-adds of a sweep, about, from which on kernels are optimized before they run (compileKernel.ts). */
const WORK_TO_OPTIMIZE = 2 ** 26

/** Whether a sweep over a problem takes so long that kernels are worth optimizing before they run. */
export const isWorthOptimizing = (entries: number, order: number, rank: number): boolean =>
  threadsForWork(entries, order, rank, Infinity) * WORK_PER_THREAD >= WORK_TO_OPTIMIZE

/** Entries for each thread of a set-up: on 16 cores a million are loaded faster by 8 threads than by 16. */
const LOADED_PER_THREAD = 2 ** 17

/**
 * Returns the number of threads that load the entries of a process.
 * @param most the threads that there are
 */
export const threadsForLoading = (entries: number, most: number): number =>
  atMost(entries / LOADED_PER_THREAD, most)

/** Nanoseconds of work between two barriers for each thread, by the estimate of memory/cost.ts. */
const NS_PER_THREAD = 100_000

/**
 * Returns the number of threads for an operation.
 * @param nanoseconds of one thread between two barriers
 * @param most the threads that there are
 */
export const threadsForTask = (nanoseconds: number, most: number): number =>
  atMost(nanoseconds / NS_PER_THREAD, most)

/** A number of threads, rounded: at least 1, and at most as many as there are. */
const atMost = (threads: number, most: number): number => Math.min(most, Math.max(1, Math.round(threads)))
