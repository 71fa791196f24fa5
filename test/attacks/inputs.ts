/**
 * Broken inputs for every reader and command, made by rules: each is some files and the arguments of a
 * command that must answer with one sentence. Nothing here is random; the name of a case leads back to it.
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

/** A case on each line; \n, \0 and the like are written out. */
const lines = (text: TemplateStringsArray): string[] =>
  text.raw[0]
    .trim()
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/\\(n|r|t|0)/g, (_, letter: string) => ({ n: '\n', r: '\r', t: '\t' })[letter] ?? '\0'),
    )

/** The words of a command line, in single quotes where they hold blanks. */
const words = (line: string): string[] =>
  Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain)

/** So many places between the first and the last. */
const places = (length: number, many: number): number[] =>
  Array.from({ length: many }, (_, i) => Math.floor(((i + 0.5) * length) / many))

const cuts = (bytes: Uint8Array, many: number): Uint8Array[] =>
  places(bytes.length, many).map((at) => bytes.slice(0, at))

const flipped = (bytes: Uint8Array, at: number, mask = 0x55): Uint8Array =>
  bytes.map((byte, i) => (i === at ? byte ^ mask : byte))

/** Attacks on a file, by each command in turn. */
function inTurn(kind: string, commands: readonly string[]) {
  let n = 0
  return (name: string, file: string, content: string | Uint8Array, more = ''): Attack => ({
    name: `${kind} ${name}`,
    files: { [file]: content },
    args: words(`${commands[n++ % commands.length].replace('FILE', file)} ${more}`),
  })
}

const BAD_LINES = lines`
  1 1
  1
  1 2 3 4 5
  0 1 1
  -1 1 1
  1.5 1 1
  1e2 1 1
  1 x 1
  x
  1 1 nan
  1 1 inf
  1 1 -inf
  1 1 1e39
  1 1 --1
  1 1 1e
  1 1 .
  1 1 1.2.3
  1 1 0x10
  4294967296 1 1
  99999999999999 1 1
  1,1,1
  1;1;1
  1 1 1 # note
  +1 1 1
  1 1 1e400
  1 1 "1"
  1 1 1_000
  １ 1 1`

const BAD_HEADS = lines`
  {
  {}
  {"dims":"2x2"}
  {"dims":[2]}
  {"dims":[2,2,2]}
  {"dims":[0,2]}
  {"dims":[1,1]}
  {"dims":[-2,2]}
  {"dims":[2.5,2]}
  {"dims":[1e20,2]}
  {"dims":[null,2]}
  {"dims":{"0":2}}
  {"mode":1}
  {"mode":1,"labels":["a"]}
  {"dims":[2,2],"modes":[{}]}
  {"dims":[2,2],"modes":"ab"}
  {"dims":[2,2],"modes":[{"name":"a"}]}
  {"dims":[2,2],"modes":[{"name":1},{"name":"b"}]}
  {"dims":[2,2],"modes":[{"name":"a","type":"X"},{"name":"b"}]}
  {"dims":[2,2],"modes":[{"name":"a","type":"VARCHAR; DROP TABLE x"},{"name":"b"}]}
  {"dims":[2,2],"modes":[{"name":"a","from":{}},{"name":"b"}]}
  {"dims":[2,2],"modes":[{"name":"a","from":{"column":"a","binning":"x"}},{"name":"b"}]}
  {"dims":[2,2],"modes":[{"name":"a","from":{"column":"a","argument":"1"}},{"name":"b"}]}`

const BAD_LABELS = lines`
  {"mode":0,"labels":["a","b"]}
  {"mode":3,"labels":["a","b"]}
  {"mode":1.5,"labels":["a"]}
  {"mode":1,"labels":["a"]}
  {"mode":1,"labels":["a","b","c"]}
  {"mode":1,"labels":[1,2]}
  {"mode":1e9,"labels":[]}
  {"mode":"1","labels":["a","b"]}
  {"mode":1,"labels":"ab"}
  {"mode":-1,"labels":["a","b"]}`

function* tnsAttacks(): Generator<Attack> {
  const good = '1 1 1\n2 2 2\n1 2 3\n'
  const attack = inTurn('.tns', [
    'info FILE',
    'complete FILE --epochs 1',
    'convert FILE out.npz',
    'split FILE --test 0.4 -o out',
  ])
  for (const line of BAD_LINES) {
    yield attack(`first line ${line}`, 'a.tns', `${line}\n${good}`)
    yield attack(`later line ${line}`, 'a.tns', `${good}${line}\n`)
  }
  for (const head of BAD_HEADS) yield attack(`head ${head}`, 'a.tns', `# lacuna ${head}\n${good}`)
  for (const labels of BAD_LABELS)
    yield attack(`labels ${labels}`, 'a.tns', `# lacuna {"dims":[2,2]}\n# lacuna ${labels}\n${good}`)
  for (const content of [
    '',
    ' ',
    '\n\n',
    '# only a comment\n',
    '\0\0\0\0',
    good.replaceAll('\n', '\r'),
    '1 1 1\n1 1 2\n',
  ])
    yield attack(JSON.stringify(content), 'a.tns', content)
  yield attack('a line without an end', 'a.tns', `${'9'.repeat(2_000_000)}\n`)
  yield attack('UTF-16', 'a.tns', Buffer.from(good, 'utf16le'))
  yield attack('more modes than any tensor has', 'a.tns', `${'1 '.repeat(300)}1\n`)
  for (const command of ['complete FILE --epochs 1', 'convert FILE out.npz --negative error'])
    yield inTurn('.tns', [command])('negative', 'a.tns', `${good}2 1 -1\n`)
  const packed = gzipSync(good.repeat(300))
  for (const [i, cut] of cuts(packed, 15).entries()) yield attack(`gzip cut ${i}`, 'a.tns.gz', cut)
  for (const behind of [8, 5, 4, 1])
    yield attack(`gzip flipped ${behind} before its end`, 'a.tns.gz', flipped(packed, packed.length - behind))
  yield attack('not gzip', 'a.tns.gz', good)
}

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

function* npyAttacks(): Generator<Attack> {
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
  {"labels":[["a"],null]}
  {"modes":[{}]}
  {"modes":{}}
  {"modes":[{"name":"a","type":"x"},{"name":"b"}]}
  {"modes":[{"name":"a"}]}
  {"value":5}`

function* npzAttacks(): Generator<Attack> {
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

const MODEL = { format: 'lacuna-model', version: 1, dims: [2, 2], rank: 1, training: {} }
const FACTORS: NpzEntries = {
  'factor_1.npy': { shape: [2, 1], data: Float32Array.of(1, 2) },
  'factor_2.npy': { shape: [2, 1], data: Float32Array.of(1, 2) },
}
const BAD_FACTORS: Record<string, NpzEntries> = {
  'a wrong shape': { 'factor_2.npy': { shape: [1, 2], data: Float32Array.of(1, 2) } },
  doubles: { 'factor_2.npy': { shape: [2, 1], data: Float64Array.of(1, 2) } },
  'negative factors': { 'factor_2.npy': { shape: [2, 1], data: Float32Array.of(1, -2) } },
  'factors that are no numbers': { 'factor_2.npy': { shape: [2, 1], data: Float32Array.of(1, NaN) } },
  'infinite factors': { 'factor_1.npy': { shape: [2, 1], data: Float32Array.of(Infinity, 1) } },
  'text for a factor': { 'factor_1.npy': utf8('text') },
}
const BAD_MODELS = lines`
  {"rank":0}
  {"rank":"x"}
  {"rank":1.5}
  {"rank":1e9}
  {"dims":[2]}
  {"dims":[0,2]}
  {"dims":[3,2]}
  {"dims":[2,2,2]}
  {"dims":[2,"2"]}
  {"version":3}
  {"arrangement":3}
  {"arrangement":{"mergeModes":[[0,1]],"split":[]}}
  {"arrangement":{"mergeModes":[["a","b"]],"split":[]}}
  {"arrangement":{"mergeModes":[],"split":[{"mode":7,"into":[2],"offset":0}]}}
  {"arrangement":{"mergeModes":[],"split":[{"mode":0,"into":[1e300,1e300],"offset":0}]}}
  {"dims":[9,2],"arrangement":{"mergeModes":[],"split":[{"mode":0,"into":[2],"offset":0}]}}
  {"dims":[-9,2],"arrangement":{"mergeModes":[],"split":[{"mode":0,"into":[2],"offset":-3}]}}
  {"version":-1}
  {"format":"lacuna-tensor"}
  {"training":5}
  {"labels":[["a"],null]}
  {"labels":[["a","b"]]}
  {"modes":"ab"}
  {"modes":[{"name":"a"}]}
  {"modes":[{"name":"a","type":"DROP"},{"name":"b"}]}
  {"modes":[{"name":"a","from":{"column":"a","binning":"exec"}},{"name":"b"}]}`

const BAD_QUERIES = lines`
  q.tns
  q.tns 1\n
  q.tns 3 1\n
  q.tns 1 0\n
  q.tns 1 1 x\n
  q.tns 1 1 1\n1 1\n
  q.csv
  q.csv a\n1\n
  q.csv c,d\n1,1\n
  q.csv a,b\n1\n
  q.csv a,b\n"1,1\n
  q.json [1]
  q.json [{"a":1
  q.json [{"c":1}]
  q.parquet no
  q.npy no
  q.xls no`

const BAD_PREDICTIONS = lines`
  q.tns -o out.csv
  q.tns --fallback mean
  q.csv -o out.tns
  q.csv -o out.xls
  q.csv -o no/folder.csv
  q.csv --value nope
  q.csv --modes a
  q.csv --modes a nope
  q.csv --modes a 'b +'
  q.csv --fallback median
  q.csv --decimal x
  none.csv`

function* modelAttacks(): Generator<Attack> {
  const queries = { 'q.tns': '1 1\n', 'q.csv': 'a,b\n1,1\n' }
  const turn = inTurn('model', [
    'predict FILE q.tns',
    'predict FILE q.csv -o out.csv',
    'convert FILE out.csv',
    'predict FILE q.csv -o out.parquet',
  ])
  const attack = (name: string, content: Uint8Array): Attack => {
    const { files, ...rest } = turn(name, 'm.npz', content)
    return { ...rest, files: { ...files, ...queries } }
  }
  const described = (about: object, factors: NpzEntries) =>
    encodeNpz({ 'metadata.json': json(about), ...factors })
  yield attack('without metadata', encodeNpz(FACTORS))
  yield attack('with one factor', described(MODEL, { 'factor_1.npy': FACTORS['factor_1.npy'] }))
  for (const [name, factors] of Object.entries(BAD_FACTORS))
    yield attack(name, described(MODEL, { ...FACTORS, ...factors }))
  for (const part of BAD_MODELS) yield attack(part, described({ ...MODEL, ...JSON.parse(part) }, FACTORS))
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
  for (const line of BAD_QUERIES) {
    const [file] = line.split(' ')
    const files = { 'm.npz': good, [file]: line.slice(file.length + 1) }
    yield { name: `queries ${JSON.stringify(line)}`, files, args: ['predict', 'm.npz', file] }
  }
  for (const line of BAD_PREDICTIONS)
    yield {
      name: `predict ${line}`,
      files: { 'm.npz': good, ...queries },
      args: words(`predict m.npz ${line}`),
    }
}

const TABLE = 'user,item,when,rating\nann,tea,2024-01-01,3\nbo,jam,2024-01-02,4\n'

const BAD_TABLES = lines`
  \n\n
  user,item,rating\n
  a\n1\n
  a,b\n1,2,3\n
  a,b\n1\n
  a,b,c\n1,2\n3,4,5,6\n
  a,b\n"1,2\n
  a,b\n1,"2"3\n
  a,b,c\n"""""\n
  \0\0\0
  a\0b,c\n1,2\n
  a|b|c\n1|2\n
  a::b::c\n1::2\n
  user\titem\trating\nann\ttea\n
  user,item,rating\nann,tea,x\nbo,jam,y\n
  user,item,rating\nann,tea,1\nbo,jam,nan\ncy,tea,2\n
  user,item,rating\nann,tea,1\nbo,jam,1e39\n
  user,item,rating\nann,tea,1\nbo,jam,inf\n
  user,item,rating\nann,tea,1\nbo,jam,2,3\n
  user,item,rating\nann,tea,3\nann,tea,4\n
  user,item,rating\n,,\n,,\n
  user,item,rating\nann,tea,\n
  user,item,rating\nann,tea,3€\nbo,jam,4\ncy,tea,5\n
  user,date,rating\nann,20240101,1\nbo,20240102,2\n
  who,when,value\nann,01/02/2024,1\nbo,03/04/2024,2\n
  who;what;value\nann;a;1,234\nbo;b;5,678\n
  x,y,z\n1.5,2.5,3.5\n`

const BAD_TABLE_OPTIONS = lines`
  --modes user
  --modes user nope
  --modes user ''
  --modes user week(nope)
  --modes user week(item)
  --modes user bins(rating)
  --modes user 'bins(rating, 0)'
  --modes user 'bins(item, 5)'
  --modes user 'round(rating, 99)'
  --modes user 'week(when, 3)'
  --modes user weeks(when)
  --modes raw:user item
  --modes user fold(item)
  --modes user 'item ||'
  --modes user week(when
  --modes user 1
  --modes user current_user
  --modes user 'when AS user AS x'
  --modes 'week(when) AS when' user
  --modes coded: user
  --modes user item --value nope
  --modes user item --value when
  --modes user item --merge mean
  --modes user day(when) --dates %Q
  --modes user day(when) --dates %d/%m/%Y
  --modes raw:rating raw:rating --dims 2x2
  --modes user --melt x=nope*
  --modes user --melt x --value rating
  --modes item --melt user
  --melt day
  --merge median
  --index both
  --recipe nope
  --recipe uber
  --recipe movielens
  --decimal !
  --query 'SELEC 1'
  --query ''
  --query 'SELECT * FROM nope'
  --query 'SELECT nope FROM data'
  --query 'SELECT 1 AS a'
  --query 'DROP TABLE data'
  --query 'SELECT * FROM data WHERE 1 = 0'
  --database none.duckdb
  --database https://example.org/x
  --database t.csv`

const BAD_JSON = lines`
  []
  [1]
  {
  {"a":1
  [{"a":1},{"a":2]
  [{"a":1}
  null
  "x"
  [[1,2],[3,4]]
  {"a":1}}
  {"a":tru}
  {'a':1}
  {"a":1,}`

function* tableAttacks(): Generator<Attack> {
  const attack = inTurn('table', [
    'info FILE',
    'convert FILE out.tns',
    'split FILE --test 0.5 -o out',
    'complete FILE --epochs 1',
  ])
  for (const text of ['', ' ', ...BAD_TABLES]) yield attack(JSON.stringify(text), 't.csv', text)
  for (const options of BAD_TABLE_OPTIONS) yield attack(options, 't.csv', TABLE, options)
  const latin = Buffer.from('user,item,rating\nJosé,tea,3\nbo,jam,4\n', 'latin1')
  yield attack('Latin-1', 't.csv', latin, '--modes user item --value rating')
  yield attack('UTF-16', 't.csv', Buffer.from(`\ufeff${TABLE}`, 'utf16le'))
  yield attack('CR alone', 't.csv', TABLE.replaceAll('\n', '\r'))
  for (const [i, cut] of cuts(gzipSync(TABLE.repeat(50)), 12).entries())
    yield attack(`gzip cut ${i}`, 't.csv.gz', cut)
  for (const file of ['t.csv.gz', 't.csv.zst']) yield attack(`not packed, ${file}`, file, TABLE)
  for (const text of ['', ...BAD_JSON])
    for (const file of ['t.json', 't.ndjson']) yield attack(`${file} ${text}`, file, text)
  for (const text of ['', 'PAR1', 'PAR1PAR1', TABLE, `PAR1${'\0'.repeat(100)}PAR1`, 'x'.repeat(5000)])
    yield attack(`Parquet ${JSON.stringify(text.slice(0, 20))}`, 't.parquet', text)
  const files = { 'a.csv': TABLE, 'b.csv': 'x,y\n1,2\n', 'c.json': '[{"a":1}]', 'd.tns': '1 1 1\n' }
  for (const other of ['b.csv', 'c.json', 'd.tns'])
    yield { name: `table and ${other}`, files, args: ['info', 'a.csv', other] }
}

/** Parquet files as DuckDB writes them, cut and blotted. */
export function* parquetAttacks(good: Uint8Array): Generator<Attack> {
  const attack = inTurn('Parquet', ['info FILE', 'convert FILE out.csv --modes a b --value v'])
  for (const [i, cut] of cuts(good, 20).entries()) yield attack(`cut ${i}`, 't.parquet', cut)
  for (const behind of [1, 4, 5, 8])
    yield attack(`flipped ${behind} before its end`, 't.parquet', flipped(good, good.length - behind, 0xff))
  const blotted = good.map((byte, at) => (at > 20 && at < good.length - 12 ? 0x77 : byte))
  yield attack('blotted', 't.parquet', blotted)
}

const BAD_PICTURE_OPTIONS = lines`
  --missing 2
  --missing -1
  --missing x
  --rank 0
  --epochs 0
  --lambda much
  --mask none.png
  --mask good.png --missing 0.5
  --hole-colour red
  --truth good.png
  --damaged x.jpg
  --paper --plain
  --compare no/where.png
  --threads 0
  --seed 1.5`

export function* imageAttacks(png: Uint8Array): Generator<Attack> {
  const attack = (name: string, content: string | Uint8Array, more = ''): Attack => ({
    name: `image ${name}`,
    files: { 'a.png': content, 'good.png': png },
    args: words(`image a.png -o out.png --epochs 1 ${more}`),
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
  for (const more of BAD_PICTURE_OPTIONS) yield attack(more, png, more)
}

const BAD_COMMANDS = lines`
  complete a.tns --rank 0
  complete a.tns --rank 257
  complete a.tns --rank 1.5
  complete a.tns --rank ten
  complete a.tns --epochs 0
  complete a.tns --seconds x
  complete a.tns --sample 2
  complete a.tns --sample 0
  complete a.tns --lambda -1
  complete a.tns --lambda some
  complete a.tns --solver slow
  complete a.tns --threads 0
  complete a.tns --validation 1.5
  complete a.tns --test 0
  complete a.tns --test none.tns
  complete a.tns --patience -1
  complete a.tns --seed -1
  complete a.tns --dims 1x1
  complete a.tns --dims 2
  complete a.tns --dims 2x0
  complete a.tns --dims 2x2x2
  complete a.tns --negative no
  complete a.tns --duplicates no
  complete a.tns --mask m.npy
  complete a.tns --initial none.npz
  complete a.tns --max-inner 0
  complete a.tns --modes a b
  complete a.tns --nope
  complete a.tns -o out.txt
  complete a.tns -o no/out.npz
  info a.tns --rank 0
  info a.tns --threads many
  info a.tns --dims x
  info a.tns --duplicates no
  info a.tns --mask none.npy
  info a.tns --value x
  info a.tns --nope
  convert a.tns
  convert a.tns out
  convert a.tns out.xls
  convert a.tns no/out.csv
  convert a.tns -
  convert a.tns - --format xls
  convert a.tns out.csv --negative maybe
  convert a.tns out.csv --merge sum
  convert a.tns out.csv --nope
  convert a.tns out.npy --dims 9x9x9
  convert a.tns out.npy --dims 4000000000x4000000000
  split a.tns -o out
  split a.tns --test 0.5
  split a.tns --test 0 -o out
  split a.tns --test 1 -o out
  split a.tns --test x -o out
  split a.tns --test 0.5 -o no/out
  split a.tns --test 0.5 -o out --seed x
  split a.tns --test 0.5 -o out --time 1
  split a.tns --test 0.5 -o out --by luck
  split a.tns --test 0.5 -o out --by time --time nope
  split a.tns --test 0.5 -o out --format xls
  split a.tns --test 0.6 -o out --validation 0.6
  synth
  synth --dims 3x3
  synth --dims 3x3 --entries 4
  synth --dims 3 --entries 1 -o out.tns
  synth --dims 3x3 --entries 0 -o out.tns
  synth --dims 3x3 --entries 99 -o out.tns
  synth --dims 3x3 --entries 4 -o out.xls
  synth --dims 3x3 --entries 4 -o no/out.tns
  synth --dims 3x3 --entries 4 -o out.tns --rank 0
  synth --dims 3x3 --entries 4 -o out.tns --snr loud
  synth --dims 3x3 --entries 4 -o out.tns --test-entries 2
  synth --dims 3x3 --entries 8 -o out.tns --test-entries 8 --test out2.tns
  data nope
  data fetch
  data fetch nope
  data fetch kinetic --url http://example.org/x
  data fetch uber-pickups --url https://x
  data list --nope
  info none.tns
  info none.csv
  info none.npz
  info none.npy
  info none.parquet
  info none.json
  info a.txt.exe
  info no-ending
  info .
  info ..`

function* commandAttacks(): Generator<Attack> {
  const files = { 'a.tns': '1 1 1\n2 2 2\n1 2 3\n' }
  for (const line of BAD_COMMANDS) yield { name: line, files, args: words(line) }
  const sizes = Array(300).fill(1).join('x')
  yield { name: 'synth of 300 modes', files: {}, args: words(`synth --dims ${sizes} --entries 1 -o out.tns`) }
}

export function* attacks(): Generator<Attack> {
  yield* tnsAttacks()
  yield* npyAttacks()
  yield* npzAttacks()
  yield* modelAttacks()
  yield* tableAttacks()
  yield* commandAttacks()
}
