/** Divides entries that lie in several processes as `split` does those of one: by seed and coordinates, in exact numbers. */

import { checkSeed, hashIndex, mix, purpose, stream } from '../../base/random.ts'
import { uint32Array } from '../../base/sharedArrays.ts'
import type { Communicator } from '../../comm/index.ts'
import type { SparseTensor } from '../sparseTensor.ts'
import {
  partSizes,
  pickParts,
  type Split,
  type SplitFractions,
  TEST,
  TRAIN,
  VALIDATION,
} from '../split/split.ts'
import { countEntries } from './countEntries.ts'

/** An entry as it is compared with others: its hash, its coordinates and its value. */
type Place = readonly number[]

export async function splitShares(
  communicator: Communicator,
  share: SparseTensor,
  shares: SplitFractions,
  seed: number,
): Promise<Split> {
  checkSeed(seed)
  const { indices, values } = share
  const total = await countEntries(communicator, share)
  const [, validation, test] = partSizes(total, shares)
  const key = stream(seed, purpose.split)
  const hashOf = (e: number): number => mix(indices.reduce((hash, column) => hashIndex(hash, column[e]), key))
  const placeOf = (e: number): Place => [hashOf(e), ...indices.map((column) => column[e]), values[e]]

  // All are counted by the leading half of their hashes; only those of the half in question are looked at one by one.
  const counts = uint32Array(2 ** 16)
  for (let e = 0; e < values.length; e++) counts[hashOf(e) >>> 16]++
  await communicator.allReduce(counts)
  const lastOfFirst = async (count: number): Promise<Place | undefined> => {
    if (count === 0) return undefined
    let [before, half] = [0, 0]
    while (before + counts[half] < count) before += counts[half++]
    const near: number[] = []
    for (let e = 0; e < values.length; e++) if (hashOf(e) >>> 16 === half) near.push(...placeOf(e))
    const width = indices.length + 2
    const places = (await communicator.allGatherNumbers(...near)).flatMap((numbers) =>
      Array.from({ length: numbers.length / width }, (_, i) => numbers.slice(i * width, (i + 1) * width)),
    )
    return places.sort(compare)[count - 1 - before]
  }
  const lastOfTest = await lastOfFirst(test)
  const lastHeldOut = await lastOfFirst(test + validation)
  const isUpTo = (e: number, hash: number, last: Place | undefined): boolean =>
    last !== undefined && (hash === last[0] ? compare(placeOf(e), last) <= 0 : hash < last[0])

  const parts = new Uint8Array(values.length)
  for (let e = 0; e < values.length; e++) {
    const hash = hashOf(e)
    parts[e] = isUpTo(e, hash, lastOfTest) ? TEST : isUpTo(e, hash, lastHeldOut) ? VALIDATION : TRAIN
  }
  return pickParts(share, parts)
}

/** As coordinateOrder has it. */
function compare(a: Place, b: Place): number {
  const at = a.findIndex((number, i) => number !== b[i])
  return at < 0 ? 0 : a[at] - b[at]
}
