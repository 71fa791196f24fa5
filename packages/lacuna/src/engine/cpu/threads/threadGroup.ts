/**
 * Thread groups: the threads that work on the same memories. They are those of one process or, where all
 * processes of a job are on one machine and can share memory, those of all processes. Each group has
 * partitions of its own; groups exchange rows by messages, threads of a group need not.
 */
import type { Communicator } from '../../../comm/index.ts'
import type { ThreadPosition } from './messages.ts'

/** The thread group of a problem, as one of its processes sees it. */
export interface ThreadGroup {
  /** The number of this group among all groups, from 0. */
  readonly rank: number
  /** The number of groups: partitions and entries are divided among them. */
  readonly size: number
  /** The number of threads of the group. */
  readonly threads: number
  /** The most threads that any group has. */
  readonly mostThreads: number
  /** Whether the group has threads of several processes. */
  readonly isShared: boolean
  /** Whether this is the process that writes what the group needs once. */
  readonly isLeader: boolean
  /** Positions of a thread of this process, given its number there: in the group, and in the process. */
  positionsOf(thread: number): { thread: number; inProcess: ThreadPosition }
  /** Waits for all processes of the group. */
  barrier(): Promise<void>
  /** Makes memory, of the same size in all processes of the group, common to them; it is then all 0. */
  share(memory: WebAssembly.Memory): Promise<void>
}

/**
 * Forms the thread group of this process; all processes call it together.
 * @param threads the threads of this process that work on the problem
 */
export async function formGroup(communicator: Communicator, threads: number): Promise<ThreadGroup> {
  const counts = (await communicator.allGatherNumbers(threads)).flat()
  const { rank, size, sharesMemory: isShared } = communicator
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, count) => total + count, 0)
  const before = isShared ? sum(counts.slice(0, rank)) : 0
  const all = isShared ? sum(counts) : threads
  return {
    rank: isShared ? 0 : rank,
    size: isShared ? 1 : size,
    threads: all,
    mostThreads: isShared ? all : Math.max(...counts),
    isShared,
    isLeader: !isShared || communicator.isRoot,
    positionsOf: (thread) => ({ thread: before + thread, inProcess: { thread, threads } }),
    async barrier() {
      if (isShared) await communicator.barrier()
    },
    async share(memory) {
      if (isShared) await communicator.shareMemory(memory.buffer)
    },
  }
}
