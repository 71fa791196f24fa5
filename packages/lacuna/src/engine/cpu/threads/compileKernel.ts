/** Compiles the kernels of a rank, once per process, or takes modules that were compiled elsewhere. */
import { inflateSync } from 'fflate'
import { node } from '../../../base/nodeModules.ts'
import { kernels } from '../../../embedded/kernels.js'
import { compileOptimized } from './compileOptimized.ts'

/** Compiled kernels of this process, by padded rank: the next problem may have the same rank. */
const compiled = new Map<number, Promise<WebAssembly.Module>>()

/**
 * Compiles the kernel of a padded rank, or returns the module of an earlier call. Its code is text in a
 * module of its own, which every bundler and host can import; a file beside the code would be lost when the
 * code moves. A compiled module can be sent to worker threads.
 * @param isOptimized whether functions are optimized before they run: worthwhile for a run of some tenths of a
 * second, in Node; they take some tens of milliseconds
 */
export function compileKernel(padded: number, isOptimized = false): Promise<WebAssembly.Module> {
  const module = compiled.get(padded) ?? compile(padded, isOptimized)
  compiled.set(padded, module)
  module.catch(() => compiled.delete(padded))
  return module
}

/**
 * Uses a module for all problems of a padded rank, in place of one that would be compiled from bytes.
 * @param module compiled from the bytes of `kernelCode`
 */
export function setKernel(padded: number, module: WebAssembly.Module): void {
  compiled.set(padded, Promise.resolve(module))
}

/** Inflates the embedded code of a kernel. */
export async function kernelCode(padded: number): Promise<Uint8Array<ArrayBuffer>> {
  const { default: text } = await kernels[padded]()
  // Node's inflate is available sooner than one that is still to be compiled.
  if (node) return new Uint8Array(node.zlib.inflateRawSync(Buffer.from(text, 'base64')))
  return inflateSync(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)))
}

/** Compiles the embedded code of a kernel. */
async function compile(padded: number, isOptimized: boolean): Promise<WebAssembly.Module> {
  const code = await kernelCode(padded)
  return node && isOptimized ? compileOptimized(code) : WebAssembly.compile(code)
}
