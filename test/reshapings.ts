import fc from 'fast-check'

export function allCoordinates(dims: readonly number[]): number[][] {
  return dims.reduce<number[][]>(
    (heads, dim) => heads.flatMap((head) => Array.from({ length: dim }, (_, index) => [...head, index])),
    [[]],
  )
}

/** Sizes of three or four modes, of which two may be merged, in any order and place, and another may be split. */
export const reshapings = fc
  .record({
    dims: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 3, maxLength: 4 }),
    order: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
    long: fc.integer({ min: 5, max: 14 }),
    into: fc.constantFrom([2], [3], [2, 2]),
    offset: fc.nat(1),
    merges: fc.boolean(),
    splits: fc.boolean(),
  })
  .map(({ dims, order, long, into, offset, merges, splits }) => {
    const shuffled = dims.map((_, mode) => mode).sort((a, b) => order[a] - order[b] || a - b)
    const [first, second, third] = shuffled
    const sizes = dims.map((dim, mode) => (splits && mode === third ? long : dim))
    return {
      dims: sizes,
      reshaping: {
        mergeModes: merges ? [[first, second]] : [],
        split: splits ? [{ mode: third, into, offset }] : [],
      },
    }
  })
