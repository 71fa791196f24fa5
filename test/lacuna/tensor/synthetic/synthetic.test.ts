import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SparseTensor, sparseTensor } from '#lacuna/tensor/index.js'
import { type SyntheticOptions, synthetic } from '#lacuna/tensor/synthetic/synthetic.js'
import { chiSquare } from '../../../chiSquare.ts'
import { checkProperty } from '../../../properties.ts'
import { refusal } from '../../../refusal.ts'

/** The entry of X° by its definition. */
function product(factors: readonly Float32Array[], rank: number, cell: readonly number[]): number {
  let sum = 0
  for (let r = 0; r < rank; r++) sum += cell.reduce((p, i, mode) => p * factors[mode][i * rank + r], 1)
  return sum
}

const cellAt = (tensor: SparseTensor, e: number) => tensor.indices.map((column) => column[e])
const cellsOf = (tensor: SparseTensor) => Array.from(tensor.values, (_, e) => cellAt(tensor, e).join())

/** Any problem of up to 8⁴ cells and any density, with its test entries. */
const problems = fc
  .record({
    dims: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 2, maxLength: 4 }),
    rank: fc.integer({ min: 1, max: 5 }),
    seed: fc.nat(),
    density: fc.double({ min: 0, max: 1, noNaN: true }),
    testShare: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ dims, rank, seed, density, testShare }): SyntheticOptions & { testEntries: number } => {
    const cells = dims.reduce((a, b) => a * b)
    const entries = Math.max(1, Math.round(density * cells))
    return { dims, rank, seed, entries, testEntries: Math.floor(testShare * (cells - entries)) }
  })

describe('without noise', () => {
  it('Synthetic entries are distinct cells with the values of the factors, and test entries are others', () => {
    checkProperty(
      fc.property(problems, (options) => {
        const { tensor, test, factors } = synthetic(options)
        expect(tensor.values.length).toBe(options.entries)
        expect(test?.values.length ?? 0).toBe(options.testEntries)
        const parts = test ? [tensor, test] : [tensor]
        const cells = parts.flatMap(cellsOf)
        expect(new Set(cells).size).toBe(cells.length)
        for (const part of parts) {
          expect(() => sparseTensor(part)).not.toThrow() // in range, nonnegative, finite
          part.values.forEach((x, e) => {
            expect(x).toBe(Math.fround(product(factors, options.rank, cellAt(part, e))))
          })
        }
      }),
      { seed: 1, numRuns: 100 },
    )
  })

  it('Synthetic factors are uniform on [0, 1]', () => {
    const { factors } = synthetic({ dims: [5000, 3000], rank: 4, entries: 1 })
    for (const factor of factors) {
      const counts = new Uint32Array(50)
      for (const a of factor) counts[Math.min(49, Math.floor(50 * a))]++
      expect(chiSquare(counts)).toBeLessThan(4)
    }
  })
})

describe('cells are uniform', () => {
  // A third full, cells are drawn; two thirds full, they are dealt. Either way test cells are like the others.
  it.each([
    [5, 3],
    [10, 6],
  ])(
    'Synthetic cells are uniform with %i observed and %i test entries in 24 cells',
    (entries, testEntries) => {
      const observed = new Uint32Array(24)
      const tested = new Uint32Array(24)
      const runs = 4000
      for (let seed = 0; seed < runs; seed++) {
        const { tensor, test } = synthetic({ dims: [4, 3, 2], rank: 1, entries, testEntries, seed })
        for (const [part, counts] of [
          [tensor, observed],
          [test!, tested],
        ] as const)
          part.values.forEach((_, e) => {
            const [i, j, k] = cellAt(part, e)
            counts[(i * 3 + j) * 2 + k]++
          })
      }
      expect(chiSquare(observed)).toBeLessThan(4)
      expect(chiSquare(tested)).toBeLessThan(4)
    },
  )

  it('Synthetic cells are uniform in a large sparse tensor, mode by mode', () => {
    const { tensor } = synthetic({ dims: [100, 300, 700], rank: 1, entries: 200_000 })
    tensor.indices.forEach((column, mode) => {
      const counts = new Uint32Array(tensor.dims[mode])
      for (const i of column) counts[i]++
      expect(chiSquare(counts)).toBeLessThan(4)
    })
  })

  it('Synthetic cells are uniform in a tensor of more than 2⁵³ cells', () => {
    const { tensor } = synthetic({ dims: Array(6).fill(10_000), rank: 2, entries: 1000 })
    expect(new Set(cellsOf(tensor)).size).toBe(1000)
    expect(() => sparseTensor(tensor)).not.toThrow()
  })
})

describe('noise', () => {
  it.each([-10, 0, 10, 40])(
    'Synthetic noise has exactly the SNR of %i dB over the observed entries',
    (snrDb) => {
      const options = { dims: [50, 40, 30], rank: 3, entries: 5000, testEntries: 100 }
      const clean = synthetic(options)
      const noisy = synthetic({ ...options, snrDb })
      let signal = 0
      let noise = 0
      clean.tensor.values.forEach((x, e) => {
        signal += x ** 2
        noise += (noisy.tensor.values[e] - x) ** 2
      })
      expect(10 * Math.log10(signal / noise)).toBeCloseTo(snrDb, 4)
      expect(noisy.tensor.indices).toEqual(clean.tensor.indices)
      expect(noisy.test).toEqual(clean.test)
    },
  )

  it('Synthetic noise is symmetric and makes values negative, which the policy keep accepts', () => {
    const options = { dims: [50, 40, 30], rank: 1, entries: 20_000 }
    const clean = synthetic(options).tensor.values
    const { tensor } = synthetic({ ...options, snrDb: 0 })
    const up = tensor.values.filter((x, e) => x > clean[e]).length
    expect(chiSquare([up, 20_000 - up])).toBeLessThan(4)
    expect(() => sparseTensor(tensor)).toThrow('is negative')
    expect(sparseTensor(tensor, { negative: 'keep' })).toEqual(tensor)
  })
})

it('The same seed gives the same synthetic problem, another seed another one', () => {
  const make = (seed: number) =>
    synthetic({ dims: [30, 20, 10], rank: 2, entries: 500, snrDb: 10, testEntries: 50, seed })
  expect(make(3)).toEqual(make(3))
  const [a, b] = [make(3), make(4)]
  expect(a.factors).not.toEqual(b.factors)
  expect(a.tensor.indices).not.toEqual(b.tensor.indices)
})

it('synthetic reports its progress, from 0 to 1', () => {
  for (const entries of [100, 900]) {
    const shares: number[] = []
    synthetic({ dims: [10, 10, 10], rank: 2, entries, onProgress: (share) => shares.push(share) })
    expect(shares[0]).toBe(0)
    expect(shares.at(-1)).toBe(1)
    expect(shares).toEqual([...shares].sort((x, y) => x - y))
  }
})

describe('a synthetic problem that is refused', () => {
  const good = { dims: [4, 5], rank: 2, entries: 10 }
  const cases: [string, SyntheticOptions][] = [
    ['A tensor needs at least 2 modes, this one has 1.', { ...good, dims: [4] }],
    ['The size of mode 2 is -5; it must be a whole number from 1 to 4294967294.', { ...good, dims: [4, -5] }],
    ['The rank is 0; it must be a whole number from 1.', { ...good, rank: 0 }],
    ['The rank is 1.5; it must be a whole number from 1.', { ...good, rank: 1.5 }],
    [
      'A factor of 1000000000 × 10 elements does not fit in memory; lower the rank.',
      { ...good, dims: [1e9, 2], rank: 10 },
    ],
    ['The number of entries is 0; it must be a whole number from 1.', { ...good, entries: 0 }],
    ['The number of entries is NaN; it must be a whole number from 1.', { ...good, entries: NaN }],
    ['The number of test entries is -1; it must be a whole number from 0.', { ...good, testEntries: -1 }],
    [
      '21 entries, those for testing included, do not fit in the 20 cells of a 4 × 5 tensor; ask for fewer.',
      { ...good, entries: 15, testEntries: 6 },
    ],
    [
      '3000000000 entries are too many; ask for at most 2147483648.',
      { ...good, dims: [1e5, 1e5], entries: 3e9 },
    ],
    ['The SNR is NaN dB; it must be a number from -300, or Infinity for no noise.', { ...good, snrDb: NaN }],
    [
      'The SNR is -Infinity dB; it must be a number from -300, or Infinity for no noise.',
      { ...good, snrDb: -Infinity },
    ],
    ['The seed is -1; it must be a whole number from 0 to 2^53 - 1.', { ...good, seed: -1 }],
  ]
  it.each(cases)('%s', (message, options) => {
    expect(() => synthetic(options)).toThrow(refusal(message))
  })
})
