/** The processes that an MPI launcher has started: how many they are, which one this is, and how all of them end. */
import { endAll } from './libmpi.ts'

/** The address of the module that a worker thread imports to connect with the other processes. */
export const exchangeModule = new URL('./mpiExchange.js', import.meta.url).href

/**
 * Ends all processes at once, this one first: from the main thread, since the one that speaks with the others may be waiting
 * for them.
 */
export async function abortJob(code: number, library?: string): Promise<never> {
  try {
    await endAll(code, library)
  } finally {
    process.kill(process.pid, 'SIGKILL')
  }
  throw new Error('unreachable')
}

/** Which of the processes that a launcher has started this is, by what it tells. */
export function launchedProcess(env: NodeJS.ProcessEnv = process.env): number {
  return Number(env.OMPI_COMM_WORLD_RANK ?? env.PMI_RANK ?? env.PMIX_RANK ?? env.SLURM_PROCID ?? 0)
}

/** How many processes an MPI launcher (mpirun, mpiexec, srun) has started, by what it tells them; 1 if none did. */
export function launchedProcesses(env: NodeJS.ProcessEnv = process.env): number {
  // Open MPI; MPICH's Hydra, Intel MPI and Slurm's PMI-2; Slurm's PMIx, or whatever it was told to use.
  const isStep = env.PMIX_RANK !== undefined || (env.SLURM_MPI_TYPE ?? 'none') !== 'none'
  const ofStep = isStep ? (env.SLURM_STEP_NUM_TASKS ?? env.SLURM_NTASKS) : undefined
  const processes = Number(env.OMPI_COMM_WORLD_SIZE ?? env.PMI_SIZE ?? ofStep ?? 1)
  return Number.isInteger(processes) && processes > 0 ? processes : 1
}
