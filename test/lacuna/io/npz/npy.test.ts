import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeNpy, encodeNpy, type NpyData } from '#lacuna/io/index.js'
import { checkProperty } from '../../../properties.ts'

const shapes = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 })
const size = (shape: readonly number[]) => shape.reduce((product, dim) => product * dim, 1)

/** A .npy file by hand: any header text, any version. */
function npy(dict: string, body: NpyData, version = 1): Uint8Array {
  const header = new TextEncoder().encode(`${dict}\n`)
  const start = version === 1 ? 10 : 12
  const bytes = new Uint8Array(start + header.length + body.byteLength)
  bytes.set([0x93, ...new TextEncoder().encode('NUMPY'), version, 0])
  const view = new DataView(bytes.buffer)
  if (version === 1) view.setUint16(8, header.length, true)
  else view.setUint32(8, header.length, true)
  bytes.set(header, start)
  bytes.set(new Uint8Array(body.buffer), start + header.length)
  return bytes
}

const dict = (descr: string, shape: string, fortran = 'False') =>
  `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}, }`

test.each([
  ['float32', (n: number): NpyData => Float32Array.from({ length: n }, (_, i) => 1 / (i + 1))],
  ['float64', (n: number): NpyData => Float64Array.from({ length: n }, (_, i) => 1 / (i + 1))],
  ['int32', (n: number): NpyData => Int32Array.from({ length: n }, (_, i) => -i)],
  ['int64', (n: number): NpyData => BigInt64Array.from({ length: n }, (_, i) => -(2n ** 40n) * BigInt(i))],
  ['uint8', (n: number): NpyData => Uint8Array.from({ length: n }, (_, i) => 255 - i)],
  ['uint32', (n: number): NpyData => Uint32Array.from({ length: n }, (_, i) => 2 ** 32 - 1 - i)],
])('an array of %s is read as it was written', (_, make) => {
  checkProperty(
    fc.property(shapes, fc.nat(7), (shape, offset) => {
      const array = { shape, data: make(size(shape)) }
      const encoded = encodeNpy(array)
      expect((encoded.length - array.data.byteLength) % 64).toBe(0)
      // Wherever in a larger buffer the bytes lie:
      const moved = new Uint8Array(offset + encoded.length).subarray(offset)
      moved.set(encoded)
      expect(decodeNpy(moved, 'a.npy')).toEqual(array)
    }),
    { seed: 1, numRuns: 50 },
  )
})

describe('decodeNpy', () => {
  test('decodeNpy reads Fortran order', () => {
    // [[0, 1, 2], [3, 4, 5]], column by column
    const bytes = npy(dict('<f4', '(2, 3)', 'True'), Float32Array.of(0, 3, 1, 4, 2, 5))
    expect(decodeNpy(bytes, 'a.npy')).toEqual({ shape: [2, 3], data: Float32Array.of(0, 1, 2, 3, 4, 5) })
    // element (i, j, k) of a 2 × 3 × 4 array lies at i + 2j + 6k
    const cube = decodeNpy(
      npy(
        dict('<i4', '(2, 3, 4)', 'True'),
        Int32Array.from({ length: 24 }, (_, at) => at),
      ),
      'a.npy',
    )
    const expected = []
    for (let i = 0; i < 2; i++)
      for (let j = 0; j < 3; j++) for (let k = 0; k < 4; k++) expected.push(i + 2 * j + 6 * k)
    expect([...cube.data]).toEqual(expected)
  })

  test.each([1, 2, 3])('decodeNpy reads version %d', (version) => {
    expect(decodeNpy(npy(dict('<f4', '(2,)'), Float32Array.of(1, 2), version), 'a.npy')).toEqual({
      shape: [2],
      data: Float32Array.of(1, 2),
    })
  })

  const two = Float32Array.of(1, 2)
  test.each([
    ['another file', new TextEncoder().encode('hello world'), 'this is not a .npy array'],
    ['nothing', new Uint8Array(0), 'this is not a .npy array'],
    [
      'a future version',
      npy(dict('<f4', '(2,)'), two, 4),
      'the .npy version is 4; versions 1, 2 and 3 can be read.',
    ],
    ['a cut header', npy(dict('<f4', '(2,)'), two).subarray(0, 30), 'the .npy header is cut short'],
    [
      'a header cut at its length',
      npy(dict('<f4', '(2,)'), two).subarray(0, 8),
      'the .npy header is cut short',
    ],
    [
      'cut elements',
      npy(dict('<f4', '(2,)'), two).subarray(0, -1),
      'the shape (2) needs 8 bytes of elements, but there are 7.',
    ],
    [
      'elements left over',
      npy(dict('<f4', '(1,)'), two),
      'the shape (1) needs 4 bytes of elements, but there are 8.',
    ],
    [
      'complex elements',
      npy(dict('<c8', '(1,)'), two),
      "the elements are of type '<c8'; convert them with .astype('<f4')",
    ],
    [
      'a record type',
      npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,), }", two),
      'names no simple element type',
    ],
    [
      'an inherited name for a type',
      npy(dict('constructor', '(2,)'), two),
      "the elements are of type 'constructor'",
    ],
  ])('decodeNpy refuses %s', (_, bytes, message) => {
    expect(() => decodeNpy(bytes, 'a.npy')).toThrow(`a.npy: `)
    expect(() => decodeNpy(bytes, 'a.npy')).toThrow(message)
  })
})

test('encodeNpy refuses a shape that does not give the number of elements', () => {
  expect(() => encodeNpy({ shape: [2, 3], data: new Float32Array(5) })).toThrow(
    'An array of shape (2, 3) needs 6 elements, not 5.',
  )
})
