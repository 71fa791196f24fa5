/** lacuna/gpu: an engine that runs on a GPU through WebGPU; in Node it needs the package webgpu. */
import type { Engine } from './engine/engine.ts'
import { gpuEngine as openEngine } from './engine/gpu/gpuEngine.ts'
import type { GpuEngineOptions } from './engine/gpu/options.ts'

export type { GpuEngineOptions } from './engine/gpu/options.ts'

/**
 * Opens an engine that runs on a GPU through WebGPU, with the CPU's threads for what the GPU does not implement (docs/gpu.md). In
 * Node it needs the package webgpu. Throws an InputError where there is no GPU.
 */
export function gpuEngine(options: GpuEngineOptions = {}): Promise<Engine> {
  return openEngine(options)
}
