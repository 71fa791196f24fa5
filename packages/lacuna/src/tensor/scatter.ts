/**
 * Distribution of entries over the processes of a communicator. Entries travel in rounds that take little
 * memory and keep their order: by the rank of the sender, and there as they were.
 */

import { below } from '../base/random.ts'
import { float32Array, uint32Array } from '../base/sharedArrays.ts'
import { type Communicator, entriesPerRound } from '../comm/index.ts'
import { checkDeferred } from './duplicates/deferredCheck.ts'
import { HASHED_AT_A_TIME, hashCoordinates } from './order/coordinateOrder.ts'
import type { SparseTensor } from './sparseTensor.ts'

/** Writes the ranks that the entries `from` to `to` - 1 are sent to; owners[0] is that of entry `from`. */
export type FindOwners = (from: number, to: number, owners: Uint32Array) => void

/** Entries that a process has received, ordered by the rank of their sender. */
export interface ScatteredEntries {
  indices: Uint32Array[]
  values: Float32Array
  weights?: Float32Array
  /** The number of each entry in the process that sent it. */
  numbers: Uint32Array
  /** The first entry of each sender, by rank. */
  starts: readonly number[]
}

/**
 * Sends each entry to the process that owns it.
 * @param findOwners decides which process that is
 * @returns the entries that this process owns; either all processes have weights, or none
 */
export async function scatterEntries(
  communicator: Communicator,
  { indices, values, weights }: Pick<SparseTensor, 'indices' | 'values' | 'weights'>,
  findOwners: FindOwners,
): Promise<ScatteredEntries> {
  const { size } = communicator
  const order = indices.length
  const stride = order + (weights ? 3 : 2)
  const longest = Math.max(...(await communicator.allGatherNumbers(values.length)).flat())
  const perRound = entriesPerRound(longest, size)
  const owners = new Uint32Array(Math.min(perRound, values.length))
  const sentCounts = uint32Array(size)
  for (let from = 0; from < values.length; from += perRound) {
    const count = Math.min(perRound, values.length - from)
    findOwners(from, from + count, owners)
    for (let e = 0; e < count; e++) sentCounts[owners[e]]++
  }
  const receivedCounts = uint32Array(size)
  await communicator.allToAll(sentCounts, new Array(size).fill(1), receivedCounts)
  const starts = offsetsOf(receivedCounts)
  const total = starts[size - 1] + receivedCounts[size - 1]
  const received = {
    indices: indices.map(() => uint32Array(total)),
    values: float32Array(total),
    ...(weights && { weights: float32Array(total) }),
    numbers: new Uint32Array(total),
    starts,
  }

  // Values travel as words, so that every bit arrives.
  const sentWords = [values, ...(weights ? [weights] : [])].map(asWords)
  const receivedWords = [received.values, ...(received.weights ? [received.weights] : [])].map(asWords)
  const cursors = [...starts]
  const outgoing = uint32Array(perRound * stride)
  const incoming = uint32Array(size * perRound * stride)
  const rounds = Math.ceil(longest / perRound)
  for (let round = 0; round < rounds; round++) {
    const from = Math.min(values.length, round * perRound)
    const count = Math.min(perRound, values.length - from)
    findOwners(from, from + count, owners)
    const lengths = new Uint32Array(size)
    for (let e = 0; e < count; e++) lengths[owners[e]] += stride
    const offsets = offsetsOf(lengths)
    for (let e = 0; e < count; e++) {
      let at = offsets[owners[e]]
      for (let mode = 0; mode < order; mode++) outgoing[at++] = indices[mode][from + e]
      for (const words of sentWords) outgoing[at++] = words[from + e]
      outgoing[at++] = from + e
      offsets[owners[e]] = at
    }
    const receivedLengths = await communicator.allToAll(outgoing, [...lengths], incoming)
    let at = 0
    receivedLengths.forEach((length, sender) => {
      for (const end = at + length; at < end; ) {
        const e = cursors[sender]++
        for (let mode = 0; mode < order; mode++) received.indices[mode][e] = incoming[at++]
        for (const words of receivedWords) words[e] = incoming[at++]
        received.numbers[e] = incoming[at++]
      }
    })
  }
  return received
}

/** Returns a view of the numbers as 32-bit words. */
const asWords = ({ buffer, byteOffset, length }: Float32Array): Uint32Array =>
  new Uint32Array(buffer, byteOffset, length)

/** Returns where each block begins if blocks of these lengths lie one after another. */
function offsetsOf(lengths: Uint32Array): number[] {
  let offset = 0
  return Array.from(lengths, (length) => {
    offset += length
    return offset - length
  })
}

/**
 * Scatters the tensor of the root evenly, in the order of its entries.
 * @param whole the tensor, on the root only
 * @returns the shard of this process; labels and names stay on the root. With one process, the tensor itself
 */
export async function scatterTensor(
  communicator: Communicator,
  whole: SparseTensor | undefined,
): Promise<SparseTensor> {
  const { size } = communicator
  if (size === 1 && whole) return whole
  // A shard cannot be checked for duplicates by itself.
  const checked = await communicator.failTogether(() => whole && checkDeferred(whole), 'unnamed')
  const [dims] = await communicator.allGatherNumbers(...(checked?.dims ?? []))
  const [[isWeighted]] = await communicator.allGatherNumbers(checked?.weights ? 1 : 0)
  const none = { indices: dims.map(() => uint32Array(0)), values: float32Array(0) }
  const { indices, values, weights } = checked ?? { ...none, ...(isWeighted && { weights: float32Array(0) }) }
  const { numbers, starts, ...entries } = await scatterEntries(
    communicator,
    { indices, values, weights },
    (from, to, owners) => {
      for (let e = from; e < to; e++) owners[e - from] = Math.floor((e * size) / values.length)
    },
  )
  return { ...checked, dims, ...entries }
}

/**
 * The key of the hash that names the owner of a cell. It differs from the key of findDuplicates: with an
 * equal key, the hashes that a process searches would all have the same upper bits.
 */
const OWNER_KEY = 1

/** Sends each entry to the process that the hash of its coordinates names, so that equal coordinates meet. */
export async function scatterByHash(
  communicator: Communicator,
  shard: Pick<SparseTensor, 'indices' | 'values' | 'weights'>,
): Promise<ScatteredEntries> {
  return scatterEntries(communicator, shard, hashOwners(shard.indices, communicator.size))
}

/**
 * Returns the function that finds the owner of each entry by the hash of its coordinates, alike in all
 * processes.
 * @param indices index columns; read when the function is called
 */
export function hashOwners(indices: readonly Uint32Array[], processes: number): FindOwners {
  const hashes = new Uint32Array(HASHED_AT_A_TIME)
  return (from, to, owners) => {
    for (let start = from; start < to; start += HASHED_AT_A_TIME) {
      const end = Math.min(to, start + HASHED_AT_A_TIME)
      hashCoordinates(indices, start, end, OWNER_KEY, hashes)
      for (let e = start; e < end; e++) owners[e - from] = below(hashes[e - start], processes)
    }
  }
}

/** Returns the rank of the process that sent an entry, and the entry's number there. */
export const originOf = (
  entry: number,
  { starts, numbers }: ScatteredEntries,
): [rank: number, number: number] => [starts.findLastIndex((start) => start <= entry), numbers[entry]]

/** Returns the number of entries of all processes. */
export async function countEntries(
  communicator: Communicator,
  { values }: Pick<SparseTensor, 'values'>,
): Promise<number> {
  return (await communicator.sumNumbers(values.length))[0]
}
