/**
 * Groups of rows with about as many entries, whose posterior covariances V are averaged over a sample of their
 * rows (kernels/solve/rows/groups.ts). Group and sample follow from the rows' numbers of entries alone.
 */
import { GROUPS } from '../../../../kernels/solve/layout.ts'
import { mostSampledRows } from '../../memory/areaSizes.ts'
import type { PartitionMemory } from '../../memory/layout.ts'
import type { ThreadPartition, ThreadProblem } from '../../threads/threadProblem.ts'
import { ROW_SUMS, SIGMA2, sharedNumbers } from './posteriorNumbers.ts'

/** The group of a row with `length` entries: its half-octave, so that lengths differ by a factor of √2. */
export function groupOf(length: number): number {
  if (length === 0) return 0
  const octave = 31 - Math.clz32(length)
  const isUpperHalf = length * length >= 2 ** (2 * octave + 1)
  return Math.min(GROUPS - 1, 2 * octave + (isUpperHalf ? 1 : 0))
}

/**
 * Writes the group of each row of a mode and the number of sampled rows before each row. Of a group's rows
 * every k-th is sampled, with the least k for which they are few enough.
 * @param lengths the number of entries of each row
 */
export function writeGroups({ memory, layout }: PartitionMemory, mode: number, lengths: Uint32Array): void {
  const { groups, slots, rows } = layout.modes[mode]
  const most = mostSampledRows(layout.padded)
  const group = new Uint32Array(memory.buffer, groups, rows)
  const before = new Uint32Array(memory.buffer, slots, rows + 1)
  const sizes = new Uint32Array(GROUPS)
  for (let p = 0; p < rows; p++) {
    group[p] = groupOf(lengths[p])
    if (lengths[p] > 0) sizes[group[p]]++
  }
  const seen = new Uint32Array(GROUPS)
  let sampled = 0
  for (let p = 0; p < rows; p++) {
    before[p] = sampled
    if (lengths[p] === 0) continue
    const every = Math.ceil(sizes[group[p]] / most)
    if (seen[group[p]]++ % every === 0) sampled++
  }
  before[rows] = sampled
}

/** The rows of a mode and their groups, as arrays over the memory of a partition. */
export interface GroupedRows {
  /** Number of rows. */
  count: number
  /** The number of entries of each row. */
  lengths: Uint32Array
  /** The group of each row. */
  groups: Uint32Array
  /** The number of rows with entries in each group. */
  sizes: Uint32Array
  /** Whether V of row p is computed. */
  isSampled(p: number): boolean
  /** The position of a sampled row among the sampled ones. */
  slot(p: number): number
}

/** Opens the groups of mode i. */
export function groupedRows({ memory, layout }: PartitionMemory, i: number): GroupedRows {
  const { rows, rowLengths, groups: address, slots } = layout.modes[i]
  const lengths = new Uint32Array(memory.buffer, rowLengths, rows)
  const groups = new Uint32Array(memory.buffer, address, rows)
  const before = new Uint32Array(memory.buffer, slots, rows + 1)
  const sizes = new Uint32Array(GROUPS)
  for (let p = 0; p < rows; p++) if (lengths[p] > 0) sizes[groups[p]]++
  return {
    count: rows,
    lengths,
    groups,
    sizes,
    isSampled: (p) => before[p + 1] > before[p],
    slot: (p) => before[p],
  }
}

/**
 * Completes the sums and leverages of the rows of mode i whose V was not computed, after a step: they
 * determine as many parameters as the sampled rows of their group do on average. Runs on thread 0.
 * @param isFrozen whether the step computed sums only, and leverages stay
 * @param isCertain whether rows count as certain
 */
export function completeRowSums(
  { parts }: Pick<ThreadProblem, 'parts'>,
  i: number,
  isFrozen: boolean,
  isCertain: boolean,
): void {
  const [first] = parts
  const rows = groupedRows(first, i)
  const sums = new Float64Array(first.memory.buffer, first.layout.modes[i].rowSums, ROW_SUMS * rows.count)
  const totals = new Float64Array(GROUPS)
  const counts = new Uint32Array(GROUPS)
  for (let p = 0; p < rows.count; p++)
    if (rows.isSampled(p)) {
      totals[rows.groups[p]] += sums[ROW_SUMS * p + 1]
      counts[rows.groups[p]]++
    }
  const sigma2 = sharedNumbers(first)[SIGMA2]
  const leverages = parts.map(
    ({ memory, layout }) => new Float32Array(memory.buffer, layout.modes[i].leverages, rows.count),
  )
  for (let p = 0; p < rows.count; p++) {
    if (rows.lengths[p] === 0 || rows.isSampled(p)) continue
    const determined = totals[rows.groups[p]] / counts[rows.groups[p]]
    const at = ROW_SUMS * p
    sums[at + 1] = determined
    if (!isCertain) sums[at] += sigma2 * determined
    if (!isFrozen) for (const array of leverages) array[p] = determined / Math.max(sums[at + 2], 1e-30)
  }
}

/**
 * Averages V over the sampled rows of each group of mode i, and writes the means to all partitions. Every
 * thread does some of the groups.
 */
export function averageCovariances({ parts, thread, threads, rank }: ThreadProblem, i: number): void {
  const [first] = parts
  const { padded, modes } = first.layout
  const size = padded * padded
  const rows = groupedRows(first, i)
  const sampled: number[] = []
  for (let p = 0; p < rows.count; p++) if (rows.isSampled(p)) sampled.push(p)
  for (let group = thread; group < GROUPS; group += threads) {
    if (rows.sizes[group] === 0) continue
    const own = sampled.filter((p) => rows.groups[p] === group)
    const sums = new Float64Array(size)
    for (const p of own) {
      const V = new Float32Array(first.memory.buffer, modes[i].moments + 4 * size * rows.slot(p), size)
      // The kernel writes only the tiles on and above the diagonal, and not the padding of the rank.
      for (let r = 0; r < rank; r++)
        for (let at = r * padded + (r & ~3); at < r * padded + rank; at++) sums[at] += V[at]
    }
    for (let at = 0; at < size; at++) sums[at] /= own.length
    for (const part of parts) groupMatrix(part, i, group).set(sums)
  }
}

/** Sets V of all groups of mode i to zero. */
export function clearCovariances(part: ThreadPartition, i: number): void {
  for (let group = 0; group < GROUPS; group++) groupMatrix(part, i, group).fill(0)
}

/** V (R × R, padded) of a group of mode i; with `group` = GROUPS, the mean of a aᵀ over the entries. */
export function groupMatrix(
  { memory, layout }: Pick<ThreadPartition, 'memory' | 'layout'>,
  i: number,
  group: number,
): Float32Array {
  const size = layout.padded ** 2
  return new Float32Array(memory.buffer, layout.modes[i].covariances + 4 * size * group, size)
}
