/**
 * The order of entries within their rows: by a hash of their coordinates, so that any run of them is a random
 * sample of the row, and the order of the input does not matter. The kernels sort by it
 * (kernels/solve/setup/sort.ts); this is the same in TypeScript.
 */
import { extend, hashIndex, mix, purpose, stream } from '../../../../base/random.ts'
import { indexIn, type Packing } from './packing.ts'

/** The keys of the hashes of a problem. */
export interface OrderKeys {
  /** The stream of the coordinates' hashes. */
  hash: number
  /** Per mode, a key that permutes the hashes. */
  modes: number[]
  /** A key that permutes the hashes for the choice of the probe. */
  probe: number
}

/** The keys that follow from a seed, for tensors of `order` modes. */
export function orderKeys(seed: number, order: number): OrderKeys {
  const key = stream(seed, purpose.shuffle)
  return {
    hash: key,
    modes: Array.from({ length: order }, (_, mode) => extend(key, mode)),
    probe: stream(seed, purpose.probe),
  }
}

/**
 * The position of an entry in the order of a mode (or of the probe), from 0 to 2³² − 1, from the hash of its
 * coordinates: a pseudorandom permutation of the hashes.
 * @param modeKey the key of the mode, or of the probe
 */
export const positionOf = (hash: number, modeKey: number): number => mix(hash ^ modeKey)

/** A segment whose records are to be sorted. */
export interface OrderedSegment {
  packing: Packing
  /** Words of a record. */
  words: number
  mode: number
  row: number
  /** Number of segments of the row. */
  segments: number
}

/**
 * Returns the records (n × words) of a segment in the order in which kernels/solve/setup/sort.ts sorts them;
 * `records` stays as it is. The segments of a row
 * divide the positions evenly: of a position times their number, the high word is the segment and the low
 * word the position within it.
 */
export function sortRecords(
  records: Uint32Array,
  { packing: { fields }, words, mode, row, segments }: OrderedSegment,
  keys: OrderKeys,
): Uint32Array {
  const count = records.length / words
  const positions = Uint32Array.from({ length: count }, (_, e) => {
    let hash = keys.hash
    for (let i = 0; i <= fields.length; i++)
      hash = hashIndex(hash, i === mode ? row : indexIn(records, e * words, fields[i < mode ? i : i - 1]))
    return Math.imul(positionOf(mix(hash), keys.modes[mode]), segments)
  })
  /** Compares records by position, then word by word. */
  const compare = (a: number, b: number): number => {
    let difference = positions[a] - positions[b]
    for (let word = 0; word < words && difference === 0; word++)
      difference = records[a * words + word] - records[b * words + word]
    return difference
  }
  const numbers = Uint32Array.from({ length: count }, (_, e) => e).sort(compare)
  const sorted = new Uint32Array(records.length)
  numbers.forEach((e, at) => {
    sorted.set(records.subarray(e * words, (e + 1) * words), at * words)
  })
  return sorted
}
