/**
 * Packs entries for the processes that own them. Each process has read some of the entries; the segment of an
 * entry in a view determines the partition, and so the process, that owns its record. An entry is sent once
 * to every process that owns a record of it in any view.
 */

import { below } from '../../../../base/random.ts'
import { LOADED_AT_A_TIME } from '../../../../kernels/solve/layout.ts'
import type { IncomingEntries, OutgoingEntries, PlaceInput, ViewSource } from '../../threads/messages.ts'
import type { ThreadProblem } from '../../threads/threadProblem.ts'
import { anyWeighted, Block, NO_LIMIT } from '../blocks.ts'
import { positionOf } from './order.ts'
import { sharedCounters } from './placeEntries.ts'

/** Words of an entry in a message: its indices, its value, and its weight if it has one. */
export const entryWords = ({ tensor, meanWeight }: ViewSource): number =>
  tensor.dims.length + (meanWeight === undefined ? 1 : 2)

/**
 * Counts the words of a thread's range of the entries by the process that they go to, in `offsets`; or, given
 * `outgoing`, writes them at these offsets, which advance.
 */
export function packEntries(
  { parts, thread, threads }: ThreadProblem,
  { views, keys, borders }: PlaceInput,
  { group, from, to, offsets, outgoing }: OutgoingEntries,
): void {
  const [{ kernel, memory, layout }] = parts
  const { tensor } = views[group[0]]
  const order = tensor.dims.length
  const processes = offsets.length / threads
  const partsEach = parts.length
  const nextWords = offsets.subarray(thread * processes, (thread + 1) * processes)
  const block = new Block(memory.buffer, layout.scratch[thread], order, anyWeighted(views))
  const hashes = new Uint32Array(memory.buffer, block.hashes, LOADED_AT_A_TIME)
  const { values, weights } = tensor
  const bits = [values, ...(weights ? [weights] : [])].map(
    ({ buffer, byteOffset, length }) => new Uint32Array(buffer, byteOffset, length),
  )
  const words = entryWords(views[group[0]])
  const wanted = group.map((number) => ({
    rows: tensor.indices[views[number].mode],
    first: new Uint32Array(
      memory.buffer,
      layout.views[number].firstSegments,
      tensor.dims[views[number].mode] + 1,
    ),
    modeKey: keys.modes[views[number].mode],
    limit: views[number].below ?? NO_LIMIT,
    starts: Array.from({ length: processes }, (_, process) => borders[number][process * partsEach]),
  }))
  const destinations: number[] = [] // the processes to which an entry goes
  const begin = from + Math.floor(((to - from) * thread) / threads)
  const end = from + Math.floor(((to - from) * (thread + 1)) / threads)
  for (let at = begin; at < end; at += LOADED_AT_A_TIME) {
    const stop = Math.min(end, at + LOADED_AT_A_TIME)
    block.fill(tensor, at, stop)
    kernel.hashBlock(block.columns, order, stop - at, keys.hash, block.hashes)
    for (let e = at; e < stop; e++) {
      const hash = hashes[e - at]
      destinations.length = 0
      for (const { rows, first, modeKey, limit, starts } of wanted) {
        if (limit !== NO_LIMIT && positionOf(hash, keys.probe) >= limit) continue
        const row = rows[e]
        const segments = first[row + 1] - first[row]
        const segment = first[row] + (segments === 1 ? 0 : below(positionOf(hash, modeKey), segments))
        const process = lastAtMost(starts, segment)
        if (!destinations.includes(process)) destinations.push(process)
      }
      for (const process of destinations) {
        if (outgoing) {
          let word = nextWords[process]
          for (const column of tensor.indices) outgoing[word++] = column[e]
          for (const column of bits) outgoing[word++] = column[e]
        }
        nextWords[process] += words
      }
    }
  }
}

/** The index of the last of some ascending numbers that is at most `limit`; 0 if none is. */
function lastAtMost(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (ascending[middle] <= limit) low = middle
    else high = middle - 1
  }
  return low
}

/** Writes the records of a thread's range of the entries that have arrived to their segments. */
export function placeIncoming(
  { parts, firstPart, thread, threads }: ThreadProblem,
  { views, keys, borders, valueScale }: PlaceInput,
  { group, words, entries }: IncomingEntries,
): void {
  const order = views[group[0]].tensor.dims.length
  const stride = entryWords(views[group[0]])
  const begin = Math.floor((entries * thread) / threads)
  const end = Math.floor((entries * (thread + 1)) / threads)
  parts.forEach(({ kernel, memory, layout }, k) => {
    const block = new Block(memory.buffer, layout.scratch[thread], order, anyWeighted(views))
    for (let at = begin; at < end; at += LOADED_AT_A_TIME) {
      const count = Math.min(end - at, LOADED_AT_A_TIME)
      block.fillFromRecords(words.subarray(at * stride, (at + count) * stride), count, stride)
      kernel.hashBlock(block.columns, order, count, keys.hash, block.hashes)
      for (const number of group)
        kernel.placeRecords(
          layout.views[number].descriptor,
          block.columns,
          block.hashes,
          block.values,
          block.weights,
          count,
          layout.views[number].firstSegments,
          keys.modes[views[number].mode],
          keys.probe,
          views[number].below ?? NO_LIMIT,
          borders[number][firstPart + k],
          borders[number][firstPart + k + 1],
          valueScale,
          views[number].meanWeight ?? 1,
          sharedCounters(layout.views[number]),
          threads > 1 ? 1 : 0,
        )
    }
  })
}
