/** Compiles the kernels of a rank, once per process. */
import { inflateSync } from 'fflate'
import { node } from '../../../base/nodeModules.ts'
import { kernels } from '../../../embedded/kernels.js'

/** Compiled kernels of this process, by padded rank: the next problem may have the same rank. */
const compiled = new Map<number, Promise<WebAssembly.Module>>()

/**
 * Compiles the kernel of a padded rank, or returns the module of an earlier call. Its code is text in a
 * module of its own, which every bundler and host can import; a file beside the code would be lost when the
 * code moves. A compiled module can be sent to worker threads.
 */
export function compileKernel(padded: number): Promise<WebAssembly.Module> {
  const module = compiled.get(padded) ?? compile(padded)
  compiled.set(padded, module)
  module.catch(() => compiled.delete(padded))
  return module
}

/** Inflates the embedded code of a kernel and compiles it. */
async function compile(padded: number): Promise<WebAssembly.Module> {
  const { default: text } = await kernels[padded]()
  // Node's inflate is available sooner than one that is still to be compiled.
  if (node) return WebAssembly.compile(node.zlib.inflateRawSync(Buffer.from(text, 'base64')))
  return WebAssembly.compile(inflateSync(Uint8Array.from(atob(text), (char) => char.charCodeAt(0))))
}
