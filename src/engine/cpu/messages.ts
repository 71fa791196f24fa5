import type { SparseTensor } from '../../tensor/index.ts'
import type { EntrySet, Iterations } from '../engine.ts'
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
  | { type: 'build'; sets: Record<EntrySet, SparseTensor | undefined>; seed: number; valueScale: number }
  | { type: 'iterate'; run: Iterations; skip: number }
  | { type: 'balance' }
  | { type: 'error'; entries: EntrySet }

/** `done`: AO iterations done, for `iterate`. */
export type Reply = { done: number } | { failure: string }
