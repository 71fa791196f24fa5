import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { below, checkSeed, draw, extend, normal, purpose, stream, unit } from '#lacuna/base/random.js'
import { chiSquare } from '../../chiSquare.ts'
import { checkProperty } from '../../properties.ts'
import { refusal } from '../../refusal.ts'

const word = fc.integer({ min: 0, max: 2 ** 32 - 1 })

describe('below()', () => {
  it('below(bits, n) is the high word of bits · n, exactly', () => {
    checkProperty(
      fc.property(word, fc.integer({ min: 1, max: 2 ** 32 }), (bits, n) => {
        expect(below(bits, n)).toBe(Number((BigInt(bits) * BigInt(n)) >> 32n))
      }),
      { seed: 1, numRuns: 2000 },
    )
    expect(below(2 ** 32 - 1, 2 ** 32)).toBe(2 ** 32 - 1)
  })

  it('below(bits, n) is uniform for an n that does not divide 2³²', () => {
    const counts = new Uint32Array(97)
    for (let i = 0; i < 97_000; i++) counts[below(draw(stream(3), i), 97)]++
    expect(chiSquare(counts)).toBeLessThan(4)
  })
})

describe('unit', () => {
  it('unit() lies strictly between 0 and 1', () => {
    expect(unit(0)).toBeGreaterThan(0)
    expect(unit(2 ** 32 - 1)).toBeLessThan(1)
  })

  it('unit() is uniform, and so are pairs of successive draws', () => {
    const counts = new Uint32Array(256)
    const key = stream(4)
    for (let i = 0; i < 256_000; i++) {
      const [a, b] = [draw(key, 2 * i), draw(key, 2 * i + 1)].map((bits) => Math.floor(unit(bits) * 16))
      counts[16 * a + b]++
    }
    expect(chiSquare(counts)).toBeLessThan(4)
  })
})

describe('streams', () => {
  it('Streams differ by seed, also beyond 32 bits, by purpose and by word', () => {
    const seeds = [0, 1, 2, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1]
    const keys = seeds.flatMap((seed) => [
      stream(seed),
      ...Object.values(purpose).flatMap((use) => [
        stream(seed, use),
        stream(seed, use, 1),
        stream(seed, use, 2),
      ]),
    ])
    expect(new Set(keys).size).toBe(keys.length)
    expect(stream(5, 6, 7)).toBe(extend(stream(5, 6), 7))
  })

  it('Streams of neighbouring words are uncorrelated', () => {
    const count = 40_000
    for (const [a, b] of [
      [stream(1, 1), stream(1, 2)],
      [stream(1), stream(2)],
      [8, 9],
    ]) {
      let sum = 0
      for (let i = 0; i < count; i++) sum += 12 * (unit(draw(a, i)) - 0.5) * (unit(draw(b, i)) - 0.5)
      expect(Math.abs(sum / Math.sqrt(count))).toBeLessThan(4) // standard deviations
    }
  })

  it('A stream never repeats a draw, since mix is a bijection', () => {
    const draws = new Set(Array.from({ length: 50_000 }, (_, i) => draw(7, i)))
    expect(draws.size).toBe(50_000)
  })
})

describe('normal', () => {
  it('normal() has the quantiles of the normal distribution', () => {
    const borders = [-1.28155, -0.84162, -0.5244, -0.25335, 0, 0.25335, 0.5244, 0.84162, 1.28155] // deciles
    const counts = new Uint32Array(10)
    const key = stream(5)
    for (let i = 0; i < 100_000; i++) {
      const z = normal(key, i)
      counts[borders.filter((border) => border < z).length]++
    }
    expect(chiSquare(counts)).toBeLessThan(4)
  })
})

describe('checkSeed', () => {
  it('checkSeed accepts whole numbers from 0 and nothing else', () => {
    for (const seed of [0, 1, 2 ** 53 - 1]) expect(() => checkSeed(seed)).not.toThrow()
    for (const seed of [-1, 1.5, 2 ** 53, NaN, Infinity])
      expect(() => checkSeed(seed)).toThrow(
        refusal(`The seed is ${seed}; it must be a whole number from 0 to 2^53 - 1.`),
      )
  })
})
