/** What differs between Node and a browser for threads: how a worker talks to who started it, and how many there should be. */
import { node } from './nodeModules.ts'

/** One end of a channel between the main thread and a worker. */
export interface Port<Send, Receive> {
  send(message: Send): void
  onMessage(handle: (message: Receive) => void): void
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

/** Whether threads may share memory: in Node, and in pages that are cross-origin isolated. */
export function canShareMemory(): boolean {
  return node !== undefined || globalThis.crossOriginIsolated === true
}

/** Threads worth starting: one per core, or one alone where no memory can be shared. */
export function hardwareThreads(): number {
  if (node) return node.os.availableParallelism()
  return canShareMemory() ? (navigator.hardwareConcurrency ?? 1) : 1
}
