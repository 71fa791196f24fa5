/**
 * Finds entries with equal coordinates by a partitioned hash join. One hash table over all entries would miss
 * the cache at every step: 10 million entries need tens of megabytes. The entries are therefore first
 * partitioned, in order, into buckets by the upper bits of their hashes; equal entries are in the same
 * bucket, and the table of a bucket fits in the cache. Buckets hold hashes beside the entries' numbers, so
 * that coordinates are compared only where hashes are equal.
 *
 * Takes 8 bytes an entry while it runs, and a table for the largest bucket: half a megabyte, up to 12 bytes
 * an entry if all entries are equal. If there are duplicates, the result takes 4 bytes an entry.
 */
import { HASHED_AT_A_TIME, hashCoordinates } from '../order/coordinateOrder.ts'

/** The approximate number of entries of a bucket: their hashes, numbers and table take half a megabyte. */
const BUCKET = 2 ** 15
/** The most bits that select a bucket: writing to more buckets at a time would miss the cache. */
const MAX_BUCKET_BITS = 12

/**
 * Returns for each entry 0 if it is the first one with its coordinates, else 1 + the number of the first one;
 * undefined if all coordinates differ.
 * @param indices index columns
 * @param count the number of entries
 */
export function findDuplicates(indices: readonly Uint32Array[], count: number): Uint32Array | undefined {
  const bits = Math.min(MAX_BUCKET_BITS, Math.max(0, Math.ceil(Math.log2(count / BUCKET))))
  const { hashes, entries, ends } = partition(indices, count, bits)
  const starts = [0, ...ends]
  const largest = ends.reduce((most, end, bucket) => Math.max(most, end - starts[bucket]), 0)
  const slots = new Uint32Array(slotsFor(largest)) // 1 + the position in the bucket; 0 is an empty slot
  let firstOf: Uint32Array | undefined

  function equal(a: number, b: number): boolean {
    for (const column of indices) if (column[a] !== column[b]) return false
    return true
  }

  ends.forEach((end, bucket) => {
    const start = starts[bucket]
    const mask = slotsFor(end - start) - 1
    slots.fill(0, 0, mask + 1)
    for (let at = start; at < end; at++) {
      const hash = hashes[at]
      let slot = (hash & mask) >>> 0
      for (let found = slots[slot]; found !== 0; found = slots[slot]) {
        const first = start + found - 1
        if (hashes[first] === hash && equal(entries[first], entries[at])) {
          firstOf ??= new Uint32Array(count)
          firstOf[entries[at]] = entries[first] + 1
          break
        }
        slot = ((slot + 1) & mask) >>> 0
      }
      if (slots[slot] === 0) slots[slot] = at - start + 1
    }
  })
  return firstOf
}

/** Returns the number of slots of a hash table: a power of two of which at least a third stays empty. */
function slotsFor(entries: number): number {
  return 2 ** Math.min(32, Math.ceil(Math.log2(Math.max(16, entries * 1.5))))
}

/** The hashes and numbers of all entries, ordered by bucket. */
interface Partition {
  hashes: Uint32Array
  /** The entries' numbers, ascending within each bucket. */
  entries: Uint32Array
  /** The end of each bucket. */
  ends: Float64Array
}

/** Sorts the entries stably into 2^bits buckets by the upper bits of their hashes. */
function partition(indices: readonly Uint32Array[], count: number, bits: number): Partition {
  const hashed = new Uint32Array(Math.min(HASHED_AT_A_TIME, count))
  const shift = 16 - bits // after a shift by 16, because a shift by 32 would be none
  const sizes = new Float64Array(2 ** bits)
  for (let start = 0; bits > 0 && start < count; start += HASHED_AT_A_TIME) {
    const length = Math.min(HASHED_AT_A_TIME, count - start)
    hashCoordinates(indices, start, start + length, 0, hashed)
    for (let i = 0; i < length; i++) sizes[(hashed[i] >>> 16) >>> shift]++
  }
  // The position of the next entry of each bucket; after the loop, where the bucket ends.
  const ends = new Float64Array(2 ** bits)
  for (let bucket = 1; bucket < ends.length; bucket++) ends[bucket] = ends[bucket - 1] + sizes[bucket - 1]
  const hashes = new Uint32Array(count)
  const entries = new Uint32Array(count)
  for (let start = 0; start < count; start += HASHED_AT_A_TIME) {
    const length = Math.min(HASHED_AT_A_TIME, count - start)
    hashCoordinates(indices, start, start + length, 0, hashed)
    for (let i = 0; i < length; i++) {
      const hash = hashed[i]
      const at = ends[(hash >>> 16) >>> shift]++
      hashes[at] = hash
      entries[at] = start + i
    }
  }
  return { hashes, entries, ends }
}
