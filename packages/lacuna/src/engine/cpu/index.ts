export { CpuEngine, cpuEngine } from './cpuEngine.ts'
export { describePlan } from './memory/plan.ts'
export type { CpuEngineOptions } from './options.ts'
export { canShareMemory, hardwareThreads } from './threads/platform.ts'
