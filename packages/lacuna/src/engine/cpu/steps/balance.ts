/**
 * Balances the columns of the factors: a factor c of column r of one mode can be divided out of another
 * mode's column without changing the model. Equal column norms minimise λ Σ‖U⁽ⁱ⁾‖² and keep float32 values
 * near 1. Every partition runs the same passes on the same numbers.
 */
import { BLOCK_ROWS } from '../../../kernels/solve/layout.ts'
import type { ModeLayout, PartitionLayout } from '../memory/layout.ts'
import type { ThreadPartition } from '../threads/threadProblem.ts'

/**
 * The passes of balancing over a partition, in order; all threads synchronize between two passes. The last
 * ones write the mean of the rows with entries, and give it to the rows without.
 */
export const balancePasses: readonly ((part: ThreadPartition, thread: number, threads: number) => void)[] = [
  /** Sums the squares of each column per block of rows. */
  function sumColumnSquares({ kernel, layout }, thread, threads) {
    for (const { factor, rows, rowLengths, blockSums } of layout.modes)
      kernel.sumSquares(factor, rows, rowLengths, blockSums, thread, threads)
  },
  /** Chooses the factors of the columns, from these sums. */
  function chooseColumnScales({ memory, layout }, thread) {
    if (thread === 0) writeScales(memory, layout)
  },
  /** Multiplies the columns of factors and momentum factors, and sums their rows per block. */
  function scaleColumns({ kernel, layout }, thread, threads) {
    for (const { factor, momentumFactor, rows, rowLengths, columnScales, blockSums } of layout.modes) {
      kernel.scaleColumns(factor, rows, columnScales, thread, threads)
      if (momentumFactor) kernel.scaleColumns(momentumFactor, rows, columnScales, thread, threads)
      kernel.sumRows(factor, rows, rowLengths, blockSums, thread, threads)
    }
  },
  /** Writes the mean of the rows with entries. */
  function averageRows(part, thread) {
    if (thread === 0) writeMeanRow(part, 'mean')
  },
  fillPass('mean'),
]

/**
 * The passes that give rows without entries the mean of the others. The mean towards which λ shrinks rows
 * stays as it is: this one is written in the memory of the column scales.
 */
export const fillPasses: typeof balancePasses = [
  /** Sums the rows with entries per block of rows. */
  function sumRows({ kernel, layout }, thread, threads) {
    for (const { factor, rows, rowLengths, blockSums } of layout.modes)
      kernel.sumRows(factor, rows, rowLengths, blockSums, thread, threads)
  },
  /** Writes the mean of the rows with entries. */
  function averageRows(part, thread) {
    if (thread === 0) writeMeanRow(part, 'columnScales')
  },
  fillPass('columnScales'),
]

/** Returns the pass that copies a row, `mean` or `columnScales` of each mode's layout, to the rows without entries. */
function fillPass(row: 'mean' | 'columnScales'): (typeof balancePasses)[number] {
  return function fillEmptyRows({ kernel, layout, observed }, thread, threads) {
    layout.modes.forEach((mode, i) => {
      const { factor, rows, rowLengths } = mode
      if (observed[i] < rows) kernel.fillEmptyRows(factor, rows, rowLengths, mode[row], thread, threads)
    })
  }
}

/** Adds the block sums of a mode in order, in float64: a sum per column (R, padded). */
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

/**
 * Writes the factors by which columns are multiplied, so that each component has the same norm in all modes
 * (the geometric mean of its norms), and v of the gradient step; from the squares summed per block. Columns
 * of a component that is zero or not finite stay.
 */
function writeScales(memory: WebAssembly.Memory, layout: PartitionLayout): void {
  const { padded, modes } = layout
  const lengths = modes.map((mode) => addBlocks(memory, layout, mode).map(Math.sqrt))
  const common = lengths[0].map(
    (_, r) => lengths.reduce((product, length) => product * length[r], 1) ** (1 / modes.length),
  )
  const scale = gradientScales(common, modes.length)
  modes.forEach((mode, i) => {
    const columnScales = common.map((length, r) =>
      length > 0 && length < Infinity ? length / lengths[i][r] : 1,
    )
    new Float32Array(memory.buffer, mode.columnScales, padded).set(columnScales)
    new Float32Array(memory.buffer, mode.scale, padded).set(scale)
  })
}

/**
 * Returns the vector v (R, padded) that scales the components in gradient steps: (norm_r / largest norm)^(1 − N),
 * because the gradient of a row contains products of N − 1 columns of component r. The ratio counts as at least
 * 1e-3, so that small components can grow again, and v_r is at most 1e30; all are 1 if all norms are 0.
 * @param common per component, the norm that its columns have in every mode after balancing
 * @param order N, the number of modes
 */
function gradientScales(common: Float64Array, order: number): Float64Array {
  const longest = Math.max(...common)
  const smallest = 1e-3
  return common.map((length) =>
    Math.min(1e30, Math.max(smallest, longest > 0 ? length / longest : 1) ** (1 - order)),
  )
}

/**
 * Writes the mean of the rows with entries of each mode, from their block sums; zeros where unlisted cells
 * are zeros.
 */
function writeMeanRow(
  { memory, layout, observed, zeros }: ThreadPartition,
  into: 'mean' | 'columnScales',
): void {
  for (const [i, mode] of layout.modes.entries()) {
    const mean = addBlocks(memory, layout, mode).map((sum) => (zeros ? 0 : sum / observed[i]))
    new Float32Array(memory.buffer, mode[into], layout.padded).set(mean)
  }
}
