import type { Communicator } from '../../comm/index.ts'
import type { SparseTensor } from '../sparseTensor.ts'

/** The number of entries of all processes. */
export async function countEntries(communicator: Communicator, { values }: SparseTensor): Promise<number> {
  const counts = await communicator.allGatherNumbers(values.length)
  return counts.flat().reduce((sum, count) => sum + count, 0)
}
