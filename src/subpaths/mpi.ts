/** lacuna/mpi: one problem on many processes; needs koffi and an MPI library. */
export { launchedProcesses, type MpiEngineOptions, mpiEngine } from '../engine/mpi/mpiEngine.ts'
