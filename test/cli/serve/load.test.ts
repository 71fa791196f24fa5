/** `lacuna serve` under load and abuse: it refuses what it cannot do, and goes on. */
import { connect as connectSocket, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { waitFor } from '#lacuna/base/waits.js'
import { filmsOf, makeFolder, post, type Served, serve, writeFilms } from './served.ts'

const folder = makeFolder()
const file = join(folder, 'films.npz')
let served: Served
beforeAll(async () => {
  await writeFilms(folder)
  served = await serve([file, '--read-only', '--quiet', '--timeout', '50', '--max-waiting', '2'])
})
afterAll(async () => {
  expect(await served.stop()).toBe(0)
})

/** Opens a connection and sends a text. @returns the socket, and all that was received when the server closes it */
async function send(text: string): Promise<{ socket: Socket; closed: Promise<string> }> {
  const { port, hostname } = new URL(served.url)
  const socket = connectSocket(Number(port), hostname)
  let received = ''
  socket.on('data', (data) => {
    received += data
  })
  socket.on('error', () => {}) // the server may close it first
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(received)))
  await waitFor<void>('a connection', (resolve) => socket.write(text, () => resolve()))
  return { socket, closed }
}

const isWell = async (): Promise<void> => {
  expect(await filmsOf(served).predict([[1, 2]])).toHaveLength(1)
  expect(served.child.exitCode).toBe(null)
}

it('garbage gets 400 or a closed connection, and the server goes on', async () => {
  const head = 'POST /v1/models/films/top HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'
  const texts = [
    'garbage\r\n\r\n',
    '\0\x01\x02\xff'.repeat(1000),
    `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
    `${head}Content-Length: nonsense\r\n\r\n`,
    `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `${head}Connection: close\r\nContent-Length: 2\r\n\r\n\xff\xfe`,
  ]
  for (const text of texts) {
    const { closed } = await send(text)
    expect(
      await waitFor<string>('the end of a bad connection', (resolve) => void closed.then(resolve)),
    ).toMatch(/^(HTTP\/1\.1 4\d\d |$)/)
  }
  const deep = await post(served.url, 'v1/models/films/top', `${'['.repeat(100_000)}`)
  expect(deep.status).toBe(400)
  const nested = await post(
    served.url,
    'v1/models/films/top',
    `{"of":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  )
  expect(nested.status).toBe(400)
  await isWell()
})

it('hundreds of connections that send nothing, slowly or half of a body do not keep others from being answered', async () => {
  const head = 'POST /v1/models/films/top HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'
  const starts = ['', 'POST /v1', `${head}Content-Length: 1000\r\n\r\n{"of"`]
  const open = await Promise.all(
    Array.from({ length: 300 }, (_, i) => send(starts[i % starts.length] || ' ')),
  )
  const films = filmsOf(served)
  for (let i = 0; i < 20; i++) expect(await films.top({ of: 'film', n: 1 })).toHaveLength(1)
  for (const { socket } of open) socket.destroy()
  await Promise.all(open.map(({ closed }) => closed))
  await isWell()
})

it('a client that does not take its answers is not read from without end', async () => {
  const lines = '{"of":"film","n":20}\n'
  const body = lines.repeat(20_000)
  const { socket } = await send(
    `POST /v1/models/films/top HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  socket.pause()
  socket.write(body)
  await isWell()
  socket.destroy()
  await isWell()
})

/** A fold-in that takes a while: new users and films, which depend on each other. */
const heavy = JSON.stringify({
  entries: Array.from({ length: 50_000 }, (_, i) => ({
    user: `new${i % 1000}`,
    film: `g${i % 997}`,
    stars: i % 5,
  })),
})

it('more work than may wait gets 503 with Retry-After', async () => {
  const responses = await Promise.all(
    Array.from({ length: 24 }, () => post(served.url, 'v1/models/films/fold-in', heavy)),
  )
  const refused = responses.filter(({ status }) => status === 503)
  expect(responses.filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
  expect(refused.length).toBeGreaterThan(0)
  for (const response of refused) {
    expect((await response.json()).error).toMatch(/too many requests waiting/)
    expect(response.headers.get('retry-after')).toBe('1')
  }
  await isWell()
})

it('an answer that takes too long gets 504, and the thread is replaced', async () => {
  const hasty = await serve([file, '--read-only', '--quiet', '--timeout', '0.1'])
  const response = await post(hasty.url, 'v1/models/films/fold-in', heavy)
  expect([response.status, await response.json()]).toEqual([
    504,
    { error: 'The answer took longer than 0.1 s; ask for less at a time.' },
  ])
  // The new thread has the model; at first it may be too slow to start.
  await waitFor<void>('an answer of the new thread', (resolve) => {
    const ask = async (): Promise<void> => {
      const { status } = await post(hasty.url, 'v1/models/films/predict', { cells: [[1, 2]] })
      if (status === 200) resolve()
      else void ask()
    }
    void ask()
  })
  expect(await hasty.stop()).toBe(0)
})
