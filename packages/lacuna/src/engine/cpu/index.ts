/** The CPU engine. */
export { CpuEngine, cpuEngine } from './cpuEngine.ts'
export { CpuProblem } from './cpuProblem.ts'
export type { LoadedView, LoadedViews } from './loadedViews.ts'
export { describePlan } from './memory/plan.ts'
export type { CpuEngineOptions, RecordOptions } from './options.ts'
export { TopEngine } from './steps/topRows.ts'
export { canShareMemory, hardwareThreads } from './threads/platform.ts'
export { threadsForWork } from './threads/threadsForWork.ts'
