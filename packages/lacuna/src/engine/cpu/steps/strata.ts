/** An epoch of stratified SGD (kernels/solve/strata.ts) over the cells of a grid (grid.ts). */
import { CONTROL_SPINS, STRATA_TURN_BYTES } from '../../../kernels/solve/layout.ts'
import type { StrataStep } from '../../engine.ts'
import type { ModeLayout } from '../memory/layout.ts'
import type { ThreadPartition, ThreadProblem } from '../threads/threadProblem.ts'

/**
 * Spins of a thread that waits for its turn at a cell, as a multiple of those at a barrier: a turn comes
 * within microseconds, and sleeping takes fifty of them.
 */
const SPIN_FACTOR = 5

/**
 * Runs a thread's work of one epoch of stratified SGD. Afterwards, when all threads have returned, all
 * partitions have the new factors, without momentum.
 * @param done the number of epochs since `iterate` was called; turns are counted from 0 at the first
 */
export function sweepStrata(
  { parts, thread, threads, barrier }: ThreadProblem,
  step: StrataStep,
  done: number,
): void {
  const [{ kernel, memory, layout }] = parts
  const { descriptor, blocks, cellCount, positions, turns } = layout.strata!
  const words = new Int32Array(memory.buffer)
  if (done === 0 && thread === 0)
    words.fill(0, turns / 4, (turns + STRATA_TURN_BYTES * blocks * positions.length) / 4)
  layout.modes.forEach(({ factor, momentumFactor, rows }, i) => {
    kernel.toBlockOrder(factor, positions[i], rows, momentumFactor, thread, threads)
  })
  barrier()
  const turn = (done * cellCount) / blocks
  const spins = SPIN_FACTOR * words[(layout.control + CONTROL_SPINS) / 4]
  kernel.strataEpoch(descriptor, step.rate, step.least, turn, thread, threads, spins)
  barrier()
  layout.modes.forEach(({ factor, momentumFactor, rows }, i) => {
    kernel.fromBlockOrder(momentumFactor, positions[i], rows, factor, thread, threads)
  })
  barrier()
  layout.modes.forEach((mode) => {
    copyRows(parts, mode, thread, threads)
  })
}

/**
 * Copies a thread's range of the rows of a factor of the first partition to the other partitions, and to the
 * momentum factors of all.
 */
function copyRows(
  parts: readonly ThreadPartition[],
  { factor, momentumFactor, rows }: ModeLayout,
  thread: number,
  threads: number,
): void {
  const [{ memory, layout }] = parts
  const begin = Math.floor((rows * thread) / threads) * layout.padded
  const end = Math.floor((rows * (thread + 1)) / threads) * layout.padded
  const own = new Float32Array(memory.buffer, factor, rows * layout.padded).subarray(begin, end)
  for (const part of parts) {
    new Float32Array(part.memory.buffer, momentumFactor, rows * layout.padded).set(own, begin)
    if (part !== parts[0]) new Float32Array(part.memory.buffer, factor, rows * layout.padded).set(own, begin)
  }
}
