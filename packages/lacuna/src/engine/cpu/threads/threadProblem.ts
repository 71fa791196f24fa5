/**
 * A loaded problem as one thread sees it: its partitions, each with a kernel instance over its memory, and
 * barriers.
 */

import { type Exchange, singleExchange } from '../../../comm/index.ts'
import { CONTROL_NEXT_TASK } from '../../../kernels/solve/layout.ts'
import type { Timed } from '../../engine.ts'
import type { PartitionMemory } from '../memory/layout.ts'
import type { ExchangePlan } from '../steps/exchangePlan.ts'
import { instantiateKernel, type Kernel } from './kernel.ts'
import type { ThreadSetup } from './messages.ts'

/** A loaded problem as one thread sees it. */
export interface ThreadProblem extends ThreadSetup, ExchangePlan {
  /** The partitions of this process, each with the thread's kernel instance. */
  parts: readonly ThreadPartition[]
}

/** A partition with this thread's kernel instance over its memory. */
export interface ThreadPartition extends PartitionMemory {
  kernel: Kernel
  /** The words of the control block (CONTROL_… of kernels/solve/layout.ts). */
  words: Int32Array
  /** Per mode, the number of rows with entries. */
  observed: readonly number[]
  /** Whether unlisted cells are zeros. */
  zeros: boolean
}

/** Opens a problem on a thread: instantiates a kernel over the memory of each partition. */
export function openProblem(
  setup: ThreadSetup,
  module: WebAssembly.Module,
  exchange: Exchange,
): ThreadProblem {
  const { thread, observed, zeros } = setup
  const parts = setup.parts.map(({ memory, layout }) => {
    const kernel = instantiateKernel(module, memory)
    kernel.setScratch(layout.scratch[thread], setup.posterior === 'groups' ? layout.modes.length - 1 : 0)
    kernel.setPosteriorScratch(layout.posteriorScratch[thread])
    const words = new Int32Array(memory.buffer, layout.control, 64)
    return { kernel, memory, layout, observed, zeros, words }
  })
  const memories = parts.map(({ memory }) => memory)
  return {
    ...setup,
    parts,
    exchange: exchange.sharesMemory ? withoutMessages(exchange) : exchange,
    memories,
    barrier: () => barrier(parts, thread),
  }
}

/**
 * The exchange of a thread group that has all processes: rows and sums are in memory that they share, and only
 * the clock of rank 0 is left to broadcast.
 */
const withoutMessages = ({ secondsSpent, broadcast }: Exchange): Exchange => ({
  ...singleExchange,
  secondsSpent,
  broadcast,
})

/**
 * Barrier: waits for all threads of the problem's thread group, and resets the partitions' task counters.
 */
export function barrier(parts: readonly ThreadPartition[], thread: number): void {
  const [{ kernel, layout }, ...others] = parts
  kernel.barrier(layout.control)
  if (others.length === 0) return
  // The barrier is in the first partition, and resets only the task counter there.
  if (thread === 0) for (const { words } of others) Atomics.store(words, CONTROL_NEXT_TASK / 4, 0)
  kernel.barrier(layout.control)
}

/**
 * The seconds since `start`. On the first thread of a process they are those of rank 0: all processes must
 * call it together.
 * @param start a time of performance.now()
 */
export function timeSince({ exchange, inProcess }: ThreadProblem, start: number): Timed {
  const seconds = Float64Array.of((performance.now() - start) / 1000)
  if (inProcess.thread === 0) exchange.broadcast(seconds)
  return { seconds: seconds[0] }
}
