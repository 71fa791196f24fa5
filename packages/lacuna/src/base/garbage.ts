/**
 * Garbage collection at once, so that the memory of a long job does not depend on when the system would do
 * it: Node does not count shared arrays and WebAssembly memories, and collects them by chance.
 */
import { node } from './nodeModules.ts'

/** Least bytes of garbage that are collected at once: a collection takes about 10 ms. */
const LEAST_GARBAGE = 2 ** 22

/**
 * Collects the garbage of this thread at once, if it is much. Does nothing in browsers, which cannot.
 * @param bytes about how much garbage there is
 */
export function collectGarbage(bytes: number): void {
  if (!node || bytes < LEAST_GARBAGE) return
  node.v8.setFlagsFromString('--expose-gc')
  node.vm.runInNewContext('gc')()
}
