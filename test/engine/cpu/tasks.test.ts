import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  cutTasks,
  mostTasks,
  splitBytes,
  type TaskCounts,
  taskBytes,
  taskSize,
} from '#dist/engine/cpu/tasks.js'
import { TASK_BYTES } from '#dist/kernels/layout.js'

/** Cuts rows of the given lengths with exactly the room that the memory plan gives. */
function cut(
  rowLengths: number[],
  sample: number,
  rank: number,
): { counts: TaskCounts; most: TaskCounts; tasks: number[][] } {
  const rowStart = new Uint32Array(rowLengths.length + 1)
  rowLengths.forEach((n, p) => {
    rowStart[p + 1] = rowStart[p] + n
  })
  const most = mostTasks(rowLengths.length, rowStart[rowLengths.length], rank)
  const tasks = new Uint32Array(taskBytes(most) / 4)
  const counts = cutTasks(rowStart, sample, rank, tasks, new Uint32Array(splitBytes(most) / 4))
  const words = TASK_BYTES / 4
  return {
    counts,
    most,
    tasks: Array.from({ length: counts.tasks }, (_, t) => [...tasks.subarray(t * words, (t + 1) * words)]),
  }
}

it('gives every sampled entry to exactly one task, within the room planned', () => {
  const length = fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 20 }) },
    fc.integer({ min: 0, max: 50_000 }),
  )
  fc.assert(
    fc.property(
      fc.array(length, { minLength: 1, maxLength: 300 }),
      fc.constantFrom(0.01, 0.3, 0.5, 1),
      fc.constantFrom(4, 64, 256),
      (lengths, c, rank) => {
        const { counts, most, tasks } = cut(lengths, c, rank)
        const covered = lengths.map(() => 0)
        const partials = new Set<number>()
        for (const [row, endRow, from, to, partial] of tasks) {
          if (endRow === 0) {
            expect(from).toBe(covered[row]) // parts of a row come in order
            covered[row] = to
            partials.add(partial)
          } else for (let p = row; p < endRow; p++) covered[p] += Math.floor(c * lengths[p])
        }
        expect(covered).toEqual(lengths.map((n) => Math.floor(c * n)))
        expect(partials.size).toBe(counts.partials)
        expect(counts.partials).toBeLessThanOrEqual(most.partials)
      },
    ),
    { seed: 3, numRuns: 300 },
  )
})

it("cuts Uber's hour mode, 24 rows of 138,000 entries, evenly", () => {
  const rows = new Array<number>(24).fill(137_895)
  const { tasks } = cut(rows, 0.5, 52)
  const sizes = tasks.map(([, , from, to]) => to - from)
  expect(tasks.length).toBeGreaterThan(200)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(taskSize(0.5 * 24 * 137_895, 52))
  expect(Math.max(...sizes) / Math.min(...sizes)).toBeLessThan(1.01)
})
