/** The communicator: the same collective operations for one process and for several. */
import { expect, it } from 'vitest'
import { uint32Array } from '#lacuna/base/sharedArrays.js'
import { type Communicator, singleProcess } from '#lacuna/comm/index.js'
import { commonOutcome, runInProcesses } from '../communicators.ts'

/** Calls every collective operation and returns the results. */
async function collect(communicator: Communicator): Promise<unknown> {
  const { rank, size } = communicator
  const counts = uint32Array(2)
  counts.set([rank, 2 ** 32 - 1])
  await communicator.allReduce(counts)
  const outgoing = uint32Array(size).map((_, to) => 10 * rank + to)
  const incoming = uint32Array(size)
  return {
    sums: [...counts],
    numbers: await communicator.allGatherNumbers(...new Array(rank).fill(0.1)),
    texts: await communicator.allGatherTexts(`é${rank}`),
    summed: await communicator.sumNumbers(rank, 1),
    broadcast: await communicator.broadcastText(size - 1, () => `from ${rank}`),
    bytes: [...(await communicator.broadcastBytes(Uint8Array.of(1, 2, 3, rank)))],
    lengths: await communicator.allToAll(outgoing, new Array(size).fill(1), incoming),
    root: (await communicator.runOnRoot(() => 'root')) ?? null,
  }
}

it('One process is a communicator of size 1: every operation returns what it is given', async () => {
  expect(await collect(singleProcess)).toEqual({
    sums: [0, 2 ** 32 - 1],
    numbers: [[]],
    texts: ['é0'],
    summed: [0, 1],
    broadcast: 'from 0',
    bytes: [1, 2, 3, 0],
    lengths: [1],
    root: 'root',
  })
})

it('Three processes sum, gather and broadcast', async () => {
  const expected = {
    sums: [3, 2 ** 32 - 3],
    numbers: [[], [0.1], [0.1, 0.1]],
    texts: ['é0', 'é1', 'é2'],
    summed: [3, 3],
    broadcast: 'from 2',
    bytes: [1, 2, 3, 0],
    lengths: [1, 1, 1],
  }
  expect(commonOutcome(await runInProcesses(3, collect))).toEqual([
    { ...expected, root: 'root' },
    { ...expected, root: null },
    { ...expected, root: null },
  ])
})

it('Ordered operations run in all processes in the order in which the root requests them', async () => {
  const orders = commonOutcome(
    await runInProcesses(3, async (communicator) => {
      const done: number[] = []
      // Other processes request the operations in another order.
      const steps = communicator.isRoot ? [2, 0, 1] : [0, 1, 2]
      await Promise.all(
        steps.map((step) =>
          communicator.runInOrder(7, step, async () => {
            await communicator.allGatherNumbers(step)
            done.push(step)
          }),
        ),
      )
      return done
    }),
  )
  expect(orders).toEqual([
    [2, 0, 1],
    [2, 0, 1],
    [2, 0, 1],
  ])
})
