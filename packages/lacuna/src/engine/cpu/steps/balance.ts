/**
 * Balances the columns of the factors: a factor c of column r of one mode can be divided out of another
 * mode's column without changing the model. Equal column norms minimise λ Σ‖U⁽ⁱ⁾‖² and keep float32 values
 * near 1. Every partition runs the same passes on the same numbers.
 */
import { BLOCK_ROWS } from '../../../kernels/solve/layout.ts'
import type { ModeLayout, PartitionLayout } from '../memory/layout.ts'
import type { ThreadPartition } from '../threads/threadProblem.ts'

/** The passes of balancing, in order; all threads synchronize between two passes. */
export const balancePasses: readonly ((part: ThreadPartition, thread: number, threads: number) => void)[] = [
  function measure({ kernel, layout }, thread, threads) {
    for (const { factor, rows, rowLengths, blockSums } of layout.modes)
      kernel.sumSquares(factor, rows, rowLengths, blockSums, thread, threads)
  },
  function choose({ memory, layout }, thread) {
    if (thread === 0) chooseScales(memory, layout)
  },
  function scale({ kernel, layout }, thread, threads) {
    for (const { factor, momentumFactor, rows, rowLengths, by, blockSums } of layout.modes) {
      kernel.scaleColumns(factor, rows, by, thread, threads)
      if (momentumFactor) kernel.scaleColumns(momentumFactor, rows, by, thread, threads)
      kernel.sumRows(factor, rows, rowLengths, blockSums, thread, threads)
    }
  },
  function average(part, thread) {
    if (thread === 0) writeMeans(part, 'mean')
  },
  fill('mean'),
]

/** The passes that give rows without entries the mean of the others; the mean of λ stays as it is. */
export const fillPasses: typeof balancePasses = [
  function sum({ kernel, layout }, thread, threads) {
    for (const { factor, rows, rowLengths, blockSums } of layout.modes)
      kernel.sumRows(factor, rows, rowLengths, blockSums, thread, threads)
  },
  function average(part, thread) {
    if (thread === 0) writeMeans(part, 'by')
  },
  fill('by'),
]

function fill(row: 'mean' | 'by'): (typeof balancePasses)[number] {
  return function fillEmptyRows({ kernel, layout, observed }, thread, threads) {
    layout.modes.forEach((mode, i) => {
      const { factor, rows, rowLengths } = mode
      if (observed[i] < rows) kernel.fillEmptyRows(factor, rows, rowLengths, mode[row], thread, threads)
    })
  }
}

/** Σ over the blocks of a mode, in order (R). */
export function addBlocks(
  memory: WebAssembly.Memory,
  { padded }: PartitionLayout,
  mode: ModeLayout,
): Float64Array {
  const blocks = Math.ceil(mode.rows / BLOCK_ROWS)
  const sums = new Float32Array(memory.buffer, mode.blockSums, blocks * padded)
  const total = new Float64Array(padded)
  for (let at = 0; at < sums.length; at += padded) for (let r = 0; r < padded; r++) total[r] += sums[at + r]
  return total
}

function chooseScales(memory: WebAssembly.Memory, layout: PartitionLayout): void {
  const { padded, modes } = layout
  const lengths = modes.map((mode) => addBlocks(memory, layout, mode).map(Math.sqrt))
  const common = lengths[0].map(
    (_, r) => lengths.reduce((product, length) => product * length[r], 1) ** (1 / modes.length),
  )
  const scale = scaleVector(common, modes.length)
  modes.forEach((mode, i) => {
    const by = common.map((length, r) => (length > 0 && length < Infinity ? length / lengths[i][r] : 1))
    new Float32Array(memory.buffer, mode.by, padded).set(by)
    new Float32Array(memory.buffer, mode.scale, padded).set(scale)
  })
}

/**
 * v of the gradient step: 1 / (the typical size of k_r), up to a common factor; k is a product of N − 1
 * columns.
 */
function scaleVector(common: Float64Array, order: number): Float64Array {
  const longest = Math.max(...common)
  const smallest = 1e-3 // a component this much smaller than the largest may grow again
  return common.map((length) =>
    Math.min(1e30, Math.max(smallest, longest > 0 ? length / longest : 1) ** (1 - order)),
  )
}

function writeMeans({ memory, layout, observed, zeros }: ThreadPartition, into: 'mean' | 'by'): void {
  for (const [i, mode] of layout.modes.entries()) {
    const mean = addBlocks(memory, layout, mode).map((sum) => (zeros ? 0 : sum / observed[i]))
    new Float32Array(memory.buffer, mode[into], layout.padded).set(mean)
  }
}
