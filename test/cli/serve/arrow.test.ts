/** Arrow streams of predict over HTTP: columns of modes in, the same columns with predictions out. */
import { join } from 'node:path'
import {
  bool,
  columnFromArray,
  dateDay,
  dictionary,
  int64,
  list,
  tableFromArrays,
  tableFromColumns,
  tableFromIPC,
  tableToIPC,
  utf8,
} from '@uwdata/flechette'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CpModel, complete, readModel, tensorFromRecords, writeModel } from '#lacuna/index.js'
import { makeFolder, post, type Served, serve, writeFilms } from './served.ts'

const ARROW = 'application/vnd.apache.arrow.stream'
const folder = makeFolder()
let served: Served
let model: CpModel

beforeAll(async () => {
  await writeFilms(folder)
  model = await readModel(join(folder, 'films.npz'), 'single')
  const rows = []
  for (let day = 1; day <= 9; day++)
    for (let shop = 1; shop <= 5; shop++)
      if ((day + shop) % 4) rows.push({ day: `2024-01-0${day}`, shop, sales: day + shop })
  const sales = await tensorFromRecords(rows, { modes: ['day', 'shop'], value: 'sales' })
  const { model: ensemble } = await complete(sales, { rank: 2, folds: 3, epochs: 10, threads: 1 })
  await writeModel(join(folder, 'sales.npz'), ensemble)
  served = await serve(
    ['films.npz', 'sales.npz'].map((name) => join(folder, name)).concat('--max-rows', '500'),
  )
}, 60_000)
afterAll(() => served?.stop())

/** Sends a body to predict. @param query parameters of the address */
const ask = (body: Uint8Array | string, name = 'films', query = '', headers: Record<string, string> = {}) =>
  fetch(`${served.url}v1/models/${name}/predict${query}`, {
    method: 'POST',
    headers: { 'Content-Type': ARROW, ...headers },
    body: body as BodyInit,
  })

/** Decodes the answer, which must be a stream. */
async function tableOf(response: Response) {
  expect([response.status, response.headers.get('content-type')]).toEqual([200, ARROW])
  return tableFromIPC(await response.arrayBuffer(), { useBigInt: true })
}

/** The bytes of a table. */
const encode = (table: Parameters<typeof tableToIPC>[0]): Uint8Array =>
  tableToIPC(table, { format: 'stream' })!

/** A type of lists of lists. */
const nested = (depth: number): ReturnType<typeof list> => list(depth > 1 ? nested(depth - 1) : int64())

const users = ['u1', 'u29', 'u3', 'u1', 'u5']
const films = ['f2', 'f19', 'f0', 'f2', 'f7']

it('a stream of several batches and types comes back with a column of predictions', async () => {
  const table = tableFromColumns({
    user: columnFromArray(users, dictionary(utf8()), { maxBatchRows: 2 }),
    film: columnFromArray(films, utf8(), { maxBatchRows: 2 }),
    note: columnFromArray([1n, null, 2n ** 60n, 4n, 5n], int64(), { maxBatchRows: 2, useBigInt: true }),
    prediction: columnFromArray([true, false, null, true, true], bool(), { maxBatchRows: 2 }),
  })
  const answer = await tableOf(await ask(encode(table)))
  expect(answer.names).toEqual(['user', 'film', 'note', 'prediction', 'prediction_1'])
  expect([...answer.getChild('user')]).toEqual(users)
  expect([...answer.getChild('note')]).toEqual([1n, null, 2n ** 60n, 4n, 5n])
  const predictions = users.map((user, at) => Math.fround(model.predict({ user, film: films[at] })))
  expect([...answer.getChild('prediction_1')]).toEqual(predictions)
})

it('dates and whole numbers are labels, and intervals are two more columns', async () => {
  const days = [new Date('2024-01-02'), new Date('2024-01-09')]
  const body = encode(
    tableFromColumns({
      day: columnFromArray(days, dateDay()),
      shop: columnFromArray([2n, 4n], int64(), { useBigInt: true }),
    }),
  )
  const answer = await tableOf(await ask(body, 'sales', '?interval=0.8'))
  expect(answer.names).toEqual(['day', 'shop', 'prediction', 'low', 'high'])
  const cells = [
    { day: '2024-01-02', shop: 2 },
    { day: '2024-01-09', shop: 4 },
  ]
  const json = await (await post(served.url, 'v1/models/sales/predict', { cells, interval: 0.8 })).json()
  expect([...answer.getChild('prediction')]).toEqual(json.predictions)
  expect([...answer.getChild('low')]).toEqual(json.low)
  expect([...answer.getChild('high')]).toEqual(json.high)
})

it('JSON is answered by Arrow, and Arrow by JSON, where the header Accept asks for it', async () => {
  const cells = { user: ['u1', 'nobody'], film: ['f2', 'f2'] }
  const response = await ask(JSON.stringify({ cells, unknown: 'null' }), 'films', '', {
    'Content-Type': 'application/json',
    Accept: ARROW,
  })
  const answer = await tableOf(response)
  expect(answer.names).toEqual(['prediction'])
  expect([...answer.getChild('prediction')]).toEqual([
    Math.fround(model.predict({ user: 'u1', film: 'f2' })),
    null,
  ])
  const json = await ask(encode(tableFromArrays(cells)), 'films', '?unknown=null', {
    Accept: 'application/json',
  })
  expect(await json.json()).toEqual({ predictions: [...answer.getChild('prediction')] })
})

it('streams that are wrong are refused by a sentence', async () => {
  const whole = encode(tableFromArrays({ user: users, film: films }))
  const cases: [string, Uint8Array, number, RegExp, string?][] = [
    ['garbage', new TextEncoder().encode('garbage, '.repeat(20)), 400, /no whole Arrow stream|no columns/],
    ['nothing', new Uint8Array(), 400, /Arrow stream/],
    ['a mode is missing', encode(tableFromArrays({ user: users })), 400, /There is no film/],
    ['an unknown label', encode(tableFromArrays({ user: ['x'], film: ['f1'] })), 400, /Row 1: .*no user "x"/],
    [
      'a null',
      encode(tableFromArrays({ user: ['u1', null], film: ['f1', 'f1'] })),
      400,
      /user\[1\] must be a text/,
    ],
    [
      'lists',
      encode(
        tableFromColumns({
          user: columnFromArray([[1], [2]], list(int64())),
          film: columnFromArray(['f1', 'f2'], utf8()),
        }),
      ),
      400,
      /user\[0\] must be a text/,
    ],
    [
      'too many rows',
      encode(tableFromArrays({ user: Array(501).fill('u1'), film: Array(501).fill('f1') })),
      413,
      /has 501 rows, more than the 500/,
    ],
    [
      'lists in lists',
      encode(tableFromColumns({ user: columnFromArray([null], nested(40)) })),
      400,
      /nested too deep/,
    ],
    [
      'too many columns',
      encode(tableFromArrays(Object.fromEntries(Array.from({ length: 10_001 }, (_, c) => [`c${c}`, [1]])))),
      400,
      /too many columns/,
    ],
    ['an unknown parameter', whole, 400, /unknown property "sql"/, '?sql=1'],
    ['a wrong parameter', whole, 400, /clip must be true or false/, '?clip=7'],
    [
      'intervals of a single model',
      whole,
      400,
      /Only models of --folds or --best have intervals/,
      '?interval=0.9',
    ],
  ]
  for (const [what, body, status, message, query] of cases) {
    const response = await ask(body, 'films', query)
    expect([what, response.status, (await response.json()).error]).toEqual([
      what,
      status,
      expect.stringMatching(message),
    ])
  }
  const other = await fetch(`${served.url}v1/models/films/top`, {
    method: 'POST',
    headers: { 'Content-Type': ARROW },
    body: whole as BodyInit,
  })
  expect([other.status, (await other.json()).error]).toEqual([415, expect.stringMatching(/top takes JSON/)])
})

it('a stream that is cut anywhere or changed is refused or answered whole, and the server goes on', async () => {
  const whole = encode(tableFromArrays({ user: users, film: films }))
  const bodies = Array.from({ length: 60 }, (_, i) => whole.slice(0, Math.floor((i * whole.length) / 60)))
  for (let i = 0; i < 120; i++) {
    const changed = whole.slice()
    changed[(i * 131) % whole.length] ^= 1 << (i % 8)
    if (i % 3 === 0) changed.fill(255, (i * 57) % whole.length, ((i * 57) % whole.length) + 4)
    bodies.push(changed)
  }
  const statuses = new Set<number>()
  for (const [at, body] of bodies.entries()) {
    const response = await ask(body)
    statuses.add(response.status)
    if (response.status === 200) {
      const rows = tableFromIPC(await response.arrayBuffer()).numRows
      if (at < 60) expect([at, rows]).toEqual([at, users.length])
    } else expect((await response.json()).error).toMatch(/[.!]$/)
  }
  expect([...statuses].filter((status) => ![200, 400, 413].includes(status))).toEqual([])
  expect(served.log().filter(({ level }) => level === 'error')).toEqual([])
  expect((await ask(whole)).status).toBe(200)
})
