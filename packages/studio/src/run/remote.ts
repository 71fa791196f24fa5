/** Calls across the border between the page and its workers: functions by name, and news by name. */
import { InputError } from 'lacuna'
import type { OptionMention } from 'lacuna/internal'
import { type EngineName, solveOn } from './engine.ts'

// biome-ignore lint/suspicious/noExplicitAny: any function may be called; Remote gives each its own type back
type Functions = Record<string, (...args: any[]) => unknown>

/** The worker's functions as the page sees them. */
export type Remote<F extends Functions> = {
  [name in keyof F]: (...args: Parameters<F[name]>) => Promise<Awaited<ReturnType<F[name]>>>
}

type Message =
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'failure'; id: number; message: string }
  | { kind: 'news'; name: string; value: unknown }

/** Said before anything is asked for. */
interface EngineMessage {
  engine: EngineName
}

interface Call {
  id: number
  name: string
  args: unknown[]
}

/** In a worker: answers the page's calls. */
export function answerCalls(functions: Functions): void {
  self.addEventListener('message', async ({ data }: MessageEvent<Call | EngineMessage>) => {
    if ('engine' in data) {
      solveOn(data.engine)
      return
    }
    try {
      send({ kind: 'answer', id: data.id, value: await functions[data.name](...data.args) })
    } catch (error) {
      send({ kind: 'failure', id: data.id, message: sentence(error) })
    }
  })
}

/** In a worker: tells the page something it did not ask for. */
export function tell(name: string, value: unknown): void {
  send({ kind: 'news', name, value })
}

function send(message: Message): void {
  self.postMessage(message)
}

/** What a person can mend is said in the page's words; a fault of ours is called so. */
export function sentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof InputError) return error.in(asField)
  if (error instanceof RangeError && /memory|allocation|length/i.test(message))
    return 'The browser has no memory left for this; close other tabs, or use the command line.'
  return `This is a fault in Lacuna: ${message}`
}

/** The fields of the page, by the options of the library that they set. */
const FIELDS: Record<string, string> = {
  negative: 'Negative values',
  duplicates: 'Same coordinates',
  merge: 'Same coordinates',
  rank: 'Rank',
  modes: 'Modes',
  value: 'Value',
}

function asField({ option, values }: OptionMention): string {
  const field = FIELDS[option] ? `“${FIELDS[option]}”` : option
  return values.length === 0 ? field : `${field}: ${values.join(', ')}`
}

export interface Connection<F extends Functions> {
  call: Remote<F>
  /** Returns a function that stops listening. */
  onNews<T>(name: string, handle: (value: T) => void): () => void
}

/** In the page: reaches a worker, which solves on this engine. */
export function connect<F extends Functions>(worker: Worker, engine: EngineName): Connection<F> {
  worker.postMessage({ engine } satisfies EngineMessage)
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const listeners = new Map<string, Set<(value: never) => void>>()
  let last = 0

  worker.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'news') {
      for (const listener of listeners.get(data.name) ?? []) listener(data.value as never)
      return
    }
    const call = waiting.get(data.id)
    waiting.delete(data.id)
    if (data.kind === 'answer') call?.resolve(data.value)
    else call?.reject(new Error(data.message))
  })
  worker.addEventListener('error', ({ message }) => {
    for (const { reject } of waiting.values())
      reject(new Error(`A part of the studio could not run: ${message || 'a worker failed to load'}.`))
    waiting.clear()
  })

  const call = new Proxy({} as Remote<F>, {
    get:
      (_, name: string) =>
      (...args: unknown[]) =>
        new Promise((resolve, reject) => {
          waiting.set(++last, { resolve, reject })
          worker.postMessage({ id: last, name, args } satisfies Call)
        }),
  })
  return {
    call,
    onNews(name, handle) {
      const group = listeners.get(name) ?? new Set()
      listeners.set(name, group.add(handle as (value: never) => void))
      return () => void group.delete(handle as (value: never) => void)
    },
  }
}
