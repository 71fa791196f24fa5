/** The engine that runs use unless another is given, and how several models share its threads. */
import { cpuEngine, hardwareThreads } from './cpu/index.ts'
import type { Engine } from './engine.ts'

/**
 * Below this work (entries × R²) models are fitted side by side with few threads each: waiting would cost
 * more than it gains.
 */
const MOST_WORK = 2e9
/** Above this many entries models are fitted one after another: each has its own copy of the entries. */
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
