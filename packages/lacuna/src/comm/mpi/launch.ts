/**
 * The processes that an MPI launcher has started: their number, the rank of this one, and how to end all of
 * them.
 */
import { abortAll } from './libmpi.ts'

/** The address of the module that a worker thread imports to connect with the other processes. */
export const exchangeModule = new URL('./mpiExchange.js', import.meta.url).href

/**
 * Ends all processes of the job at once. For the main thread: the thread that has the exchange may be waiting
 * for other processes.
 * @param code the exit code
 * @param library the file of the MPI library; by default one that is installed
 */
export async function abortJob(code: number, library?: string): Promise<never> {
  try {
    await abortAll(code, library)
  } finally {
    process.kill(process.pid, 'SIGKILL')
  }
  throw new Error('unreachable')
}

/** Returns the rank of this process as the launcher's environment variables give it; 0 without a launcher. */
export function launchedRank(env: NodeJS.ProcessEnv = process.env): number {
  return Number(env.OMPI_COMM_WORLD_RANK ?? env.PMI_RANK ?? env.PMIX_RANK ?? env.SLURM_PROCID ?? 0)
}

/**
 * Returns the number of processes that a launcher (mpirun, mpiexec, srun) has started, by its environment
 * variables; else 1.
 */
export function launchedProcesses(env: NodeJS.ProcessEnv = process.env): number {
  // Open MPI; MPICH's Hydra, Intel MPI and Slurm's PMI-2; Slurm's PMIx, or another type that it is set to.
  const isStep = env.PMIX_RANK !== undefined || (env.SLURM_MPI_TYPE ?? 'none') !== 'none'
  const ofStep = isStep ? (env.SLURM_STEP_NUM_TASKS ?? env.SLURM_NTASKS) : undefined
  const processes = Number(env.OMPI_COMM_WORLD_SIZE ?? env.PMI_SIZE ?? ofStep ?? 1)
  return Number.isInteger(processes) && processes > 0 ? processes : 1
}
