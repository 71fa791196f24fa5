/** Files of named arrays by the reference tools of their formats: see make.py, which made the folder files. */
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { unzipSync, zlibSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { InputError } from '#lacuna/base/inputError.js'
import { type ReadTensorOptions, readTensor, type SparseTensor, writeTensor } from '#lacuna/index.js'
import { encodeNpy } from '#lacuna/io/index.js'
import { listVariables } from '#lacuna/tables.js'

const files = fileURLToPath(new URL('files/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'lacuna-science-'))
const at = (name: string): string => join(folder, name)
afterAll(() => rmSync(folder, { recursive: true }))

/** x[i, j, k] = 20 i + 5 j + k + 0.5 by its cell; the elements [0, 1, 2] and [2, 3, 4] are missing. */
const expected = (rows = 3): Map<string, number> => {
  const cells = new Map<string, number>()
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < 4; j++)
      for (let k = 0; k < 5; k++)
        if (`${i},${j},${k}` !== '0,1,2' && `${i},${j},${k}` !== '2,3,4')
          cells.set(`${i},${j},${k}`, 20 * i + 5 * j + k + 0.5)
  return cells
}
/** The values of a tensor by their cells. */
const cellsOf = ({ indices, values }: SparseTensor): Map<string, number> =>
  new Map(Array.from(values, (value, e) => [indices.map((column) => column[e]).join(), value]))

/** Reads one of the files; returns the tensor and the notices. */
async function read(name: string, options: ReadTensorOptions = {}) {
  const remarks: string[] = []
  const path = name.includes('/') ? name : join(files, name)
  const tensor = await readTensor(path, { ...options, onRemark: ({ text }) => remarks.push(text) })
  return { tensor, remarks: remarks.map((text) => text.replaceAll(files, '')) }
}
/** The message with which reading one of the files is refused, without the folder. */
async function fault(name: string, options: ReadTensorOptions = {}): Promise<string> {
  const error = await read(name, options).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(InputError)
  const { message } = error as InputError
  expect(message.split('\n')).toHaveLength(1)
  return message.replaceAll(files, '').replaceAll(`${folder}/`, '')
}

beforeAll(() => {
  for (const [name, bytes] of Object.entries(unzipSync(readFileSync(join(files, 'data.zarr.zip'))))) {
    mkdirSync(dirname(at(`data.zarr/${name}`)), { recursive: true })
    writeFileSync(at(`data.zarr/${name}`), bytes)
  }
})

describe('the array', () => {
  const zarr = ['blosc', 'zlib', 'gzip', 'zstd', 'lz4'].map((codec) => `packed/${codec}`)
  const cases: [file: string, options: ReadTensorOptions, rows?: number][] = [
    ['plain.mat', {}],
    ['packed.mat', { variable: 'X' }],
    ['packed.mat', { variable: 'data.X' }],
    ['v73.mat', {}],
    ['data.h5', {}],
    ['era.nc', {}],
    ['data.zarr.zip', { variable: 'x' }],
    [at('data.zarr'), { variable: 'x' }],
    [at('data.zarr/'), { variable: '/x' }],
    ...zarr.map((variable): [string, ReadTensorOptions, number] => [at('data.zarr'), { variable }, 2]),
  ]
  test.each(cases)('is read from %s %j', async (file, options, rows) => {
    const { tensor } = await read(file, options)
    expect(tensor.dims).toEqual([rows ?? 3, 4, 5])
    expect(cellsOf(tensor)).toEqual(expected(rows))
  })

  test('has the names and coordinates of its axes as modes and labels', async () => {
    const { tensor: era } = await read('era.nc')
    expect(era.modes).toEqual([
      { name: 'time', type: 'TIMESTAMP' },
      { name: 'lat', type: 'DOUBLE' },
      { name: 'station' },
    ])
    expect(era.labels).toEqual([
      ['2014-01-29 16:00:00', '2014-01-29 22:00:00', '2014-01-30 04:00:00'],
      ['50.1', '50.0', '49.9', '49.8'],
      undefined,
    ])
    expect(era.valueName).toBe('t2m')
    const { tensor: h5 } = await read('data.h5')
    expect(h5.labels).toEqual([['a', 'b', 'c'], ['0.1', '0.2', '0.5', '1.0'], undefined])
    expect(h5.modes?.map(({ name }) => name)).toEqual(['sample', 'depth', 'channel'])
    const { tensor: zarr } = await read('data.zarr.zip', { variable: 'x' })
    expect(zarr.labels).toEqual([['2024-02-28', '2024-02-29', '2024-03-01'], ['a', 'b', 'c', 'd'], undefined])
    expect(zarr.modes?.[0]).toEqual({ name: 'time', type: 'DATE' })
  })

  test('lacks what a mask marks as unobserved, of the same file or an .npy', async () => {
    const data = Uint8Array.from({ length: 60 }, (_, e) => (e === 0 ? 0 : 1))
    writeFileSync(at('mask.npy'), encodeNpy({ shape: [3, 4, 5], data }))
    const { tensor } = await read('plain.mat', { mask: at('mask.npy') })
    expect(tensor.values).toHaveLength(57)
    await writeTensor(at('full.h5'), { ...tensor, modes: ['a', 'b', 'c'].map((name) => ({ name })) })
    expect((await read('v73.mat', { variable: 'X', mask: 'seen' })).tensor.values).toHaveLength(58)
    expect(await fault('packed.mat', { variable: 'X', mask: 'wavelength' })).toContain(
      'the mask has the shape (1, 5)',
    )
    expect(await fault('packed.mat', { variable: 'X', mask: 'none' })).toContain(
      'no array of truth values none',
    )
  })

  test('lacks what NetCDF never wrote', async () => {
    const { tensor } = await read('unwritten.nc')
    expect(tensor.dims).toEqual([3, 4])
    expect([...tensor.values]).toEqual([0.5, 1.5, 2.5, 3.5, 5.5, 6.5, 7.5, 8.5])
    expect(tensor.labels?.[0]).toEqual(['2024-02-28', '2024-02-29', '2024-03-01'])
  })

  test.each(['packed.mat', 'v73.mat'])('of a sparse matrix in %s has its listed entries', async (file) => {
    const { tensor } = await read(file, { variable: 'S' })
    expect(tensor.dims).toEqual([3, 4])
    expect(cellsOf(tensor)).toEqual(
      new Map([
        ['0,0', 1.5],
        ['2,0', 2.5],
        ['1,3', 3.5],
      ]),
    )
  })
})

describe('the choice of an array', () => {
  test('is reported, with all others', async () => {
    expect((await read('plain.mat')).remarks).toEqual([
      'plain.mat: takes X (3 × 4 × 5, double); there are also wavelength (1 × 5, double).',
    ])
    expect((await read('v73.mat')).remarks[0]).toContain(
      'takes X (3 × 4 × 5, float64), the only array of three or more axes; say variable for another',
    )
  })

  test('leaves coordinates, bounds and truth values out', async () => {
    expect((await read('era.nc')).remarks[0]).toMatch(
      /^era.nc: takes t2m \(time × lat × station: 3 × 4 × 5, int16\)/,
    )
    expect((await read('data.h5')).remarks[0]).toMatch(/^data.h5: takes run\/counts/)
  })

  test('is asked for where there are several', async () => {
    expect(await fault('several.mat')).toBe(
      "several.mat: there are several arrays: A (4 × 5, double); B (4 × 5, int16); choose one, as by variable: 'A'.",
    )
    expect(await fault('several.mat', { variable: 'C' })).toBe(
      'several.mat: there is no variable C; there are A (4 × 5, double); B (4 × 5, int16); Z (4 × 5, complex).',
    )
    expect(await fault('several.mat', { variable: 'Z' })).toContain('Z holds complex numbers')
    expect(await fault('packed.mat', { variable: 'title' })).toContain('is of the type char')
    expect((await read('several.mat', { variable: 'B' })).tensor.values[0]).toBe(20)
  })

  test('is what listVariables lists', async () => {
    expect(await listVariables(join(files, 'era.nc'))).toEqual([
      { name: 'time', shape: [3], type: 'float64', dimensions: ['time'] },
      { name: 'time_bnds', shape: [3, 2], type: 'float64', dimensions: ['time', 'bnds'] },
      { name: 'lat', shape: [4], type: 'float32', dimensions: ['lat'] },
      { name: 't2m', shape: [3, 4, 5], type: 'int16', dimensions: ['time', 'lat', 'station'] },
    ])
  })

  test('goes with files of several arrays alone', async () => {
    writeFileSync(at('a.csv'), 'a,b,v\n1,2,3\n2,3,4\n')
    expect(await fault(at('a.csv'), { variable: 'v' })).toContain(
      'variable goes with files of several arrays',
    )
    expect(await fault('era.nc', { sheet: 'v' })).toContain('this is no .xlsx')
  })
})

describe('no file reaches another one', () => {
  test.each([
    ['elsewhere', 'lies in another file, which Lacuna does not open'],
    ['virtual', 'its numbers lie in other files, which Lacuna does not open'],
    ['raw', 'cannot be read'],
    ['complex', 'holds complex numbers'],
    ['table', 'is a table of compound values'],
  ])('%s of hostile.h5 is refused', async (variable, why) => {
    // The file that the links name is beside it.
    for (const name of ['hostile.h5', 'data.h5']) copyFileSync(join(files, name), at(name))
    expect(await fault(at('hostile.h5'), { variable })).toContain(why)
  })

  test('chunks of Zarr that are links out of the folder are refused', async () => {
    writeFileSync(at('secret'), 'secret')
    rmSync(at('data.zarr/packed/zlib/0.0.0'))
    symlinkSync(at('secret'), at('data.zarr/packed/zlib/0.0.0'))
    expect(await fault(at('data.zarr'), { variable: 'packed/zlib' })).toContain(
      'is a link that leads out of the folder',
    )
  })

  test('keys of chunks cannot lead out of a Zarr folder', async () => {
    const metadata = {
      ...{
        zarr_format: 3,
        node_type: 'array',
        shape: [2, 2],
        data_type: 'uint8',
        fill_value: 7,
        attributes: {},
      },
      chunk_grid: { name: 'regular', configuration: { chunk_shape: [2, 2] } },
      chunk_key_encoding: { name: 'default', configuration: { separator: '/../../../' } },
      codecs: [{ name: 'bytes' }],
    }
    mkdirSync(at('escape.zarr'))
    writeFileSync(at('escape.zarr/zarr.json'), JSON.stringify(metadata))
    writeFileSync(at('0'), Uint8Array.of(1, 2, 3, 4))
    const message = await read(at('escape.zarr')).then(
      ({ tensor }) => [...tensor.values].join(),
      (error: InputError) => error.name,
    )
    expect(['7,7,7,7', 'InputError']).toContain(message)
  })
})

describe('what does not fit in memory is refused before it is allocated', () => {
  test('declared sizes of HDF5', async () => {
    const message = await fault('hostile.h5', { variable: 'huge' })
    expect(message).toMatch(
      /^hostile.h5: the variable huge \(1000000 × 1000000 × 100\) takes [\d.]+ PiB, more than/,
    )
  })

  const zarray = (shape: number[], chunks: number[], compressor: unknown = null) =>
    JSON.stringify({
      zarr_format: 2,
      shape,
      chunks,
      dtype: '<f8',
      compressor,
      fill_value: 1,
      order: 'C',
      filters: null,
    })
  const makeZarr = (name: string, metadata: string, chunk?: Uint8Array): string => {
    mkdirSync(at(name))
    writeFileSync(at(`${name}/.zarray`), metadata)
    if (chunk) writeFileSync(at(`${name}/0.0`), chunk)
    return at(name)
  }

  test('declared sizes and chunks of Zarr', async () => {
    expect(await fault(makeZarr('huge.zarr', zarray([1e7, 1e7], [10, 10])))).toMatch(
      /takes [\d.]+ PiB, more than/,
    )
    expect(await fault(makeZarr('chunk.zarr', zarray([2, 2], [1e7, 1e7])))).toContain('a chunk of it')
    expect(await fault(makeZarr('dust.zarr', zarray([3000, 3000], [1, 1])))).toContain('has 9000000 chunks')
  })

  test.each([
    ['gzip', gzipSync(new Uint8Array(2 ** 24))],
    ['zlib', Buffer.from(zlibSync(new Uint8Array(2 ** 24)))],
    ['lz4', Buffer.from([0, 0, 0, 64, 1, 2, 3, 4])],
    [
      'blosc',
      Buffer.concat([Buffer.from([2, 1, 1, 8, 0, 0, 0, 64, 0, 0, 0, 64, 32, 0, 0, 0]), Buffer.alloc(32)]),
    ],
    ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa4, 0, 0, 0, 64, 1, 0, 0])],
  ])('chunks of Zarr that unpack to more than is declared: %s', async (id, chunk) => {
    const path = makeZarr(`${id}-bomb.zarr`, zarray([2, 2], [2, 2], { id, level: 1 }), chunk)
    expect(await fault(path)).toContain('as a bomb does')
  })

  test('variables of MATLAB that unpack to more than the limit', async () => {
    const { openMat5 } = await import('#lacuna/io/science/mat5.js')
    const bytes = readFileSync(join(files, 'packed.mat'))
    expect(() => openMat5(bytes, 'packed.mat', { maxBytes: 1000 })).toThrow(
      'unpack to more than the 1000 bytes',
    )
  })
})

describe('damaged files', () => {
  const names = readdirSync(files).filter((name) => /\.(mat|h5|nc|zip)$/.test(name))
  test.each(names)('%s, cut short anywhere, is refused in one sentence', async (name) => {
    const bytes = readFileSync(join(files, name))
    for (let part = 0; part < 8; part++) {
      const path = at(`cut-${name}`)
      writeFileSync(path, bytes.subarray(0, Math.floor((bytes.length * part) / 8)))
      const error = await read(path).catch((caught: unknown) => caught)
      expect(error instanceof InputError ? error.message.split('\n').length : error).toBe(1)
    }
  })

  test('an HDF5 heap that the library would never get past is refused', async () => {
    const bytes = Buffer.from(readFileSync(join(files, 'era.nc')))
    const heap = bytes.indexOf('GCOL')
    expect(heap).toBeGreaterThan(0)
    bytes.fill(0, heap + 16, heap + 32)
    writeFileSync(at('loop.nc'), bytes)
    expect(await fault(at('loop.nc'))).toContain('this is no whole HDF5 file')
  })

  test('of other formats are named', async () => {
    expect(await fault('classic.nc')).toBe(
      'classic.nc: this is NetCDF-3 (classic), which is not read; convert it with nccopy -k nc4 IN.nc OUT.nc.',
    )
    writeFileSync(at('text.mat'), 'hello, world\n'.repeat(20))
    expect(await fault(at('text.mat'))).toContain('neither a MATLAB file (level 5 or 7.3) nor HDF5')
    writeFileSync(at('a.zarr'), 'x')
    expect(await fault(at('a.zarr'))).toContain('a Zarr store is a folder')
    expect(await fault(at('none.zarr'))).toContain('there is no such file')
  })
})

test('Zarr 3, as zarrita writes it', async () => {
  const zarr = await import('zarrita')
  const values = new Map<string, Uint8Array>()
  const data = Float64Array.from({ length: 60 }, (_, e) => e + 0.5)
  const array = await zarr.create(zarr.root(values as never).resolve('x'), {
    ...{ shape: [3, 4, 5], chunkShape: [2, 3, 5], dtype: 'float64', dimensionNames: ['a', 'b', 'c'] },
  })
  await zarr.set(array, null, { data, shape: [3, 4, 5], stride: [20, 5, 1] } as never)
  for (const [key, bytes] of values) {
    mkdirSync(dirname(at(`v3.zarr${key}`)), { recursive: true })
    writeFileSync(at(`v3.zarr${key}`), bytes)
  }
  const { tensor } = await read(at('v3.zarr'))
  expect([...tensor.values]).toEqual([...data])
  expect(tensor.modes).toEqual([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
})

test('HDF5 and NetCDF-4 that Lacuna writes come back with labels, times and gaps', async () => {
  for (const source of ['era.nc', 'data.h5'] as const) {
    const { tensor } = await read(source)
    for (const name of ['written.h5', 'written.nc']) {
      await writeTensor(at(name), tensor)
      const { tensor: back } = await read(at(name))
      expect(cellsOf(back)).toEqual(cellsOf(tensor))
      expect({ dims: back.dims, modes: back.modes, labels: back.labels, value: back.valueName }).toEqual({
        ...{ dims: tensor.dims, modes: tensor.modes, labels: tensor.labels },
        value: tensor.valueName?.replace('/', '_'),
      })
    }
  }
  const huge = { ...(await read('era.nc')).tensor, dims: [30_000, 400, 500], labels: undefined }
  await expect(writeTensor(at('large.h5'), huge)).rejects.toThrow(
    'more than the 512 MiB that are written as HDF5',
  )
})

test('the files are those that make.py makes, and its tools read what Lacuna writes', async () => {
  mkdirSync(at('made'))
  const python = (program: string, ...args: string[]): string =>
    execFileSync('/usr/bin/python3', [program, ...args], { cwd: at('made'), encoding: 'utf8' })
  python(fileURLToPath(new URL('make.py', import.meta.url)))
  for (const name of ['plain.mat', 'v73.mat', 'data.h5', 'era.nc', 'unwritten.nc'])
    expect((await read(at(`made/${name}`))).tensor).toEqual((await read(name)).tensor)
  await writeTensor(at('made/written.nc'), (await read('era.nc')).tensor)
  const program = `import netCDF4
f = netCDF4.Dataset('written.nc')
print(f['t2m'].dimensions, f['t2m'][:].count(), f['t2m'][1, 2, 3], f['lat'][0], netCDF4.num2date(f['time'][1], f['time'].units))`
  expect(python('-c', program)).toBe("('time', 'lat', 'station') 58 33.5 50.1 2014-01-29 22:00:00\n")
})

const eem = fileURLToPath(new URL('../../../../../shared/data/eem/eem.npy', import.meta.url))
test.skipIf(!existsSync(eem))(
  'measured fluorescence (EEM) comes back from HDF5 with the same bits',
  async () => {
    const tensor = await readTensor(eem, { negative: 'keep' })
    await writeTensor(at('eem.h5'), tensor)
    const { dims, indices, values } = await readTensor(at('eem.h5'), { negative: 'keep' })
    expect({ dims, indices, values }).toEqual({
      dims: tensor.dims,
      indices: tensor.indices,
      values: tensor.values,
    })
  },
)
