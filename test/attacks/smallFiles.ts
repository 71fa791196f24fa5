/**
 * Small files that are costly to read for a careless reader: each is below 1 MB, and made by a rule. Some are
 * good, most are refused.
 */
import { gzipSync } from 'node:zlib'
import { encodeNpy, encodeNpz } from '#lacuna/io/index.js'
import { type Attack, utf8, words } from './attack.ts'

/** Most bytes of a file. */
const SIZE = 999_000

/** So many repetitions of a text as fit in a file. */
const full = (text: string, size = SIZE): string => text.repeat(Math.floor(size / text.length))
/** Numbers 0 … count − 1, each in a text. */
const numbered = (count: number, text: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => text(n))
/** A table of so many columns c0, c1 … and rows of the same cell. */
const wide = (columns: number, rows: number, cell: string, delimiter = ','): string =>
  `${numbered(columns, (n) => `c${n}`).join(delimiter)}\n${full(`${new Array(columns).fill(cell).join(delimiter)}\n`, rows * columns * (cell.length + delimiter.length))}`
/** Gzip of up to 900 MB of a text: members of 9 MB, which are read as one content. */
function bombOf(text: string): Uint8Array {
  const member = gzipSync(full(text, 9e6))
  return Buffer.concat(new Array<Uint8Array>(Math.floor(SIZE / member.length)).fill(member))
}
const nested = (open: string, inside: string, close: string, depth: number): string =>
  open.repeat(depth) + inside + close.repeat(depth)

/** Files of entries. */
const TNS: Record<string, () => string> = {
  'a line of 6,000 numbers': () => full('1 ', 12_000),
  'a line of 500,000 numbers': () => full('1 '),
  'lines of 257 numbers': () => full(`${'1 '.repeat(257)}1\n`),
  'lines of 256 indices': () => numbered(400, (n) => `${'1 '.repeat(255)}${n + 1} 1`).join('\n'),
  'a line of blanks': () => full(' '),
  'blank lines': () => full('\n'),
  comments: () => full('# c\n'),
  'a long comment': () => `# ${full('c', SIZE - 20)}\n1 1 1`,
  'one number of a million digits': () => `1 1 ${full('9')}`,
  'large indices': () => numbered(40_000, (n) => `4294967295 ${4294967295 - n} 1`).join('\n'),
  'a million labels': () =>
    `# lacuna {"dims":[2,${200_000}]}\n# lacuna {"mode":2,"labels":[${full('"",', 600_000).slice(0, -1)}]}\n1 1 1`,
  'huge dims': () => '# lacuna {"dims":[4294967295,4294967295]}\n1 1 1\n2 2 2',
  'many short headers': () => full('# lacuna {"dims":[1,1]}\n'),
  'a nested header': () => `# lacuna ${nested('{"a":', '1', '}', 100_000)}\n1 1 1`,
  NULs: () => full('\0'),
  'the same coordinates': () => full('1 1 1\n'),
}

/** Tables as text. */
const CSV: Record<string, () => string> = {
  commas: () => full(','),
  semicolons: () => full(';'),
  'lines of commas': () => full(`${','.repeat(999)}\n`),
  '75,000 columns': () => wide(75_000, 3, '1'),
  '150,000 columns': () => wide(120_000, 1, '1'),
  '20,000 columns of text': () => wide(20_000, 20, 'ab'),
  '5,000 columns of dates': () => wide(5_000, 17, '2014-04-01'),
  '300 columns of numbers': () => wide(300, 900, '1.5'),
  'columns of one name': () => `${full('a,', 400_000)}a\n${full('1,', 400_000)}1\n`,
  quotes: () => full('"'),
  'pairs of quotes': () => `a,b,c\n${full('"","","1"\n')}`,
  'an open quote': () => `a,b,c\n"${full('x,y\n')}`,
  'open quotes on every line': () => full('"a,b,c\n'),
  'quotes and text': () => `a,b,c\n${full('"a"x,b,1\n')}`,
  'doubled quotes': () => `a,b,c\n"${full('""')}",b,1\n`,
  'a header of one long name': () => `${full('x', 990_000)},b,c\n1,2,3\n`,
  'one long cell': () => `a,b,c\n${full('x', 990_000)},b,1\n`,
  'long cells': () => `a,b,c\n${numbered(9, (n) => `${n}${full('x', 100_000)},b,1`).join('\n')}`,
  'a long number': () => `a,b,c\nx,y,${full('9')}\n`,
  'a long fraction': () => `a,b,c\nx,y,0.${full('0', 990_000)}1\n`,
  'long whole labels': () => `a,b,c\n${numbered(9, (n) => `${full('9', 100_000)}${n},b,1`).join('\n')}`,
  'blank lines': () => full('\n'),
  'carriage returns': () => full('\r'),
  'NULs at the end': () => `a,b,c\nx,y,1\n${full('\0')}`,
  'NULs within': () => `a,b,c\n${full('x,y,1\n', 6_000)}${full('\0')}`,
  'bytes that are no text': () => `a,b,c\n${full('\ud800,\ud800,1\n', 300_000)}`,
  'almost dates': () => `a,t,c\n${full('x,2014-04-01T00:00:00.000000000000000000000000000000000Z0,1\n')}`,
  'dates in other orders': () =>
    `a,t,c\n${numbered(60_000, (n) => `x,${1 + (n % 12)}/${1 + (n % 28)}/2014,1`).join('\n')}`,
  'distinct labels': () => `a,b,c\n${numbered(60_000, (n) => `u${n},v${n},1`).join('\n')}`,
  'one column': () => full('1\n'),
  'fields of two characters': () => full('a::b::1\n'),
  'short rows after long ones': () => `a,b,c\n${full('x,y,1\n', 500_000)}x,y\n`,
  'commas before fractions': () => `a;b;c\n${full('x;y;1,5\n')}`,
}

/** Tables as JSON. */
const JSON_TEXTS: Record<string, () => string> = {
  'nested 5,000 deep': () => `[{"u":${nested('{"a":', '1', '}', 5_000)},"i":"x","r":1}]`,
  'nested 160,000 deep': () => `[{"u":${nested('{"a":', '1', '}', 160_000)},"i":"x","r":1}]`,
  'lists nested 400,000 deep': () => `[{"u":${nested('[', '1', ']', 400_000)},"i":"x","r":1}]`,
  'open braces': () => full('{'),
  'open brackets': () => full('['),
  'open braces of names': () => full('{"a":'),
  'empty objects': () => full('{}'),
  'lines of empty objects': () => full('{}\n'),
  'objects of other names each': () => numbered(40_000, (n) => `{"a${n}":1}`).join('\n'),
  'an object of 80,000 names': () => `{${numbered(80_000, (n) => `"a${n}":1`).join()}}`,
  'objects of many names': () =>
    numbered(80, () => `{${numbered(1000, (n) => `"a${n}":1`).join()}}`).join('\n'),
  'an open text': () => `{"a":"${full('x')}`,
  backslashes: () => `{"a":"${full('\\')}`,
  'long numbers': () => `{"a":"x","b":"y","c":${full('9')}}`,
  'quotes and digits': () => `{"a":"${full('9')}","b":"y","c":1}`,
  'a long name': () => `{"${full('x')}":1}`,
  'blank text': () => full(' '),
}

/** Files with their names. */
function* files(): Generator<[name: string, file: string, content: string | Uint8Array]> {
  for (const [name, text] of Object.entries(TNS)) yield [name, 'a.tns', text()]
  for (const [name, text] of Object.entries(CSV)) yield [name, 'a.csv', text()]
  for (const [name, text] of Object.entries(JSON_TEXTS)) yield [name, 'a.json', text()]
  for (const [ending, ...texts] of BOMBS)
    for (const text of texts)
      yield [`gzip of hundreds of MB of ${JSON.stringify(text)}`, `a.${ending}.gz`, bombOf(text)]
  const deep = nested('{"a":', '1', '}', 6_000)
  const factor = { shape: [2, 1], data: Float32Array.of(1, 1) }
  const about = `{"format":"lacuna-model","version":1,"dims":[2,2],"rank":1,"training":{"a":${deep}}}`
  const model = { 'factor_1.npy': factor, 'factor_2.npy': factor, 'metadata.json': utf8(about) }
  yield ['a model with a training record nested 6,000 deep', 'm.npz', encodeNpz(model)]
  const zeros = new Float32Array(240_000)
  yield ['a dense array', 'a.npy', encodeNpy({ shape: [400, 600], data: zeros })]
}

/** Texts that are packed by gzip, by the ending of the file. */
const BOMBS = [
  ['tns', '\n', '# c\n', '1 1 1\n', ' ', '\0'],
  ['csv', '\n', ',', '"', 'x,y,1\n'],
  ['json', ' ', '{', '{}'],
]

/** Those that `complete` would take long or much for, too: the memory is planned, or the file read otherwise. */
const PLANNED = /\.tns|columns|commas|labels|nested|bomb|gzip/

/** All small files, each read by `info` and some by `complete`. */
export function* smallFiles(): Generator<Attack> {
  for (const [name, file, content] of files()) {
    const title = `${file} ${name}`
    for (const command of ['info FILE', 'complete FILE --rank 2 --epochs 1 --threads 1 -q'])
      if (command.startsWith('info') || PLANNED.test(title))
        yield { name: title, files: { [file]: content }, args: words(command.replace('FILE', file)) }
  }
}
