/** The routes of the server, as an application of hono. */
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { InputError } from 'lacuna'
import type { Models } from '../models.ts'
import { type OperationName, operations, parseJson } from '../operations.ts'
import { reloadRequest, validate } from '../schemas/index.ts'
import { type Answer, errorOf } from '../threads/protocol.ts'
import { arrowUse } from './arrowUse.ts'
import { ARROW, BodyError, kindOfBody, readBody, readLines } from './body.ts'
import { guard } from './guard.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { openApi } from './openapi.ts'
import { page, pagePolicy } from './page.ts'

/** Models, limits and services that the HTTP routes use. */
export interface AppOptions {
  models: Models
  log: Log
  metrics: Metrics
  token?: string
  /** Most bytes of a JSON body. */
  mostBytes: number
  /** Most lines of NDJSON. */
  mostRows: number
  /** Questions of a stream that are answered at a time. */
  threads: number
  /** Whether the server is stopping. */
  isStopping(): boolean
}

type Variables = { operation: string }
type AppContext = Context<{ Bindings: HttpBindings; Variables: Variables }>

/** Headers of every response. */
const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}
/** Most bytes of a line of NDJSON. */
const MOST_LINE_BYTES = 2 ** 20

/** Makes the application. */
export function makeApp(options: AppOptions): Hono<{ Bindings: HttpBindings; Variables: Variables }> {
  const { models, log, metrics, token } = options
  const app = new Hono<{ Bindings: HttpBindings; Variables: Variables }>()
  const refuse = guard(token)
  const document = JSON.stringify(openApi(token !== undefined))

  app.use(async (c, next) => {
    const started = performance.now()
    c.set('operation', 'other')
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value)
    await next()
    const ms = performance.now() - started
    metrics.add(c.get('operation'), c.res.status, ms / 1000)
    log.request({ method: c.req.method, path: c.req.path, status: c.res.status, ms })
  })
  app.onError((error, c) => {
    if (error instanceof BodyError) return respond(c, errorOf(error.status, error.message))
    if (error instanceof InputError) return respond(c, errorOf(400, error.message))
    // A client that has gone needs no answer, and is no fault of the server.
    if (c.env.incoming.errored || c.env.incoming.destroyed)
      return respond(c, errorOf(400, 'The body was cut off.'))
    log.write('error', 'fault', { message: String(error.stack ?? error) })
    return respond(c, errorOf(500, 'This is a fault in lacuna; the log of the server has the details.'))
  })
  app.notFound((c) => respond(c, errorOf(404, 'There is no such path; /openapi.json lists those there are.')))

  app.get('/', (c) => {
    c.set('operation', 'page')
    c.header('Content-Security-Policy', pagePolicy)
    return c.html(page)
  })
  app.get('/openapi.json', (c) => respond(c, { status: 200, text: document }))
  app.get('/health', (c) => {
    c.set('operation', 'health')
    const isStopping = options.isStopping()
    return respond(c, {
      status: isStopping ? 503 : 200,
      text: JSON.stringify({ status: isStopping ? 'stopping' : 'ok', models: models.list.length }),
    })
  })

  app.use('*', async (c, next) => {
    const refusal = refuse({
      host: c.req.header('host'),
      authorization: c.req.header('authorization'),
      site: c.req.header('sec-fetch-site'),
    })
    if (!refusal) return next()
    if (refusal.status === 401) c.header('WWW-Authenticate', 'Bearer')
    return respond(c, errorOf(refusal.status, refusal.message))
  })
  app.get('/metrics', (c) => {
    c.set('operation', 'metrics')
    return c.text(metrics.print(gauges(models)))
  })
  app.get('/v1/models', (c) => {
    c.set('operation', 'models')
    return respond(c, { status: 200, text: JSON.stringify({ models: models.list }) })
  })
  app.use('/v1/models/:model/*', async (c, next) => {
    const name = c.req.param('model')
    if (models.about(name)) return next()
    return respond(c, errorOf(404, `There is no model "${name.slice(0, 100)}"; GET /v1/models lists them.`))
  })
  app.get('/v1/models/:model', (c) => {
    c.set('operation', 'models')
    return respond(c, { status: 200, text: JSON.stringify(models.about(c.req.param('model'))) })
  })
  for (const operation of Object.keys(operations) as OperationName[])
    app.post(`/v1/models/:model/${operation}`, (c) => {
      c.set('operation', operation)
      return answerQuestion(c, operation, options)
    })
  app.post('/v1/models/:model/update', async (c) => {
    c.set('operation', 'update')
    const kind = kindOfBody(c.req.header('content-type'))
    if (kind === 'arrow')
      return respond(c, errorOf(415, 'update takes JSON or NDJSON; send it as application/json.'))
    const isLines = kind === 'lines'
    const body = await readBody(c.env.incoming, options.mostBytes)
    return respond(c, await models.update(c.req.param('model'), body, isLines))
  })
  app.post('/v1/models/:model/reload', async (c) => {
    c.set('operation', 'reload')
    kindOfBody(c.req.header('content-type'))
    const text = new TextDecoder().decode(await readBody(c.env.incoming, 1000))
    const { discard = false } = validate(parseJson(text), reloadRequest)
    return respond(c, await models.reload(c.req.param('model'), discard))
  })
  return app
}

/** Answers a question: JSON at once, lines as a stream. */
async function answerQuestion(
  c: AppContext,
  operation: OperationName,
  options: AppOptions,
): Promise<Response> {
  const { models, mostBytes } = options
  const model = c.req.param('model')!
  const kind = kindOfBody(c.req.header('content-type'))
  if (kind === 'arrow' && operation !== 'predict')
    return respond(c, errorOf(415, `${operation} takes JSON; send it as application/json.`))
  if (kind === 'lines') {
    if (!('line' in operations[operation]))
      return respond(c, errorOf(415, `${operation} takes JSON; send it as application/json.`))
    if (models.isFull)
      return respond(c, errorOf(503, 'The server has too many requests waiting; try again in a second.'))
    return streamAnswers(c, operation, options)
  }
  const body = await readBody(c.env.incoming, mostBytes)
  const arrow =
    operation === 'predict' ? arrowUse(kind === 'arrow', c.req.header('accept'), c.req.query()) : undefined
  return respond(c, await models.ask({ model, operation, body, isLines: false, arrow }))
}

/** Answers lines as a stream, in their order: a few pieces at a time, and no more than the client takes. */
function streamAnswers(c: AppContext, operation: OperationName, options: AppOptions): Response {
  const { models, mostRows, threads, log } = options
  const model = c.req.param('model')!
  const pieces = readLines(c.env.incoming, { mostLineBytes: MOST_LINE_BYTES, mostRows })
  /** Answers that are not sent yet, in the order of their pieces. */
  const inFlight: Promise<Answer>[] = []
  let next: ReturnType<typeof pieces.next> | undefined
  let isAtEnd = false
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        for (;;) {
          if (!isAtEnd && inFlight.length < threads) next ??= pieces.next()
          // An answer is sent as soon as it is there, even if the client waits for it before it goes on.
          const read = next?.then((piece) => ({ piece }))
          const answered = inFlight[0]?.then((answer) => ({ answer }))
          if (!read && !answered) return controller.close()
          const event = await Promise.race([read, answered].filter((promise) => promise !== undefined))
          if ('answer' in event) {
            const { status, text } = event.answer
            void inFlight.shift()
            controller.enqueue(encoder.encode(status === 200 ? text : `${text}\n`))
            // A piece that failed as a whole ends the stream with the sentence.
            if (status !== 200) controller.close()
            return
          }
          next = undefined
          if (event.piece.done) isAtEnd = true
          else inFlight.push(models.ask({ model, operation, body: event.piece.value, isLines: true }, true))
        }
      } catch (error) {
        const isRefused = error instanceof BodyError
        if (!isRefused) log.write('error', 'stream', { message: String(error) })
        const message = isRefused ? error.message : 'The stream has failed.'
        controller.enqueue(encoder.encode(`${JSON.stringify({ error: message })}\n`))
        controller.close()
      }
    },
    async cancel() {
      await pieces.return(undefined)
    },
  })
  return c.body(stream, 200, { 'Content-Type': 'application/x-ndjson' })
}

/** A response of JSON, or of an Arrow stream. */
function respond(c: Context, { status, text, stream }: Answer): Response {
  if (status === 503) c.header('Retry-After', '1')
  // The rest of a body that is too large is not read.
  if (status === 413) c.header('Connection', 'close')
  if (stream) return c.body(stream, 200, { 'Content-Type': ARROW })
  return c.body(text, status as 200, { 'Content-Type': 'application/json' })
}

/** The state of the server as numbers. */
function gauges(models: Models) {
  const { waiting, busy, updates } = models.load
  return {
    questions_waiting: { help: 'Questions that wait for a thread.', value: waiting },
    threads_busy: { help: 'Threads that are answering.', value: busy },
    updates_waiting: { help: 'Updates that are not on the disk yet.', value: updates },
    models: { help: 'Models that are served.', value: models.list.length },
    updates: {
      help: 'Updates that the models include.',
      value: models.list.reduce((sum, model) => sum + model.updates, 0),
    },
    resident_bytes: { help: 'Memory of the process.', value: process.memoryUsage.rss() },
    uptime_seconds: { help: 'Seconds since the start.', value: Math.round(process.uptime()) },
  }
}
