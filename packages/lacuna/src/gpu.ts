/** lacuna/gpu: a graphics card through WebGPU; in Node it needs the package webgpu. */
import type { Engine } from './engine/engine.ts'
import { gpuEngine as openEngine } from './engine/gpu/gpuEngine.ts'
import type { GpuEngineOptions } from './engine/gpu/options.ts'

export type { GpuEngineOptions } from './engine/gpu/options.ts'

/**
 * An engine of a graphics card through WebGPU, with the CPU's threads beside it: in browsers as it is, in Node with the
 * package webgpu. Refuses in a sentence where there is no card (docs/gpu.md).
 */
export function gpuEngine(options: GpuEngineOptions = {}): Promise<Engine> {
  return openEngine(options)
}
