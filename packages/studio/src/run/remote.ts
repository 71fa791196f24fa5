/** Remote procedure calls between the page and its workers: calls of named functions, and named events. */
import { InputError } from 'lacuna'
import type { OptionMention } from 'lacuna/internal'
import { type EngineName, setEngine } from './engine.ts'
import { announceRemark, REMARK_EVENT } from './remarks.ts'

/** The `this` of a function of a worker that the page calls. */
export interface CallContext {
  /** Aborted when the page no longer wants the result. */
  signal: AbortSignal
}

/** Functions that can be called by name. */
// biome-ignore lint/suspicious/noExplicitAny: any function may be called; Remote gives each its own type back
type Functions = Record<string, (this: CallContext, ...args: any[]) => unknown>

/** A worker's functions as the page calls them: each returns a promise. */
export type Remote<F extends Functions> = {
  [name in keyof F]: (...args: Parameters<F[name]>) => Promise<Awaited<ReturnType<F[name]>>>
}

/** A message from a worker to the page; `id` is the number of the call that it answers. */
type Message =
  | { kind: 'result'; id: number; value: unknown }
  | { kind: 'failure'; id: number; message: string }
  | { kind: 'event'; name: string; value: unknown }

/** The first message to a worker. */
interface EngineMessage {
  engine: EngineName
}

/** A message from the page that calls a function of the worker. */
interface Call {
  id: number
  name: string
  args: unknown[]
}

/** A message from the page that cancels a call. */
interface Cancellation {
  cancel: number
}

/** In a worker: runs the functions that the page calls, and returns their results unless the call was cancelled. */
export function serveCalls(functions: Functions): void {
  const running = new Map<number, AbortController>()
  self.addEventListener('message', async ({ data }: MessageEvent<Call | Cancellation | EngineMessage>) => {
    if ('engine' in data) return setEngine(data.engine)
    if ('cancel' in data) return running.get(data.cancel)?.abort()
    const controller = new AbortController()
    running.set(data.id, controller)
    const { signal } = controller
    try {
      const value = await functions[data.name].call({ signal }, ...data.args)
      if (!signal.aborted) send({ kind: 'result', id: data.id, value })
    } catch (error) {
      if (!signal.aborted) send({ kind: 'failure', id: data.id, message: describeError(error) })
    } finally {
      running.delete(data.id)
    }
  })
}

/** In a worker: sends the page an event. */
export function sendEvent(name: string, value: unknown): void {
  send({ kind: 'event', name, value })
}

/** Sends a message from the worker to the page. Bitmaps are moved, not copied. */
function send(message: Message): void {
  const value = message.kind === 'failure' ? undefined : message.value
  const parts = value !== null && typeof value === 'object' ? Object.values(value) : []
  self.postMessage(message, { transfer: parts.filter((part) => part instanceof ImageBitmap) })
}

/**
 * The message of an error for the user. Input errors name the fields of the page instead of options; anything
 * else is called a fault in Lacuna.
 */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof InputError) return error.in(nameField)
  if (error instanceof RangeError && /memory|allocation|length/i.test(message))
    return 'The browser has no memory left for this; close other tabs, or use the command line.'
  return `This is a fault in Lacuna: ${message}`
}

/** Labels of the page's fields, by the library option that each sets. */
const FIELDS: Record<string, string> = {
  negative: 'Negative values',
  duplicates: 'Same coordinates',
  merge: 'Same coordinates',
  rank: 'Rank',
  modes: 'Modes',
  value: 'Value',
  missing: 'Cells that are not listed',
  noise: 'Noise',
  loss: 'Loss',
  link: 'Link',
  lags: 'Lags',
  folds: 'Folds',
  lambda: 'λ',
}

/** Prints an option in a message as the label of its field, with its values. */
function nameField({ option, values }: OptionMention): string {
  const field = FIELDS[option] ? `“${FIELDS[option]}”` : option
  return values.length === 0 ? field : `${field}: ${values.join(', ')}`
}

/** The page's connection to a worker. */
export interface Connection<F extends Functions> {
  /** The worker's functions. */
  call: Remote<F>
  /**
   * The worker's functions, for calls that can be cancelled: when the signal is aborted, the promise rejects with
   * its reason (an AbortError), the worker's function sees it, and its result is dropped.
   */
  callUntil(signal: AbortSignal): Remote<F>
  /** Listens to an event of the worker. Returns a function that stops listening. */
  onEvent<T>(name: string, handle: (value: T) => void): () => void
}

/** In the page: connects to a worker that solves on this engine. */
export function connect<F extends Functions>(worker: Worker, engine: EngineName): Connection<F> {
  worker.postMessage({ engine } satisfies EngineMessage)
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const listeners = new Map<string, Set<(value: never) => void>>()
  let last = 0

  worker.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'event') {
      if (data.name === REMARK_EVENT) announceRemark(String(data.value))
      for (const listener of listeners.get(data.name) ?? []) listener(data.value as never)
      return
    }
    const call = pending.get(data.id)
    pending.delete(data.id)
    if (data.kind === 'result') call?.resolve(data.value)
    else call?.reject(new Error(data.message))
  })
  worker.addEventListener('error', ({ message }) => {
    for (const { reject } of pending.values())
      reject(new Error(`A part of the studio could not run: ${message || 'a worker failed to load'}.`))
    pending.clear()
  })

  /** Calls a function of the worker. */
  const send = (name: string, args: unknown[], signal?: AbortSignal): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const id = ++last
      pending.set(id, { resolve, reject })
      worker.postMessage({ id, name, args } satisfies Call)
      signal?.addEventListener('abort', () => {
        if (!pending.delete(id)) return
        worker.postMessage({ cancel: id } satisfies Cancellation)
        reject(signal.reason)
      })
    })
  /** An object whose functions call those of the worker. */
  const remote = (signal?: AbortSignal): Remote<F> =>
    new Proxy({} as Remote<F>, {
      get:
        (_, name: string) =>
        (...args: unknown[]) =>
          send(name, args, signal),
    })
  return {
    call: remote(),
    callUntil: remote,
    onEvent(name, handle) {
      const group = listeners.get(name) ?? new Set()
      listeners.set(name, group.add(handle as (value: never) => void))
      return () => void group.delete(handle as (value: never) => void)
    },
  }
}
