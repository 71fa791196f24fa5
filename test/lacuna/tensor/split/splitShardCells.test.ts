/** Cells that are held out where those not listed are zeros: the same in several processes as in one. */
import { expect, it } from 'vitest'
import { scatterTensor, splitCells, splitShardCells, synthetic } from '#lacuna/tensor/index.js'
import { commonOutcome, entriesOf, runInProcesses } from '../../communicators.ts'

it.each([
  ['few of many cells', [40, 30, 20], 3000, { validation: 0.02, test: 0.05 }],
  ['most cells', [12, 11, 10], 900, { validation: 0.3, test: 0.35 }],
  ['many that are drawn twice', [15, 15, 15], 1700, { validation: 0.2, test: 0.28 }],
  ['test cells alone', [40, 30, 20], 500, { test: 0.001 }],
])('Several processes hold out the cells that one process does: %s', async (_, dims, entries, fractions) => {
  const { tensor } = synthetic({ dims, entries, rank: 2, seed: 3 })
  const one = splitCells(tensor, fractions, 7)
  for (const processes of [2, 5]) {
    const many = commonOutcome(
      await runInProcesses(processes, async (communicator) => {
        const shard = await scatterTensor(communicator, communicator.rank === 0 ? tensor : undefined)
        return splitShardCells(communicator, shard, fractions, 7)
      }),
    )
    if (typeof many === 'string') throw new Error(many)
    for (const part of ['train', 'validation', 'test'] as const)
      expect(entriesOf(many.map((split) => split[part])), part).toEqual(entriesOf([one[part]]))
  }
})

it('Several processes refuse a split of cells in the words of one process', async () => {
  const { tensor } = synthetic({ dims: [2, 2], entries: 1, rank: 1, seed: 1 })
  const refused = async (fractions: { test: number }, seed: number): Promise<unknown> =>
    commonOutcome(
      await runInProcesses(2, async (communicator) =>
        splitShardCells(
          communicator,
          await scatterTensor(communicator, communicator.rank === 0 ? tensor : undefined),
          fractions,
          seed,
        ),
      ),
    )
  const seed = Array.from({ length: 50 }, (_, seed) => seed).find((seed) => {
    try {
      return !splitCells(tensor, { test: 0.5 }, seed)
    } catch {
      return true
    }
  })!
  expect(await refused({ test: 0.5 }, seed)).toMatch(/^Holding out \d of 4 cells leaves no entry/)
  expect(await refused({ test: 1 }, 1)).toMatch(/must lie in \[0, 1\)/)
})
