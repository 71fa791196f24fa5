import { expect, it } from 'vitest'
import { type JobDetails, planJob, refuseJob } from '#cli/process/memory.ts'
import type { Engine, ProblemSize } from '#lacuna/engine/engine.js'
import type { FoldsToPlan } from '#lacuna/solver/select/crossFit/planFolds.js'

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
  const { program, tensor, entries } = itemsOf(planJob(engineOf({ threads: 3 }), size))
  expect({ program, tensor, entries }).toEqual({ program: 104, tensor: 16, entries: 100 })
  expect(itemsOf(planJob(engineOf({ threads: 3 }), { ...size, weighted: true })).tensor).toBe(20)
  expect(itemsOf(planJob(engineOf({ threads: 3 }), { ...size, posterior: 'rows' })).program).toBe(128)
  expect(itemsOf(planJob(engineOf(), size, { heldOut: MiB })).tensor).toBe(32)
  expect(itemsOf(planJob(engineOf(), size, { holders: 4 })).tensor).toBe(4)
  expect(itemsOf(planJob(engineOf(), size, { isLinked: true }))['transformed values']).toBe(4)
  expect(itemsOf(planJob(engineOf({ communicator: { size: 2, hostSize: 1 } }), size)).program).toBe(100)
})

it('of reading, splitting, solving and folds only the one that takes most counts', () => {
  const reading = (most: number) => ({ most: most * MiB, rest: 5 * MiB })
  const rows = 300 * 48
  expect(itemsOf(planJob(engineOf(), size, { reading: reading(90) }))).not.toHaveProperty('reading')
  const plan = planJob(engineOf(), size, { reading: reading(130) })
  expect(itemsOf(plan).reading).toBe(130)
  expect(plan.byteLength - rows).toBe((84 + 5 + 16 + 130) * MiB)
  const large = { ...size, entries: 10 * MiB }
  expect(itemsOf(planJob(engineOf(), large, { isSplit: true }))).toMatchObject({
    tensor: 160,
    splitting: 200,
  })
  expect(itemsOf(planJob(engineOf(), large)).entries).toBe(100)
})

it('a run that is saved is planned with a copy of its state, one that is not with a copy of its model', () => {
  const wide = { ...size, dims: [MiB, 2, 2], rank: 16 }
  const copies = (details: JobDetails, of: ProblemSize = wide) =>
    Math.round(itemsOf(planJob(engineOf(), of, details))['copies of factors'])
  expect(copies({})).toBe(64 + 16)
  expect(copies({ isSaved: true })).toBe(3 * 64)
  expect(copies({ isSaved: true }, { ...wide, momentumFactors: false })).toBe(2 * 64)
  expect(copies({ isSaved: true }, { ...wide, posterior: 'rows' })).toBe(3 * 64 + 4 * (256 + 16 + 4))
  expect(copies({ labels: 100 * MiB })).toBe(64 + 16 + 200)
})

it('folds are planned with the problems of models side by side, the states of all, and the assembly', () => {
  const folds = { folds: 4, threads: 2, isSaved: false, isEnsemble: false, isRefitted: false, trials: 1 }
  const foldBytes = (details: Partial<FoldsToPlan>) =>
    itemsOf(planJob(engineOf(), size, { folds: { ...folds, ...details } })).folds
  // Two problems of 100 MiB, the entries and their numbers twice, predictions and four models.
  const models = (4 * 300 * (16 + 16)) / MiB
  const garbage = 40 + (300 * 150) / MiB // of a million entries, and statistics of the rows
  expect(foldBytes({})).toBeCloseTo(garbage + 2 * (100 + 20) + 4 + models)
  expect(foldBytes({ threads: 1 })).toBeCloseTo(garbage + 100 + 20 + 4 + models)
  expect(foldBytes({ isSaved: true }) - foldBytes({})).toBeCloseTo((4 * 300 * 48) / MiB)
  expect(foldBytes({ trials: 3 }) - foldBytes({})).toBeCloseTo(2 * (4 + models))
  expect(foldBytes({ isEnsemble: true, threads: 1 })).toBeGreaterThan(150)
})

it('models that are fitted to all entries in the end are planned with problems of all entries, side by side as before', () => {
  const MiB4 = size.entries * 4
  // An engine that plans four bytes per entry, as it is asked for a part of them or for all.
  const engine = {
    ...engineOf(),
    plan: ({ entries }: ProblemSize) => ({ byteLength: 100 * 4 * entries, items: [], parts: 1 }),
  } as unknown as Engine
  const folds = { folds: 2, threads: 2, isSaved: false, isEnsemble: false, isRefitted: true, trials: 1 }
  const foldBytes = (details: Partial<FoldsToPlan>) =>
    itemsOf(planJob(engine, size, { folds: { ...folds, ...details } })).folds
  const models = (2 * 300 * (16 + 16)) / MiB
  const garbage = 40 + (300 * 150) / MiB
  const whole = (100 * MiB4) / MiB
  // Models twice: those that are replaced, and those that replace them; predictions, and residuals with their cells.
  expect(foldBytes({})).toBeCloseTo(garbage + 2 * whole + 2 * models + 4 + 16)
  expect(foldBytes({ threads: 1 })).toBeCloseTo(garbage + whole + 2 * models + 4 + 16)
  // Without refitting half of the entries are loaded, and held beside the other half.
  expect(foldBytes({ isRefitted: false })).toBeCloseTo(garbage + 2 * (whole / 2 + 20) + models + 4)
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
