/**
 * Starts worker threads, wherever the code has got to: their program is text within this package (dist/embedded/worker.js,
 * made from worker.ts), so that no bundler has to find it and no server to deliver it. A page whose policy forbids workers
 * from text (worker-src without blob:) gets them from a file of its own, which the bundlers that know how put there.
 */

import { node } from '../../../base/nodeModules.ts'
import { takeThread } from '../../../base/nodeThreads.ts'
import { workerSource } from '../../../embedded/worker.js'
import type { Port } from './platform.ts'

export interface WorkerPort<Send, Receive> extends Port<Send, Receive> {
  onError(handle: (error: Error) => void): void
  /** Whether it is at work: a worker at rest does not keep the process from ending. */
  work(): void
  rest(): void
  terminate(): Promise<unknown>
}

export function startWorker<Send, Receive>(): WorkerPort<Send, Receive> {
  return node ? startInNode() : startInPage()
}

function startInNode<Send, Receive>(): WorkerPort<Send, Receive> {
  const { port, onError, terminate } = takeThread(workerSource)
  return {
    send: (message) => port.postMessage(message),
    onMessage: (handle) => port.on('message', handle),
    onError,
    work: () => port.ref(),
    rest: () => port.unref(),
    terminate,
  }
}

/** Whether the page has refused to start a worker from text. */
let isTextRefused = false

function startInPage<Send, Receive>(): WorkerPort<Send, Receive> {
  let hear: (message: Receive) => void = () => {}
  let fail: (error: Error) => void = () => {}
  /** Sent, as long as nothing was heard: what a worker that never was could not answer. */
  let unheard: Send[] | undefined = []
  let worker = isTextRefused ? fromFile() : fromText()
  listen(!isTextRefused)

  function listen(isText: boolean): void {
    worker.addEventListener('message', ({ data }) => {
      unheard = undefined
      hear(data)
    })
    worker.addEventListener('error', (event) => {
      // A refusal has no message; what goes wrong within a worker has.
      if (!isText || !unheard || event.message)
        return fail(new Error(event.message || 'A worker thread could not be started.'))
      isTextRefused = true
      worker = fromFile()
      listen(false)
      for (const message of unheard) worker.postMessage(message)
    })
  }

  return {
    send(message) {
      unheard?.push(message)
      worker.postMessage(message)
    },
    onMessage: (handle) => {
      hear = handle
    },
    onError: (handle) => {
      fail = handle
    },
    work: () => {},
    rest: () => {},
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
