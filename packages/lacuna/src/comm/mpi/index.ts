/**
 * MPI: the launcher's processes, the library, and the module that a worker thread imports to exchange data
 * with it.
 */
export { abortJob, exchangeModule, launchedProcesses, launchedRank } from './launch.ts'
export { openLibrary } from './libmpi.ts'
export type { MpiOptions } from './mpiExchange.ts'
