/** `lacuna serve`: answers are those of the library, errors are sentences, and only those may ask who should. */
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { check, type Schema } from '#cli/commands/serve/schemas/schema.ts'
import { evaluate } from '#lacuna/answers.js'
import { waitFor } from '#lacuna/base/waits.js'
import { connect, ServiceError } from '#lacuna/client/index.js'
import type { CpModel } from '#lacuna/index.js'
import { readModel } from '#lacuna/index.js'
import { lacuna } from '../lacuna.ts'
import { filmsOf, makeFolder, post, type Served, serve, writeFilms } from './served.ts'

const folder = makeFolder()
const file = join(folder, 'films.npz')
let served: Served
let model: CpModel

beforeAll(async () => {
  await writeFilms(folder)
  model = await readModel(file, 'single')
  served = await serve([file])
}, 60_000)
afterAll(() => served?.stop())

describe('answers', () => {
  it('predict, top, similar and components answer as the library does', async () => {
    const films = filmsOf(served)
    const cells = [{ user: 'u1', film: 'f2' }, { user: 'u29', film: 'f19' }, [3, 4]] as const
    expect(await films.predict(cells)).toEqual(cells.map((cell) => Math.fround(model.predict(cell))))
    const question = { of: 'film', for: { user: 'u7' }, n: 4, exclude: ['f2'], minEntries: 2 }
    expect(await films.top(question)).toEqual(JSON.parse(JSON.stringify(model.top(question))))
    expect(await films.similar('film', 'f3', { n: 3 })).toEqual(model.similar('film', 'f3', { n: 3 }))
    const components = await films.components({ strongest: 2 })
    expect(components.map(({ share }) => share)).toEqual(model.components().map(({ share }) => share))
    expect(components[0].modes[0].strongest).toHaveLength(2)
  })

  it('fold-in answers for a new row as the library does, and stores nothing', async () => {
    const films = filmsOf(served)
    const entries = [{ user: 'eve', film: 'f3', stars: 5 }]
    const top = { of: 'film', for: { user: 'eve' }, n: 2 }
    const answer = await films.foldIn(entries, { top, cells: [{ user: 'eve', film: 'f1' }] })
    const larger = model.foldIn(entries)
    expect(answer).toEqual(
      JSON.parse(
        JSON.stringify({
          newRows: { user: ['eve'] },
          top: { rows: larger.top({ ...top, exclude: ['f3'] }) },
          predictions: [Math.fround(larger.predict({ user: 'eve', film: 'f1' }))],
        }),
      ),
    )
    // Entries of another new row are not left out, nor any where the request says which are.
    const others = [...entries, { user: 'bob', film: 'f4', stars: 4 }]
    const all = await films.foldIn(others, { top: { ...top, n: 20 } })
    expect(all.top!.rows.map(({ label }) => label)).toContain('f4')
    const whole = await films.foldIn(entries, { top: { ...top, n: 20, exclude: [] } })
    expect(whole.top!.rows).toHaveLength(20)
    await expect(films.predict([{ user: 'eve', film: 'f1' }])).rejects.toThrow(/Row 1: .*knows no user "eve"/)
    expect((await films.info()).updates).toBe(0)
  })

  it('evaluate measures the errors of the library, and counts entries of unknown rows', async () => {
    const entries = [
      { user: 'u1', film: 'f2', stars: 3 },
      { user: 'u4', film: 'f5', stars: 1 },
      { user: 'nobody', film: 'f2', stars: 3 },
    ]
    const known = entries.slice(0, 2)
    const indices = ['user', 'film'].map((mode) =>
      Uint32Array.from(known, (entry) => model.lookup.row(model.lookup.mode(mode), entry[mode as 'user'])),
    )
    const values = Float32Array.from(known, ({ stars }) => stars)
    const { rmse, mae } = evaluate(model, { dims: model.dims, indices, values })
    expect(await filmsOf(served).evaluate(entries)).toMatchObject({ rmse, mae, entries: 2, unknown: 1 })
  })

  it('lines of NDJSON are answered in their order, each wrong one by a sentence', async () => {
    const cells = Array.from({ length: 12_000 }, (_, i) => ({ user: `u${i % 30}`, film: `f${i % 21}` }))
    const answers = []
    for await (const answer of filmsOf(served).predictEach(cells)) answers.push(answer)
    expect(answers).toHaveLength(cells.length)
    answers.forEach(({ prediction, error }, i) => {
      if (i % 21 === 20) expect(error).toMatch(/knows no film "f20"/)
      else expect(prediction).toBe(model.predict(cells[i]))
    })
    const lines = `{"of":"film"}\nno JSON\n`
    const response = await post(served.url, 'v1/models/films/top', lines, {
      'Content-Type': 'application/x-ndjson',
    })
    const [first, second] = (await response.text()).split('\n').map((line) => JSON.parse(line || 'null'))
    expect(first.rows).toHaveLength(10)
    expect(second).toEqual({ error: 'The line is not JSON.' })
  })

  it('every answer fits the schema of the OpenAPI document', async () => {
    const { paths } = await (await fetch(`${served.url}openapi.json`)).json()
    const entries = [{ user: 'u1', film: 'f2', stars: 3 }]
    const bodies: Record<string, object> = {
      predict: { cells: [[0, 1]] },
      top: { of: 'film' },
      similar: { mode: 'film', label: 'f1' },
      components: {},
      'fold-in': { entries: [{ user: 'new', film: 'f2', stars: 3 }], top: { of: 'film' } },
      evaluate: { entries },
      reload: {},
    }
    const schemaOf = (path: string, method: string): Schema =>
      paths[path][method].responses[200].content['application/json'].schema
    for (const [operation, body] of Object.entries(bodies)) {
      const response = await post(served.url, `v1/models/films/${operation}`, body)
      expect(response.status, operation).toBe(200)
      check(await response.json(), schemaOf(`/v1/models/{model}/${operation}`, 'post'), operation)
    }
    for (const path of ['/v1/models', '/v1/models/{model}']) {
      const response = await fetch(`${served.url}${path.slice(1).replace('{model}', 'films')}`)
      check(await response.json(), schemaOf(path, 'get'), path)
    }
    const posts = Object.keys(paths).filter((path) => 'post' in paths[path])
    expect(posts.map((path) => path.split('/').at(-1)).sort()).toEqual(
      [...Object.keys(bodies), 'update'].sort(),
    )
  })
})

describe('errors', () => {
  it.each([
    ['no JSON', 'v1/models/films/top', '{', 400, 'The body is not JSON.'],
    ['no object', 'v1/models/films/top', '[]', 400, 'The body must be an object.'],
    ['a required property', 'v1/models/films/top', {}, 400, 'The body has no "of", which is required.'],
    ['an unknown property', 'v1/models/films/top', { of: 'film', sql: 'x' }, 400, /unknown property "sql"/],
    ['a number of rows', 'v1/models/films/top', { of: 'film', n: 0 }, 400, /n must be a whole number from 1/],
    ['an unknown mode', 'v1/models/films/top', { of: '__proto__' }, 400, /There is no mode "__proto__"/],
    [
      'an unknown label',
      'v1/models/films/predict',
      { cells: [{ user: 'x', film: 'f1' }] },
      400,
      /no user "x"/,
    ],
    ['an index', 'v1/models/films/predict', { cells: [[0, 99]] }, 400, /Row 1: .*index 99 in mode 2/],
    ['a value', 'v1/models/films/update', { entries: [{ user: 'a', film: 'b' }] }, 400, /stars is undefined/],
    ['an unknown model', 'v1/models/..%2Fsecret/top', { of: 'film' }, 404, /There is no model "..\/secret"/],
    ['an unknown path', 'v1/models/films/drop', {}, 404, /There is no such path/],
  ])('a request with %s wrong is refused by a sentence', async (_, path, body, status, message) => {
    const response = await post(served.url, path, body)
    expect({ status: response.status, ...(await response.json()) }).toEqual({
      status,
      error: typeof message === 'string' ? message : expect.stringMatching(message),
    })
  })

  it('bodies of other media types, which foreign pages can send, are refused', async () => {
    const response = await post(served.url, 'v1/models/films/update', '{}', { 'Content-Type': 'text/plain' })
    expect(response.status).toBe(415)
  })

  it('without a token, requests by other host names and from other sites are refused', async () => {
    const { port } = new URL(served.url)
    const status = await new Promise<number | undefined>((resolve) => {
      const headers = { Host: 'rebound.example' }
      request({ port, host: '127.0.0.1', path: '/v1/models', headers }, (response) => {
        resolve(response.resume().statusCode)
      }).end()
    })
    expect(status).toBe(403)
    const foreign = await fetch(`${served.url}v1/models`, { headers: { 'Sec-Fetch-Site': 'cross-site' } })
    expect(foreign.status).toBe(403)
  })

  it('limits on bytes, rows and lines are answered by 413', async () => {
    const small = await serve([file, '--max-body', '2000', '--max-rows', '10', '--read-only'])
    const large = await post(small.url, 'v1/models/films/predict', { cells: Array(2000).fill([0, 1]) })
    expect([large.status, (await large.json()).error]).toEqual([
      413,
      expect.stringMatching(/more than the 2000 bytes/),
    ])
    const many = await post(small.url, 'v1/models/films/predict', { cells: Array(11).fill([0, 1]) })
    expect([many.status, (await many.json()).error]).toEqual([
      413,
      expect.stringMatching(/cells has 11 rows/),
    ])
    const lines = await post(small.url, 'v1/models/films/predict', '[0,1]\n'.repeat(12), {
      'Content-Type': 'application/x-ndjson',
    })
    expect(await lines.text()).toMatch(/more than the 10 lines/)
    await expect(filmsOf(small).update([{ user: 'a', film: 'f1', stars: 1 }])).rejects.toThrow(
      /takes no updates/,
    )
    expect(await small.stop()).toBe(0)
  })
})

describe('access', () => {
  it('with a token, requests need it, but not the page and the health', async () => {
    const guarded = await serve([file, '--read-only'], { LACUNA_TOKEN: 'a-long-secret' })
    const refused = await connect(guarded.url)
      .models()
      .catch((error) => error)
    expect(refused).toBeInstanceOf(ServiceError)
    expect(refused.status).toBe(401)
    await expect(connect(guarded.url, { token: 'another-secret' }).models()).rejects.toThrow(
      'The token is wrong.',
    )
    expect(await connect(guarded.url, { token: 'a-long-secret' }).models()).toHaveLength(1)
    expect((await fetch(`${guarded.url}metrics`)).status).toBe(401)
    for (const path of ['', 'health', 'openapi.json'])
      expect((await fetch(guarded.url + path)).status).toBe(200)
    await guarded.stop()
  })

  it.each([
    [['--host', '0.0.0.0'], /anyone there could ask and update; give a --token/],
    [['--token', 'short'], /at least 8 characters/],
    [['--port', '70000'], /ports go up to 65535/],
  ])('lacuna serve with %j is refused', async (args, message) => {
    const { code, stderr } = await lacuna(['serve', file, ...args], { alone: true })
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })

  it('a file that is no model, and two models of one name, are refused', async () => {
    const other = await lacuna(['serve', join(folder, 'none.npz')], { alone: true })
    expect([other.code, other.stderr]).toEqual([2, expect.stringMatching(/none\.npz/)])
    const twice = await lacuna(['serve', file, file], { alone: true })
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringMatching(/Two models are called films/)])
  })

  it('the page may load nothing, and its policy admits exactly its own script', async () => {
    const response = await fetch(served.url)
    const policy = response.headers.get('content-security-policy')!
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-.*'; script-src 'sha256-.*'; connect-src 'self'/,
    )
    const text = await response.text()
    expect(text).not.toMatch(/(src|href)="(https?:)?\/\//)
    // The token, which most servers do not need, comes behind what is asked.
    expect(text.indexOf('id="body"')).toBeLessThan(text.indexOf('id="token"'))
    const { createHash } = await import('node:crypto')
    const [, script] = /<script>([\s\S]*)<\/script>/.exec(text)!
    expect(policy).toContain(`'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  })
})

describe('operation', () => {
  it('metrics count requests, and the log has a line of JSON for each', async () => {
    await filmsOf(served).top({ of: 'film' })
    const text = await (await fetch(`${served.url}metrics`)).text()
    expect(text).toMatch(/^lacuna_requests_total\{operation="top",status="200"\} \d+$/m)
    expect(text).toMatch(/^lacuna_request_seconds_bucket\{operation="top",le="\+Inf"\} \d+$/m)
    expect(text).toMatch(/^lacuna_models 1$/m)
    expect(served.log()[0]).toMatchObject({ event: 'start', models: ['films'] })
    expect(served.log()).toContainEqual(
      expect.objectContaining({ event: 'request', path: '/v1/models/films/top', status: 200 }),
    )
  })

  it('a model is read again without dropping a request', async () => {
    const own = makeFolder()
    await writeFilms(own)
    const server = await serve([join(own, 'films.npz')])
    const films = filmsOf(server)
    const cell = { user: 'u1', film: 'f2' }
    const [before] = await films.predict([cell])
    const later = await writeFilms(own, 'films.npz', 1)
    let isAsking = true
    const answers: number[] = []
    const asking = Promise.all(
      [1, 2, 3].map(async () => {
        while (isAsking) answers.push(...(await films.predict([cell])))
      }),
    )
    expect((await films.reload()).updates).toBe(0)
    const [after] = await films.predict([cell])
    isAsking = false
    await asking
    expect(after).toBeCloseTo(later.predict(cell), 3)
    expect(after).not.toBe(before)
    expect(answers.filter((y) => y !== before && y !== after)).toEqual([])
    expect(await server.stop()).toBe(0)
  })

  it('SIGTERM ends the server after the requests that are being answered', async () => {
    const server = await serve([file, '--read-only'])
    const lines = '[1,2]\n'.repeat(20_000)
    const { port } = new URL(server.url)
    const headers = { 'Content-Type': 'application/x-ndjson' }
    const asked = request({ port, path: '/v1/models/films/predict', method: 'POST', headers })
    asked.write(lines)
    const response = await waitFor<IncomingMessage>('the response', (resolve) =>
      asked.on('response', resolve),
    )
    let text = ''
    await waitFor<void>('the first answers', (resolve) =>
      response.on('data', (data) => {
        text += data
        resolve()
      }),
    )
    const stopped = server.stop('SIGTERM')
    asked.end(lines)
    await waitFor<void>('the last answer', (resolve) => response.on('end', resolve))
    expect(text.split('\n')).toHaveLength(40_001)
    expect(await stopped).toBe(0)
    expect(server.log().at(-1)).toMatchObject({ event: 'stop' })
  })
})
