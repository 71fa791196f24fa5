export { type FoundAdapter, findAdapter } from './adapter.ts'
export { GpuEngine, type GpuEngineOptions, gpuEngine } from './gpuEngine.ts'
