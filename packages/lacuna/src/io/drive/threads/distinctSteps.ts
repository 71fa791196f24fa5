/**
 * The two steps of a thread that searches for entries with the same coordinates. It hashes a range of the
 * entries; when all are hashed, it collects the hashes of its own buckets from all entries, and compares
 * entries with equal hashes, bucket by bucket. The bucket of an entry is determined by its hash.
 */
import { startTextKernel } from '../../text/index.ts'
import { type DistinctRequest, FAULT, NO_FAULT } from './messages.ts'

/** Entries that are copied to the kernel's memory at a time. */
const CHUNK = 2 ** 12

/** A step of one thread. @param thread its number, from 0 @param threads the number of threads */
type Step = (request: DistinctRequest, thread: number, threads: number) => void

/**
 * The steps by request: `hash` fills `hashes` and `counts`; `compare` sets FAULT in `state` at a duplicate.
 */
export const distinctSteps: Readonly<Record<DistinctRequest['ask'], Step>> = {
  hash({ module, indices, hashes, buckets, counts }, thread, threads) {
    const order = indices.length
    const allBuckets = buckets * threads
    const stride = 4 * CHUNK
    const kernel = startTextKernel(module, stride * (order + 1) + 4 * allBuckets)
    const columns = kernel.freeFrom()
    const out = columns + stride * order
    const counted = out + stride
    const { buffer } = kernel.memory
    const views = indices.map((_, m) => new Uint32Array(buffer, columns + stride * m, CHUNK))
    const hashed = new Uint32Array(buffer, out, CHUNK)
    const end = Math.floor((hashes.length * (thread + 1)) / threads)
    for (let from = Math.floor((hashes.length * thread) / threads); from < end; from += CHUNK) {
      const count = Math.min(CHUNK, end - from)
      for (let m = 0; m < order; m++) views[m].set(indices[m].subarray(from, from + count))
      kernel.hashEntries(columns, stride, order, count, out)
      kernel.countBuckets(out, count, allBuckets, counted)
      hashes.set(hashed.subarray(0, count), from)
    }
    counts.set(new Uint32Array(buffer, counted, allBuckets), allBuckets * thread)
  },

  compare({ module, indices, hashes, buckets, counts: counted, state }, thread, threads) {
    const isSame = (a: number, b: number): boolean => indices.every((column) => column[a] === column[b])
    const [allBuckets, firstBucket] = [buckets * threads, buckets * thread]
    const counts = Uint32Array.from({ length: buckets }, (_, bucket) => {
      let sum = 0
      for (let at = firstBucket + bucket; at < counted.length; at += allBuckets) sum += counted[at]
      return sum
    })
    const total = counts.reduce((sum, count) => sum + count, 0)
    const slots = slotsFor(counts.reduce((most, count) => Math.max(most, count), 0))

    const kernel = startTextKernel(module, 4 * (CHUNK + buckets + 1 + slots) + 8 * (total + 1), isSame)
    const scattered = kernel.freeFrom()
    const table = scattered + 8 * (total + 1)
    const next = table + 4 * slots
    const text = next + 4 * (buckets + 1)
    const nexts = new Uint32Array(kernel.memory.buffer, next, buckets + 1)
    for (let bucket = 1; bucket <= buckets; bucket++) nexts[bucket] = nexts[bucket - 1] + counts[bucket - 1]
    for (const [at, count] of copyChunks(hashes, new Uint32Array(kernel.memory.buffer, text, CHUNK)))
      kernel.scatterToBuckets(text, count, allBuckets, firstBucket, buckets, next, at, scattered)
    // Now the next free position of a bucket is its end.
    for (let bucket = 0; bucket < buckets && Atomics.load(state, FAULT) === NO_FAULT; bucket++)
      if (
        kernel.hasDuplicate(
          scattered,
          nexts[bucket] - counts[bucket],
          nexts[bucket],
          table,
          slotsFor(counts[bucket]) - 1,
        )
      )
        Atomics.store(state, FAULT, thread)
  },
}

/**
 * Copies hashes to `into`, CHUNK at a time; yields, after each copy, the number of the first and their count.
 */
function* copyChunks(hashes: Uint32Array, into: Uint32Array): Generator<[at: number, count: number]> {
  for (let at = 0; at < hashes.length; at += CHUNK) {
    const chunk = hashes.subarray(at, at + CHUNK)
    into.set(chunk)
    yield [at, chunk.length]
  }
}

/** Returns the slots of a hash table: a power of two, at least 16, of which at least a third stays empty. */
const slotsFor = (entries: number): number => 2 ** Math.ceil(Math.log2(Math.max(16, entries * 1.5)))
