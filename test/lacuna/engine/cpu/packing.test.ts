import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import { indexIn, packingOf } from '#lacuna/engine/cpu/setup/place/packing.js'
import type { Step } from '#lacuna/engine/engine.js'
import { randomFactors, randomTensor, weighted } from '../../../problems.ts'
import { checkProperty } from '../../../properties.ts'
import { factorText } from '../bits.ts'

const dims = fc.array(fc.integer({ min: 1, max: 2 ** 32 - 1 }), { minLength: 2, maxLength: 6 })

/** The words of a record with these indices. */
function packRecord(
  { fields, words }: ReturnType<typeof packingOf>,
  indices: readonly number[],
): Uint32Array {
  const record = new Uint32Array(words)
  fields.forEach(({ word, shift }, o) => {
    record[word] += indices[o] * 2 ** shift
  })
  return record
}

it('Packing and unpacking returns every index, for modes of any size', () => {
  checkProperty(
    fc.property(dims, fc.nat(), fc.infiniteStream(fc.nat()), (dims, at, draws) => {
      const mode = at % dims.length
      const packing = packingOf(dims, mode)
      const others = dims.filter((_, other) => other !== mode)
      for (const largest of [true, false]) {
        const indices = others.map((dim) => (largest ? dim - 1 : draws.next().value % dim))
        const record = packRecord(packing, indices)
        expect(packing.fields.map((field) => indexIn(record, 0, field))).toEqual(indices)
      }
    }),
  )
})

it('Indices that fit share a word, and packed records have the order of their coordinates', () => {
  const uber = [183, 24, 1140, 1717]
  expect(uber.map((_, mode) => packingOf(uber, mode).words)).toEqual([1, 1, 1, 1])
  const ratings = [71_567, 65_133, 730]
  expect(ratings.map((_, mode) => packingOf(ratings, mode).words)).toEqual([1, 1, 2])
  const packing = packingOf([5, 300, 40, 2000, 9], 0)
  const compare = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
    for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] - b[i]
    return 0
  }
  const index = (dim: number) => fc.integer({ min: 0, max: dim - 1 })
  const coordinates = fc.tuple(index(300), index(40), index(2000), index(9))
  checkProperty(
    fc.property(coordinates, coordinates, (a, b) => {
      expect(Math.sign(compare(packRecord(packing, a), packRecord(packing, b)))).toBe(
        Math.sign(compare(a, b)),
      )
    }),
  )
})

it('An index takes no bit more than the largest of its mode needs, also at powers of two', () => {
  expect(packingOf([2, 256, 256, 65_536], 0)).toEqual({
    words: 1,
    fields: [
      { word: 0, shift: 24, mask: 255 },
      { word: 0, shift: 16, mask: 255 },
      { word: 0, shift: 0, mask: 65_535 },
    ],
  })
  // One row more takes one bit more, which no longer fits.
  expect(packingOf([2, 257, 256, 65_536], 0).words).toBe(2)
  // A mode of one row still has a bit of its own.
  expect(packingOf([2, 1, 2 ** 31], 0)).toMatchObject({
    words: 1,
    fields: [{ shift: 31, mask: 1 }, {}],
  })
})

/** Rows of a mode whose indices take more than half a word. */
const WIDE = 70_000

describe('records whose indices share words give the same bits as those of a word for each index', () => {
  const shapes = {
    'indices in one word': { dims: [30, 20, 10], entries: 3000 },
    'one of three words of one index, two of one': { dims: [70_000, 66_000, 30], entries: 3000 },
    'two indices in each of two words': { dims: [3, 60_000, 50_000, 40_000, 7], entries: 3000 },
    'six modes': { dims: [3, 900, 800, 700, 600, 500], entries: 3000 },
  }
  const learned = { kind: 'posterior', noise: 'auto', loss: 'huber', entries: 3000, mean: 1 } as const
  const steps: Step[] = [
    { kind: 'newton', momentum: 0.5, damping: 1 },
    { kind: 'gradient', momentum: 0.5 },
    { ...learned, begin: { sigma2: 0.2, squares: 80, variance: 0.7 } },
    learned,
  ]
  const asked = { rank: 3, momentumFactors: true, posterior: 'rows' as const, seed: 2, probe: 1000 }
  it.each(Object.entries(shapes))('%s', async (_, shape) => {
    const plain = randomTensor({ ...shape, seed: 3 })
    const engine = cpuEngine({ allThreads: true, threads: 2 })
    for (const tensor of [plain, weighted(plain)]) {
      const found = []
      // Rows without entries make modes so large that no two indices fit into a word.
      for (const dims of [tensor.dims, tensor.dims.map((dim) => Math.max(dim, WIDE))]) {
        const problem = await engine.load({ ...asked, tensor: { ...tensor, dims } })
        const initial = randomFactors(tensor.dims, 3, 1)
        await problem.writeFactors(initial.map((factor, mode) => padRows(factor, 3 * dims[mode])))
        for (const [first, step] of steps.entries())
          await problem.iterate({
            first,
            count: 1,
            sample: step.kind === 'posterior' ? 1 : 0.6,
            lambda: 0.01,
            seed: 2,
            step,
          })
        const { sums } = await problem.errors(['train', 'probe'])
        for (const { squares } of sums) expect(squares).toBeGreaterThan(0)
        const factors = await problem.readFactors()
        const rows = factors.map((factor, mode) => factor.subarray(0, 3 * tensor.dims[mode]))
        found.push([factorText(rows), ...sums.map((sum) => JSON.stringify(sum))])
        await problem.close()
      }
      expect(found[0]).toEqual(found[1])
    }
    await engine.close()
  })
})

/** A matrix with zeros behind its elements: `length` in all. */
function padRows(matrix: Float32Array, length: number): Float32Array {
  const padded = new Float32Array(length)
  padded.set(matrix)
  return padded
}
