/**
 * Entries on their way between processes: each sends every other its own, in rounds that take little memory. They arrive in
 * the order in which they stood: by the process they came from, and there as they were.
 */

import { float32Array, uint32Array } from '../../base/sharedArrays.ts'
import { type Communicator, entriesPerRound } from '../../comm/index.ts'
import type { SparseTensor } from '../sparseTensor.ts'

export interface Dealt {
  indices: Uint32Array[]
  values: Float32Array
  weights?: Float32Array
  /** Of each entry, its number where it came from. */
  numbers: Uint32Array
  /** Where the entries of each process begin. */
  starts: readonly number[]
}

/** `ownerOf` writes to which process each of the entries from … to goes. All processes have weights, or none. */
export async function dealEntries(
  communicator: Communicator,
  { indices, values, weights }: Pick<SparseTensor, 'indices' | 'values' | 'weights'>,
  ownerOf: (from: number, to: number, owners: Uint32Array) => void,
): Promise<Dealt> {
  const { size: processes } = communicator
  const order = indices.length
  const stride = order + (weights ? 3 : 2)
  const longest = Math.max(...(await communicator.allGatherNumbers(values.length)).flat())
  const perRound = entriesPerRound(longest, processes)
  const owners = new Uint32Array(Math.min(perRound, values.length))
  const going = uint32Array(processes)
  for (let from = 0; from < values.length; from += perRound) {
    const count = Math.min(perRound, values.length - from)
    ownerOf(from, from + count, owners)
    for (let e = 0; e < count; e++) going[owners[e]]++
  }
  const coming = uint32Array(processes)
  await communicator.allToAll(going, new Array(processes).fill(1), coming)
  const starts = startsOf(coming)
  const total = starts[processes - 1] + coming[processes - 1]
  const dealt = {
    indices: indices.map(() => uint32Array(total)),
    values: float32Array(total),
    ...(weights && { weights: float32Array(total) }),
    numbers: new Uint32Array(total),
    starts,
  }

  // Bit by bit, whatever they are.
  const bits = [values, ...(weights ? [weights] : [])].map(asWords)
  const dealtBits = [dealt.values, ...(dealt.weights ? [dealt.weights] : [])].map(asWords)
  const cursors = [...starts]
  const outgoing = uint32Array(perRound * stride)
  const incoming = uint32Array(processes * perRound * stride)
  const rounds = Math.ceil(longest / perRound)
  for (let round = 0; round < rounds; round++) {
    const from = Math.min(values.length, round * perRound)
    const count = Math.min(perRound, values.length - from)
    ownerOf(from, from + count, owners)
    const lengths = new Uint32Array(processes)
    for (let e = 0; e < count; e++) lengths[owners[e]] += stride
    const places = startsOf(lengths)
    for (let e = 0; e < count; e++) {
      let at = places[owners[e]]
      for (let mode = 0; mode < order; mode++) outgoing[at++] = indices[mode][from + e]
      for (const words of bits) outgoing[at++] = words[from + e]
      outgoing[at++] = from + e
      places[owners[e]] = at
    }
    const came = await communicator.allToAll(outgoing, [...lengths], incoming)
    let at = 0
    came.forEach((words, source) => {
      for (const end = at + words; at < end; ) {
        const e = cursors[source]++
        for (let mode = 0; mode < order; mode++) dealt.indices[mode][e] = incoming[at++]
        for (const words of dealtBits) words[e] = incoming[at++]
        dealt.numbers[e] = incoming[at++]
      }
    })
  }
  return dealt
}

const asWords = ({ buffer, byteOffset, length }: Float32Array): Uint32Array =>
  new Uint32Array(buffer, byteOffset, length)

function startsOf(lengths: Uint32Array): number[] {
  let start = 0
  return Array.from(lengths, (length) => {
    start += length
    return start - length
  })
}

/** Deals out what the first process has, as evenly as can be; the others have nothing yet, and get no labels. */
export async function dealOut(
  communicator: Communicator,
  whole: SparseTensor | undefined,
): Promise<SparseTensor> {
  const [dims] = await communicator.allGatherNumbers(...(whole?.dims ?? []))
  const [[isWeighted]] = await communicator.allGatherNumbers(whole?.weights ? 1 : 0)
  const none = { indices: dims.map(() => uint32Array(0)), values: float32Array(0) }
  const { indices, values, weights } = whole ?? { ...none, ...(isWeighted && { weights: float32Array(0) }) }
  const dealt = await dealEntries(
    communicator,
    { indices, values, ...(weights && { weights }) },
    (from, to, owners) => {
      for (let e = from; e < to; e++) owners[e - from] = Math.floor((e * communicator.size) / values.length)
    },
  )
  const { numbers, starts, ...entries } = dealt
  return { ...whole, dims, ...entries }
}
