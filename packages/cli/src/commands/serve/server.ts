/** Starts and stops the HTTP server. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { InputError } from 'lacuna'
import { makeApp } from './http/app.ts'
import { Log } from './http/log.ts'
import { Metrics } from './http/metrics.ts'
import { Models } from './models.ts'

/** Settings of a server. */
export interface ServerOptions {
  port: number
  host: string
  token?: string
  readOnly?: boolean
  threads: number
  maxBody: number
  maxRows: number
  maxWaiting: number
  timeout: number
  quiet?: boolean
}

/** A server that runs. */
export interface RunningServer {
  url: string
  models: string[]
  /** Resolves when a signal has stopped it. */
  stopped: Promise<void>
}

/** Time for the headers of a request, and for a connection on which nothing moves. */
const HEADERS_MS = 10_000
const IDLE_MS = 60_000
/** Time for a whole request to arrive; streams of lines may take long. */
const REQUEST_MS = 600_000
/** Time that requests have to end after a signal. */
const STOPPING_MS = 10_000

/** Opens the models and listens. Throws if that fails. */
export async function startServer(files: readonly string[], options: ServerOptions): Promise<RunningServer> {
  const log = new Log(options.quiet ?? false)
  const metrics = new Metrics()
  let isStopping = false
  const { threads, maxRows: mostRows } = options
  const models = await Models.open(files, {
    threads,
    mostRows,
    mostWaiting: options.maxWaiting,
    timeoutMs: 1000 * options.timeout,
    isReadOnly: options.readOnly ?? false,
    onFault: (message) => log.write('error', 'thread', { message }),
    onEnd(message) {
      // Updates cannot be stored without the writer thread. A supervisor restarts the server, which applies the
      // log.
      log.write('error', 'writer', { message })
      process.exit(1)
    },
  })
  const app = makeApp({
    ...{ models, log, metrics, threads, mostRows, token: options.token },
    mostBytes: options.maxBody,
    isStopping: () => isStopping,
  })
  const server = createAdaptorServer({ fetch: app.fetch }) as Server
  server.headersTimeout = HEADERS_MS
  server.requestTimeout = REQUEST_MS
  server.timeout = IDLE_MS
  server.keepAliveTimeout = IDLE_MS
  try {
    await listen(server, options)
  } catch (error) {
    await models.close()
    throw error
  }
  const { port } = server.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  const url = `http://${host}:${port}/`
  const names = models.list.map(({ name }) => name)
  log.write('info', 'start', { url, models: names, threads, pid: process.pid })
  const reload = (): void => {
    for (const name of names)
      void models.reload(name, false).then(({ status, text }) => {
        log.write(status === 200 ? 'info' : 'error', 'reload', {
          model: name,
          ...(status !== 200 && JSON.parse(text)),
        })
      })
  }
  process.on('SIGHUP', reload)
  const stopped = waitForSignal().then(async (signal) => {
    isStopping = true
    log.write('info', 'stopping', { signal })
    await closeServer(server)
    await models.close()
    process.off('SIGHUP', reload)
    log.write('info', 'stop')
  })
  return { url, models: names, stopped }
}

/** Listens; throws with a sentence if the port or the address cannot be used. */
async function listen(server: Server, { host, port }: ServerOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, 8192, () => resolve())
  }).catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'EADDRINUSE'
        ? `Port ${port} is in use; give another one by --port.`
        : error.code === 'EACCES'
          ? `Port ${port} is reserved for the administrator; give one from 1024 by --port.`
          : `This machine cannot listen on ${host}; give one of its own addresses by --host.`
    throw new InputError('option', reason, { cause: error })
  })
}

/** Stops accepting connections, and waits until the requests have been answered, at most STOPPING_MS. */
async function closeServer(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), STOPPING_MS)
  // Connections that are kept alive become idle when their request has been answered.
  const sweeper = setInterval(() => server.closeIdleConnections(), 50)
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
  clearTimeout(timer)
  clearInterval(sweeper)
}

/** Resolves at SIGINT or SIGTERM with the name of the signal. */
function waitForSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal))
  })
}
