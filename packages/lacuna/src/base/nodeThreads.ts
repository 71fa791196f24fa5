/**
 * Worker threads of Node that outlive what they were started for: to start one takes longer than a small job. A thread is given a
 * program, as text, and talks to who gave it through a port; when that is done it rests, and the next one to need a thread takes it.
 * Those who read a file leave theirs to the engine that learns from it.
 */
import { node } from './nodeModules.ts'

type Threads = NonNullable<typeof node>['threads']
type Worker = InstanceType<Threads['Worker']>
type MessagePort = InstanceType<Threads['MessagePort']>

/** A thread with a program. */
export interface NodeThread {
  readonly port: MessagePort
  onError(handle: (error: Error) => void): void
  /** For others: only when it has answered all that it was asked. */
  rest(): void
  terminate(): Promise<unknown>
}

/**
 * Runs programs that come with a port and something to know: they see both by these names. Without a program it forgets the last
 * one, at once: what a thread has seen of shared memory nobody gets back before.
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

/** Threads that nobody has taken for so long end. */
const REST_MS = 10_000

const resting: { worker: Worker; end: NodeJS.Timeout }[] = []

/** Sees to it that so many threads rest, or are about to. */
export function restThreads(count: number): void {
  while (resting.length < count) putToRest(newWorker())
}

/** Takes a thread that rests, or a new one. `data` can be copied to it. */
export function takeThread(program: string, data?: unknown): NodeThread {
  const worker = wake() ?? newWorker()
  const { port1: port, port2 } = new node!.threads.MessageChannel()
  worker.postMessage({ program, port: port2, data }, [port2])
  const close = (): void => {
    port.close()
    worker.removeAllListeners('error')
  }
  return {
    port,
    onError: (handle) => worker.on('error', handle),
    rest() {
      close()
      worker.postMessage({})
      putToRest(worker)
    },
    terminate() {
      close()
      return worker.terminate()
    },
  }
}

function newWorker(): Worker {
  const worker = new node!.threads.Worker(HOST, { eval: true })
  worker.unref() // its port says whether anyone waits for it
  return worker
}

function putToRest(worker: Worker): void {
  const end = setTimeout(() => {
    resting.splice(resting.indexOf(rest), 1)
    void worker.terminate()
  }, REST_MS)
  end.unref()
  const rest = { worker, end }
  // One that fails before it has a program has nobody to tell: who takes a thread gets another.
  worker.once('error', () => {
    const at = resting.indexOf(rest)
    if (at >= 0) resting.splice(at, 1)
  })
  resting.push(rest)
}

function wake(): Worker | undefined {
  const rest = resting.shift()
  if (!rest) return undefined
  clearTimeout(rest.end)
  rest.worker.removeAllListeners('error')
  return rest.worker
}
