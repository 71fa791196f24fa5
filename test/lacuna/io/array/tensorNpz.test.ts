import { zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import {
  decodeModel,
  decodeTensorNpz,
  encodeModel,
  encodeTensorNpz,
  type NpzEntries,
} from '#lacuna/io/index.js'
import { join as joined } from '../pieces.ts'
import { list, model, npz, tensor } from './arrays.ts'

describe('an .npz', () => {
  test('an .npz preserves all of a tensor, its entries in C order', () => {
    const read = decodeTensorNpz(joined(encodeTensorNpz(tensor)), 'a.npz')
    expect(list(read)).toEqual([
      [0, 0, 3, 2],
      [1, 0, 1, 0],
      [1, 2, 1, Math.fround(0.1)],
    ])
    const { dims, labels, modes, valueName } = tensor
    expect(read).toMatchObject({ dims, labels, modes, valueName })
    expect(joined(encodeTensorNpz(read))).toEqual(joined(encodeTensorNpz(tensor)))
  })

  test('an .npz may hold a dense array and a mask, true where observed', () => {
    const values = { shape: [2, 2], data: Float32Array.of(1, 2, NaN, 4) }
    const mask = { shape: [2, 2], data: Uint8Array.of(0, 1, 1, 1) }
    for (const name of ['values.npy', 'data.npy', 'whatever.npy'])
      expect(list(decodeTensorNpz(npz({ [name]: values, 'mask.npy': mask }), 'a.npz'))).toEqual([
        [0, 1, 2],
        [1, 1, 4],
      ])
    expect(list(decodeTensorNpz(npz({ 'arr_0.npy': values }), 'a.npz'))).toHaveLength(3)
  })

  const coords = { shape: [2, 2], data: BigInt64Array.of(0n, 2n, 1n, 0n) }
  const data = { shape: [2], data: Float64Array.of(5, 6) }
  const shape = { shape: [2], data: BigInt64Array.of(3n, 2n) }
  const coo = (change: NpzEntries = {}) =>
    decodeTensorNpz(npz({ 'coords.npy': coords, 'data.npy': data, 'shape.npy': shape, ...change }), 'a.npz')
  const one = (value: number) => ({ shape: [], data: Float64Array.of(value) })

  test('an .npz may hold COO as PyData/sparse saves it', () => {
    expect(list(coo({ 'fill_value.npy': one(0) }))).toEqual([
      [0, 1, 5],
      [2, 0, 6],
    ])
    expect(coo().dims).toEqual([3, 2])
  })

  test.each<[string, () => unknown, string]>([
    ['another fill value', () => coo({ 'fill_value.npy': one(1) }), 'a.npz: the fill_value is 1'],
    [
      'an index beyond the shape',
      () => coo({ 'shape.npy': { shape: [2], data: BigInt64Array.of(2n, 2n) } }),
      'a.npz: entry 1: index 3 of mode 1 is beyond its size 2',
    ],
    [
      'a negative index',
      () => coo({ 'coords.npy': { shape: [2, 2], data: Int32Array.of(0, -1, 0, 0) } }),
      'a.npz: row 0 of coords has the index -1 at 1',
    ],
    [
      'decimal indices',
      () => coo({ 'coords.npy': { shape: [2, 2], data: new Float64Array(4) } }),
      'a.npz: row 0 of coords holds decimal numbers',
    ],
    [
      'too few values',
      () => coo({ 'data.npy': { shape: [1], data: Float64Array.of(1) } }),
      'a.npz: coords has the shape (2, 2); 1 values need (modes, 1).',
    ],
    [
      'repeated coordinates',
      () => coo({ 'coords.npy': { shape: [2, 2], data: new Int32Array(4) } }),
      'a.npz: entry 1: coordinates (1, 1) were already given',
    ],
    [
      'a negative value',
      () => coo({ 'data.npy': { shape: [2], data: Float64Array.of(5, -6) } }),
      'a.npz: entry 1: the value -6 is negative',
    ],
    [
      'no values',
      () => decodeTensorNpz(npz({ 'coords.npy': coords }), 'a.npz'),
      'a.npz: the array data is missing; there are coords.',
    ],
    [
      'several arrays',
      () => decodeTensorNpz(npz({ 'a.npy': data, 'b.npy': data }), 'a.npz'),
      'a.npz: there are the arrays a, b, and none is named values',
    ],
    [
      'no array',
      () => decodeTensorNpz(npz({ 'a.txt': new Uint8Array(1) }), 'a.npz'),
      'a.npz: there is no array',
    ],
    [
      'a model',
      () => decodeTensorNpz(encodeModel(model), 'm.npz'),
      'm.npz: this is a model, not a tensor; let it predict',
    ],
    [
      'a tensor for a model',
      () => decodeModel(joined(encodeTensorNpz(tensor)), 't.npz'),
      't.npz: this is a tensor, not a model; learn a model from it first',
    ],
    [
      'a truncated file',
      () => decodeTensorNpz(joined(encodeTensorNpz(tensor)).subarray(0, 500), 't.npz'),
      't.npz: the zip file is truncated or damaged',
    ],
    [
      'a zip bomb',
      () => decodeTensorNpz(bomb(), 'b.npz', { maxBytes: 1e6 }),
      'bytes would unpack to 10000000, more than the 1000000 that are allowed',
    ],
    [
      'a zip that claims too much',
      () => decodeTensorNpz(claiming(0xfffffff0), 'b.npz'),
      'which no zip can do; the file is damaged or a zip bomb.',
    ],
    [
      'a zip that claims too little',
      () => decodeTensorNpz(claiming(1000), 'b.npz'),
      'b.npz: the zip file is truncated or damaged',
    ],
  ])('an .npz is refused: %s', (_, read, message) => {
    expect(read).toThrow(message)
  })

  /** Ten megabytes of nothing in ten kilobytes. */
  const bomb = () => zipSync({ 'values.npy': new Uint8Array(1e7) }, { level: 9, mtime: new Date(1980, 0, 1) })

  /** The bomb with another size in its directory. */
  function claiming(bytes: number): Uint8Array {
    const zip = Buffer.from(bomb())
    zip.writeUInt32LE(bytes, zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24)
    return zip
  }
})
