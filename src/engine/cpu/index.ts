export { type CpuEngineOptions, cpuEngine } from './cpuEngine.ts'
export { describeMemory, formatBytes, type MemoryPlan, planMemory } from './memoryPlan.ts'
export { canShareMemory, hardwareThreads } from './platform.ts'
