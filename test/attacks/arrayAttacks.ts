/** Broken .npy and .npz files. */
import { encodeNpy, encodeNpz, type NpzEntries } from '#lacuna/io/index.js'
import { type Attack, cuts, flipped, inTurn, json, lines, utf8, words } from './attack.ts'

/** A .npy file with the text for its header as it is. */
function npy(dict: string, body: Uint8Array, version = 1, magic = '\x93NUMPY'): Uint8Array {
  const header = Buffer.from(dict, 'latin1')
  const length = Buffer.alloc(version === 1 ? 2 : 4)
  if (version === 1) length.writeUInt16LE(header.length)
  else length.writeUInt32LE(header.length)
  return Buffer.concat([Buffer.from(magic, 'latin1'), Uint8Array.of(version, 0), length, header, body])
}

const BAD_DICTS = lines`
  {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}
  {'descr': '<f4', 'fortran_order': False, 'shape': (-2, 2)}
  {'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}
  {'descr': '<f4', 'fortran_order': False, 'shape': 4}
  {'descr': '<f4', 'fortran_order': False, 'shape': ()}
  {'descr': '<f4', 'fortran_order': False, 'shape': (4,)}
  {'descr': '<f4', 'fortran_order': False, 'shape': (0, 4)}
  {'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 2)}
  {'descr': '<f4', 'shape': (2, 2)}
  {'descr': '|O', 'fortran_order': False, 'shape': (2, 2)}
  {'descr': '<c8', 'fortran_order': False, 'shape': (2, 1)}
  {'descr': '<U4', 'fortran_order': False, 'shape': (1, 1)}
  {'descr': '<f3', 'fortran_order': False, 'shape': (2, 2)}
  {'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 2)}
  {}
  not a dict`

export function* npyAttacks(): Generator<Attack> {
  const values = Float32Array.of(1, 2, 3, 4)
  const body = new Uint8Array(values.buffer)
  const good = encodeNpy({ shape: [2, 2], data: values })
  const attack = inTurn('.npy', ['info FILE', 'convert FILE out.tns'])
  for (const dict of BAD_DICTS) yield attack(`header ${dict}`, 'a.npy', npy(dict, body))
  const many = `{'descr': '<f4', 'fortran_order': False, 'shape': (${'1, '.repeat(300)}4)}`
  yield attack('more modes than any tensor has', 'a.npy', npy(many, body))
  const dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}"
  for (const version of [0, 4, 255]) yield attack(`version ${version}`, 'a.npy', npy(dict, body, version))
  for (const magic of ['\x92NUMPY', '\x93NUMPX', 'NUMPY\x93'])
    yield attack(`magic ${JSON.stringify(magic)}`, 'a.npy', npy(dict, body, 1, magic))
  for (const [i, cut] of cuts(good, 25).entries()) yield attack(`cut ${i}`, 'a.npy', cut)
  yield attack('longer', 'a.npy', Buffer.concat([good, Uint8Array.of(0)]))
  yield attack('text', 'a.npy', '1 2\n3 4\n')
  for (const data of [
    new Float32Array(4).fill(NaN),
    Float32Array.of(1, Infinity, 1, 1),
    Float64Array.of(1, 1e300, 1, 1),
  ])
    yield attack(`values ${data}`, 'a.npy', encodeNpy({ shape: [2, 2], data }))
  const masks = [
    encodeNpy({ shape: [4], data: new Uint8Array(4) }),
    encodeNpy({ shape: [2, 2], data: new Float32Array(4) }),
    encodeNpy({ shape: [2, 2], data: new Uint8Array(4) }),
    utf8('no mask'),
  ]
  for (const [i, mask] of masks.entries())
    yield {
      name: `.npy mask ${i}`,
      files: { 'a.npy': good, 'm.npy': mask },
      args: words('info a.npy --mask m.npy'),
    }
}

const COO: NpzEntries = {
  'coords.npy': { shape: [2, 3], data: Uint32Array.of(0, 1, 1, 0, 0, 1) },
  'data.npy': { shape: [3], data: Float32Array.of(1, 2, 3) },
  'shape.npy': { shape: [2], data: BigInt64Array.of(2n, 2n) },
}
const ABOUT = { format: 'lacuna-tensor', version: 1, dims: [2, 2] }
const formatOf = (text: string): Uint8Array =>
  npy("{'descr': '|S3', 'fortran_order': False, 'shape': ()}", utf8(text))

/** What takes the place of, or stands beside, the arrays of a good one. */
const BAD_ARRAYS: Record<string, NpzEntries> = {
  'coords of the wrong shape': { 'coords.npy': { shape: [3, 2], data: Uint32Array.of(0, 1, 1, 0, 0, 1) } },
  'coords in one row': { 'coords.npy': { shape: [6], data: Uint32Array.of(0, 1, 1, 0, 0, 1) } },
  'decimal coords': { 'coords.npy': { shape: [2, 3], data: Float32Array.of(0, 1, 1, 0, 0, 1) } },
  'negative coords': { 'coords.npy': { shape: [2, 3], data: Int32Array.of(0, -1, 1, 0, 0, 1) } },
  'coords beyond the shape': { 'coords.npy': { shape: [2, 3], data: Uint32Array.of(0, 1, 7, 0, 0, 1) } },
  'repeated coords': { 'coords.npy': { shape: [2, 3], data: Uint32Array.of(0, 0, 1, 0, 0, 1) } },
  'too few values': { 'data.npy': { shape: [2], data: Float32Array.of(1, 2) } },
  'values that are no list': { 'data.npy': { shape: [3, 1], data: Float32Array.of(1, 2, 3) } },
  'infinite values': { 'data.npy': { shape: [3], data: Float32Array.of(1, 2, Infinity) } },
  'no numbers': { 'data.npy': { shape: [3], data: Float32Array.of(1, NaN, 3) } },
  'a shape of one': { 'shape.npy': { shape: [1], data: BigInt64Array.of(2n) } },
  'a shape of zeros': { 'shape.npy': { shape: [2], data: BigInt64Array.of(0n, 0n) } },
  'a huge shape': { 'shape.npy': { shape: [2], data: BigInt64Array.of(2n ** 40n, 2n) } },
  'a fill value': { 'fill_value.npy': { shape: [], data: Float32Array.of(7) } },
}
const BAD_ZIPS: Record<string, NpzEntries> = {
  'no data': { 'coords.npy': COO['coords.npy'] },
  GCXS: { 'compressed_axes.npy': { shape: [1], data: Int32Array.of(0) }, 'data.npy': COO['data.npy'] },
  nothing: { 'readme.txt': utf8('empty') },
  'two arrays': { 'a.npy': COO['data.npy'], 'b.npy': COO['data.npy'] },
  'a strange format': { 'format.npy': formatOf('dia'), 'data.npy': COO['data.npy'] },
  'a damaged csr': {
    'format.npy': formatOf('csr'),
    'indptr.npy': { shape: [3], data: Int32Array.of(0, 5, 1) },
    'indices.npy': { shape: [3], data: Int32Array.of(0, 1, 0) },
    'data.npy': COO['data.npy'],
    'shape.npy': COO['shape.npy'],
  },
}
const BAD_METADATA = lines`
  {
  null
  []
  "text"
  {"format":"other"}
  {"format":"lacuna-tensor"}`
/** What of the metadata is wrong. */
const BAD_PARTS = lines`
  {"version":0}
  {"version":99}
  {"version":"1"}
  {"dims":"x"}
  {"labels":[[1]]}
  {"labels":5}
  {"labels":[["a","a"],["b","c"]]}
  {"dims":[1099511627776,2]}
  {"dims":[2,2,2]}
  {"labels":[["a"],null]}
  {"modes":[{}]}
  {"modes":{}}
  {"modes":[{"name":"a","type":"x"},{"name":"b"}]}
  {"modes":[{"name":"a"}]}
  {"value":5}`

export function* npzAttacks(): Generator<Attack> {
  const attack = inTurn('.npz', ['info FILE', 'convert FILE out.csv', 'complete FILE --epochs 1'])
  for (const [name, arrays] of Object.entries(BAD_ARRAYS))
    yield attack(name, 'a.npz', encodeNpz({ ...COO, ...arrays }))
  for (const [name, entries] of Object.entries(BAD_ZIPS)) yield attack(name, 'a.npz', encodeNpz(entries))
  const described = (about: Uint8Array) => encodeNpz({ ...COO, 'metadata.json': about })
  for (const text of BAD_METADATA) yield attack(`metadata ${text}`, 'a.npz', described(utf8(text)))
  for (const part of BAD_PARTS)
    yield attack(`metadata ${part}`, 'a.npz', described(json({ ...ABOUT, ...JSON.parse(part) })))
  const good = described(json(ABOUT))
  for (const [i, cut] of cuts(good, 25).entries()) yield attack(`cut ${i}`, 'a.npz', cut)
  const start = Buffer.from(good).indexOf('NUMPY')
  for (const at of [0, 1, start + 130, start + 134, start + 140])
    yield attack(`flipped at ${at}`, 'a.npz', flipped(good, at))
  for (const text of ['', 'PK but no zip']) yield attack(JSON.stringify(text), 'a.npz', text)
}
