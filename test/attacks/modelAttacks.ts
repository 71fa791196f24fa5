/** Broken models, and broken questions to a good one. */
import { encodeModel, encodeNpz, type NpzEntries } from '#lacuna/io/index.js'
import { CpModel } from '#lacuna/model/index.js'
import { type Attack, cuts, inTurn, json, lines, utf8, words } from './attack.ts'

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
  {"labels":[["a","a"],null]}
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

export function* modelAttacks(): Generator<Attack> {
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
