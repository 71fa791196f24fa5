/** Plans the memory of a problem from its sizes, before any is allocated; approximately what it will be. */
import { InputError } from '../../../base/inputError.ts'
import { formatBytes } from '../../../base/memory.ts'
import { entriesPerRound } from '../../../comm/index.ts'
import type { EnginePlan, ProblemSize } from '../../engine.ts'
import { hasOwnCounters } from '../setup/count/counterLayout.ts'
import { segmentSize } from '../setup/place/segments.ts'
import { paddedRank } from '../threads/kernel.ts'
import {
  layOut,
  MOST_PARTITION_BYTES,
  type PartitionLayout,
  type PartitionSize,
  type ViewSize,
} from './layout.ts'

/**
 * The fraction of a memory that a planned partition fills: chance makes some partitions a little larger than
 * others.
 */
const PLANNED_FILL = 0.97

/** The plan of the CPU engine, with the layout of one partition. */
export interface CpuPlan extends EnginePlan {
  layout: PartitionLayout
}

/**
 * Plans the partitions of a problem and the memory of one process. Throws an InputError if the factors alone
 * exceed a partition.
 * @param threads threads per process
 * @param leastParts the fewest partitions per process
 * @param processes number of processes
 */
export function planPartitions(size: ProblemSize, threads: number, leastParts = 1, processes = 1): CpuPlan {
  const whole = layOut(partitionSize(size, threads, 1))
  const replicated = replicatedBytes(whole)
  const room = PLANNED_FILL * MOST_PARTITION_BYTES - replicated
  const divisible = whole.byteLength - replicated
  if (room <= 0)
    throw new InputError(
      'memory',
      `The factors of ${size.dims.join('×')} at rank ${size.rank} take ${formatBytes(replicated)}; each part of a problem ` +
        `holds all of them, and has at most 4 GiB. Use a smaller rank.`,
    )
  const parts = Math.max(leastParts, Math.ceil(divisible / room / processes))
  const layout = parts * processes === 1 ? whole : layOut(partitionSize(size, threads, parts * processes))
  const snapshot = layout.snapshot.length > 0 ? layout.byteLength - layout.snapshot[0] : 0
  // The snapshot is held by the first partition alone.
  const items = [...layout.items].map(([name, byteLength]) => ({
    name,
    byteLength: parts * byteLength - (name === 'factors' ? (parts - 1) * snapshot : 0),
  }))
  if (processes > 1) {
    const order = size.dims.length
    const perRound = entriesPerRound(Math.ceil(size.entries / processes), processes)
    const sent = Math.min(order, processes) * perRound
    const words = order + (size.weighted ? 2 : 1)
    items.push({ name: 'messages', byteLength: 4 * words * (sent + processes * perRound) })
  }
  return { parts, layout, items, byteLength: items.reduce((sum, item) => sum + item.byteLength, 0) }
}

/** The bytes of a partition that do not shrink when there are more partitions: each holds them in full. */
function replicatedBytes({ items }: PartitionLayout): number {
  return ['factors', 'threads', 'uncertainty', 'cells'].reduce((sum, item) => sum + (items.get(item) ?? 0), 0)
}

/** The expected size of one of `parts` partitions, if rows and entries are divided evenly among them. */
function partitionSize(size: ProblemSize, threads: number, parts: number): PartitionSize {
  const { dims, sets = {}, probe = 0, rank, momentumFactors, zeros = false, posterior } = size
  const { weighted = false } = size
  const strata = size.strata && !weighted ? size.entries : 0
  // With missing: 'zero' the cells of the other sets are listed as unknown.
  const entries = size.entries + (zeros ? Object.values(sets).reduce((sum, count) => sum + count, 0) : 0)
  const padded = paddedRank(rank)
  const segment = segmentSize(entries, padded)
  /** The expected size of a view of `count` entries in a mode of `rows` rows. */
  const viewSize = (name: string, rows: number, count: number, hasErrors: boolean): ViewSize => {
    const most = segmentSize(count, padded)
    const own = Math.ceil(count / parts)
    const segments = rows + (2 * count) / most
    return {
      name,
      weighted,
      entries: own,
      // Every row has one segment; a long row has as many as it fills.
      segments: Math.ceil(segments / parts),
      chunks: Math.ceil((1.5 * (own + 8 * Math.min(rows / parts, own))) / most) + 1,
      hasErrors,
      ownCounters: hasOwnCounters(threads, segments, count),
    }
  }
  const others = Object.entries({ ...sets, ...(probe > 0 && probe < entries && { probe }) })
  return {
    order: dims.length,
    rank,
    threads,
    momentumFactors,
    zeros,
    posterior,
    strata,
    segment,
    dims,
    views: [
      ...dims.map((rows, mode) => viewSize('entries', rows, entries, mode === 0)),
      ...others.map(([name, count]) => viewSize(name, dims[0], count, true)),
    ],
    partials: Math.ceil(Math.max(...dims.map((rows) => longSegments(rows, entries, segment))) / parts),
    parts,
    sharedWords: dims.map(() => (parts > 1 ? 4 * parts * parts : 0)),
    exchangedSums: parts > 1 ? mostExchangedSums(longSegments(1, entries, segment)) : 0,
    isFirst: true,
  }
}

/**
 * The approximate number of segments of a mode's long rows: full ones of S entries, and one partly filled per
 * row.
 * @param segment S
 */
const longSegments = (rows: number, entries: number, segment: number): number =>
  entries <= segment ? 0 : Math.min(entries / segment + rows / 2, (1.5 * entries) / segment)

/**
 * The most partial sums of a row of `segments` segments that a partition exchanges: two for every level of a
 * binary tree over the segments.
 */
export const mostExchangedSums = (segments: number): number =>
  2 * Math.ceil(Math.log2(Math.max(2, segments))) + 2

/** Formats a plan: `12 MiB of memory (factors 2 MiB, …)`, without items of 0 bytes. */
export function describePlan({ byteLength, items }: EnginePlan): string {
  const nonzero = items.filter((item) => item.byteLength > 0)
  return `${formatBytes(byteLength)} of memory (${nonzero.map((item) => `${item.name} ${formatBytes(item.byteLength)}`).join(', ')})`
}

/** Throws an InputError if a plan exceeds the available bytes. */
export function checkPlan(plan: EnginePlan, available: number): void {
  if (plan.byteLength > available)
    throw new InputError(
      'memory',
      `This problem needs ${describePlan(plan)}; this machine has ${formatBytes(available)} left. ` +
        `Use a smaller rank or fewer entries.`,
    )
}
