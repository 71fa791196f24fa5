/**
 * Finds out by threads whether all entries have different coordinates. Takes 12 bytes of memory per entry
 * while it runs.
 */
import { uint32Array } from '../../../base/sharedArrays.ts'
import { compileTextKernel } from '../../text/index.ts'
import { FAULT, NO_FAULT } from './messages.ts'
import { type ReadingPool, startReading } from './pool.ts'

/**
 * The average number of entries of a bucket, the unit that is compared at a time: their hashes, numbers and
 * hash table take half a megabyte.
 */
const ENTRIES_PER_BUCKET = 2 ** 15
/** Fewer entries are not examined by `areDistinct`: one thread is faster. */
const MIN_ENTRIES = 2 ** 16
/** The most entries per thread whose numbers and hashes fit in the thread's wasm memory. */
const MAX_ENTRIES_PER_THREAD = 2 ** 28

/** Fewest entries for which `areDistinctBy` starts threads. */
const MIN_ENTRIES_TO_START = 2 ** 20

/**
 * Returns whether all coordinates are different, found by threads that are started and ended for it;
 * undefined, for not examined, with one thread, with fewer than 2^20 entries, or if the threads fail. Never
 * throws.
 * @param indices one column per mode, in shared memory
 */
export async function areDistinctBy(
  threads: number,
  indices: readonly Uint32Array[],
): Promise<boolean | undefined> {
  if (threads === 1 || indices[0].length < MIN_ENTRIES_TO_START) return undefined
  let pool: ReadingPool | undefined
  try {
    pool = startReading(threads)
    return await areDistinct(pool, indices)
  } catch {
    return undefined
  } finally {
    await pool?.close()
  }
}

/**
 * Returns whether all coordinates are different, found by the threads of a pool; undefined, for not examined,
 * if there are too few entries to be worth it or too many for the threads' memory.
 * @param indices one column per mode, in shared memory @param minEntries fewer entries are not examined
 */
export async function areDistinct(
  pool: ReadingPool,
  indices: readonly Uint32Array[],
  minEntries: number = MIN_ENTRIES,
): Promise<boolean | undefined> {
  const count = indices[0].length
  if (count < minEntries || count > MAX_ENTRIES_PER_THREAD * pool.threads) return undefined
  const state = new Int32Array(new SharedArrayBuffer(8))
  Atomics.store(state, FAULT, NO_FAULT)
  const buckets = Math.ceil(count / ENTRIES_PER_BUCKET / pool.threads)
  const request = {
    ...{ indices, state, buckets, module: await compileTextKernel(), hashes: uint32Array(count) },
    counts: uint32Array(buckets * pool.threads ** 2),
  }
  await pool.ask({ ask: 'hash', ...request })
  await pool.ask({ ask: 'compare', ...request })
  return Atomics.load(state, FAULT) === NO_FAULT
}
