import { inflateSync } from 'fflate'
import { node } from '../../../base/nodeModules.ts'
import { kernels } from '../../../embedded/kernels.js'

/** Those of this process so far: code is small, and the next problem may have the same rank. */
const compiled = new Map<number, Promise<WebAssembly.Module>>()

/**
 * The kernel of a padded rank, which lies in a module of its own as text: every bundler and every host can import that,
 * while a file beside the code is lost when the code moves. A compiled module can be sent to worker threads.
 */
export function compileKernel(padded: number): Promise<WebAssembly.Module> {
  const module = compiled.get(padded) ?? compile(padded)
  compiled.set(padded, module)
  module.catch(() => compiled.delete(padded))
  return module
}

async function compile(padded: number): Promise<WebAssembly.Module> {
  const { default: text } = await kernels[padded]()
  // Node's own is there sooner than code that is still to be compiled.
  if (node) return WebAssembly.compile(node.zlib.inflateRawSync(Buffer.from(text, 'base64')))
  return WebAssembly.compile(inflateSync(Uint8Array.from(atob(text), (char) => char.charCodeAt(0))))
}
