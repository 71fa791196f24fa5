/**
 * Starts worker threads. Their program is text in this package (dist/embedded/worker.js, made from
 * worker.ts), so that no bundler has to find it and no server to deliver it. A page whose policy forbids
 * workers from text (worker-src without blob:) loads them from a file, if its bundler has put one there.
 */

import { node } from '../../../base/nodeModules.ts'
import { takeThread } from '../../../base/nodeThreads.ts'
import { workerSource } from '../../../embedded/worker.js'
import type { Port } from './platform.ts'

/** The main thread's end of the channel to a worker. */
export interface WorkerPort<Send, Receive> extends Port<Send, Receive> {
  onError(handle: (error: Error) => void): void
  /** Keeps the process alive while the worker has work; `unref` lets it end. */
  ref(): void
  unref(): void
  terminate(): Promise<unknown>
}

/** Starts a worker thread. */
export function startWorker<Send, Receive>(): WorkerPort<Send, Receive> {
  return node ? startInNode() : startInPage()
}

function startInNode<Send, Receive>(): WorkerPort<Send, Receive> {
  const { port, onError, terminate } = takeThread(workerSource)
  return {
    send: (message) => port.postMessage(message),
    onMessage: (handle) => port.on('message', handle),
    onError,
    ref: () => port.ref(),
    unref: () => port.unref(),
    terminate,
  }
}

/** Whether the page has refused to start a worker from text. */
let isTextRefused = false

function startInPage<Send, Receive>(): WorkerPort<Send, Receive> {
  let receive: (message: Receive) => void = () => {}
  let fail: (error: Error) => void = () => {}
  /** Messages sent before the first answer: they are sent again if the worker could not be started. */
  let unanswered: Send[] | undefined = []
  let worker = isTextRefused ? fromFile() : fromText()
  listen(!isTextRefused)

  function listen(isText: boolean): void {
    worker.addEventListener('message', ({ data }) => {
      unanswered = undefined
      receive(data)
    })
    worker.addEventListener('error', (event) => {
      // A refusal has no message; an error within a worker has one.
      if (!isText || !unanswered || event.message)
        return fail(new Error(event.message || 'A worker thread could not be started.'))
      isTextRefused = true
      worker = fromFile()
      listen(false)
      for (const message of unanswered) worker.postMessage(message)
    })
  }

  return {
    send(message) {
      unanswered?.push(message)
      worker.postMessage(message)
    },
    onMessage: (handle) => {
      receive = handle
    },
    onError: (handle) => {
      fail = handle
    },
    ref: () => {},
    unref: () => {},
    terminate: async () => worker.terminate(),
  }
}

function fromText(): Worker {
  const url = URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }))
  try {
    return new Worker(url)
  } finally {
    URL.revokeObjectURL(url)
  }
}

const fromFile = (): Worker => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
