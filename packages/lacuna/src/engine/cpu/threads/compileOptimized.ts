/**
 * Compiles WebAssembly with V8's optimizing compiler, in Node. By default V8 compiles a function when it is first
 * called, with a fast compiler, and optimizes it while it runs: a first run of some tenths of a second is over by
 * then. Hidden state: V8's flags are those of the whole process, so they are set only while a module is compiled.
 */
import { node } from '../../../base/nodeModules.ts'

/** Modules that are being compiled. */
let compiling = 0
/** Whether all modules of the process are optimized, those of other programs too. */
let isAlways = false

/** Makes V8 optimize every function of every module before it runs first; for a program of our own. */
export function optimizeAlways(): void {
  isAlways = true
  node?.v8.setFlagsFromString('--no-liftoff')
}

/** Compiles and optimizes all functions of a module; other modules are compiled as before. */
export async function compileOptimized(code: BufferSource): Promise<WebAssembly.Module> {
  if (!node || isAlways) return WebAssembly.compile(code)
  if (compiling++ === 0) setFlags('--no-liftoff', '--no-wasm-lazy-compilation')
  try {
    return await WebAssembly.compile(code)
  } finally {
    if (--compiling === 0) setFlags('--liftoff', '--wasm-lazy-compilation')
  }
}

/** Sets flags of V8. */
function setFlags(...flags: readonly string[]): void {
  for (const flag of flags) node?.v8.setFlagsFromString(flag)
}
