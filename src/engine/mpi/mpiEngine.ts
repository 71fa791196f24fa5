/**
 * The CPU engine's parts spread over the processes of an MPI job: each has its threads, owns rows of every mode and their
 * entries, and holds all factors. Every process runs the same program, with its own share of the entries, and gets the
 * same answers; the factors are those of one process alone, to the bit.
 */
import { CpuEngine, type CpuEngineOptions } from '../cpu/cpuEngine.ts'
import type { MpiOptions } from './mpiExchange.ts'

export interface MpiEngineOptions extends CpuEngineOptions, MpiOptions {}

/**
 * UCX and Open MPI patch the system's memory functions while other threads run, and UCX takes over the signals by which V8
 * learns of faults in wasm: in a process of many threads and a garbage collector both end in crashes.
 */
const QUIET_LIBRARIES = {
  UCX_MEM_MMAP_HOOK_MODE: 'none',
  UCX_MEM_EVENTS: 'no',
  UCX_ERROR_SIGNALS: '',
  UCX_HANDLE_ERRORS: 'none',
  OMPI_MCA_memory: '^patcher',
}

/** The engine of all processes that mpirun has started; they meet here. */
export async function mpiEngine({ library, ...options }: MpiEngineOptions = {}): Promise<CpuEngine> {
  // Read by the libraries when they are loaded; in a worker's process.env it would not reach them.
  for (const [name, value] of Object.entries(QUIET_LIBRARIES)) process.env[name] ??= value
  const module = new URL('./mpiExchange.js', import.meta.url).href
  const engine = new CpuEngine(options, { module, options: { library } })
  try {
    await engine.world()
    return engine
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** How many processes an MPI launcher (mpirun, mpiexec, srun) has started, by what it tells them; 1 if none did. */
export function launchedProcesses(env: NodeJS.ProcessEnv = process.env): number {
  // Open MPI; MPICH's Hydra and Intel MPI; Slurm, where it speaks PMI with the processes itself.
  const told =
    env.OMPI_COMM_WORLD_SIZE ??
    env.PMI_SIZE ??
    (env.SLURM_MPI_TYPE !== undefined ? env.SLURM_NTASKS : undefined)
  const processes = Number(told ?? 1)
  return Number.isInteger(processes) && processes > 0 ? processes : 1
}
