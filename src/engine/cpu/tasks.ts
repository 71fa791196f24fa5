/**
 * How the work of a mode is cut, by sampled entries and not by rows: a task is some whole rows, or a part of one
 * row that is too long. The cut depends on the data, the rank and c alone, never on the number of
 * threads, and the parts of a row are added in their order: so the result does not depend on who did what.
 */
import { SPLIT_BYTES, TASK_BYTES } from '../../kernels/layout.ts'

/** A row costs something even if it has few entries: its power method and its update. In entries. */
const ROW_COST = 8

/** Enough tasks that 16 threads end within a few percent of each other, unless the tensor is tiny. */
const TASKS_WANTED = 256
const SMALLEST_TASK = 128

/**
 * The most sampled entries in a task. Partial sums hold an R × R matrix per part: the larger the rank, the
 * longer the parts, so that adding them up stays small beside making them.
 */
export function taskSize(sampledEntries: number, rank: number): number {
  const most = 4096 * Math.max(1, rank / 64)
  return Math.ceil(Math.min(most, Math.max(SMALLEST_TASK, sampledEntries / TASKS_WANTED)))
}

export interface TaskCounts {
  tasks: number
  splits: number
  partials: number
}

/** How many there can be at the most, whatever the rows look like and however much is sampled. */
export function mostTasks(rows: number, entries: number, rank: number): TaskCounts {
  const size = taskSize(entries, rank)
  // A split row has more than one part's worth of entries, so at most twice as many parts as full ones. Sampling
  // less makes tasks smaller only as long as there are fewer than TASKS_WANTED full ones.
  const full = Math.ceil(Math.max(TASKS_WANTED, entries / size)) + 1
  const partials = Math.min(2 * full, entries)
  return {
    tasks: partials + full + Math.ceil((rows * ROW_COST) / SMALLEST_TASK) + 2,
    splits: Math.min(rows, full),
    partials,
  }
}

export const taskBytes = (counts: TaskCounts): number => counts.tasks * TASK_BYTES
export const splitBytes = (counts: TaskCounts): number => counts.splits * SPLIT_BYTES

/** Writes the tasks and splits of a mode in the layout of kernels/layout.ts. Returns how many there are. */
export function cutTasks(
  rowStart: Uint32Array,
  sample: number,
  rank: number,
  tasks: Uint32Array,
  splits: Uint32Array,
): TaskCounts {
  const rows = rowStart.length - 1
  const size = taskSize(Math.ceil(sample * rowStart[rows]), rank)
  const counts: TaskCounts = { tasks: 0, splits: 0, partials: 0 }
  let firstRow = 0 // of the whole rows not yet in a task
  let cost = 0

  function endWholeRows(end: number): void {
    if (cost > 0) tasks.set([firstRow, end, 0, 0, 0, 0], (counts.tasks++ * TASK_BYTES) / 4)
    cost = 0
    firstRow = end
  }

  for (let p = 0; p < rows; p++) {
    const expected = sample * (rowStart[p + 1] - rowStart[p])
    const sampled = Math.floor(expected)
    if (sampled > size) {
      endWholeRows(p)
      const parts = Math.ceil(sampled / size)
      for (let i = 0; i < parts; i++) {
        const from = Math.floor((sampled * i) / parts)
        const to = Math.floor((sampled * (i + 1)) / parts)
        tasks.set([p, 0, from, to, counts.partials + i, counts.splits], (counts.tasks++ * TASK_BYTES) / 4)
      }
      splits.set([counts.partials, parts, 0], (counts.splits++ * SPLIT_BYTES) / 4)
      counts.partials += parts
      firstRow = p + 1
    } else if (expected > 0) {
      // A row that is sampled only now and then, by random rounding, costs its share.
      const rowCost = sampled + ROW_COST * Math.min(1, expected)
      if (cost > 0 && cost + rowCost > size) endWholeRows(p)
      cost += rowCost
    }
  }
  endWholeRows(rows)
  return counts
}
