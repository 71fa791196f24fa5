import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { SparseTensor } from '#lacuna/tensor/sparseTensor.js'
import { split } from '#lacuna/tensor/split/split.js'
import { chiSquare } from '../../../chiSquare.ts'
import { checkProperty } from '../../../properties.ts'
import { refusal } from '../../../refusal.ts'

/** A tensor whose entry e is at (e, 0) and has the value e. */
function numberedTensor(count: number): SparseTensor {
  const numbers = Uint32Array.from({ length: count }, (_, e) => e)
  return { dims: [count, 1], indices: [numbers, new Uint32Array(count)], values: Float32Array.from(numbers) }
}

const valuesOf = (part: SparseTensor) => [...part.values]

it('split divides the entries with exact counts, each into one set, unchanged', () => {
  const share = fc.double({ min: 0, max: 0.45, noNaN: true })
  checkProperty(
    fc.property(
      fc.integer({ min: 20, max: 300 }),
      share,
      share,
      fc.nat(),
      (count, validation, test, seed) => {
        const parts = split(numberedTensor(count), { validation, test }, seed)
        const wanted = (s: number) => (s > 0 ? Math.max(1, Math.round(s * count)) : 0)
        expect(parts.validation.values.length).toBe(wanted(validation))
        expect(parts.test.values.length).toBe(wanted(test))
        const all = [parts.train, parts.validation, parts.test]
        expect(all.flatMap(valuesOf).sort((a, b) => a - b)).toEqual(valuesOf(numberedTensor(count)))
        for (const part of all) expect([...part.indices[0]]).toEqual(valuesOf(part))
      },
    ),
    { seed: 1, numRuns: 200 },
  )
})

it('split holds out at least one entry for a fraction above 0', () => {
  const parts = split(numberedTensor(3), { validation: 0.1, test: 0.01 }, 1)
  expect([parts.train, parts.validation, parts.test].map((part) => part.values.length)).toEqual([1, 1, 1])
})

it('split is the same for the same seed, another for another seed', () => {
  const byseed = (seed: number) => valuesOf(split(numberedTensor(1000), { test: 0.3 }, seed).test)
  expect(byseed(5)).toEqual(byseed(5))
  expect(byseed(5)).not.toEqual(byseed(6))
})

it('split is unbiased: every division of 5 entries is equally likely', () => {
  const counts = new Map<string, number>()
  for (let seed = 0; seed < 6000; seed++) {
    const { validation, test } = split(numberedTensor(5), { validation: 0.4, test: 0.2 }, seed)
    const key = `${valuesOf(validation)} | ${valuesOf(test)}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  expect(counts.size).toBe(30) // 5! / (2! 2! 1!)
  expect(chiSquare([...counts.values()])).toBeLessThan(4)
})

it('split refuses impossible fractions and seeds', () => {
  const tensor = numberedTensor(10)
  for (const share of [-0.1, 1, NaN])
    expect(() => split(tensor, { test: share }, 1)).toThrow(
      refusal(`A held-out share is ${share}; it must lie in [0, 1).`),
    )
  expect(() => split(tensor, { validation: 0.5, test: 0.5 }, 1)).toThrow(
    refusal('Holding out 5 + 5 of 10 entries leaves none to learn from.'),
  )
  expect(() => split(tensor, { test: 0.5 }, 1.5)).toThrow('The seed is 1.5')
})
