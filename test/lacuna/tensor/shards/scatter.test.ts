import { expect, it } from 'vitest'
import type { World } from '#lacuna/comm/communicator.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { dealOut } from '#lacuna/tensor/index.js'

/** Processes that are none: what each of them says is heard when all have spoken. */
function worlds(processes: number): World[] {
  let said: { own: unknown; hear(all: unknown[]): void }[] = []
  const exchange = (process: number, own: unknown): Promise<unknown[]> =>
    new Promise((hear) => {
      said[process] = { own, hear }
      if (Object.keys(said).length < processes) return
      const all = said
      said = []
      for (const one of all) one.hear(all.map((other) => other.own))
    })
  return Array.from({ length: processes }, (_, process) => ({
    process,
    processes,
    gatherNumbers: (...own: number[]) => exchange(process, own),
    async deal(outgoing: Uint32Array, lengths: number[], incoming: Uint32Array) {
      let start = 0
      const pieces = lengths.map((length) => {
        start += length
        return outgoing.slice(start - length, start)
      })
      const came = ((await exchange(process, pieces)) as Uint32Array[][]).map((all) => all[process])
      let at = 0
      for (const piece of came) {
        incoming.set(piece, at)
        at += piece.length
      }
      return came.map(({ length }) => length)
    },
  })) as unknown as World[]
}

it.each([[true], [false]])(
  'every process gets its share of the entries, with weights: %s',
  async (weighted) => {
    const numbers = Array.from({ length: 11 }, (_, e) => e)
    const whole: SparseTensor = {
      dims: [11, 3],
      indices: [Uint32Array.from(numbers), Uint32Array.from(numbers, (e) => e % 3)],
      values: Float32Array.from(numbers, (e) => e / 7),
      ...(weighted && { weights: Float32Array.from(numbers, (e) => 1 + e / 3) }),
      modes: [{ name: 'a' }, { name: 'b' }],
    }
    const shares = await Promise.all(worlds(3).map((world, k) => dealOut(world, k === 0 ? whole : undefined)))
    const all = (of: (share: SparseTensor) => Iterable<number>): number[] =>
      shares.flatMap((share) => [...of(share)])
    expect(shares.map(({ values }) => values.length)).toEqual([4, 4, 3])
    expect(all(({ indices }) => indices[1])).toEqual([...whole.indices[1]])
    expect(all(({ values }) => values)).toEqual([...whole.values])
    expect(shares.map(({ weights }) => weights !== undefined)).toEqual([weighted, weighted, weighted])
    if (weighted) expect(all(({ weights }) => weights!)).toEqual([...whole.weights!])
    expect(shares.map(({ modes }) => modes?.length)).toEqual([2, undefined, undefined])
  },
)
