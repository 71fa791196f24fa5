/**
 * What a thread does to find out whether entries have the same coordinates: tensor/findDuplicates.ts, of which this is a part, in
 * three steps that threads take together. A thread counts and deals the entries of its range; any thread compares those of a part.
 */
import { HASHED_AT_A_TIME, hashCoordinates } from '../../../tensor/coordinateOrder.ts'
import { type DistinctRequest, FAULT, NEXT, NONE } from './messages.ts'

type Step = (request: DistinctRequest, thread: number, threads: number) => void

export const distinctSteps: Readonly<Record<DistinctRequest['ask'], Step>> = {
  countHashes({ indices, count, bits, places }, thread, threads) {
    const sizes = ownPlaces(places, thread, threads)
    for (const hashes of hashed(indices, count, thread, threads)) {
      const { length } = hashes
      for (let i = 0; i < length; i++) sizes[hashes[i] >>> (32 - bits)]++
    }
  },
  dealHashes({ indices, count, bits, places, hashes, numbers }, thread, threads) {
    const next = ownPlaces(places, thread, threads)
    let entry = Math.floor((count * thread) / threads)
    for (const some of hashed(indices, count, thread, threads)) {
      const { length } = some
      for (let i = 0; i < length; i++) {
        const at = next[some[i] >>> (32 - bits)]++
        hashes[at] = some[i]
        numbers[at] = entry++
      }
    }
  },
  compareHashes({ indices, hashes, numbers, ends, state }) {
    const largest = ends.reduce((most, end, part) => Math.max(most, end - (part > 0 ? ends[part - 1] : 0)), 0)
    const slots = new Uint32Array(slotsFor(largest)) // 1 + the place; 0 is an empty slot
    const isSame = (a: number, b: number): boolean => indices.every((column) => column[a] === column[b])
    for (let part = Atomics.add(state, NEXT, 1); part < ends.length; part = Atomics.add(state, NEXT, 1)) {
      if (Atomics.load(state, FAULT) !== NONE) return
      const [start, end] = [part > 0 ? ends[part - 1] : 0, ends[part]]
      const mask = slotsFor(end - start) - 1
      slots.fill(0, 0, mask + 1)
      for (let at = start; at < end; at++) {
        const hash = hashes[at]
        let slot = hash & mask
        for (let found = slots[slot]; found !== 0; found = slots[slot]) {
          if (hashes[found - 1] === hash && isSame(numbers[found - 1], numbers[at])) {
            Atomics.store(state, FAULT, part)
            return
          }
          slot = (slot + 1) & mask
        }
        slots[slot] = at + 1
      }
    }
  },
}

const ownPlaces = (places: Uint32Array, thread: number, threads: number): Uint32Array =>
  places.subarray((places.length / threads) * thread, (places.length / threads) * (thread + 1))

/** The hashes of the entries of a thread's range, some thousands at a time. */
function* hashed(
  indices: readonly Uint32Array[],
  count: number,
  thread: number,
  threads: number,
): Generator<Uint32Array> {
  const hashes = new Uint32Array(HASHED_AT_A_TIME)
  const end = Math.floor((count * (thread + 1)) / threads)
  for (let from = Math.floor((count * thread) / threads); from < end; from += HASHED_AT_A_TIME) {
    const to = Math.min(end, from + HASHED_AT_A_TIME)
    hashCoordinates(indices, from, to, 0, hashes)
    yield hashes.subarray(0, to - from)
  }
}

/** A power of two that leaves a third of the slots empty. */
const slotsFor = (entries: number): number => 2 ** Math.ceil(Math.log2(Math.max(16, entries * 1.5)))
