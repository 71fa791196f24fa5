import { describe, expect, test } from 'vitest'
import { decodeTensorNpy, encodeCompletedNpy, encodeDenseNpy } from '#lacuna/io/index.js'
import { CpModel } from '#lacuna/model/index.js'
import { join as joined } from '../pieces.ts'
import { dense, list, tensor } from './arrays.ts'

describe('a dense .npy', () => {
  test('a dense .npy has an entry for every element but NaN; zeros are observed', () => {
    const read = decodeTensorNpy(dense([2, 3], Float64Array.of(1, NaN, 0, 4, NaN, 6)), 'a.npy')
    expect(read.dims).toEqual([2, 3])
    expect(list(read)).toEqual([
      [0, 0, 1],
      [0, 2, 0],
      [1, 0, 4],
      [1, 2, 6],
    ])
  })

  test('a dense .npy of integers is observed everywhere unless it has a mask', () => {
    const array = dense([2, 2], BigInt64Array.of(5n, 6n, 7n, 8n))
    expect(list(decodeTensorNpy(array, 'a.npy'))).toHaveLength(4)
    const mask = { shape: [2, 2], data: Uint8Array.of(1, 0, 0, 1) }
    expect(list(decodeTensorNpy(array, 'a.npy', { mask }))).toEqual([
      [0, 0, 5],
      [1, 1, 8],
    ])
  })

  test('a value above the largest float32 is refused as such, not as infinite', () => {
    expect(() => decodeTensorNpy(dense([1, 2], Float64Array.of(1, 1e308)), 'a.npy')).toThrow(
      'a.npy: element [0, 1] (counting from 0): the value 1e+308 is too large for a float32; scale the values down.',
    )
  })

  test('a dense .npy is read with larger sizes if they are given', () => {
    expect(decodeTensorNpy(dense([1, 2], Float32Array.of(1, 2)), 'a.npy', { dims: [3, 2] }).dims).toEqual([
      3, 2,
    ])
  })

  test('a dense .npy is written with NaN at the gaps, and reads back', () => {
    const { labels: _, modes: __, valueName: ___, ...plain } = tensor
    const read = decodeTensorNpy(joined(encodeDenseNpy(plain)), 'a.npy')
    expect(read.dims).toEqual(plain.dims)
    expect(list(read)).toEqual([
      [0, 0, 3, 2],
      [1, 0, 1, 0],
      [1, 2, 1, Math.fround(0.1)],
    ])
  })

  test('a dense .npy of a model has every cell, whether written in chunks or at once', () => {
    const dims = [3, 50, 2000, 3] // a block is less than the whole
    const factors = dims.map((dim) => Float32Array.from({ length: 2 * dim }, (_, i) => (i % 7) / 3))
    const large = new CpModel({ dims, rank: 2, factors })
    const chunks = [...encodeCompletedNpy(large)]
    expect(chunks.length).toBeGreaterThan(3)
    const whole = large.slice([null, null, null, null]).values
    expect(Buffer.compare(Buffer.concat(chunks.slice(1)), Buffer.from(whole.buffer))).toBe(0)
  })

  test.each<[string, () => unknown, string]>([
    [
      'a negative element',
      () => decodeTensorNpy(dense([2, 2], Float32Array.of(1, 2, -3, 4)), 'a.npy'),
      'a.npy: element [1, 0] (counting from 0): the value -3 is negative',
    ],
    [
      'infinity',
      () => decodeTensorNpy(dense([1, 2], Float32Array.of(1, Infinity)), 'a.npy'),
      'a.npy: element [0, 1] (counting from 0): the value is Infinity',
    ],
    [
      'nothing but NaN',
      () => decodeTensorNpy(dense([1, 2], Float32Array.of(NaN, NaN)), 'a.npy'),
      'a.npy: all 2 elements are NaN; there is nothing to learn from.',
    ],
    [
      'one dimension',
      () => decodeTensorNpy(dense([2], Float32Array.of(1, 2)), 'a.npy'),
      'a.npy: A tensor needs at least 2 modes',
    ],
    [
      'no elements',
      () => decodeTensorNpy(dense([2, 0], new Float32Array(0)), 'a.npy'),
      'a.npy: The size of mode 2 is 0',
    ],
    [
      'a mask of another shape',
      () =>
        decodeTensorNpy(dense([1, 2], Float32Array.of(1, 2)), 'a.npy', {
          mask: { shape: [2], data: Uint8Array.of(1, 1) },
        }),
      'a.npy: the mask has the shape (2), but the array (1, 2)',
    ],
    [
      'a shape that lies',
      () => decodeTensorNpy(lie(), 'a.npy'),
      'a.npy: the shape (9000000, 9000000) needs 324000000000000 bytes of elements, but there are 8.',
    ],
    [
      'smaller dims',
      () => decodeTensorNpy(dense([1, 2], Float32Array.of(1, 2)), 'a.npy', { dims: [1, 1] }),
      'a.npy: mode 2 has the size 2, more than the 1 that were given as dims.',
    ],
    [
      'more than fits',
      () => [...encodeDenseNpy({ ...tensor, dims: [71567, 65133, 730] })],
      'A dense 71567 × 65133 × 730 array has 3402802590030 elements and would take 12676 GiB, more than 16',
    ],
  ])('a dense .npy is refused: %s', (_, read, message) => {
    expect(read).toThrow(message)
  })

  function lie(): Uint8Array {
    const bytes = dense([1, 2], Float32Array.of(1, 2))
    const header = new TextEncoder().encode('(9000000, 9000000), }')
    bytes.set(header, Buffer.from(bytes).indexOf('(1, 2), }'))
    return bytes
  }
})
