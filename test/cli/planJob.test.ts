import { expect, it } from 'vitest'
import { planJob, refuseJob } from '#cli/process/memory.ts'
import type { Engine, ProblemSize } from '#lacuna/engine/engine.js'

const MiB = 2 ** 20
/** An engine that plans 100 MiB whatever it is asked for. */
const engineOf = (more: { threads?: number; communicator?: { size: number; hostSize: number } } = {}) =>
  ({
    description: 'a test',
    plan: () => ({ byteLength: 100 * MiB, items: [{ name: 'entries', byteLength: 100 * MiB }], parts: 1 }),
    ...more,
  }) as unknown as Engine & { threads?: number }
const size: ProblemSize = { dims: [100, 100, 100], entries: MiB, rank: 4, momentumFactors: true }
const itemsOf = ({ items }: ReturnType<typeof planJob>): Record<string, number> =>
  Object.fromEntries(items.map(({ name, byteLength }) => [name, byteLength / MiB]))

it('the memory of a job is that of the program and its threads, the tensor with its weights, and what the engine plans', () => {
  expect(itemsOf(planJob(engineOf({ threads: 3 }), size))).toEqual({ program: 104, tensor: 16, entries: 100 })
  expect(itemsOf(planJob(engineOf({ threads: 3 }), { ...size, weighted: true })).tensor).toBe(20)
  expect(itemsOf(planJob(engineOf(), size, { heldOut: MiB })).tensor).toBe(32)
  expect(itemsOf(planJob(engineOf(), size, { holders: 4 })).tensor).toBe(4)
  expect(itemsOf(planJob(engineOf({ communicator: { size: 2, hostSize: 1 } }), size)).program).toBe(100)
})

it('what reading a file takes counts only as far as it is more than what the engine takes afterwards', () => {
  expect(itemsOf(planJob(engineOf(), size, { reading: 90 * MiB }))).not.toHaveProperty('more while reading')
  const plan = planJob(engineOf(), size, { reading: 130 * MiB })
  expect(itemsOf(plan)['more while reading']).toBe(30)
  expect(plan.byteLength / MiB).toBe(84 + 16 + 130)
})

it('the processes of a machine share its memory when a job is planned', () => {
  const [alone, oneOfFour] = [1, 4].map(
    (hostSize) => planJob(engineOf({ communicator: { size: hostSize, hostSize } }), size).available,
  )
  // What other programs take changes from one moment to the next.
  expect(alone / oneOfFour).toBeGreaterThan(2.5)
})

it('a job is refused where it takes more than there is, with what this process has taken already', () => {
  const plan = planJob(engineOf(), size)
  expect(() => refuseJob({ ...plan, available: plan.byteLength }, 'This')).not.toThrow()
  expect(() => refuseJob({ ...plan, byteLength: 2 ** 50, available: 0 }, 'This')).toThrow(
    /^This would take 1\.0 PiB/,
  )
})
