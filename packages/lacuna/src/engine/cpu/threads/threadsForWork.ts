/** How many threads a problem uses where their number is not given. */
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
  return Math.min(most, Math.max(1, Math.round(work / WORK_PER_THREAD)))
}
