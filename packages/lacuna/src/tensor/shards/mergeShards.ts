/** Coordinates that are given twice, where the entries lie in several processes: they meet in the one that their hash names. */

import { InputError, type Sentence } from '../../base/inputError.ts'
import { below } from '../../base/random.ts'
import type { Communicator } from '../../comm/index.ts'
import { HASHED_AT_A_TIME, hashCoordinates } from '../order/coordinateOrder.ts'
import { findDuplicates } from '../order/findDuplicates.ts'
import {
  coordinatesOf,
  type DuplicatePolicy,
  mergeDuplicates,
  refuseDuplicate,
  type SparseTensor,
} from '../sparseTensor.ts'
import { type Dealt, dealEntries } from './scatter.ts'

/** Not the key by which duplicates are looked for: the entries of a process must not be alike in their hashes. */
const OWNER_KEY = 1

/** How messages name entries. */
export interface Places {
  /** What comes before the first place in a sentence. */
  before?: string
  /** One of this process's entries, by its number there. */
  where(entry: number): Promise<string>
}

/** The entries, each in the process that its coordinates' hash names: equal ones are together, in the order of their lines. */
export async function dealByHash(
  communicator: Communicator,
  share: Pick<SparseTensor, 'indices' | 'values'>,
): Promise<Dealt> {
  return dealEntries(communicator, share, hashOwners(share.indices, communicator.size))
}

/** Writes which process the hash of each entry's coordinates names, for entries from … to. */
export function hashOwners(
  indices: readonly Uint32Array[],
  processes: number,
): (from: number, to: number, owners: Uint32Array) => void {
  const hashes = new Uint32Array(HASHED_AT_A_TIME)
  return (from, to, owners) => {
    for (let start = from; start < to; start += HASHED_AT_A_TIME) {
      const end = Math.min(to, start + HASHED_AT_A_TIME)
      hashCoordinates(indices, start, end, OWNER_KEY, hashes)
      for (let e = start; e < end; e++) owners[e - from] = below(hashes[e - start], processes)
    }
  }
}

/**
 * The share with its duplicates merged, or refused. Those of one place come together in the order of their lines, so that
 * their sum has the same bits as in one process.
 */
export async function mergeShares(
  communicator: Communicator,
  share: SparseTensor,
  policy: DuplicatePolicy,
  places: Places,
): Promise<SparseTensor> {
  const dealt = await dealByHash(communicator, share)
  const { indices, values, weights } = dealt
  const own = { ...share, indices, values, ...(weights && { weights }) }
  if (policy === 'error') {
    await refuseDuplicates(communicator, dealt, places)
    return own
  }
  let entry: number | undefined
  let failure: unknown
  let merged: Pick<SparseTensor, 'indices' | 'values'> = own
  try {
    merged = mergeDuplicates(own, policy, (e) => {
      entry = e
      return HERE
    })
  } catch (error) {
    failure = error
  }
  await refuseSum(communicator, dealt, entry, failure, places)
  return { ...own, ...merged }
}

/** Stands for the place of an entry, which only the process that has read it can name. */
const HERE = '\0'

async function refuseSum(
  communicator: Communicator,
  dealt: Dealt,
  entry: number | undefined,
  failure: unknown,
  { before = '', where }: Places,
): Promise<void> {
  const found = await earliest(
    communicator,
    entry === undefined ? [] : [...originOf(entry, dealt), communicator.rank],
  )
  if (found) {
    const [source, number, finder] = found
    const place = before + (await communicator.broadcastText(source, () => where(number)))
    const put = (part: Sentence[number]): Sentence[number] =>
      typeof part === 'string' ? part.replace(HERE, place) : part
    await communicator.failTogether(() => {
      if (communicator.rank === finder && failure instanceof InputError)
        throw new InputError(failure.code, failure.sentence.map(put))
    }, 'unnamed')
  }
  await communicator.failTogether(() => {
    if (failure !== undefined) throw failure
  })
}

/** Names the first entry that repeats another, and that one. */
async function refuseDuplicates(
  communicator: Communicator,
  dealt: Dealt,
  { before = '', where }: Places,
): Promise<void> {
  const { indices, values } = dealt
  const firstOf = findDuplicates(indices, values.length)
  const found = firstOf?.findIndex((first) => first > 0) ?? -1
  const first = await earliest(
    communicator,
    firstOf && found >= 0
      ? [
          ...originOf(found, dealt),
          ...originOf(firstOf[found] - 1, dealt),
          ...indices.map((column) => column[found]),
        ]
      : [],
  )
  if (!first) return
  const [source, number, firstSource, firstNumber, ...coordinates] = first
  const said = (process: number, entry: number): Promise<string> =>
    communicator.broadcastText(process, () => where(entry))
  const [again, once] = [await said(source, number), await said(firstSource, firstNumber)]
  throw refuseDuplicate(before + again, coordinatesOf(coordinates), once)
}

/** Of what the processes have found, each a list that begins with an entry's origin, that of the first line. */
export async function earliest(
  communicator: Communicator,
  own: readonly number[],
): Promise<number[] | undefined> {
  const all = (await communicator.allGatherNumbers(...own)).filter(({ length }) => length > 0)
  return all.length === 0
    ? undefined
    : all.reduce((a, b) => (b[0] < a[0] || (b[0] === a[0] && b[1] < a[1]) ? b : a))
}

/** The process that an entry came from, and its number there. */
export const originOf = (e: number, { starts, numbers }: Dealt): [process: number, number: number] => [
  starts.findLastIndex((start) => start <= e),
  numbers[e],
]
