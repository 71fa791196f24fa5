import { expect, it } from 'vitest'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { scatterTensor } from '#lacuna/tensor/index.js'
import { commonOutcome, runInProcesses } from '../communicators.ts'

it.each([[true], [false]])(
  'scatterTensor gives every process an equal number of the entries, with weights: %s',
  async (weighted) => {
    const numbers = Array.from({ length: 11 }, (_, e) => e)
    const whole: SparseTensor = {
      dims: [11, 3],
      indices: [Uint32Array.from(numbers), Uint32Array.from(numbers, (e) => e % 3)],
      values: Float32Array.from(numbers, (e) => e / 7),
      ...(weighted && { weights: Float32Array.from(numbers, (e) => 1 + e / 3) }),
      modes: [{ name: 'a' }, { name: 'b' }],
    }
    const shards = commonOutcome(
      await runInProcesses(3, (communicator) =>
        scatterTensor(communicator, communicator.isRoot ? whole : undefined),
      ),
    ) as SparseTensor[]
    const all = (of: (shard: SparseTensor) => Iterable<number>): number[] =>
      shards.flatMap((shard) => [...of(shard)])
    expect(shards.map(({ values }) => values.length)).toEqual([4, 4, 3])
    expect(all(({ indices }) => indices[1])).toEqual([...whole.indices[1]])
    expect(all(({ values }) => values)).toEqual([...whole.values])
    expect(shards.map(({ weights }) => weights !== undefined)).toEqual([weighted, weighted, weighted])
    if (weighted) expect(all(({ weights }) => weights!)).toEqual([...whole.weights!])
    expect(shards.map(({ modes }) => modes?.length)).toEqual([2, undefined, undefined])
  },
)
