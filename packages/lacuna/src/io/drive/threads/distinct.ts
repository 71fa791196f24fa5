/**
 * Whether entries have the same coordinates, found out by threads together. Takes 12 bytes an entry while it
 * runs.
 */
import { uint32Array } from '../../../base/sharedArrays.ts'
import { compileTextKernel } from '../../text/index.ts'
import { FAULT, NONE } from './messages.ts'
import { type ReadingPool, startReading } from './pool.ts'

/** About how many entries a part has: their hashes, numbers and table take half a megabyte. */
const PART = 2 ** 15
/** Fewer entries are compared sooner by one thread. */
const FEW = 2 ** 16
/** What a thread's memory holds, of numbers and hashes, where entries are spread evenly. */
const MOST_OF_A_THREAD = 2 ** 28

/** For fewer entries, no threads are started. */
const WORTH_STARTING = 2 ** 20

/** The same by threads that are started for it; not known where they cannot be had. */
export async function areDistinctBy(
  threads: number,
  indices: readonly Uint32Array[],
): Promise<boolean | undefined> {
  if (threads === 1 || indices[0].length < WORTH_STARTING) return undefined
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

/** Whether all coordinates are different; not known of too few or too many. */
export async function areDistinct(
  pool: ReadingPool,
  indices: readonly Uint32Array[],
  few: number = FEW,
): Promise<boolean | undefined> {
  const count = indices[0].length
  if (count < few || count > MOST_OF_A_THREAD * pool.threads) return undefined
  const state = new Int32Array(new SharedArrayBuffer(8))
  Atomics.store(state, FAULT, NONE)
  const parts = Math.ceil(count / PART / pool.threads)
  const request = {
    ...{ indices, state, parts, module: await compileTextKernel(), hashes: uint32Array(count) },
    counts: uint32Array(parts * pool.threads ** 2),
  }
  await pool.ask({ ask: 'hash', ...request })
  await pool.ask({ ask: 'compare', ...request })
  return Atomics.load(state, FAULT) === NONE
}
