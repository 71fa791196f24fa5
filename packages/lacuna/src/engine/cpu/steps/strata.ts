/** An epoch of SGD in strata (kernels/solve/strata.ts), over the cells of a grid of blocks of rows (grid.ts). */
import { CONTROL_SPINS, STRATA_TURN_BYTES } from '../../../kernels/solve/layout.ts'
import type { StrataStep } from '../../engine.ts'
import type { ModeLayout } from '../memory/layout.ts'
import type { ThreadPartition, ThreadProblem } from '../threads/threadProblem.ts'

/** A turn comes within microseconds, and sleeping takes fifty of them: so many times as often as for a barrier it is looked for. */
const PATIENCE = 5

/** One epoch, the number `done` of those that are asked for; then all parts have its factors, and no momentum. */
export function sweepStrata(
  { parts, thread, threads, meet }: ThreadProblem,
  step: StrataStep,
  done: number,
): void {
  const [{ kernel, memory, layout }] = parts
  const { descriptor, blocks, cellCount, places, turns } = layout.strata!
  const words = new Int32Array(memory.buffer)
  if (done === 0 && thread === 0)
    words.fill(0, turns / 4, (turns + STRATA_TURN_BYTES * blocks * places.length) / 4)
  layout.modes.forEach(({ factor, momentumFactor, rows }, i) => {
    kernel.toBlockOrder(factor, places[i], rows, momentumFactor, thread, threads)
  })
  meet()
  const turn = (done * cellCount) / blocks
  const spins = PATIENCE * words[(layout.control + CONTROL_SPINS) / 4]
  kernel.strataEpoch(descriptor, step.rate, step.least, turn, thread, threads, spins)
  meet()
  layout.modes.forEach(({ factor, momentumFactor, rows }, i) => {
    kernel.fromBlockOrder(momentumFactor, places[i], rows, factor, thread, threads)
  })
  meet()
  layout.modes.forEach((mode) => {
    copyRows(parts, mode, thread, threads)
  })
}

/** A thread's share of the rows of a factor, to the other parts and to where momentum has its past. */
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
