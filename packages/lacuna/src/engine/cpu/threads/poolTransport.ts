/** Collective operations between processes through a pool: its first thread has the exchange. */
import type { Transport } from '../../../comm/index.ts'
import type { Pool } from './pool.ts'

/**
 * Returns the transport whose operations run on the first thread of a pool that is connected to other
 * processes.
 */
export function poolTransport(pool: Pool): Transport {
  return {
    async broadcast(numbers) {
      await pool.ask([0], () => ({ type: 'broadcast', numbers }))
    },
    async allReduce(counts) {
      await pool.ask([0], () => ({ type: 'allReduce', counts }))
    },
    async allGather(words, starts, lengths) {
      await pool.ask([0], () => ({ type: 'allGather', words, starts, lengths }))
    },
    async allToAll(outgoing, lengths, incoming) {
      const [received] = await pool.ask([0], () => ({ type: 'allToAll', outgoing, lengths, incoming }))
      return received as number[]
    },
    async shareMemory(buffer) {
      const [isShared] = await pool.ask([0], () => ({ type: 'shareMemory', buffer }))
      return isShared as boolean
    },
  }
}
