import type { World } from '../../comm/communicator.ts'
import type { SparseTensor } from '../sparseTensor.ts'

/** The number of entries of all processes. */
export async function countEntries(world: World, { values }: SparseTensor): Promise<number> {
  const counts = await world.gatherNumbers(values.length)
  return counts.flat().reduce((sum, count) => sum + count, 0)
}
