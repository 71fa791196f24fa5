/** The CPU engine by its interface, so that the types of programs do not need those of WebAssembly. */
import { CpuEngine } from './cpu/cpuEngine.ts'
import type { CpuEngineOptions } from './cpu/options.ts'
import type { Engine } from './engine.ts'

/**
 * Opens an engine of wasm kernels and worker threads, in Node and in browsers. It serves any number of runs
 * until it is closed. Without one, each run starts and ends threads of its own.
 */
export function cpuEngine(options: CpuEngineOptions = {}): Engine {
  return new CpuEngine(options)
}
