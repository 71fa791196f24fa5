/** The engine that runs use unless another is given, and how several models share its threads. */
import { cpuEngine, hardwareThreads } from './cpu/index.ts'
import type { Engine } from './engine.ts'

/**
 * The work of a model, entries × R², from which on models are fitted one after another on all threads. Below
 * it, threads of one model would wait for each other longer than they work.
 */
const MOST_WORK = 2e9
/** The most entries of models that are fitted side by side: each has its own copy of the entries. */
const MOST_ENTRIES = 3e6

/**
 * Opens the default engine, the CPU's threads; the caller closes it.
 * @param threads worker threads; all cores by default
 */
export const defaultEngine = (threads?: number): Engine => cpuEngine({ threads })

/**
 * Divides threads among models that can be fitted independently.
 * @param size entries and rank R of one model, and how many models there are
 * @param threads threads for all of them together; all cores by default
 * @returns how many models run side by side, and the threads of each
 */
export function divideThreads(
  { entries, rank, models }: { entries: number; rank: number; models: number },
  threads = hardwareThreads(),
): { sideBySide: number; threadsEach: number } {
  const isSmall = entries * rank ** 2 < MOST_WORK && entries <= MOST_ENTRIES
  const sideBySide = isSmall ? Math.min(threads, models) : 1
  return { sideBySide, threadsEach: Math.max(1, Math.floor(threads / sideBySide)) }
}
