/**
 * The communicator: processes of a job and their collective operations; mpi/ has those of MPI, which need
 * Node.
 */
export { Communicator, singleProcess, type Transport } from './communicator.ts'
export { entriesPerRound } from './entriesPerRound.ts'
export { type Exchange, type Ranks, singleExchange } from './exchange.ts'
export { type Fault, firstFault, throwFirstFault } from './faults.ts'
