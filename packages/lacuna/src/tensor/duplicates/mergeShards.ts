/**
 * Merges or refuses entries with equal coordinates that lie in several processes: they meet in the process
 * that the hash of their coordinates names, in the order of the input, so that results and messages are those
 * of a single process.
 */

import { InputError, type Sentence } from '../../base/inputError.ts'
import type { Communicator } from '../../comm/index.ts'
import { originOf, type ScatteredEntries, scatterByHash } from '../scatter.ts'
import { cellText, type DuplicatePolicy, type SparseTensor } from '../sparseTensor.ts'
import { deferDuplicateCheck } from './deferredCheck.ts'
import { findDuplicates } from './findDuplicates.ts'
import { duplicateError, mergeDuplicates } from './mergeDuplicates.ts'

/** How messages name entries of this process. */
export interface EntryNames {
  /** Text before the name of the first entry in a message; none by default. */
  before?: string
  /** Names an entry by its number in this process. */
  where(entry: number): Promise<string>
}

/**
 * Scatters the entries of all processes by the hash of their coordinates and merges duplicates by a policy;
 * throws in all processes if there are any under `error`.
 * @param shard the entries that this process has read
 * @param names names entries in messages
 * @param isDeferred whether, under `error`, the entries stay where they are, and the search is left to an
 * engine (deferredCheck.ts)
 * @returns the merged entries that this process owns
 */
export async function mergeShards(
  communicator: Communicator,
  shard: SparseTensor,
  policy: DuplicatePolicy,
  names: EntryNames,
  isDeferred = false,
): Promise<SparseTensor> {
  if (isDeferred && policy === 'error')
    return deferDuplicateCheck(shard, async () =>
      refuseShardDuplicates(communicator, await scatterByHash(communicator, shard), names),
    )
  const scattered = await scatterByHash(communicator, shard)
  const { indices, values, weights } = scattered
  const own = { ...shard, indices, values, ...(weights && { weights }) }
  if (policy === 'error') {
    await refuseShardDuplicates(communicator, scattered, names)
    return own
  }
  let entry: number | undefined
  let failure: unknown
  let merged: Pick<SparseTensor, 'indices' | 'values'> = own
  try {
    merged = mergeDuplicates(own, policy, (e) => {
      entry = e
      return UNNAMED
    })
  } catch (error) {
    failure = error
  }
  await throwMergeFailure(communicator, scattered, entry, failure, names)
  return { ...own, ...merged }
}

/** Stands in a message for the name of an entry, which only the process that read the entry knows. */
const UNNAMED = '\0'

/**
 * Throws, in all processes, the failure of merging that a single process would have met first; returns if no
 * process failed.
 * @param entry the entry of this process whose name the message needs, if any
 * @param failure the error of this process, if any
 */
async function throwMergeFailure(
  communicator: Communicator,
  scattered: ScatteredEntries,
  entry: number | undefined,
  failure: unknown,
  { before = '', where }: EntryNames,
): Promise<void> {
  const found = await findEarliest(
    communicator,
    entry === undefined ? [] : [...originOf(entry, scattered), communicator.rank],
  )
  if (found) {
    const [source, number, finder] = found
    const name = before + (await communicator.broadcastText(source, () => where(number)))
    /** Replaces the placeholder in a text of the message by the name of the entry. */
    const putName = (part: Sentence[number]): Sentence[number] =>
      typeof part === 'string' ? part.replace(UNNAMED, name) : part
    await communicator.failTogether(() => {
      if (communicator.rank === finder && failure instanceof InputError)
        throw new InputError(failure.code, failure.sentence.map(putName))
    }, 'unnamed')
  }
  await communicator.failTogether(() => {
    if (failure !== undefined) throw failure
  })
}

/** Throws in all processes the error of the first entry that has the coordinates of an earlier one. */
async function refuseShardDuplicates(
  communicator: Communicator,
  scattered: ScatteredEntries,
  { before = '', where }: EntryNames,
): Promise<void> {
  const { indices, values } = scattered
  const firstOf = findDuplicates(indices, values.length)
  const found = firstOf?.findIndex((first) => first > 0) ?? -1
  const earliest = await findEarliest(
    communicator,
    firstOf && found >= 0
      ? [
          ...originOf(found, scattered),
          ...originOf(firstOf[found] - 1, scattered),
          ...indices.map((column) => column[found]),
        ]
      : [],
  )
  if (!earliest) return
  const [source, number, firstSource, firstNumber, ...cell] = earliest
  const nameOf = (rank: number, entry: number): Promise<string> =>
    communicator.broadcastText(rank, () => where(entry))
  const [again, first] = [await nameOf(source, number), await nameOf(firstSource, firstNumber)]
  throw duplicateError(before + again, cellText(cell), first)
}

/**
 * Returns, of what the processes have found, the record whose entry comes first in the input; undefined if no
 * process found any.
 * @param own the record of this process: rank and number that its entry had where it was read, then any
 * further numbers; empty if it found none
 */
export async function findEarliest(
  communicator: Communicator,
  own: readonly number[],
): Promise<number[] | undefined> {
  const all = (await communicator.allGatherNumbers(...own)).filter(({ length }) => length > 0)
  return all.length === 0
    ? undefined
    : all.reduce((a, b) => (b[0] < a[0] || (b[0] === a[0] && b[1] < a[1]) ? b : a))
}
