/**
 * A random order of a tensor's entries that depends on their coordinates, and not on the order of the input:
 * after shuffling the lines of a file the same entries are held out. Entries are ordered by the hash of their
 * coordinates; ties by the coordinates, and duplicates by value.
 */
import { hashIndex, mix } from '../../base/random.ts'
import type { SparseTensor } from '../sparseTensor.ts'

/** Number of entries that are hashed at a time, mode by mode, so that the hashes stay in the cache. */
export const HASHED_AT_A_TIME = 4096

/**
 * Hashes the coordinates of the entries `from` to `to` - 1, at most HASHED_AT_A_TIME of them.
 * @param key the key of the hash function
 * @param hashes receives the hashes at its beginning
 */
export function hashCoordinates(
  indices: readonly Uint32Array[],
  from: number,
  to: number,
  key: number,
  hashes: Uint32Array,
): void {
  const count = to - from
  hashes.fill(key, 0, count)
  for (const column of indices)
    for (let e = 0; e < count; e++) hashes[e] = hashIndex(hashes[e], column[from + e])
  for (let e = 0; e < count; e++) hashes[e] = mix(hashes[e])
}

/** A random order of the entries of a tensor, by their numbers. */
export interface CoordinateOrder {
  /** Returns the 32-bit hash by which an entry is ordered. */
  hash(entry: number): number
  /** Whether an entry comes before another. */
  isBefore(a: number, b: number): boolean
  /**
   * Returns the entry at a position of the order, from 0.
   * @param isPicked restricts the order to some entries
   */
  at(position: number, isPicked?: (entry: number) => boolean): number
}

/**
 * Returns the random order of a tensor's entries that the hashes of their coordinates give.
 * @param key the key of the hash function
 */
export function coordinateOrder({ indices, values }: SparseTensor, key: number): CoordinateOrder {
  function hashOf(entry: number): number {
    let hash = key
    for (let i = 0; i < indices.length; i++) hash = hashIndex(hash, indices[i][entry])
    return mix(hash)
  }
  const compare = (a: number, b: number): number => {
    let difference = hashOf(a) - hashOf(b)
    for (let i = 0; i < indices.length && difference === 0; i++) difference = indices[i][a] - indices[i][b]
    return difference || values[a] - values[b]
  }
  return {
    hash: hashOf,
    isBefore: (a, b) => compare(a, b) < 0,
    at(position, isPicked = () => true) {
      // Entries are counted by the upper 16 bits of their hashes; only those of the decisive bucket are
      // sorted.
      const counts = new Uint32Array(2 ** 16)
      for (let e = 0; e < values.length; e++) if (isPicked(e)) counts[hashOf(e) >>> 16]++
      let before = 0
      let bucket = 0
      while (before + counts[bucket] <= position) before += counts[bucket++]
      const near: number[] = []
      for (let e = 0; e < values.length; e++) if (isPicked(e) && hashOf(e) >>> 16 === bucket) near.push(e)
      return near.sort(compare)[position - before]
    },
  }
}
