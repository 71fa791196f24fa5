/** Whether entries have the same coordinates, found out by threads together. */
import { uint32Array } from '../../../tensor/arrays.ts'
import { type DistinctRequest, FAULT, NEXT, NONE } from './messages.ts'
import type { ReadingPool } from './pool.ts'

/** About how many entries a part has: their hashes, numbers and table take half a megabyte. */
const PART = 2 ** 15
/** More parts than this would be written to in too many places at a time. */
const MAX_PART_BITS = 12
/** More entries than this are left to who counts beyond 32 bits. */
const MOST = 2 ** 31

/** Whether all of the first `count` coordinates are different; not known of too many. */
export async function areDistinct(
  pool: ReadingPool,
  indices: readonly Uint32Array[],
  count: number,
): Promise<boolean | undefined> {
  if (count > MOST) return undefined
  const bits = Math.min(MAX_PART_BITS, Math.max(1, Math.ceil(Math.log2(count / PART))))
  const parts = 2 ** bits
  const state = new Int32Array(new SharedArrayBuffer(8))
  const request: Omit<DistinctRequest, 'ask'> = {
    ...{ indices, count, bits, state },
    places: uint32Array(pool.threads * parts),
    hashes: uint32Array(count),
    numbers: uint32Array(count),
    ends: uint32Array(parts),
  }
  await pool.ask({ ask: 'countHashes', ...request })
  // Part by part, and within a part thread by thread, so that entries stay in their order.
  const { places, ends } = request
  let place = 0
  for (let part = 0; part < parts; part++) {
    for (let at = part; at < places.length; at += parts) {
      const size = places[at]
      places[at] = place
      place += size
    }
    ends[part] = place
  }
  await pool.ask({ ask: 'dealHashes', ...request })
  Atomics.store(state, NEXT, 0)
  Atomics.store(state, FAULT, NONE)
  await pool.ask({ ask: 'compareHashes', ...request })
  return Atomics.load(state, FAULT) === NONE
}
