/**
 * Unlisted cells as zeros: sums over all cells of the tensor (kernels/solve/setup/zeros.ts). Every partition
 * has all factors and computes the same numbers.
 */

import { InputError } from '../../../base/inputError.ts'
import { float32Array, uint32Array } from '../../../base/sharedArrays.ts'
import { UNKNOWN_BITS } from '../../../kernels/solve/layout.ts'
import { findDuplicates, type SparseTensor } from '../../../tensor/index.ts'
import { gramBlocks } from '../memory/areaSizes.ts'
import type { ThreadPartition } from '../threads/threadProblem.ts'

/**
 * The training entries, followed by the cells of all other sets with a value that marks them as unknown, in
 * shared memory. Throws an InputError if a cell is listed twice.
 */
export function withUnknown(train: SparseTensor, sets: readonly SparseTensor[]): SparseTensor {
  const counts = [train, ...sets].map(({ values }) => values.length)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const indices = train.dims.map((_, mode) => {
    const column = uint32Array(total)
    let at = 0
    for (const [i, { indices }] of [train, ...sets].entries()) {
      column.set(indices[mode], at)
      at += counts[i]
    }
    return column
  })
  if (findDuplicates(indices, total))
    throw new InputError(
      'duplicate',
      'Where cells that are not listed are zeros, a cell can be listed once, to be learned from or held out; some are listed twice.',
    )
  const values = float32Array(total)
  // Values have no −0: adding zero makes it 0.
  for (let e = 0; e < counts[0]; e++) values[e] = train.values[e] + 0
  new Uint32Array(values.buffer).fill(UNKNOWN_BITS, counts[0])
  return { dims: train.dims, indices, values }
}

/**
 * Writes Σ k kᵀ over all cells of a row of mode i (R × R): the elementwise product of the other modes' UᵀU,
 * which addProducts has written.
 */
export function writeGram({ memory, layout }: ThreadPartition, i: number): void {
  const { padded, modes } = layout
  const gram = new Float32Array(memory.buffer, modes[i].gram, padded * padded)
  const others = modes
    .filter((_, mode) => mode !== i)
    .map(({ products }) => matrixAt(memory, products, padded))
  for (let at = 0; at < gram.length; at++) {
    let product = 1
    for (const other of others) product *= other[at]
    gram[at] = product
  }
}

/** Computes a thread's blocks of rows of U⁽ⁱ⁾ᵀU⁽ⁱ⁾. */
export function sumProducts(
  { kernel, layout }: ThreadPartition,
  i: number,
  thread: number,
  threads: number,
): void {
  const { factor, rows, productSums } = layout.modes[i]
  kernel.sumProducts(factor, rows, gramBlocks(rows).perBlock, productSums, thread, threads)
}

/** Adds the blocks of U⁽ⁱ⁾ᵀU⁽ⁱ⁾ in order, and mirrors the result below the diagonal; on one thread. */
export function addProducts({ memory, layout }: ThreadPartition, i: number): void {
  const { padded, modes } = layout
  const { rows, products, productSums } = modes[i]
  const total = matrixAt(memory, products, padded).fill(0)
  for (let block = 0; block < gramBlocks(rows).count; block++) {
    const sums = matrixAt(memory, productSums + 8 * block * padded * padded, padded)
    for (let at = 0; at < total.length; at++) total[at] += sums[at]
  }
  for (let r = 1; r < padded; r++) for (let s = 0; s < r; s++) total[r * padded + s] = total[s * padded + r]
}

/**
 * Σ y² over all cells, from what addProducts has written: the sum of the elementwise product of all modes'
 * U⁽ⁱ⁾ᵀU⁽ⁱ⁾.
 */
export function sumOfSquares({ memory, layout }: ThreadPartition): number {
  const { padded, modes } = layout
  const all = modes.map(({ products }) => matrixAt(memory, products, padded))
  let sum = 0
  for (let at = 0; at < padded * padded; at++) sum += all.reduce((product, matrix) => product * matrix[at], 1)
  return sum
}

/** The matrix (R × R, padded, float64) at an address, as an array over the memory. */
const matrixAt = (memory: WebAssembly.Memory, address: number, padded: number): Float64Array =>
  new Float64Array(memory.buffer, address, padded * padded)
