/** Engines as programs see them: by their interface, so that nobody's types need those of WebAssembly. */
import { CpuEngine } from '../engine/cpu/cpuEngine.ts'
import type { CpuEngineOptions } from '../engine/cpu/options.ts'
import type { Engine } from '../engine/engine.ts'
import * as gpu from '../engine/gpu/gpuEngine.ts'
import type { GpuEngineOptions } from '../engine/gpu/options.ts'

/**
 * An engine of wasm kernels and worker threads, in Node and in browsers, that serves any number of runs until it is closed.
 * Without one, each run starts and ends threads of its own.
 */
export function cpuEngine(options: CpuEngineOptions = {}): Engine {
  return new CpuEngine(options)
}

/**
 * An engine of a graphics card through WebGPU, with the CPU's threads beside it: in browsers as it is, in Node with the
 * package webgpu. Refuses in a sentence where there is no card (docs/gpu.md).
 */
export function gpuEngine(options: GpuEngineOptions = {}): Promise<Engine> {
  return gpu.gpuEngine(options)
}
