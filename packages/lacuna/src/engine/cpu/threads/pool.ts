/** The interface of a pool of worker threads; startPool.ts implements it. */
import type { Answer, Request } from './messages.ts'

/** Worker threads that are sent requests together and answer together. */
export interface Pool {
  /** Number of workers, started or not. */
  readonly threads: number
  /**
   * Sends one request to each member and waits for all answers, in the order of the members. Rejects if a
   * worker fails, which ends the pool. Workers that belong to several problems
   * process requests one after another, all in the same order.
   * @param members the numbers of the workers
   * @param request makes the request of a member from its position in `members`
   */
  ask(members: readonly number[], request: (position: number) => Request): Promise<Answer[]>
  /** Starts these workers, unless they have been started: others start with their first request. */
  start(members: readonly number[]): void
  /** Ends all workers. */
  close(): Promise<void>
}
