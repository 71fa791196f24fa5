export { type CpuEngineOptions, cpuEngine } from './cpuEngine.ts'
export { describeMemory, formatBytes, type MemoryPlan, planMemory } from './memoryPlan.ts'
export { hardwareThreads } from './platform.ts'
