/**
 * What differs between Node and a browser for worker threads: how to start one, how to talk to it, how to read a
 * file of this package, and how many there should be. Node's modules are reached through
 * process.getBuiltinModule, so that bundlers for browsers see no import of them.
 */
const node = globalThis.process?.versions?.node
  ? {
      threads: process.getBuiltinModule('node:worker_threads'),
      fs: process.getBuiltinModule('node:fs/promises'),
      os: process.getBuiltinModule('node:os'),
    }
  : undefined

/** One end of a channel between the main thread and a worker. */
export interface Port<Send, Receive> {
  send(message: Send): void
  onMessage(handle: (message: Receive) => void): void
}

export interface WorkerPort<Send, Receive> extends Port<Send, Receive> {
  onError(handle: (error: Error) => void): void
  /** Whether it is at work: a worker at rest does not keep the process from ending. */
  work(): void
  rest(): void
  terminate(): Promise<unknown>
}

/** Starts a worker thread on worker.js. */
export function startWorker<Send, Receive>(): WorkerPort<Send, Receive> {
  if (node) {
    const worker = new node.threads.Worker(new URL('./worker.js', import.meta.url))
    return {
      send: (message) => worker.postMessage(message),
      onMessage: (handle) => worker.on('message', handle),
      onError: (handle) => worker.on('error', handle),
      work: () => worker.ref(),
      rest: () => worker.unref(),
      terminate: () => worker.terminate(),
    }
  }
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
  return {
    send: (message) => worker.postMessage(message),
    onMessage: (handle) => worker.addEventListener('message', ({ data }) => handle(data)),
    onError: (handle) => worker.addEventListener('error', ({ message }) => handle(new Error(message))),
    work: () => {},
    rest: () => {},
    terminate: async () => worker.terminate(),
  }
}

/** A worker's own end. */
export function mainPort<Send, Receive>(): Port<Send, Receive> {
  const parent = node?.threads.parentPort
  if (parent)
    return {
      send: (message) => parent.postMessage(message),
      onMessage: (handle) => parent.on('message', handle),
    }
  return {
    send: (message) => self.postMessage(message),
    onMessage: (handle) => self.addEventListener('message', ({ data }) => handle(data)),
  }
}

export async function readBytes(url: URL): Promise<BufferSource> {
  if (node && url.protocol === 'file:') return node.fs.readFile(url) as Promise<Buffer<ArrayBuffer>>
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} could not be loaded: ${response.status} ${response.statusText}`)
  return response.arrayBuffer()
}

/** Whether threads may share memory: in Node, and in pages that are cross-origin isolated. */
export function canShareMemory(): boolean {
  return node !== undefined || globalThis.crossOriginIsolated === true
}

/** Threads worth starting: one per core, or one alone where no memory can be shared. */
export function hardwareThreads(): number {
  if (node) return node.os.availableParallelism()
  return canShareMemory() ? (navigator.hardwareConcurrency ?? 1) : 1
}
