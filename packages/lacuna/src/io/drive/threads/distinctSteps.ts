/**
 * What a thread does to find out whether entries have the same coordinates. It hashes the entries of its
 * range; when all are hashed, it looks through the hashes of all for those of its share, and compares these,
 * part by part.
 */
import { startTextKernel } from '../../text/index.ts'
import { type DistinctRequest, FAULT, NONE } from './messages.ts'

/** Entries that are copied to the kernel at a time. */
const AT_A_TIME = 2 ** 12

type Step = (request: DistinctRequest, thread: number, threads: number) => void

export const distinctSteps: Readonly<Record<DistinctRequest['ask'], Step>> = {
  hash({ module, indices, hashes, parts, counts }, thread, threads) {
    const order = indices.length
    const all = parts * threads
    const stride = 4 * AT_A_TIME
    const kernel = startTextKernel(module, stride * (order + 1) + 4 * all)
    const columns = kernel.freeFrom()
    const out = columns + stride * order
    const counted = out + stride
    const { buffer } = kernel.memory
    const views = indices.map((_, m) => new Uint32Array(buffer, columns + stride * m, AT_A_TIME))
    const hashed = new Uint32Array(buffer, out, AT_A_TIME)
    const end = Math.floor((hashes.length * (thread + 1)) / threads)
    for (let from = Math.floor((hashes.length * thread) / threads); from < end; from += AT_A_TIME) {
      const count = Math.min(AT_A_TIME, end - from)
      for (let m = 0; m < order; m++) views[m].set(indices[m].subarray(from, from + count))
      kernel.hashEntries(columns, stride, order, count, out)
      kernel.countBuckets(out, count, all, counted)
      hashes.set(hashed.subarray(0, count), from)
    }
    counts.set(new Uint32Array(buffer, counted, all), all * thread)
  },

  compare({ module, indices, hashes, parts, counts: counted, state }, thread, threads) {
    const isSame = (a: number, b: number): boolean => indices.every((column) => column[a] === column[b])
    const [all, first] = [parts * threads, parts * thread]
    const counts = Uint32Array.from({ length: parts }, (_, part) => {
      let sum = 0
      for (let at = first + part; at < counted.length; at += all) sum += counted[at]
      return sum
    })
    const total = counts.reduce((sum, count) => sum + count, 0)
    const slots = slotsFor(counts.reduce((most, count) => Math.max(most, count), 0))

    const kernel = startTextKernel(module, 4 * (AT_A_TIME + parts + 1 + slots) + 8 * (total + 1), isSame)
    const dealt = kernel.freeFrom()
    const table = dealt + 8 * (total + 1)
    const next = table + 4 * slots
    const text = next + 4 * (parts + 1)
    const nexts = new Uint32Array(kernel.memory.buffer, next, parts + 1)
    for (let part = 1; part <= parts; part++) nexts[part] = nexts[part - 1] + counts[part - 1]
    for (const [at, count] of blocks(hashes, new Uint32Array(kernel.memory.buffer, text, AT_A_TIME)))
      kernel.scatterToBuckets(text, count, all, first, parts, next, at, dealt)
    // Now the next place of a part is where it ends.
    for (let part = 0; part < parts && Atomics.load(state, FAULT) === NONE; part++)
      if (
        kernel.hasDuplicate(dealt, nexts[part] - counts[part], nexts[part], table, slotsFor(counts[part]) - 1)
      )
        Atomics.store(state, FAULT, thread)
  },
}

/** Copies the hashes to a place of the kernel, some thousands at a time: from which one on, and how many. */
function* blocks(hashes: Uint32Array, into: Uint32Array): Generator<[at: number, count: number]> {
  for (let at = 0; at < hashes.length; at += AT_A_TIME) {
    const some = hashes.subarray(at, at + AT_A_TIME)
    into.set(some)
    yield [at, some.length]
  }
}

/** A power of two that leaves a third of the slots empty. */
const slotsFor = (entries: number): number => 2 ** Math.ceil(Math.log2(Math.max(16, entries * 1.5)))
