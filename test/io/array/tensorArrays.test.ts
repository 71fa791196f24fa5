import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { afterAll, describe, expect, test } from 'vitest'
import {
  decodeModel,
  decodeTensorNpy,
  decodeTensorNpz,
  encodeCompletedNpy,
  encodeDenseNpy,
  encodeModel,
  encodeNpy,
  encodeNpz,
  encodeTensorNpz,
  type NpyArray,
  type NpzEntries,
} from '#dist/io/index.js'
import { CpModel } from '#dist/model/index.js'
import type { SparseTensor } from '#dist/tensor/index.js'
import { join as joined } from '../pieces.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-arrays-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string) => join(folder, name)
const python = (script: string, ...args: string[]) =>
  execFileSync('/usr/bin/python3', ['-c', script, ...args], { encoding: 'utf8' })

/** The entries as [index from 0 …, value], in the order of the file. */
const list = ({ indices, values }: SparseTensor): number[][] =>
  Array.from(values, (value, e) => [...indices.map((column) => column[e]), value])

const dense = (shape: number[], data: NpyArray['data']) => encodeNpy({ shape, data })
const npz = (entries: NpzEntries) => encodeNpz(entries)

const tensor: SparseTensor = {
  dims: [2, 3, 4],
  indices: [Uint32Array.of(1, 0, 1), Uint32Array.of(2, 0, 0), Uint32Array.of(1, 3, 1)],
  values: Float32Array.of(0.1, 2, 0),
  labels: [['a', 'ä,"\n'], undefined, ['', '1', '01', '#']],
  modes: [{ name: 'x' }, { name: 'y' }, { name: 'week(z)', type: 'DATE' }],
  valueName: 'rating',
}
const model = new CpModel({
  dims: [2, 3],
  rank: 1,
  factors: [Float32Array.of(1, 2), Float32Array.of(0.5, 3, 4)],
})

describe('a dense .npy', () => {
  test('has an entry for every element but NaN; zeros are observed', () => {
    const read = decodeTensorNpy(dense([2, 3], Float64Array.of(1, NaN, 0, 4, NaN, 6)), 'a.npy')
    expect(read.dims).toEqual([2, 3])
    expect(list(read)).toEqual([
      [0, 0, 1],
      [0, 2, 0],
      [1, 0, 4],
      [1, 2, 6],
    ])
  })

  test('of whole numbers is observed everywhere, unless a mask says otherwise', () => {
    const array = dense([2, 2], BigInt64Array.of(5n, 6n, 7n, 8n))
    expect(list(decodeTensorNpy(array, 'a.npy'))).toHaveLength(4)
    const mask = { shape: [2, 2], data: Uint8Array.of(1, 0, 0, 1) }
    expect(list(decodeTensorNpy(array, 'a.npy', { mask }))).toEqual([
      [0, 0, 5],
      [1, 1, 8],
    ])
  })

  test('may stand in a larger frame', () => {
    expect(decodeTensorNpy(dense([1, 2], Float32Array.of(1, 2)), 'a.npy', { dims: [3, 2] }).dims).toEqual([
      3, 2,
    ])
  })

  test('is written with NaN at the gaps, and reads back', () => {
    const { labels: _, modes: __, valueName: ___, ...plain } = tensor
    const read = decodeTensorNpy(joined(encodeDenseNpy(plain)), 'a.npy')
    expect(read.dims).toEqual(plain.dims)
    expect(list(read)).toEqual([
      [0, 0, 3, 2],
      [1, 0, 1, 0],
      [1, 2, 1, Math.fround(0.1)],
    ])
  })

  test('of a model has every cell, by blocks as in one piece', () => {
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
  ])('is refused: %s', (_, read, message) => {
    expect(read).toThrow(message)
  })

  function lie(): Uint8Array {
    const bytes = dense([1, 2], Float32Array.of(1, 2))
    const header = new TextEncoder().encode('(9000000, 9000000), }')
    bytes.set(header, Buffer.from(bytes).indexOf('(1, 2), }'))
    return bytes
  }
})

describe('an .npz', () => {
  test('keeps all of a tensor, its entries in C order', () => {
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

  test('may hold a dense array and a mask, true where observed', () => {
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

  test('may hold COO as PyData/sparse saves it', () => {
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
      'm.npz: this is a model, not a tensor; ask it with lacuna predict m.npz QUERIES',
    ],
    [
      'a tensor for a model',
      () => decodeModel(joined(encodeTensorNpz(tensor)), 't.npz'),
      't.npz: this is a tensor, not a model; learn a model from it with lacuna complete t.npz',
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
  ])('is refused: %s', (_, read, message) => {
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

describe('NumPy', () => {
  test('opens what is written here', () => {
    writeFileSync(file('t.npz'), joined(encodeTensorNpz(tensor)))
    const { labels: _, modes: __, ...plain } = tensor
    writeFileSync(file('t.npy'), joined(encodeDenseNpy(plain)))
    writeFileSync(file('c.npy'), joined(encodeCompletedNpy(model)))
    const script = `import sys, json, zipfile, numpy
d = sys.argv[1]
f = numpy.load(d + '/t.npz'); a = numpy.load(d + '/t.npy'); c = numpy.load(d + '/c.npy')
b = numpy.full(tuple(f['shape']), f['fill_value']); b[tuple(f['coords'])] = f['data']
print(json.dumps([f['coords'].tolist(), [float(x) for x in f['data']], f['shape'].tolist(), str(f['fill_value'][()]),
  bool(numpy.array_equal(a, b, equal_nan=True)), str(a.dtype), json.load(zipfile.ZipFile(d + '/t.npz').open('metadata.json'))['labels'],
  zipfile.ZipFile(d + '/t.npz').testzip(), c.tolist()]))`
    expect(JSON.parse(python(script, folder))).toEqual([
      [
        [0, 1, 1],
        [0, 0, 2],
        [3, 1, 1],
      ],
      [2, 0, Math.fround(0.1)],
      [2, 3, 4],
      'nan',
      true,
      'float32',
      [tensor.labels?.[0], null, tensor.labels?.[2]],
      null,
      [
        [0.5, 3, 4],
        [1, 6, 8],
      ],
    ])
  })

  test('writes arrays of every number type, order and byte order that open here', () => {
    const script = `import sys, numpy
a = numpy.arange(24).reshape(2, 3, 4) % 7
for t in ['<f2', '<f4', '<f8', '>f2', '>f4', '>f8', 'i1', '<i2', '<i4', '<i8', '>i2', '>i4', '>i8', 'u1', '<u2', '<u4', '<u8', '>u8']:
    name = sys.argv[1] + '/' + t.replace('<', 'l').replace('>', 'b')
    numpy.save(name + '.npy', a.astype(t))
    numpy.save(name + 'F.npy', numpy.asfortranarray(a.astype(t)))
numpy.save(sys.argv[1] + '/bool.npy', a > 2)
numpy.save(sys.argv[1] + '/half.npy', numpy.array([[0.1, 65504, 6e-8, numpy.nan]], dtype='f2'))
print(' '.join(t.replace('<', 'l').replace('>', 'b') for t in ['<f2', '<f4', '<f8', '>f2', '>f4', '>f8', 'i1', '<i2', '<i4', '<i8', '>i2', '>i4', '>i8', 'u1', '<u2', '<u4', '<u8', '>u8']))`
    const types = python(script, folder).trim().split(' ')
    expect(types).toHaveLength(18)
    const expected = Float32Array.from({ length: 24 }, (_, i) => i % 7)
    const read = (name: string) => decodeTensorNpy(readFileSync(file(`${name}.npy`)), name)
    for (const type of types)
      for (const name of [type, `${type}F`]) {
        expect(read(name).dims, name).toEqual([2, 3, 4])
        expect(Float32Array.from(read(name).values), name).toEqual(expected)
      }
    expect([...read('bool').values]).toEqual([...expected].map((x) => Number(x > 2)))
    expect([...read('half').values]).toEqual([0.0999755859375, 65504, 2 ** -24])
  })

  test('and SciPy write sparse arrays that open here', () => {
    // SciPy's layouts, as scipy.sparse.save_npz writes them
    const script = `import sys, numpy
d = sys.argv[1]
a = numpy.array([[0, 5, 0], [6, 0, 7]], dtype='f8')
r, c = a.nonzero()
v = a[r, c]
numpy.savez_compressed(d + '/coo.npz', row=r.astype('i4'), col=c.astype('i4'), format=b'coo', shape=a.shape, data=v)
numpy.savez(d + '/csr.npz', indices=c.astype('i4'), indptr=numpy.array([0, 1, 3]), format=b'csr', shape=a.shape, data=v)
numpy.savez(d + '/csc.npz', indices=numpy.array([1, 0, 1]), indptr=numpy.array([0, 1, 2, 3]), format=b'csc', shape=a.shape, data=numpy.array([6., 5, 7]))
numpy.savez(d + '/nd.npz', coords=numpy.array([r, c]), format=b'coo', shape=a.shape, data=v, _is_array=True)
numpy.savez(d + '/dia.npz', offsets=numpy.array([0]), format=b'dia', shape=a.shape, data=v)
numpy.savez_compressed(d + '/mask.npz', values=a, mask=a > 0)`
    python(script, folder)
    const read = (name: string) => decodeTensorNpz(readFileSync(file(`${name}.npz`)), name)
    for (const name of ['coo', 'csr', 'csc', 'nd', 'mask']) {
      expect(read(name).dims, name).toEqual([2, 3])
      expect(list(read(name)).sort(), name).toEqual([
        [0, 1, 5],
        [1, 0, 6],
        [1, 2, 7],
      ])
    }
    expect(() => read('dia')).toThrow('dia: this sparse layout (dia) cannot be read; save the array as COO')
  })
})
