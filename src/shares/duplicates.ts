/** Coordinates that are given twice, where the entries lie in several processes: they meet in the one that their hash names. */
import type { World } from '../engine/cpu/world.ts'
import { below } from '../random.ts'
import { HASHED_AT_A_TIME, hashCoordinates } from '../tensor/coordinateOrder.ts'
import { findDuplicates } from '../tensor/findDuplicates.ts'
import {
  coordinatesOf,
  type DuplicatePolicy,
  mergeDuplicates,
  refuseDuplicate,
  type SparseTensor,
} from '../tensor/sparseTensor.ts'
import { type Dealt, dealEntries } from './deal.ts'

/** Not the key by which duplicates are looked for: the entries of a process must not be alike in their hashes. */
const OWNER_KEY = 1

export interface Lines {
  /** The file. */
  name: string
  /** How a message names one of this process's entries. */
  where(entry: number): Promise<string>
}

/**
 * The share with its duplicates merged, or refused. Those of one place come together in the order of their lines, so that
 * their sum has the same bits as in one process.
 */
export async function mergeShares(
  world: World,
  share: SparseTensor,
  policy: DuplicatePolicy,
  { name, where }: Lines,
): Promise<SparseTensor> {
  const hashes = new Uint32Array(HASHED_AT_A_TIME)
  const dealt = await dealEntries(world, share, (from, to, owners) => {
    for (let start = from; start < to; start += HASHED_AT_A_TIME) {
      const end = Math.min(to, start + HASHED_AT_A_TIME)
      hashCoordinates(share.indices, start, end, OWNER_KEY, hashes)
      for (let e = start; e < end; e++) owners[e - from] = below(hashes[e - start], world.processes)
    }
  })
  const own = { ...share, indices: dealt.indices, values: dealt.values }
  if (policy === 'error') {
    await refuseDuplicates(world, dealt, where)
    return own
  }
  const merged = await world.together(() => mergeDuplicates(own, policy, () => name), 'unnamed')
  return { ...own, ...merged }
}

/** Names the first entry that repeats another, and that one. */
async function refuseDuplicates(world: World, dealt: Dealt, where: Lines['where']): Promise<void> {
  const { indices, values, numbers } = dealt
  const firstOf = findDuplicates(indices, values.length)
  const found = firstOf?.findIndex((first) => first > 0) ?? -1
  const origin = (e: number): number[] => [sourceOf(e, dealt), numbers[e]]
  const candidate =
    firstOf && found >= 0
      ? [...origin(found), ...origin(firstOf[found] - 1), ...indices.map((column) => column[found])]
      : []
  const all = (await world.gatherNumbers(...candidate)).filter(({ length }) => length > 0)
  if (all.length === 0) return
  const [source, number, firstSource, firstNumber, ...coordinates] = all.reduce((a, b) =>
    b[0] < a[0] || (b[0] === a[0] && b[1] < a[1]) ? b : a,
  )
  const said = (process: number, entry: number): Promise<string> => world.told(process, () => where(entry))
  const [again, first] = [await said(source, number), await said(firstSource, firstNumber)]
  throw refuseDuplicate(again, coordinatesOf(coordinates), first)
}

const sourceOf = (e: number, { starts }: Dealt): number => starts.findLastIndex((start) => start <= e)
