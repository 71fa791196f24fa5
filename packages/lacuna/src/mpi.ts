/** lacuna/mpi: an engine that runs one problem on many processes; needs the package koffi and an MPI library. */

export type { Communicator } from './comm/index.ts'

import type { MpiOptions } from './comm/mpi/index.ts'
import { mpiEngine as openEngine } from './engine/cpu/mpiEngine.ts'
import type { CpuEngineOptions } from './engine/cpu/options.ts'
import type { Engine } from './engine/engine.ts'

/** Options of `mpiEngine`: threads per process, and the MPI library. */
export interface MpiEngineOptions extends CpuEngineOptions, MpiOptions {}

/** An engine on several processes, which all run the same program. */
export interface MpiEngine extends Engine {
  /** Rank of this process, from 0. */
  readonly process: number
  /** Number of processes. */
  readonly processes: number
}

/** Opens the engine of all processes that mpirun has started; resolves when all of them have called it. */
export function mpiEngine(options: MpiEngineOptions = {}): Promise<MpiEngine> {
  return openEngine(options)
}
