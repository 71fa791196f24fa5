import { expect, it } from 'vitest'
import { MOST_PARTITION_BYTES } from '#lacuna/engine/cpu/memory/layout.js'
import { checkPlan, planPartitions } from '#lacuna/engine/cpu/memory/plan.js'

const dims = [5000, 4000, 300]
const sizeOf = (entries: number) => ({ dims, entries, rank: 10, momentumFactors: true })

/** The number of entries that take this many bytes in one partition. */
function entriesFor(bytes: number): number {
  const [few, many] = [1e7, 2e7].map((entries) => planPartitions(sizeOf(entries), 4).byteLength)
  return Math.round(1e7 + ((bytes - few) / (many - few)) * 1e7)
}

it('A problem is planned in partitions that leave 3% of their memory free', () => {
  expect(planPartitions(sizeOf(entriesFor(0.96 * MOST_PARTITION_BYTES)), 4).parts).toBe(1)
  expect(planPartitions(sizeOf(entriesFor(0.98 * MOST_PARTITION_BYTES)), 4).parts).toBe(2)
})

it('A plan is the sum of its items; with several processes each needs less, and has room for messages', () => {
  const alone = planPartitions(sizeOf(1e7), 4)
  expect(alone.byteLength).toBe(alone.items.reduce((sum, { byteLength }) => sum + byteLength, 0))
  expect(alone.items.map(({ name }) => name)).not.toContain('messages')
  const one = planPartitions(sizeOf(1e7), 4, 1, 4)
  // Each of 4 processes sends 2¹⁸ entries of 3 indices and a value at a time, to 3 others, and receives from
  // all.
  const messages = one.items.find(({ name }) => name === 'messages')
  expect(messages?.byteLength).toBe(4 * 4 * (3 + 4) * 2 ** 18)
  expect(one.byteLength).toBeLessThan(alone.byteLength / 2)
})

it('checkPlan refuses a plan of one byte more than is available, with both sizes in the message', () => {
  const plan = planPartitions(sizeOf(1e6), 2)
  expect(() => checkPlan(plan, plan.byteLength)).not.toThrow()
  expect(() => checkPlan(plan, plan.byteLength - 1)).toThrow(
    /needs .* MiB of memory .* machine has .* MiB left/,
  )
})

it.each([
  { name: 'indices of the other modes in one word', dims: [2 ** 16, 2 ** 16, 2 ** 16], bytes: 8 * 3 },
  { name: 'a word for each index', dims: [2 ** 17, 2 ** 17, 2 ** 17], bytes: 4 * 3 ** 2 },
  { name: 'four modes in one word', dims: [2 ** 10, 2 ** 10, 2 ** 10, 2 ** 10], bytes: 8 * 4 },
])('the views take 8·N to 4·N² bytes per entry, as docs/memory.md says: $name', ({ dims, bytes }) => {
  const [few, many] = [1e6, 2e6].map(
    (entries) =>
      planPartitions({ dims, entries, rank: 4, momentumFactors: false }, 1).items.find(
        ({ name }) => name === 'entries',
      )!.byteLength,
  )
  // Beside the records there are tables of segments, less than half a byte per entry.
  expect((many - few) / 1e6).toBeGreaterThanOrEqual(bytes)
  expect((many - few) / 1e6).toBeLessThan(bytes + 0.5)
})
