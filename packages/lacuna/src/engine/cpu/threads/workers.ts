/** The threads and processes that work on a problem. */
import type { Communicator } from '../../../comm/index.ts'
import type { Pool } from './pool.ts'
import type { ThreadGroup } from './threadGroup.ts'

/** The worker threads of this process that work on a problem, and the processes that do so together. */
export interface ProblemWorkers {
  pool: Pool
  /** The numbers of the workers of the pool that belong to the problem. */
  members: readonly number[]
  communicator: Communicator
  /** Whether all threads take part in everything, however little it is. */
  allThreads: boolean
  /** The threads that work on the memories of the problem together, in this process and maybe in others. */
  group: ThreadGroup
}
