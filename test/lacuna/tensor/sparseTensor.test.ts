import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type DuplicatePolicy,
  pickEntries,
  type SparseTensor,
  sparseTensor,
  type TensorOptions,
} from '#lacuna/tensor/index.js'
import { checkProperty } from '../../properties.ts'
import { refusal } from '../../refusal.ts'

/** A 3 × 4 matrix with entries (row, column, value). */
function matrix(...entries: [number, number, number][]): SparseTensor {
  return {
    dims: [3, 4],
    indices: [Uint32Array.from(entries, (e) => e[0]), Uint32Array.from(entries, (e) => e[1])],
    values: Float32Array.from(entries, (e) => e[2]),
  }
}

describe('sparseTensor refuses', () => {
  const good = matrix([0, 0, 1], [2, 3, 2])
  const cases: [string, SparseTensor, TensorOptions?][] = [
    ['A tensor needs at least 2 modes, this one has 1.', { ...good, dims: [3] }],
    ['The tensor has 3 dims but 2 index columns.', { ...good, dims: [3, 4, 5] }],
    ['The size of mode 2 is 0; it must be a whole number from 1 to 4294967294.', { ...good, dims: [3, 0] }],
    [
      'The size of mode 1 is 2.5; it must be a whole number from 1 to 4294967294.',
      { ...good, dims: [2.5, 4] },
    ],
    [
      'The size of mode 1 is 4294967295; it must be a whole number from 1 to 4294967294.',
      { ...good, dims: [2 ** 32 - 1, 4] },
    ],
    [
      'Mode 2 has 1 indices for 2 values; they must be equal in number.',
      { ...good, indices: [good.indices[0], new Uint32Array(1)] },
    ],
    ['Mode 1 has 2 labels for 3 indices.', { ...good, labels: [['a', 'b'], undefined] }],
    ['The tensor has 2 dims but names for 1 modes.', { ...good, modes: [{ name: 'a' }] }],
    ['The tensor has 2 dims but labels for 1 modes.', { ...good, labels: [['a', 'b', 'c']] }],
    ['The tensor has no observed entries: there is nothing to learn from.', matrix()],
    ['entry 1: index 5 of mode 2 is beyond its size 4 (counting from 1).', matrix([0, 0, 1], [0, 4, 1])],
    [
      'entry 0: the value is NaN; observed values must be finite. Leave unobserved entries out.',
      matrix([0, 0, NaN]),
    ],
    [
      'entry 0: the value is -Infinity; observed values must be finite. Leave unobserved entries out.',
      matrix([0, 0, -Infinity]),
      { negative: 'clip' },
    ],
    [
      "entry 1: the value -2 is negative; allow it with negative: 'keep' (noise around zero) or negative: 'clip' (to zero).",
      matrix([0, 0, 1], [0, 1, -2]),
    ],
    [
      "entry 0: the value -0.16 is negative; allow it with negative: 'keep' (noise around zero) or negative: 'clip' (to zero).",
      matrix([0, 0, -0.16]),
    ],
    [
      "f.tns, line 3: coordinates (1, 2) were already given by f.tns, line 1; say how to merge duplicates with duplicates: 'sum', 'mean' or 'last'.",
      matrix([0, 1, 1], [0, 0, 1], [0, 1, 1]),
      { where: (e) => `f.tns, line ${e + 1}` },
    ],
    [
      'entry 1: the sum at (1, 2) is too large for a float32.',
      matrix([0, 1, 3e38], [0, 1, 3e38]),
      { duplicates: 'sum' },
    ],
    // A program in JavaScript may say anything.
    [
      "The option negative is 'kepe'; it must be one of error, keep, clip.",
      good,
      { negative: 'kepe' } as unknown as TensorOptions,
    ],
    [
      "The option duplicates is 'first'; it must be one of error, sum, mean, last.",
      good,
      { duplicates: 'first' } as unknown as TensorOptions,
    ],
  ]
  it.each(cases)('%s', (message, input, options) => {
    expect(() => sparseTensor(input, options)).toThrow(refusal(message))
  })
})

describe('negative values', () => {
  it('Negative values are kept or clipped as asked', () => {
    const input = () => matrix([0, 0, -1.5], [1, 1, 2], [2, 2, 0])
    expect([...sparseTensor(input(), { negative: 'keep' }).values]).toEqual([-1.5, 2, 0])
    expect([...sparseTensor(input(), { negative: 'clip' }).values]).toEqual([0, 2, 0])
  })
})

describe('duplicates', () => {
  const merge: Record<Exclude<DuplicatePolicy, 'error'>, (seen: number[]) => number> = {
    sum: (seen) => seen.reduce((a, b) => a + b),
    mean: (seen) => seen.reduce((a, b) => a + b) / seen.length,
    last: (seen) => seen[seen.length - 1],
  }
  const entry = fc.tuple(fc.nat(2), fc.nat(3), fc.float({ min: 0, max: 1000, noNaN: true }))

  it.each(Object.entries(merge))(
    'Duplicates are merged by %s, in order of first appearance',
    (policy, mergeSeen) => {
      checkProperty(
        fc.property(fc.array(entry, { minLength: 1, maxLength: 40 }), (entries) => {
          const seen = new Map<string, number[]>()
          for (const [i, j, x] of entries) seen.set(`${i},${j}`, [...(seen.get(`${i},${j}`) ?? []), x])
          const { indices, values } = sparseTensor(matrix(...entries), {
            duplicates: policy as DuplicatePolicy,
          })
          expect([...values].map((_, e) => `${indices[0][e]},${indices[1][e]}`)).toEqual([...seen.keys()])
          expect([...values]).toEqual([...seen.values()].map((list) => Math.fround(mergeSeen(list))))
        }),
        { seed: 1, numRuns: 300 },
      )
    },
  )

  it('Duplicates have a mean even where their sum is too large', () => {
    const { values } = sparseTensor(matrix([0, 0, 3e38], [0, 0, 1e38]), { duplicates: 'mean' })
    expect(values[0] / 2e38).toBeCloseTo(1, 6)
  })

  it('Duplicates are counted beyond the whole numbers of a float32', () => {
    const { values } = sparseTensor(matrix([0, 0, 2 ** 24], [0, 0, 1], [0, 0, 1]), { duplicates: 'sum' })
    expect(values[0]).toBe(2 ** 24 + 2)
  })

  it.each(['sum', 'mean'] as const)('Duplicates have the same %s in any order', (duplicates) => {
    const small = fc.array(
      fc.integer({ min: -999, max: 999 }).map((x) => x / 8),
      { minLength: 1, maxLength: 5 },
    )
    const large = fc.array(fc.float({ min: 2 ** 40, max: 2 ** 60, noNaN: true }), { maxLength: 3 })
    checkProperty(
      fc.property(small, large, fc.infiniteStream(fc.nat()), (few, many, keys) => {
        const given = [...few, ...many, ...many.map((x) => -x)]
        const keyed = given.map((x) => ({ x, key: keys.next().value ?? 0 }))
        const other = keyed.toSorted((a, b) => a.key - b.key).map(({ x }) => x)
        const merged = [given, other].map(
          (list) =>
            sparseTensor(matrix(...list.map((x): [number, number, number] => [0, 0, x])), {
              duplicates,
              negative: 'keep',
            }).values[0],
        )
        expect(merged[1]).toBe(merged[0])
      }),
      { numRuns: 300 },
    )
  })
})

it('sparseTensor keeps labels, names of modes and, where nothing is merged, the arrays themselves', () => {
  const input = {
    ...matrix([0, 0, 1], [2, 3, 2]),
    labels: [['a', 'b', 'c'], undefined],
    modes: [{ name: 'a' }, { name: 'b' }],
  }
  const tensor = sparseTensor(input)
  expect(tensor).toEqual(input)
  expect(tensor.values).toBe(input.values)
})

it('pickEntries picks entries by number, in that order', () => {
  const picked = pickEntries(matrix([0, 0, 1], [1, 2, 2], [2, 3, 3]), Uint32Array.of(2, 0))
  expect(picked).toEqual(matrix([2, 3, 3], [0, 0, 1]))
})
