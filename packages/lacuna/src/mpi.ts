/** lacuna/mpi: one problem on many processes; needs koffi and an MPI library. */

export type { Communicator } from './comm/index.ts'

import type { MpiOptions } from './comm/mpi/index.ts'
import { mpiEngine as openEngine } from './engine/cpu/mpiEngine.ts'
import type { CpuEngineOptions } from './engine/cpu/options.ts'
import type { Engine } from './engine/engine.ts'

/** Threads per process, and the MPI library. */
export interface MpiEngineOptions extends CpuEngineOptions, MpiOptions {}

/** An engine of which each process has a part; all of them run the same program. */
export interface MpiEngine extends Engine {
  /** Which process this is, of how many. */
  readonly process: number
  readonly processes: number
}

/** The engine of all processes that mpirun has started; they meet here. */
export function mpiEngine(options: MpiEngineOptions = {}): Promise<MpiEngine> {
  return openEngine(options)
}
