import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExactSum } from '#lacuna/model/evaluate/exactSum.js'
import { checkProperty } from '../../../properties.ts'

const sumOf = (numbers: readonly number[]): ExactSum => {
  const sum = new ExactSum()
  for (const x of numbers) sum.add(x)
  return sum
}

describe('an exact sum', () => {
  it('includes small terms that a float64 sum would lose', () => {
    expect(sumOf([1e100, 1, -1e100]).value).toBe(1)
    expect(sumOf([0.1, 0.2, 0.3, -0.6]).value).toBe(2 ** -55)
    expect(sumOf(new Array(10).fill(0.1)).value).toBe(1)
    expect(sumOf([2 ** 53, 1, 1]).value).toBe(2 ** 53 + 2)
    expect(sumOf([5e-324, 5e-324, -1.5e-323]).value).toBe(-5e-324)
    expect(sumOf([1.7e308, -1.7e308, 2.5e-310]).value).toBe(2.5e-310)
    expect(sumOf([]).value).toBe(0)
  })

  it('equals the sum of whole numbers, in any order, and merged from two sums', () => {
    const numbers = fc.array(fc.integer({ min: -(2 ** 52), max: 2 ** 52 }), { minLength: 1, maxLength: 60 })
    checkProperty(
      fc.property(numbers, fc.integer({ min: -60, max: 60 }), fc.nat(60), (list, exponent, cut) => {
        const scaled = list.map((n) => n * 2 ** exponent)
        const exact = Number(list.reduce((sum, n) => sum + BigInt(n), 0n)) * 2 ** exponent
        expect(sumOf(scaled).value).toBe(exact + 0)
        expect(sumOf(scaled.toReversed()).value).toBe(exact + 0)
        const both = sumOf(scaled.slice(0, cut))
        both.addAll(String(sumOf(scaled.slice(cut))))
        expect(both.value).toBe(exact + 0)
      }),
      { seed: 7 },
    )
  })
})
