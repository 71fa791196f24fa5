/** Sums over all cells, where unlisted ones are zeros, computed by all threads together (zeros.ts). */
import { addBlocks } from '../../steps/balance.ts'
import { barrier, type ThreadProblem } from '../../threads/threadProblem.ts'
import { addProducts, sumOfSquares, sumProducts, writeGram } from '../zeros.ts'

/** Computes U⁽ⁱ⁾ᵀU⁽ⁱ⁾ in every partition; all threads call it together. */
export function multiplyColumns({ parts, thread, threads }: ThreadProblem, i: number): void {
  for (const part of parts) sumProducts(part, i, thread, threads)
  barrier(parts, thread)
  if (thread === 0) for (const part of parts) addProducts(part, i)
  barrier(parts, thread)
}

/** Writes Σ k kᵀ over all cells of a row, which a step of mode i needs; all threads call it together. */
export function prepareZeros({ parts, thread }: ThreadProblem, i: number): void {
  if (thread === 0) for (const part of parts) writeGram(part, i)
  barrier(parts, thread)
}

/** Writes Σ y² and Σ y over all cells to the problem's `totals`; all threads call it together. */
export function sumAllCells(problem: ThreadProblem): void {
  const { parts, thread, threads, inProcess, totals } = problem
  const [first] = parts
  const { modes } = first.layout
  for (const { factor, rows, rowLengths, blockSums } of modes)
    first.kernel.sumRows(factor, rows, rowLengths, blockSums, thread, threads)
  modes.forEach((_, i) => {
    multiplyColumns(problem, i)
  })
  if (inProcess.thread !== 0) return
  const sums = modes.map((mode) => addBlocks(first.memory, first.layout, mode))
  totals[0] = sumOfSquares(first)
  totals[1] = sums[0].reduce((sum, _, r) => sum + sums.reduce((product, column) => product * column[r], 1), 0)
}
