export { CpuEngine, cpuEngine } from './cpuEngine.ts'
export type { CpuEngineOptions } from './options.ts'
export { describePlan } from './plan.ts'
export { canShareMemory, hardwareThreads } from './platform.ts'
