import type { SparseTensor } from '../../tensor/index.ts'
import type { Iterations } from '../engine.ts'
import type { MemoryPlan } from './memoryPlan.ts'

/** What the main thread asks of every worker; each answers once. */
export type Request =
  | {
      type: 'start'
      thread: number
      module: WebAssembly.Module
      memory: WebAssembly.Memory
      plan: MemoryPlan
    }
  | { type: 'build'; tensor: SparseTensor; validation?: SparseTensor; seed: number; valueScale: number }
  | { type: 'iterate'; run: Iterations; skip: number }
  | { type: 'error'; entries: 'train' | 'validation' }

/** `done`: AO iterations done, for `iterate`. */
export type Reply = { done: number } | { failure: string }
