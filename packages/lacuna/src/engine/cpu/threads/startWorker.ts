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
  /** Calls `handle` if the worker fails or cannot be started. */
  onError(handle: (error: Error) => void): void
  /** Keeps the process alive while the worker has work; `unref` lets it end. */
  ref(): void
  unref(): void
  /** Returns the thread to Node's pool of idle threads; a page ends it. All messages must have been answered. */
  release(): void
  /** Ends the worker, whatever it is doing. */
  terminate(): Promise<unknown>
}

/** Starts a worker thread, or in Node takes an idle one, and returns the channel to it. */
export function startWorker<Send, Receive>(): WorkerPort<Send, Receive> {
  return node ? startInNode() : startInPage()
}

/** Runs the worker's program on a thread of Node's pool of idle threads, or on a new one. */
function startInNode<Send, Receive>(): WorkerPort<Send, Receive> {
  const { port, onError, release, terminate } = takeThread(workerSource)
  return {
    send: (message) => port.postMessage(message),
    onMessage: (handle) => port.on('message', handle),
    onError,
    ref: () => port.ref(),
    unref: () => port.unref(),
    release,
    terminate,
  }
}

/** Module state: whether the page has refused to start a worker from text. */
let isTextRefused = false

/**
 * Starts a worker from text. If the page refuses that, starts it from a file and sends the messages again;
 * later workers are then started from the file at once.
 */
function startInPage<Send, Receive>(): WorkerPort<Send, Receive> {
  let receive: (message: Receive) => void = () => {}
  let fail: (error: Error) => void = () => {}
  /** Messages sent before the first answer: they are sent again if the worker could not be started. */
  let unanswered: Send[] | undefined = []
  let worker = isTextRefused ? workerFromFile() : workerFromText()
  listen(!isTextRefused)

  /** Passes on the worker's messages and errors; a refusal to start from text starts it from the file. */
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
      worker = workerFromFile()
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
    release: () => worker.terminate(),
    terminate: async () => worker.terminate(),
  }
}

/** A worker from the program's text, by a blob's URL. */
function workerFromText(): Worker {
  const url = URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }))
  try {
    return new Worker(url)
  } finally {
    URL.revokeObjectURL(url)
  }
}

/** A worker from the file beside this module, which a bundler may have put there. */
const workerFromFile = (): Worker => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
