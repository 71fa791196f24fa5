/** Broken .tns files. */
import { gzipSync } from 'node:zlib'
import { type Attack, cuts, flipped, inTurn, lines } from './attack.ts'

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
  {"mode":1,"labels":["a","a"]}
  {"mode":1,"labels":[1,2]}
  {"mode":1e9,"labels":[]}
  {"mode":"1","labels":["a","b"]}
  {"mode":1,"labels":"ab"}
  {"mode":-1,"labels":["a","b"]}`

export function* tnsAttacks(): Generator<Attack> {
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
