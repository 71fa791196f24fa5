/**
 * Broken inputs for every reader and command, made by rules: each is some files and the arguments of a command that must
 * answer with one sentence. Nothing here is random; a number in a name leads back to its case.
 */
import { gzipSync } from 'node:zlib'
import { encodeModel, encodeNpy, encodeNpz, type NpzEntries } from '#dist/io/index.js'
import { CpModel } from '#dist/model/index.js'

export interface Attack {
  name: string
  /** By name, in an empty folder. */
  files: Record<string, string | Uint8Array>
  /** The command and its arguments; a name of `files` is given as its path. */
  args: string[]
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const json = (value: unknown): Uint8Array => utf8(JSON.stringify(value))

/** So many places between the first and the last. */
const places = (length: number, many: number): number[] =>
  Array.from({ length: many }, (_, i) => Math.floor(((i + 0.5) * length) / many))

const cuts = (bytes: Uint8Array, many: number): Uint8Array[] =>
  places(bytes.length, many).map((at) => bytes.slice(0, at))

const flipped = (bytes: Uint8Array, at: number, mask = 0x55): Uint8Array =>
  bytes.map((byte, i) => (i === at ? byte ^ mask : byte))

// ---- .tns -----------------------------------------------------------------------------------------------------------

const BAD_LINES = [
  ...[
    '1 1',
    '1',
    '1 2 3 4 5',
    '0 1 1',
    '-1 1 1',
    '1.5 1 1',
    '1e2 1 1',
    '1 x 1',
    'x',
    '1 1 nan',
    '1 1 inf',
    '1 1 -inf',
  ],
  ...[
    '1 1 1e39',
    '1 1 -1',
    '1 1 --1',
    '1 1 1e',
    '1 1 .',
    '1 1 1.2.3',
    '1 1 0x10',
    '4294967296 1 1',
    '99999999999999 1 1',
  ],
  ...[
    '1,1,1',
    '1;1;1',
    '1\u00a01 1',
    '1 1 1 # note',
    '+1 1 1',
    '1 1 1e400',
    '1 1 "1"',
    '1 1 1_000',
    '１ 1 1',
  ],
]
const BAD_HEADS = [
  ...['{', '{}', '{"dims":"2x2"}', '{"dims":[2]}', '{"dims":[2,2,2]}', '{"dims":[0,2]}', '{"dims":[1,1]}'],
  ...[
    '{"dims":[-2,2]}',
    '{"dims":[2.5,2]}',
    '{"dims":[1e20,2]}',
    '{"dims":[null,2]}',
    '{"dims":{"0":2}}',
    '{"mode":1}',
  ],
  ...[
    '{"dims":[2,2],"modes":[{}]}',
    '{"dims":[2,2],"modes":[{"name":1},{"name":"b"}]}',
    '{"dims":[2,2],"modes":"ab"}',
  ],
  ...[
    '{"dims":[2,2],"modes":[{"name":"a"}]}',
    '{"dims":[2,2],"modes":[{"name":"a","type":"X"},{"name":"b"}]}',
  ],
  ...['{"dims":[2,2],"modes":[{"name":"a","from":{}},{"name":"b"}]}', '{"mode":1,"labels":["a"]}'],
  ...['{"dims":[2,2],"modes":[{"name":"a","from":{"column":"a","binning":"x"}},{"name":"b"}]}'],
]
const BAD_LABELS = [
  ...['{"mode":0,"labels":["a","b"]}', '{"mode":3,"labels":["a","b"]}', '{"mode":1.5,"labels":["a"]}'],
  ...[
    '{"mode":1,"labels":["a"]}',
    '{"mode":1,"labels":["a","b","c"]}',
    '{"mode":1,"labels":[1,2]}',
    '{"mode":1e9,"labels":[]}',
  ],
  ...['{"mode":"1","labels":["a","b"]}', '{"mode":1,"labels":"ab"}', '{"mode":-1,"labels":["a","b"]}'],
]

function* tnsAttacks(): Generator<Attack> {
  const good = '1 1 1\n2 2 2\n1 2 3\n'
  const commands: ((file: string) => string[])[] = [
    (file) => ['info', file],
    (file) => ['complete', file, '--epochs', '1'],
    (file) => ['convert', file, 'out.npz', '--negative', 'error'],
    (file) => ['split', file, '--test', '0.4', '-o', 'out', '--negative', 'error'],
  ]
  let n = 0
  const attack = (name: string, content: string | Uint8Array, file = 'a.tns'): Attack => {
    const args = commands[n++ % commands.length](file)
    // info looks at negative values, too.
    return {
      name: `.tns ${name}`,
      files: { [file]: content },
      args: /-1$/.test(name) && args[0] === 'info' ? commands[1](file) : args,
    }
  }
  for (const line of BAD_LINES) {
    yield attack(`first line ${line}`, `${line}\n${good}`)
    yield attack(`later line ${line}`, `${good}${line}\n`)
  }
  for (const head of BAD_HEADS) yield attack(`head ${head}`, `# lacuna ${head}\n${good}`)
  for (const labels of BAD_LABELS)
    yield attack(`labels ${labels}`, `# lacuna {"dims":[2,2]}\n# lacuna ${labels}\n${good}`)
  const contents = [
    '',
    ' ',
    '\n\n',
    '# only a comment\n',
    '\0\0\0\0',
    '\ufffe1 1 1',
    good.replaceAll('\n', '\r'),
    `${'9'.repeat(2_000_000)}\n`,
  ]
  for (const [i, content] of contents.entries()) yield attack(`content ${i}`, content)
  yield attack('UTF-16', Buffer.from(good, 'utf16le'))
  yield attack('repeated coordinates', '1 1 1\n1 1 2\n')
  yield attack('more modes than any tensor has', `${'1 '.repeat(300)}1\n`)
  const packed = gzipSync(good.repeat(300))
  for (const [i, cut] of cuts(packed, 15).entries()) yield attack(`gzip cut ${i}`, cut, 'a.tns.gz')
  for (const at of [packed.length - 8, packed.length - 5, packed.length - 4, packed.length - 1])
    yield attack(`gzip flipped at ${at}`, flipped(packed, at), 'a.tns.gz')
  yield attack('not gzip', good, 'a.tns.gz')
}

// ---- .npy and .npz --------------------------------------------------------------------------------------------------

/** A .npy file with the text for its header as it is. */
function npy(dict: string, body: Uint8Array, version = 1, magic = '\x93NUMPY'): Uint8Array {
  const header = Buffer.from(dict, 'latin1')
  const length = Buffer.alloc(version === 1 ? 2 : 4)
  if (version === 1) length.writeUInt16LE(header.length)
  else length.writeUInt32LE(header.length)
  return Buffer.concat([Buffer.from(magic, 'latin1'), Uint8Array.of(version, 0), length, header, body])
}

const BAD_DICTS = [
  ...[
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 2)}",
  ],
  ...[
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
    "{'descr': '<f4', 'shape': (2, 2)}",
  ],
  ...[
    "{'descr': '|O', 'fortran_order': False, 'shape': (2, 2)}",
    "{'descr': '<c8', 'fortran_order': False, 'shape': (2, 1)}",
  ],
  ...[
    "{'descr': '<U4', 'fortran_order': False, 'shape': (1, 1)}",
    "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 2)}",
  ],
  ...[
    "{'descr': '<f3', 'fortran_order': False, 'shape': (2, 2)}",
    "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 2)}",
  ],
  ...[
    "{'descr': '<f4', 'fortran_order': False, 'shape': 4}",
    '',
    '{}',
    'not a dict',
    "{'descr': '<f4', 'fortran_order': False, 'shape': ()}",
  ],
  ...[
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4)}",
  ],
  ...[`{'descr': '<f4', 'fortran_order': False, 'shape': (${'1, '.repeat(300)}4)}`],
]

function* npyAttacks(): Generator<Attack> {
  const body = new Uint8Array(Float32Array.of(1, 2, 3, 4).buffer)
  const dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}"
  const commands = [(file: string) => ['info', file], (file: string) => ['convert', file, 'out.tns']]
  let n = 0
  const attack = (name: string, content: Uint8Array | string): Attack => ({
    name: `.npy ${name}`,
    files: { 'a.npy': content },
    args: commands[n++ % 2]('a.npy'),
  })
  for (const bad of BAD_DICTS) yield attack(`header ${bad.slice(0, 80)}`, npy(bad, body))
  for (const version of [0, 4, 255]) yield attack(`version ${version}`, npy(dict, body, version))
  for (const magic of ['\x92NUMPY', '\x93NUMPX', 'NUMPY\x93'])
    yield attack(`magic ${JSON.stringify(magic)}`, npy(dict, body, 1, magic))
  const good = encodeNpy({ shape: [2, 2], data: Float32Array.of(1, 2, 3, 4) })
  for (const [i, cut] of cuts(good, 25).entries()) yield attack(`cut ${i}`, cut)
  yield attack('longer', Buffer.concat([good, Uint8Array.of(0)]))
  yield attack('text', '1 2\n3 4\n')
  yield attack('nothing observed', encodeNpy({ shape: [2, 2], data: new Float32Array(4).fill(NaN) }))
  yield attack('infinite', encodeNpy({ shape: [2, 2], data: Float32Array.of(1, Infinity, 1, 1) }))
  yield attack('beyond float32', encodeNpy({ shape: [2, 2], data: Float64Array.of(1, 1e300, 1, 1) }))
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
      args: ['info', 'a.npy', '--mask', 'm.npy'],
    }
}

const COO: NpzEntries = {
  'coords.npy': { shape: [2, 3], data: Uint32Array.of(0, 1, 1, 0, 0, 1) },
  'data.npy': { shape: [3], data: Float32Array.of(1, 2, 3) },
  'shape.npy': { shape: [2], data: BigInt64Array.of(2n, 2n) },
}
const ABOUT = { format: 'lacuna-tensor', version: 1, dims: [2, 2] }

const BAD_TENSORS: [string, NpzEntries][] = [
  [
    'coords of the wrong shape',
    { ...COO, 'coords.npy': { shape: [3, 2], data: Uint32Array.of(0, 1, 1, 0, 0, 1) } },
  ],
  ['coords in one row', { ...COO, 'coords.npy': { shape: [6], data: Uint32Array.of(0, 1, 1, 0, 0, 1) } }],
  ['decimal coords', { ...COO, 'coords.npy': { shape: [2, 3], data: Float32Array.of(0, 1, 1, 0, 0, 1) } }],
  ['negative coords', { ...COO, 'coords.npy': { shape: [2, 3], data: Int32Array.of(0, -1, 1, 0, 0, 1) } }],
  [
    'coords beyond the shape',
    { ...COO, 'coords.npy': { shape: [2, 3], data: Uint32Array.of(0, 1, 7, 0, 0, 1) } },
  ],
  ['repeated coords', { ...COO, 'coords.npy': { shape: [2, 3], data: Uint32Array.of(0, 0, 1, 0, 0, 1) } }],
  ['too few values', { ...COO, 'data.npy': { shape: [2], data: Float32Array.of(1, 2) } }],
  ['values that are no list', { ...COO, 'data.npy': { shape: [3, 1], data: Float32Array.of(1, 2, 3) } }],
  ['infinite values', { ...COO, 'data.npy': { shape: [3], data: Float32Array.of(1, 2, Infinity) } }],
  ['NaN', { ...COO, 'data.npy': { shape: [3], data: Float32Array.of(1, NaN, 3) } }],
  ['a shape of one', { ...COO, 'shape.npy': { shape: [1], data: BigInt64Array.of(2n) } }],
  ['a shape of zeros', { ...COO, 'shape.npy': { shape: [2], data: BigInt64Array.of(0n, 0n) } }],
  ['a huge shape', { ...COO, 'shape.npy': { shape: [2], data: BigInt64Array.of(2n ** 40n, 2n) } }],
  ['a fill value', { ...COO, 'fill_value.npy': { shape: [], data: Float32Array.of(7) } }],
  ['no data', { 'coords.npy': COO['coords.npy'] }],
  ['GCXS', { 'compressed_axes.npy': { shape: [1], data: Int32Array.of(0) }, 'data.npy': COO['data.npy'] }],
  ['nothing', { 'readme.txt': utf8('empty') }],
  ['two arrays', { 'a.npy': COO['data.npy'], 'b.npy': COO['data.npy'] }],
  [
    'a strange format',
    {
      'format.npy': npy("{'descr': '|S3', 'fortran_order': False, 'shape': ()}", utf8('dia')),
      'data.npy': COO['data.npy'],
    },
  ],
  [
    'a damaged csr',
    {
      'format.npy': npy("{'descr': '|S3', 'fortran_order': False, 'shape': ()}", utf8('csr')),
      'indptr.npy': { shape: [3], data: Int32Array.of(0, 5, 1) },
      'indices.npy': { shape: [3], data: Int32Array.of(0, 1, 0) },
      'data.npy': COO['data.npy'],
      'shape.npy': COO['shape.npy'],
    },
  ],
]

const BAD_METADATA = [
  ...['', '{', 'null', '[]', '"text"', '{"format":"other"}', '{"format":"lacuna-tensor"}'],
  ...[
    { version: 0 },
    { version: 99 },
    { version: '1' },
    { dims: 'x' },
    { labels: [[1]] },
    { labels: 5 },
    { labels: [['a'], null] },
  ].map((part) => JSON.stringify({ ...ABOUT, ...part })),
  ...[
    { modes: [{}] },
    { modes: {} },
    { modes: [{ name: 'a', type: 'x' }, { name: 'b' }] },
    { modes: [{ name: 'a' }] },
    { value: 5 },
  ].map((part) => JSON.stringify({ ...ABOUT, ...part })),
]

function* npzAttacks(): Generator<Attack> {
  const commands = [
    (file: string) => ['info', file],
    (file: string) => ['convert', file, 'out.csv'],
    (file: string) => ['complete', file, '--epochs', '1'],
  ]
  let n = 0
  const attack = (name: string, content: Uint8Array | string): Attack => ({
    name: `.npz ${name}`,
    files: { 'a.npz': content },
    args: commands[n++ % 3]('a.npz'),
  })
  for (const [name, entries] of BAD_TENSORS) yield attack(name, encodeNpz(entries))
  for (const text of BAD_METADATA)
    yield attack(`metadata ${text.slice(0, 60)}`, encodeNpz({ ...COO, 'metadata.json': utf8(text) }))
  const good = encodeNpz({ ...COO, 'metadata.json': json(ABOUT) })
  for (const [i, cut] of cuts(good, 25).entries()) yield attack(`cut ${i}`, cut)
  const start = Buffer.from(good).indexOf('NUMPY')
  for (const at of [0, 1, start + 130, start + 134, start + 140])
    yield attack(`flipped at ${at}`, flipped(good, at))
  yield attack('text', 'PK but no zip')
  yield attack('empty', '')
}

// ---- models ---------------------------------------------------------------------------------------------------------

const MODEL = { format: 'lacuna-model', version: 1, dims: [2, 2], rank: 1, training: {} }
const FACTORS: NpzEntries = {
  'factor_1.npy': { shape: [2, 1], data: Float32Array.of(1, 2) },
  'factor_2.npy': { shape: [2, 1], data: Float32Array.of(1, 2) },
}

const BAD_MODELS: [string, NpzEntries][] = [
  ['no metadata', FACTORS],
  ['one factor', { 'metadata.json': json(MODEL), 'factor_1.npy': FACTORS['factor_1.npy'] }],
  [
    'a wrong shape',
    {
      'metadata.json': json(MODEL),
      ...FACTORS,
      'factor_2.npy': { shape: [1, 2], data: Float32Array.of(1, 2) },
    },
  ],
  [
    'doubles',
    {
      'metadata.json': json(MODEL),
      ...FACTORS,
      'factor_2.npy': { shape: [2, 1], data: Float64Array.of(1, 2) },
    },
  ],
  [
    'negative factors',
    {
      'metadata.json': json(MODEL),
      ...FACTORS,
      'factor_2.npy': { shape: [2, 1], data: Float32Array.of(1, -2) },
    },
  ],
  [
    'NaN',
    {
      'metadata.json': json(MODEL),
      ...FACTORS,
      'factor_2.npy': { shape: [2, 1], data: Float32Array.of(1, NaN) },
    },
  ],
  [
    'infinite factors',
    {
      'metadata.json': json(MODEL),
      ...FACTORS,
      'factor_1.npy': { shape: [2, 1], data: Float32Array.of(Infinity, 1) },
    },
  ],
  ...[
    ...[
      { rank: 0 },
      { rank: 'x' },
      { rank: 1.5 },
      { rank: 1e9 },
      { dims: [2] },
      { dims: [2, 2, 2] },
      { dims: [3, 2] },
      { dims: [2, '2'] },
    ],
    ...[
      { version: 2 },
      { version: -1 },
      { format: 'lacuna-tensor' },
      { training: 5 },
      { labels: [['a'], null] },
      { labels: [['a', 'b']] },
    ],
    ...[
      { modes: [{ name: 'a' }] },
      { modes: 'ab' },
      { modes: [{ name: 'a', type: 'DROP' }, { name: 'b' }] },
      { dims: [0, 2] },
    ],
    ...[{ modes: [{ name: 'a', from: { column: 'a', binning: 'exec' } }, { name: 'b' }] }],
  ].map((part): [string, NpzEntries] => [
    JSON.stringify(part),
    { 'metadata.json': json({ ...MODEL, ...part }), ...FACTORS },
  ]),
]

function* modelAttacks(): Generator<Attack> {
  const queries = { 'q.tns': '1 1\n', 'q.csv': 'a,b\n1,1\n' }
  const commands = [
    ['predict', 'm.npz', 'q.tns'],
    ['predict', 'm.npz', 'q.csv', '-o', 'out.csv'],
    ['convert', 'm.npz', 'out.csv'],
    ['predict', 'm.npz', 'q.csv', '-o', 'out.parquet'],
  ]
  let n = 0
  const attack = (
    name: string,
    content: Uint8Array | string,
    args = commands[n++ % commands.length],
  ): Attack => ({
    ...{ name: `model ${name}`, files: { 'm.npz': content, ...queries }, args },
  })
  for (const [name, entries] of BAD_MODELS) yield attack(name, encodeNpz(entries))
  const good = encodeModel(
    new CpModel({
      dims: [2, 2],
      rank: 1,
      factors: [Float32Array.of(1, 2), Float32Array.of(3, 4)],
      labels: [['x', 'y'], undefined],
      modes: [{ name: 'a' }, { name: 'b' }],
    }),
  )
  for (const [i, cut] of cuts(good, 20).entries()) yield attack(`cut ${i}`, cut)
  const badQueries: (readonly [string, string])[] = [
    ...([
      ['q.tns', '1\n'],
      ['q.tns', '3 1\n'],
      ['q.tns', '1 0\n'],
      ['q.tns', ''],
      ['q.tns', '1 1 x\n'],
      ['q.tns', '1 1 1\n1 1\n'],
    ] as const),
    ...([
      ['q.csv', ''],
      ['q.csv', 'a\n1\n'],
      ['q.csv', 'c,d\n1,1\n'],
      ['q.csv', 'a,b\n1\n'],
      ['q.csv', 'a,b\n"1,1\n'],
    ] as const),
    ...([
      ['q.json', '[1]'],
      ['q.json', '[{"a":1'],
      ['q.json', '[{"c":1}]'],
      ['q.parquet', 'no'],
      ['q.npy', 'no'],
      ['q.xls', 'no'],
    ] as const),
  ]
  for (const [i, [name, content]] of badQueries.entries())
    yield {
      name: `queries ${i} ${name}`,
      files: { 'm.npz': good, [name]: content },
      args: ['predict', 'm.npz', name],
    }
  for (const args of [
    ...[
      ['q.tns', '-o', 'out.csv'],
      ['q.tns', '--fallback', 'mean'],
      ['q.csv', '-o', 'out.tns'],
      ['q.csv', '-o', 'out.xls'],
    ],
    ...[
      ['q.csv', '--value', 'nope'],
      ['q.csv', '--modes', 'a'],
      ['q.csv', '--modes', 'a', 'nope'],
      ['q.csv', '--modes', 'a', 'b +'],
    ],
    ...[
      ['q.csv', '--fallback', 'median'],
      ['q.csv', '-o', 'no/such/folder.csv'],
      ['none.csv'],
      ['q.csv', '--decimal', 'x'],
    ],
  ])
    yield attack(`asked ${args.join(' ')}`, good, ['predict', 'm.npz', ...args])
}

// ---- tables ---------------------------------------------------------------------------------------------------------

const TABLE = 'user,item,when,rating\nann,tea,2024-01-01,3\nbo,jam,2024-01-02,4\n'
const BAD_TABLES: string[] = [
  ...['', '\n\n', ' ', 'user,item,rating\n', 'a\n1\n', 'a,b\n1,2,3\n', 'a,b\n1\n', 'a,b,c\n1,2\n3,4,5,6\n'],
  ...['a,b\n"1,2\n', 'a,b\n1,"2"3\n', '\0\0\0', 'a\0b,c\n1,2\n', 'user,item,rating\nann,tea,x\nbo,jam,y\n'],
  ...['user,item,rating\nann,tea,1\nbo,jam,nan\ncy,tea,2\n', 'user,item,rating\nann,tea,1\nbo,jam,1e39\n'],
  ...[
    'user,item,rating\nann,tea,1\nbo,jam,inf\n',
    'user,item,rating\nann,tea,1\nbo,jam,2,3\n',
    'x,y,z\n1.5,2.5,3.5\n',
  ],
  ...['user,item,rating\nann,tea,3\nann,tea,4\n', 'who,when,value\nann,01/02/2024,1\nbo,03/04/2024,2\n'],
  ...[
    'who;what;value\nann;a;1,234\nbo;b;5,678\n',
    'user,item,rating\n,,\n,,\n',
    'user,item,rating\nann,tea,\n',
  ],
  ...[
    'user,date,rating\nann,20240101,1\nbo,20240102,2\n',
    'user,item,rating\nann,tea,3€\nbo,jam,4\ncy,tea,5\n',
  ],
  ...['user\titem\trating\nann\ttea\n', 'a|b|c\n1|2\n', 'a::b::c\n1::2\n', `a,b,c\n${'"'.repeat(5)}\n`],
]
const BAD_TABLE_OPTIONS = [
  ...[
    ['--modes', 'user'],
    ['--modes', 'user', 'nope'],
    ['--modes', 'user', ''],
    ['--modes', 'user', 'week(nope)'],
  ],
  ...[
    ['--modes', 'user', 'week(item)'],
    ['--modes', 'user', 'bins(rating)'],
    ['--modes', 'user', 'bins(rating, 0)'],
  ],
  ...[
    ['--modes', 'user', 'bins(item, 5)'],
    ['--modes', 'user', 'round(rating, 99)'],
    ['--modes', 'user', 'week(when, 3)'],
  ],
  ...[
    ['--modes', 'user', 'weeks(when)'],
    ['--modes', 'raw:user', 'item'],
    ['--modes', 'user', 'fold(item)'],
  ],
  ...[
    ['--modes', 'user', 'item ||'],
    ['--modes', 'user', 'week(when'],
    ['--modes', 'user', '1'],
    ['--modes', 'user', 'current_user'],
  ],
  ...[
    ['--modes', 'user', 'item', '--value', 'nope'],
    ['--modes', 'user', 'item', '--value', 'when'],
  ],
  ...[
    ['--modes', 'user', 'item', '--merge', 'mean'],
    ['--merge', 'median'],
    ['--index', 'both'],
    ['--recipe', 'nope'],
  ],
  ...[
    ['--recipe', 'uber'],
    ['--recipe', 'movielens'],
    ['--dates', '%Q', '--modes', 'user', 'day(when)'],
  ],
  ...[
    ['--dates', '%d/%m/%Y', '--modes', 'user', 'day(when)'],
    ['--decimal', '!'],
    ['--melt', 'day'],
    ['--melt', 'user', '--modes', 'item'],
  ],
  ...[
    ['--melt', 'x=nope*', '--modes', 'user'],
    ['--melt', 'x', '--modes', 'user', '--value', 'rating'],
  ],
  ...[
    ['--query', 'SELEC 1'],
    ['--query', 'SELECT * FROM nope'],
    ['--query', 'SELECT nope FROM data'],
    ['--query', ''],
  ],
  ...[
    ['--query', 'SELECT 1 AS a'],
    ['--query', 'DROP TABLE data'],
    ['--query', 'SELECT * FROM data WHERE 1 = 0'],
  ],
  ...[
    ['--database', 'none.duckdb'],
    ['--database', 'https://example.org/x'],
    ['--database', 't.csv'],
    ['--dims', '2x2', '--modes', 'raw:rating', 'raw:rating'],
  ],
  ...[
    ['--modes', 'user', 'when AS user AS x'],
    ['--modes', 'week(when) AS when', 'user'],
    ['--modes', 'coded:', 'user'],
  ],
]

function* tableAttacks(): Generator<Attack> {
  const commands = [
    (file: string) => ['info', file],
    (file: string) => ['convert', file, 'out.tns'],
    (file: string) => ['split', file, '--test', '0.5', '-o', 'out'],
    (file: string) => ['complete', file, '--epochs', '1'],
  ]
  let n = 0
  const attack = (
    name: string,
    content: string | Uint8Array,
    file = 't.csv',
    more: string[] = [],
  ): Attack => ({
    name: `table ${name}`,
    files: { [file]: content },
    args: [...commands[n++ % commands.length](file), ...more],
  })
  for (const text of BAD_TABLES) yield attack(JSON.stringify(text.slice(0, 60)), text)
  for (const options of BAD_TABLE_OPTIONS) yield attack(options.join(' '), TABLE, 't.csv', options)
  yield attack('Latin-1', Buffer.from('user,item,rating\nJosé,tea,3\nbo,jam,4\n', 'latin1'), 't.csv', [
    '--modes',
    'user',
    'item',
    '--value',
    'rating',
  ])
  yield attack('UTF-16', Buffer.from(`\ufeff${TABLE}`, 'utf16le'))
  yield attack('CR alone', TABLE.replaceAll('\n', '\r'))
  const packed = gzipSync(TABLE.repeat(50))
  for (const [i, cut] of cuts(packed, 12).entries()) yield attack(`gzip cut ${i}`, cut, 't.csv.gz')
  yield attack('no gzip', TABLE, 't.csv.gz')
  yield attack('no zstd', TABLE, 't.csv.zst')
  for (const [i, text] of [
    '',
    '[]',
    '[1]',
    '{',
    '{"a":1',
    '[{"a":1},{"a":2]',
    '[{"a":1}',
    'null',
    '"x"',
    '[[1,2],[3,4]]',
    '{"a":1}}',
    '{"a":tru}',
    "{'a':1}",
    '{"a":1,}',
  ].entries())
    for (const file of ['t.json', 't.ndjson']) yield attack(`JSON ${i}`, text, file)
  for (const [i, text] of [
    '',
    'PAR1',
    'PAR1PAR1',
    TABLE,
    `PAR1${'\0'.repeat(100)}PAR1`,
    'x'.repeat(5000),
  ].entries())
    yield attack(`Parquet ${i}`, text, 't.parquet')
  yield {
    name: 'table unlike the other',
    files: { 'a.csv': TABLE, 'b.csv': 'x,y\n1,2\n' },
    args: ['info', 'a.csv', 'b.csv'],
  }
  yield {
    name: 'table of two kinds',
    files: { 'a.csv': TABLE, 'b.json': '[{"a":1}]' },
    args: ['info', 'a.csv', 'b.json'],
  }
  yield {
    name: 'table and tensor',
    files: { 'a.csv': TABLE, 'b.tns': '1 1 1\n' },
    args: ['info', 'a.csv', 'b.tns'],
  }
}

/** Parquet files as DuckDB writes them, cut and blotted. */
export function* parquetAttacks(good: Uint8Array): Generator<Attack> {
  const broken = [
    ...cuts(good, 20),
    ...[4, 8, 1, 5].map((behind) => flipped(good, good.length - behind, 0xff)),
    good.map((byte, at) => (at > 20 && at < good.length - 12 ? 0x77 : byte)),
  ]
  for (const [i, content] of broken.entries())
    yield {
      name: `Parquet ${i}`,
      files: { 't.parquet': content },
      args:
        i % 2
          ? ['info', 't.parquet']
          : ['convert', 't.parquet', 'out.csv', '--modes', 'a', 'b', '--value', 'v'],
    }
}

// ---- pictures -------------------------------------------------------------------------------------------------------

export function* imageAttacks(png: Uint8Array): Generator<Attack> {
  const attack = (name: string, content: string | Uint8Array, more: string[] = []): Attack => ({
    ...{ name: `image ${name}`, files: { 'a.png': content, 'good.png': png } },
    args: ['image', 'a.png', '-o', 'out.png', '--epochs', '1', ...more],
  })
  for (const [i, cut] of cuts(png, 20).entries()) yield attack(`cut ${i}`, cut)
  for (const at of [0, 3, 17, 18, 25]) yield attack(`flipped at ${at}`, flipped(png, at, 0xff))
  for (const text of [
    '',
    'no picture',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'GIF89a',
    '%PDF-1.4',
    'BM',
  ])
    yield attack(JSON.stringify(text), text)
  for (const more of [
    ...[
      ['--missing', '2'],
      ['--missing', '-1'],
      ['--missing', 'x'],
      ['--rank', '0'],
      ['--epochs', '0'],
      ['--lambda', 'much'],
    ],
    ...[
      ['--mask', 'none.png'],
      ['--mask', 'good.png', '--missing', '0.5'],
      ['--hole-colour', 'red'],
      ['--truth', 'good.png'],
    ],
    ...[
      ['--damaged', 'x.jpg'],
      ['--paper', '--plain'],
      ['--compare', 'no/where.png'],
      ['--threads', '0'],
      ['--seed', '1.5'],
    ],
  ])
    yield attack(more.join(' '), png, more)
}

// ---- options --------------------------------------------------------------------------------------------------------

const BAD_OPTIONS: Record<string, string[][]> = {
  complete: [
    ...[
      ['--rank', '0'],
      ['--rank', '257'],
      ['--rank', '1.5'],
      ['--rank', 'ten'],
      ['--epochs', '0'],
      ['--seconds', 'x'],
    ],
    ...[
      ['--sample', '2'],
      ['--sample', '0'],
      ['--lambda', '-1'],
      ['--lambda', 'some'],
      ['--solver', 'slow'],
      ['--threads', '0'],
    ],
    ...[
      ['--validation', '1.5'],
      ['--test', '0'],
      ['--test', 'none.tns'],
      ['--patience', '-1'],
      ['--seed', '-1'],
      ['--dims', '1x1'],
    ],
    ...[
      ['--dims', '2'],
      ['--dims', '2x0'],
      ['--dims', '2x2x2'],
      ['--negative', 'no'],
      ['--duplicates', 'no'],
      ['--mask', 'm.npy'],
    ],
    ...[
      ['--initial', 'none.npz'],
      ['-o', 'out.txt'],
      ['-o', 'no/out.npz'],
      ['--nope'],
      ['--modes', 'a', 'b'],
      ['--max-inner', '0'],
    ],
  ],
  info: [
    ['--rank', '0'],
    ['--threads', 'many'],
    ['--dims', 'x'],
    ['--duplicates', 'no'],
    ['--mask', 'none.npy'],
    ['--nope'],
    ['--value', 'x'],
  ],
  convert: [
    ...[
      ['out.xls'],
      ['no/out.csv'],
      ['out'],
      ['-'],
      ['-', '--format', 'xls'],
      ['out.csv', '--negative', 'maybe'],
      ['out.npy', '--dims', '9x9x9'],
    ],
    ...[
      ['out.npy', '--dims', '4000000000x4000000000'],
      ['out.csv', '--nope'],
      ['out.csv', '--merge', 'sum'],
      [],
    ],
  ],
  split: [
    ...[
      ['-o', 'out'],
      ['--test', '0', '-o', 'out'],
      ['--test', '1', '-o', 'out'],
      ['--test', 'x', '-o', 'out'],
      ['--test', '0.5'],
    ],
    ...[
      ['--test', '0.5', '--by', 'luck', '-o', 'out'],
      ['--test', '0.5', '--by', 'time', '--time', 'nope', '-o', 'out'],
    ],
    ...[
      ['--test', '0.5', '--format', 'xls', '-o', 'out'],
      ['--test', '0.6', '--validation', '0.6', '-o', 'out'],
    ],
    ...[
      ['--test', '0.5', '--time', '1', '-o', 'out'],
      ['--test', '0.5', '-o', 'no/out'],
      ['--test', '0.5', '--seed', 'x', '-o', 'out'],
    ],
  ],
}

function* optionAttacks(): Generator<Attack> {
  const files = { 'a.tns': '1 1 1\n2 2 2\n1 2 3\n' }
  for (const [command, all] of Object.entries(BAD_OPTIONS))
    for (const options of all)
      yield { name: `${command} ${options.join(' ')}`, files, args: [command, 'a.tns', ...options] }
  const dims = ['--dims', '3x3']
  for (const options of [
    ...[
      [],
      dims,
      [...dims, '--entries', '4'],
      [...dims, '--entries', '0', '-o', 'out.tns'],
      [...dims, '--entries', '99', '-o', 'out.tns'],
    ],
    ...[
      [...dims, '--entries', '4', '-o', 'out.xls'],
      [...dims, '--entries', '4', '-o', 'no/out.tns'],
      ['--dims', '3', '--entries', '1', '-o', 'out.tns'],
    ],
    ...[
      [...dims, '--entries', '4', '-o', 'out.tns', '--test-entries', '2'],
      [...dims, '--entries', '4', '-o', 'out.tns', '--snr', 'loud'],
    ],
    ...[
      [...dims, '--entries', '4', '-o', 'out.tns', '--rank', '0'],
      ['--dims', Array(300).fill(1).join('x'), '--entries', '1', '-o', 'out.tns'],
    ],
    ...[[...dims, '--entries', '8', '-o', 'out.tns', '--test-entries', '8', '--test', 'out2.tns']],
  ])
    yield { name: `synth ${options.join(' ').slice(0, 80)}`, files: {}, args: ['synth', ...options] }
  for (const args of [
    ['fetch'],
    ['fetch', 'nope'],
    ['fetch', 'kinetic', '--url', 'http://example.org/x'],
    ['fetch', 'uber-pickups', '--url', 'https://x'],
    ['nope'],
    ['list', '--nope'],
  ])
    yield { name: `data ${args.join(' ')}`, files: {}, args: ['data', ...args] }
  for (const name of [
    'none.tns',
    'none.csv',
    'none.npz',
    'none.npy',
    'none.parquet',
    'none.json',
    'a.txt.exe',
    'no-ending',
    '.',
    '..',
  ])
    yield { name: `info ${name}`, files: {}, args: ['info', name] }
}

export function* attacks(): Generator<Attack> {
  yield* tnsAttacks()
  yield* npyAttacks()
  yield* npzAttacks()
  yield* modelAttacks()
  yield* tableAttacks()
  yield* optionAttacks()
}
