import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type NestedArray, tensorFromArray } from '#lacuna/tensor/index.js'
import { checkProperty } from '../../properties.ts'

describe('lists within lists', () => {
  it('tensorFromArray takes null, undefined and NaN for unknown cells', () => {
    const tensor = tensorFromArray([
      [
        [1, null],
        [undefined, 4],
      ],
      [new Float64Array([NaN, 6]), [0, 8]],
    ])
    expect(tensor.dims).toEqual([2, 2, 2])
    expect([...tensor.values]).toEqual([1, 4, 6, 0, 8])
    expect(tensor.indices.map((column) => [...column])).toEqual([
      [0, 0, 1, 1, 1],
      [0, 1, 0, 1, 1],
      [0, 1, 1, 0, 1],
    ])
  })

  it('tensorFromArray keeps every number of nested lists', () => {
    const cell = fc.option(fc.integer({ min: 0, max: 9 }))
    checkProperty(
      fc.property(
        fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 5 }),
        (rows) => {
          fc.pre(rows.flat().some((x) => x !== null))
          const { dims, indices, values } = tensorFromArray(rows)
          const back: (number | null)[][] = Array.from({ length: dims[0] }, () =>
            new Array(dims[1]).fill(null),
          )
          values.forEach((x, e) => {
            back[indices[0][e]][indices[1][e]] = x
          })
          expect(back).toEqual(rows)
        },
      ),
    )
  })

  it.each<[unknown, string]>([
    [[[1, 2], [3]], 'array[1] is a list of 1, but array[0] is a list of 2'],
    [[[1, 2], 'ab'], 'array[1] is the text "ab"'],
    [[[1, '2']], 'array[0][1] is the text "2"; give a number, or null'],
    [[[1, [2]]], 'array[0][1] is a list of 1'],
    [[[1, {}]], 'array[0][1] is an object'],
    [[[null, NaN]], 'gaps only'],
    [[1, 2], 'at least 2 modes'],
    [7, 'at least 2 modes'],
    [[[], []], 'size of mode 2 is 0'],
    [[[1, Infinity]], 'must be finite'],
    [[[1, -1]], "negative: 'keep'"],
  ])('are refused in a sentence: %j', (array, message) => {
    expect(() => tensorFromArray(array as NestedArray)).toThrow(
      expect.objectContaining({ name: 'InputError', message: expect.stringContaining(message) }),
    )
  })

  it('tensorFromArray accepts negative numbers where that is allowed', () => {
    expect([...tensorFromArray([[1, -1]], { negative: 'clip' }).values]).toEqual([1, 0])
  })
})
