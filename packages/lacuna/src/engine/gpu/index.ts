/** The GPU engine (WebGPU). */
export { type FoundAdapter, findAdapter } from './adapter.ts'
export { autoEngine, GpuEngine, type GpuEngineOptions, gpuEngine } from './gpuEngine.ts'
