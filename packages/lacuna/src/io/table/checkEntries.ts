/**
 * The entries of a table, checked and with those of equal coordinates merged, in one process or in several.
 */
import { InputError, option, type Sentence, sentence } from '../../base/inputError.ts'
import { type Communicator, firstFault, throwFirstFault } from '../../comm/index.ts'
import {
  cellChecks,
  checkShape,
  checkSparseTensor,
  deferDuplicateCheck,
  findDuplicates,
  findEarliest,
  mergeShards,
  originOf,
  type SparseTensor,
  scatterByHash,
} from '../../tensor/index.ts'
import type { ReadPlan } from './readPlan.ts'

/** Facts about the entries, and how to name them in messages. */
export interface EntryContext {
  /** Names an entry of this process in messages. */
  where(entry: number): string
  /** Per mode, the largest index of all processes, from 0. */
  largest: readonly number[]
  /** Whether all coordinates differ, found by threads; undefined if they cannot. */
  areDistinct?(indices: readonly Uint32Array[]): Promise<boolean | undefined>
  comm: Communicator
}

/** The part of a plan by which entries are checked. */
type CheckPlan = Pick<ReadPlan, 'merge' | 'negative' | 'deferDuplicateCheck' | 'modes' | 'table'>

/**
 * Checks the entries of this process and merges duplicates, by the policies of the plan; throws if they
 * forbid an entry.
 */
export async function checkEntries(
  tensor: SparseTensor,
  plan: CheckPlan,
  context: EntryContext,
): Promise<SparseTensor> {
  if (context.comm.size > 1) return checkShard(tensor, plan, context)
  const { merge, negative } = plan
  const { where, largest, areDistinct } = context
  const { indices } = tensor
  const known = { where, largest, negative }
  if (plan.deferDuplicateCheck && merge === 'error' && !tensor.weights) {
    const checked = checkSparseTensor(tensor, { ...known, distinct: true })
    return deferDuplicateCheck(checked, () => refuseDuplicates(tensor, where, plan))
  }
  const distinct = (await areDistinct?.(indices)) === true
  if (merge !== 'error')
    return checkSparseTensor(tensor, { ...known, duplicates: toDuplicatePolicy(merge), distinct })
  if (!distinct) refuseDuplicates(tensor, where, plan)
  return checkSparseTensor(tensor, { ...known, distinct: true })
}

/**
 * Checks and merges the entries of several processes; returns those that this process has afterwards. Entries
 * of equal coordinates end up in the same process.
 */
async function checkShard(
  tensor: SparseTensor,
  plan: CheckPlan,
  { where, comm }: EntryContext,
): Promise<SparseTensor> {
  const { merge, negative = 'error', deferDuplicateCheck: isDeferred } = plan
  const fault = await firstFault([() => checkShape(tensor), ...cellChecks(tensor, negative, where)])
  if (isDeferred && merge === 'error') {
    await throwFirstFault(comm, fault)
    return deferDuplicateCheck(tensor, async () => {
      await refuseShardDuplicates(comm, tensor, where, plan)
    })
  }
  // A single process checks cells when it knows that coordinates differ, or before it merges them.
  const distinct = merge === 'error' ? await refuseShardDuplicates(comm, tensor, where, plan) : undefined
  await throwFirstFault(comm, fault)
  if (merge === 'error') return { ...tensor, ...distinct }
  return mergeShards(comm, tensor, toDuplicatePolicy(merge), { where: async (entry) => where(entry) })
}

/** The policy for duplicates of a tensor that a merge policy means: counts are sums of ones. */
const toDuplicatePolicy = (merge: Exclude<ReadPlan['merge'], 'error'>): 'sum' | 'mean' | 'last' =>
  merge === 'count' ? 'sum' : merge

/** Throws if two entries have equal coordinates. @param where names an entry in messages */
function refuseDuplicates(
  { indices, values }: Pick<SparseTensor, 'indices' | 'values'>,
  where: (entry: number) => string,
  plan: CheckPlan,
): void {
  const firstOf = findDuplicates(indices, indices[0].length)
  if (!firstOf) return
  const first = firstOf.findIndex((first) => first !== 0)
  throw duplicatesError(where(first), countDuplicates(firstOf, values), plan)
}

/**
 * Sends every entry to the process that the hash of its coordinates names; returns the entries received. All
 * processes throw if there are duplicates.
 */
async function refuseShardDuplicates(
  comm: Communicator,
  tensor: SparseTensor,
  where: (entry: number) => string,
  plan: CheckPlan,
): Promise<Pick<SparseTensor, 'indices' | 'values'>> {
  const received = await scatterByHash(comm, tensor)
  const firstOf = findDuplicates(received.indices, received.values.length)
  const own = firstOf
    ? originOf(
        firstOf.findIndex((first) => first > 0),
        received,
      )
    : []
  const first = await findEarliest(comm, own)
  if (!first) return { indices: received.indices, values: received.values }
  const counts = firstOf ? countDuplicates(firstOf, received.values) : { repeated: 0, different: 0 }
  const [repeated, different] = await comm.sumNumbers(counts.repeated, counts.different)
  const [source, entry] = first
  throw duplicatesError(await comm.broadcastText(source, () => where(entry)), { repeated, different }, plan)
}

/** Numbers of entries that have the coordinates of an earlier one, and of those that have another value. */
interface DuplicateCounts {
  repeated: number
  different: number
}

/** Counts entries that have the coordinates of an earlier one. @param firstOf as findDuplicates returns it */
function countDuplicates(firstOf: Uint32Array, values: Float32Array): DuplicateCounts {
  let [repeated, different] = [0, 0]
  for (let e = 0; e < firstOf.length; e++) {
    if (firstOf[e] === 0) continue
    repeated++
    if (values[e] !== values[firstOf[e] - 1]) different++
  }
  return { repeated, different }
}

/** Binnings of times for which a finer mode is proposed. */
const COARSE_BINS: readonly string[] = ['year', 'month', 'week', 'day']

/**
 * The error for rows of equal coordinates.
 * @param where the first row that repeats coordinates
 */
function duplicatesError(
  where: string,
  { repeated, different }: DuplicateCounts,
  { modes, table }: CheckPlan,
): InputError {
  if (different === 0)
    return new InputError(
      'duplicate',
      sentence`${where}: this row is there already, and in all ${repeated === 1 ? 'one row repeats' : `${repeated} rows repeat`} an earlier one with the same value; say ${option('merge', 'last')} to take one of each, or ${option('merge', 'sum')} to add them up.`,
    )
  const coarse = modes.find(
    ({ binning, dates }) =>
      binning !== undefined &&
      COARSE_BINS.includes(binning) &&
      // A date without a time of day has nothing finer than its day.
      !(binning === 'day' && dates?.every((format) => format !== 'iso' && !/%-?[HITR]/.test(format))),
  )
  const column = coarse && table.columns[coarse.column].name
  const finer: Sentence =
    coarse?.binning === 'day'
      ? sentence`, or take a finer mode than ${coarse.name}: ${column ?? ''} itself`
      : coarse
        ? sentence`, or take a finer mode than ${coarse.name}: day(${column ?? ''}), or ${column ?? ''} itself`
        : []
  const rows = repeated === 1 ? 'one row repeats' : `${repeated} rows repeat`
  return new InputError(
    'duplicate',
    sentence`${where}: there are several values, and in all ${rows} the coordinates of an earlier one; say how to merge them with ${option('merge', 'sum', 'mean', 'last', 'count')}${finer}.`,
  )
}
