/** Broken tables: of text, JSON and Parquet, or with options that do not fit them. */
import { gzipSync } from 'node:zlib'
import { type Attack, cuts, flipped, inTurn, lines } from './attack.ts'

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

export function* tableAttacks(): Generator<Attack> {
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
