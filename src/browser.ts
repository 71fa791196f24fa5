/** The public API in a browser. */
export {
  type CpuEngineOptions,
  canShareMemory,
  cpuEngine,
  describeMemory,
  hardwareThreads,
  type MemoryPlan,
  planMemory,
} from './engine/cpu/index.ts'
export type { Engine, ErrorSums, Iterations, Problem } from './engine/engine.ts'
export * from './image/index.ts'
export { InputError, type InputErrorCode, type OptionMention } from './inputError.ts'
export * from './io/index.ts'
export * from './model/index.ts'
export * from './solver/index.ts'
export * from './tensor/index.ts'
export { version } from './version.ts'
