/**
 * lacuna/edge: kernels as modules, for hosts that do not compile WebAssembly from bytes, such as Cloudflare
 * Workers. There a file `.wasm` is compiled when the program is deployed; `complete` then runs on the calling thread.
 */
import { InputError } from './base/inputError.ts'
import { kernelCode, paddedRank, setKernel } from './engine/cpu/index.ts'

/**
 * Returns the code of the kernel that solves problems of a rank (.wasm), to be written to a file when a program
 * is built.
 * @param rank number of components, R
 */
export async function kernelBytes(rank: number): Promise<Uint8Array> {
  return kernelCode(paddedRank(checkRank(rank)))
}

/**
 * Gives the kernel for problems of a rank as a compiled module: `complete` with this rank then compiles nothing.
 * @param rank number of components, R, as for `kernelBytes`
 * @param module compiled from the bytes of `kernelBytes` of the same version of Lacuna
 */
export function provideKernel(rank: number, module: WebAssembly.Module): void {
  if (!(module instanceof WebAssembly.Module))
    throw new InputError('option', 'The kernel is no WebAssembly.Module; import the file .wasm as a module.')
  setKernel(paddedRank(checkRank(rank)), module)
}

/** Returns a rank if it is a whole number above 0; throws if not. */
function checkRank(rank: number): number {
  if (!Number.isInteger(rank) || rank < 1)
    throw new InputError('option', `The rank is ${rank}; it must be a whole number from 1 on.`)
  return rank
}
