/**
 * The order of entries within their rows: by a hash of their coordinates, so that any run of them is a random sample of
 * the row, and so that it is the same whatever the order of the input. The kernels sort by it (kernels/solve/setup/order.ts); here is
 * the same in TypeScript, where entries are counted and placed.
 */
import { extend, hashIndex, mix, purpose, stream } from '../../../../base/random.ts'
import { indexIn, type Packing } from './packing.ts'

export interface OrderKeys {
  /** The stream of the coordinates' hashes. */
  hash: number
  /** Per mode, what makes another order of the same hashes. */
  modes: number[]
  /** What makes another order of them for the choice of the probe. */
  probe: number
}

export function orderKeys(seed: number, order: number): OrderKeys {
  const key = stream(seed, purpose.shuffle)
  return {
    hash: key,
    modes: Array.from({ length: order }, (_, mode) => extend(key, mode)),
    probe: stream(seed, purpose.probe),
  }
}

/** An entry's place among all, as a share of 2³², from its hash: the order within rows goes by it. */
export const positionOf = (hash: number, modeKey: number): number => mix(hash ^ modeKey)

/** A segment of a row. */
export interface OrderedSegment {
  packing: Packing
  /** Of a record. */
  words: number
  mode: number
  row: number
  /** Of the row. */
  segments: number
}

/**
 * The records (n × words) of a segment in their order: what kernels/solve/setup/order.ts does. A row's segments divide the places evenly
 * among them: a place times their number has the segment in its high word and the place within it in its low one.
 */
export function sortRecords(
  records: Uint32Array,
  { packing: { fields }, words, mode, row, segments }: OrderedSegment,
  keys: OrderKeys,
): Uint32Array {
  const count = records.length / words
  const places = Uint32Array.from({ length: count }, (_, e) => {
    let hash = keys.hash
    for (let i = 0; i <= fields.length; i++)
      hash = hashIndex(hash, i === mode ? row : indexIn(records, e * words, fields[i < mode ? i : i - 1]))
    return Math.imul(positionOf(mix(hash), keys.modes[mode]), segments)
  })
  const compare = (a: number, b: number): number => {
    let difference = places[a] - places[b]
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
