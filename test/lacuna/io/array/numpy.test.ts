import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  decodeTensorNpy,
  decodeTensorNpz,
  encodeCompletedNpy,
  encodeDenseNpy,
  encodeTensorNpz,
} from '#lacuna/io/index.js'
import { join as joined } from '../pieces.ts'
import { file, folder, list, model, python, tensor } from './arrays.ts'

describe('NumPy', () => {
  test('NumPy opens the arrays that are written here', () => {
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

  test('NumPy writes arrays of every number type, order and byte order that open here', () => {
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

  test('sparse arrays that NumPy and SciPy write open here', () => {
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
