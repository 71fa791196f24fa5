export { CpuEngine, type CpuEngineOptions, cpuEngine } from './cpuEngine.ts'
export { describePlan } from './plan.ts'
export { canShareMemory, hardwareThreads } from './platform.ts'
