/**
 * Counts of entries and exact sums of values per row, on all threads: `rowTotals` of tensor/observed.ts in
 * parallel.
 */
import { LOADED_AT_A_TIME } from '../../../kernels/solve/layout.ts'
import { type RowTotals, rowTotals, type SparseTensor } from '../../../tensor/index.ts'
import { areaAllocator, blockBytes } from '../memory/areaSizes.ts'
import { newMemory } from '../memory/memoryPool.ts'
import { compileKernel } from '../threads/compileKernel.ts'
import { instantiateKernel, type Kernel } from '../threads/kernel.ts'
import type { TotalsInput } from '../threads/messages.ts'
import type { Pool } from '../threads/pool.ts'
import { Block, forEachBlock } from './blocks.ts'

/** Entries per row and thread from which on threads with sums of their own are worthwhile. */
const ENTRIES_PER_SUM = 4

/**
 * Counts the entries and sums the values of each row of each mode of this process's entries; on the calling
 * thread if they are few or not in shared memory.
 * @param padded a rank whose kernel is compiled; any would do
 * @param unit the unit of which values are whole multiples
 */
export async function rowTotalsByThreads(
  { pool, members, padded }: { pool: Pool; members: readonly number[]; padded: number },
  tensor: SparseTensor,
  unit: number,
): Promise<RowTotals> {
  const { dims, indices, values } = tensor
  const rows = dims.reduce((sum, dim) => sum + dim, 0)
  const isShared = [values, ...indices].every(({ buffer }) => !(buffer instanceof ArrayBuffer))
  if (!isShared || ENTRIES_PER_SUM * rows * members.length > values.length) return rowTotals(tensor, unit)
  const { take, end } = areaAllocator()
  const threads = members.map(() => ({
    block: take('blocks', blockBytes(dims.length, false)),
    halves: take('blocks', 16 * LOADED_AT_A_TIME),
    counts: dims.map((dim) => take('sums', 4 * dim)),
    sums: dims.map((dim) => take('sums', 16 * dim)),
  }))
  const memory = newMemory(Math.ceil(end() / 65536))
  const module = await compileKernel(padded)
  const entries = { dims, indices, values }
  await pool.ask(members, (thread) => ({
    type: 'totals',
    module,
    memory,
    input: { tensor: entries, unit, threads, thread },
  }))
  const total: RowTotals = {
    counts: dims.map((dim) => new Uint32Array(dim)),
    sums: dims.map((dim) => new Float64Array(2 * dim)),
  }
  for (const { counts, sums } of threads)
    dims.forEach((dim, mode) => {
      const own = {
        counts: new Uint32Array(memory.buffer, counts[mode], dim),
        sums: new Float64Array(memory.buffer, sums[mode], 2 * dim),
      }
      for (let p = 0; p < dim; p++) total.counts[mode][p] += own.counts[p]
      for (let p = 0; p < 2 * dim; p++) total.sums[mode][p] += own.sums[p]
    })
  return total
}

/** Adds a thread's range of the entries to the thread's own counts and sums. */
export function addTotals(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  { tensor, unit, threads, thread }: TotalsInput,
): undefined {
  const kernel: Kernel = instantiateKernel(module, memory)
  const { block: address, halves, counts, sums } = threads[thread]
  const block = new Block(memory.buffer, address, tensor.dims.length, false)
  forEachBlock(tensor, { thread, threads: threads.length }, (from, to) => {
    block.fill(tensor, from, to)
    kernel.splitValues(block.values, to - from, 1 / unit, halves)
    tensor.dims.forEach((_, mode) => {
      kernel.countRows(block.column(mode), to - from, counts[mode], 0)
      kernel.addSplitValues(block.column(mode), to - from, halves, sums[mode])
    })
    return true
  })
}
