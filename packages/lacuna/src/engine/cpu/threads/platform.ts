/**
 * Differences between Node and browsers: the channel between a worker and the main thread, and the number of
 * threads.
 */
import type { MessagePort } from 'node:worker_threads'
import { node } from '../../../base/nodeModules.ts'

/** One end of a channel between the main thread and a worker. */
export interface Port<Send, Receive> {
  send(message: Send): void
  /** Calls `handle` with every message from the other end. */
  onMessage(handle: (message: Receive) => void): void
}

/** The channel of a worker in Node; base/nodeThreads.ts defines it. */
declare const lacunaPort: MessagePort | undefined

/** Returns the worker's end of the channel to the main thread, in Node and in browsers; for workers only. */
export function mainPort<Send, Receive>(): Port<Send, Receive> {
  if (typeof lacunaPort !== 'undefined') {
    const port = lacunaPort
    return {
      send: (message) => port.postMessage(message),
      onMessage: (handle) => port.on('message', handle),
    }
  }
  return {
    send: (message) => self.postMessage(message),
    onMessage: (handle) => self.addEventListener('message', ({ data }) => handle(data)),
  }
}

/** Whether threads can share memory: in Node, and in pages that are cross-origin isolated. */
export function canShareMemory(): boolean {
  return node !== undefined || globalThis.crossOriginIsolated === true
}

/** Cores of the machine, of which a process may have been given some; in Node. */
export function machineThreads(): number {
  return node?.os.cpus().length ?? hardwareThreads()
}

/** Threads worth starting: one per core, or a single one where memory cannot be shared. */
export function hardwareThreads(): number {
  if (node) return node.os.availableParallelism()
  return canShareMemory() ? (navigator.hardwareConcurrency ?? 1) : 1
}
