/**
 * A pool of Node's worker threads that are used again, because starting one takes longer than a small job. A
 * thread runs a program, given as text, and communicates through a port; afterwards it is idle until it is
 * taken again. The threads that read a file are later those of the engine.
 */
import { node } from './nodeModules.ts'

type Threads = NonNullable<typeof node>['threads']
type Worker = InstanceType<Threads['Worker']>
type MessagePort = InstanceType<Threads['MessagePort']>

/** A thread that runs a program. */
export interface NodeThread {
  /** The other end of the program's `lacunaPort`. */
  readonly port: MessagePort
  /** Calls `handle` if the program fails. */
  onError(handle: (error: Error) => void): void
  /** Returns the thread to the pool; all its messages must have been answered. */
  release(): void
  /** Ends the thread. */
  terminate(): Promise<unknown>
}

/**
 * The code of a thread: runs programs, which see their port and data as `lacunaPort` and `lacunaData`. A
 * message without a program makes it forget the last one and collect garbage at once: shared memory is not
 * freed while a thread refers to it.
 */
const HOST = `const [{ parentPort }, { setFlagsFromString }, { runInNewContext }] =
  ['worker_threads', 'v8', 'vm'].map((name) => process.getBuiltinModule('node:' + name))
let used
parentPort.on('message', ({ program, port, data }) => {
  if (program !== undefined) {
    used = port
    new Function('lacunaPort', 'lacunaData', program)(port, data)
  } else {
    used.removeAllListeners('message')
    used.close()
    used = undefined
    setFlagsFromString('--expose-gc')
    setImmediate(runInNewContext('gc'))
  }
})`

/** Milliseconds after which an idle thread ends. */
const IDLE_MS = 10_000

/** Threads without a program, the one that is taken next first, each with the timer that ends it. */
const idleThreads: { worker: Worker; end: NodeJS.Timeout }[] = []

/** Starts threads until at least `count` threads are idle. */
export function startIdleThreads(count: number): void {
  while (idleThreads.length < count) addIdle(startWorker())
}

/**
 * Runs a program on an idle thread, or on a new one.
 * @param program JavaScript, which sees `lacunaPort` and `lacunaData` @param data is copied to the thread
 */
export function takeThread(program: string, data?: unknown): NodeThread {
  const worker = takeIdle() ?? startWorker()
  const { port1: port, port2 } = new node!.threads.MessageChannel()
  worker.postMessage({ program, port: port2, data }, [port2])
  const close = (): void => {
    port.close()
    worker.removeAllListeners('error')
  }
  return {
    port,
    onError: (handle) => worker.on('error', handle),
    release() {
      close()
      worker.postMessage({})
      addIdle(worker)
    },
    terminate() {
      close()
      return worker.terminate()
    },
  }
}

/** Starts a thread without a program. */
function startWorker(): Worker {
  const worker = new node!.threads.Worker(HOST, { eval: true })
  worker.unref() // only its port keeps the process alive
  return worker
}

/** Adds a thread to the pool; it is removed when it fails, and ended after IDLE_MS. */
function addIdle(worker: Worker): void {
  const end = setTimeout(() => {
    idleThreads.splice(idleThreads.indexOf(idle), 1)
    void worker.terminate()
  }, IDLE_MS)
  end.unref()
  const idle = { worker, end }
  // An idle thread that fails is removed; another one is taken instead.
  worker.once('error', () => {
    const at = idleThreads.indexOf(idle)
    if (at >= 0) idleThreads.splice(at, 1)
  })
  idleThreads.push(idle)
}

/** Removes the oldest idle thread from the pool and returns it; undefined if there is none. */
function takeIdle(): Worker | undefined {
  const idle = idleThreads.shift()
  if (!idle) return undefined
  clearTimeout(idle.end)
  idle.worker.removeAllListeners('error')
  return idle.worker
}
