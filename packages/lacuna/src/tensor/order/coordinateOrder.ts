/**
 * A random order of a tensor's entries that depends on their coordinates, and not on the order in which they come: whoever
 * shuffles the lines of a file gets the same entries held out. Entries whose hashes are equal go by their coordinates;
 * of the same coordinates given twice, by value.
 */
import { hashIndex, mix } from '../../base/random.ts'
import type { SparseTensor } from '../sparseTensor.ts'

/** Entries that are hashed at a time, mode by mode, so that the hashes stay in the cache. */
export const HASHED_AT_A_TIME = 4096

/** Hashes the coordinates of the entries from … to, at most HASHED_AT_A_TIME, into the beginning of `hashes`. */
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

export interface CoordinateOrder {
  /** By which entries are ordered: 32 random bits. */
  hash(entry: number): number
  /** Whether an entry comes before another. */
  isBefore(a: number, b: number): boolean
  /** The entry at a place in the order of those that are picked, counting from 0. */
  at(place: number, isPicked?: (entry: number) => boolean): number
}

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
    at(place, isPicked = () => true) {
      // By the leading half of their hashes all are counted, and only those of the half in question sorted.
      const counts = new Uint32Array(2 ** 16)
      for (let e = 0; e < values.length; e++) if (isPicked(e)) counts[hashOf(e) >>> 16]++
      let before = 0
      let half = 0
      while (before + counts[half] <= place) before += counts[half++]
      const near: number[] = []
      for (let e = 0; e < values.length; e++) if (isPicked(e) && hashOf(e) >>> 16 === half) near.push(e)
      return near.sort(compare)[place - before]
    },
  }
}
