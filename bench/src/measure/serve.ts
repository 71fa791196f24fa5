/** Load of `lacuna serve`: requests per second and latencies of `top`, and many connections at a time. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CpModel, writeModel } from 'lacuna'
import { draw, unit } from 'lacuna/internal'

/** Options of measureServe. */
export interface ServeBenchOptions {
  /** Rows that questions are asked for. */
  rows: number
  /** Rows that are ranked for each question. */
  candidates: number
  rank: number
  /** Requests that are sent at a time. */
  clients: number
  /** Requests in all. */
  requests: number
  /** Connections that are held open at the same time, a third of which send garbage or half of a request. */
  connections: number
  threads: number
  onProgress?(text: string): void
}

/** Result of measureServe. */
export interface ServeBench {
  requestsPerSecond: number
  /** Milliseconds of half of the requests, and of 99% of them. */
  p50: number
  p99: number
  failed: number
  /** Connections that were open at the same time, and whether the server answered meanwhile and afterwards. */
  connections: number
  isWell: boolean
}

const MAIN = fileURLToPath(new URL('../../packages/cli/dist/lacuna.js', import.meta.url))
const HEAD = 'POST /v1/models/bench/top HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'
/** The bytes that idle connections send in the second measurement: none, garbage, or half of a request. */
const STARTS = ['', 'garbage\r\n\r\n', `${HEAD}Content-Length: 1000\r\n\r\n{"of"`]

/** Serves a model of random factors in a process of its own, and asks it. */
export async function measureServe(options: ServeBenchOptions): Promise<ServeBench> {
  const folder = mkdtempSync(join(tmpdir(), 'lacuna-bench-'))
  let server: { child: ChildProcess; port: number } | undefined
  try {
    const { rows, candidates, rank } = options
    const factors = [rows, candidates].map((dim, mode) =>
      Float32Array.from({ length: dim * rank }, (_, at) =>
        Math.max(0, 1.5 * unit(draw(17 + mode, at)) - 0.5),
      ),
    )
    const file = join(folder, 'bench.npz')
    await writeModel(file, new CpModel({ dims: [rows, candidates], rank, factors }))
    options.onProgress?.('Starting the server')
    server = await start(file, options.threads)
    const times = await askAll(server.port, options)
    const { isWell, connections } = await holdConnections(server, options)
    return { ...times, connections, isWell }
  } finally {
    server?.child.kill('SIGTERM')
    rmSync(folder, { recursive: true })
  }
}

/** Starts a server; resolves when it listens. */
function start(file: string, threads: number): Promise<{ child: ChildProcess; port: number }> {
  const args = [MAIN, 'serve', file, '--port', '0', '--quiet', '--read-only', '--threads', String(threads)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => {
      const [, port] = /:(\d+)\/\n/.exec(String(text)) ?? []
      if (port) resolve({ child, port: Number(port) })
    })
    child.on('exit', (code) => reject(new Error(`lacuna serve has ended with code ${code}.`)))
  })
}

/** Asks one question; resolves with the status. */
function ask(port: number, agent: Agent, user: number): Promise<number> {
  const body = JSON.stringify({ of: 'mode_2', for: { mode_1: user }, n: 10 })
  return new Promise((resolve) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }
    const asked = request(
      { port, agent, method: 'POST', path: '/v1/models/bench/top', headers },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    asked.on('error', () => resolve(0))
    asked.end(body)
  })
}

/** Sends all requests, some at a time, after a few that are not counted. */
async function askAll(port: number, { clients, requests, rows, onProgress }: ServeBenchOptions) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  for (let i = 0; i < 50; i++) await ask(port, agent, 1 + i)
  const times: number[] = []
  let [next, failed] = [0, 0]
  const started = performance.now()
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (next < requests) {
        const user = 1 + ((next++ * 7919) % rows)
        const sent = performance.now()
        if ((await ask(port, agent, user)) !== 200) failed++
        times.push(performance.now() - sent)
        if (times.length % 500 === 0) onProgress?.(`${times.length} of ${requests} requests`)
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  agent.destroy()
  times.sort((a, b) => a - b)
  const quantile = (q: number): number => times[Math.min(times.length - 1, Math.floor(q * times.length))]
  return { requestsPerSecond: times.length / seconds, p50: quantile(0.5), p99: quantile(0.99), failed }
}

/** Holds many connections open, asks meanwhile, closes them, and asks again. */
async function holdConnections(
  { port, child }: { port: number; child: ChildProcess },
  { connections, onProgress }: ServeBenchOptions,
): Promise<{ isWell: boolean; connections: number }> {
  const sockets: Socket[] = []
  let open = 0
  for (let first = 0; first < connections; first += 200) {
    const some = Array.from({ length: Math.min(200, connections - first) }, (_, i) =>
      openSocket(port, first + i),
    )
    for (const socket of await Promise.all(some)) {
      if (!socket) continue
      sockets.push(socket)
      open++
    }
    onProgress?.(`${first} of ${connections} connections`)
  }
  const agent = new Agent({ keepAlive: false })
  const during = await ask(port, agent, 1)
  for (const socket of sockets) socket.destroy()
  const after = await ask(port, agent, 2)
  return { isWell: during === 200 && after === 200 && child.exitCode === null, connections: open }
}

/** Opens a connection and sends a start of STARTS; undefined if the system allows no more. */
function openSocket(port: number, number: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      const start = STARTS[number % STARTS.length]
      if (start !== '') socket.write(start)
      resolve(socket)
    })
    socket.on('error', () => resolve(undefined))
  })
}
