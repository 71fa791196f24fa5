/**
 * The CPU engine's parts spread over the processes of an MPI job: each has its threads, owns rows of every
 * mode and their entries, and holds all factors. Every process runs the same program, with its own shard of
 * the entries, and gets the same answers; the factors are those of one process alone, to the bit.
 */
import { InputError, option, sentence } from '../../base/inputError.ts'
import { exchangeModule, launchedProcesses, type MpiOptions, openLibrary } from '../../comm/mpi/index.ts'
import { CpuEngine, type CpuEngineOptions } from './cpuEngine.ts'

/** Options of the threads of each process, and of the MPI library. */
export interface MpiEngineOptions extends CpuEngineOptions, MpiOptions {}

/**
 * Environment variables that restrain MPI libraries; those that are set already are left alone.
 * UCX and Open MPI patch the system's memory functions while other threads run, and UCX takes over the
 * signals by which V8 learns of faults in wasm: in a process of many threads and a garbage collector both end
 * in crashes.
 */
const QUIET_LIBRARIES = {
  UCX_MEM_MMAP_HOOK_MODE: 'none',
  UCX_MEM_EVENTS: 'no',
  UCX_ERROR_SIGNALS: '',
  UCX_HANDLE_ERRORS: 'none',
  OMPI_MCA_memory: '^patcher',
}

/**
 * Opens the engine of all processes that mpirun has started; returns when all have called it. Throws an
 * InputError if the library is missing or is not that of the launcher.
 */
export async function mpiEngine({
  library,
  sharedMemory,
  ...options
}: MpiEngineOptions = {}): Promise<CpuEngine> {
  // Read by the libraries when they are loaded; in a worker's process.env it would not reach them.
  for (const [name, value] of Object.entries(QUIET_LIBRARIES)) process.env[name] ??= value
  await openLibrary(library) // a worker's error is not one of the user's
  const engine = new CpuEngine(options, { module: exchangeModule, options: { library, sharedMemory } })
  try {
    const { size } = await engine.connect()
    checkProcessCount(size, launchedProcesses())
    return engine
  } catch (error) {
    await engine.close()
    throw error
  }
}

/**
 * Throws an InputError if the MPI library finds another number of processes than were launched. A library
 * that is not the launcher's takes every process for the only one: each would do all the work, and write it.
 */
function checkProcessCount(found: number, launched: number): void {
  if (launched > 1 && found !== launched)
    throw new InputError(
      'unavailable',
      sentence`${launched} processes were started, but the MPI library finds ${found} of them: it is not that of the launcher, whose library can be named with ${option('mpiLibrary')}.`,
    )
}
