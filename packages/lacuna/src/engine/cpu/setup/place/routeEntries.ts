/**
 * Sends entries from the processes that read them to those that own them; routes.ts has the work of the
 * threads.
 */
import { uint32Array } from '../../../../base/sharedArrays.ts'
import { entriesPerRound } from '../../../../comm/index.ts'
import type { PlaceInput } from '../../threads/messages.ts'
import type { ProblemWorkers } from '../../threads/workers.ts'
import { groupByTensor } from '../blocks.ts'
import { entryWords } from './routes.ts'

/**
 * Sends every entry to the processes that own records of it, in rounds that take little memory, and places
 * what arrives. All processes call it together.
 * @param problem the number of the problem
 */
export async function routeEntries(
  { pool, members, communicator, group: { threads } }: ProblemWorkers,
  problem: number,
  input: PlaceInput,
): Promise<void> {
  const { size: processes } = communicator
  const order = input.views[0].tensor.dims.length
  const mostWords = Math.max(...input.views.map(entryWords))
  const own = Math.max(...input.views.map(({ tensor }) => tensor.values.length))
  const longest = Math.max(...(await communicator.allGatherNumbers(own)).flat())
  const perRound = entriesPerRound(longest, processes)
  const outgoing = uint32Array(Math.min(order, processes) * perRound * mostWords)
  const incoming = uint32Array(processes * perRound * mostWords)
  for (const { tensor, views } of groupByTensor(input.views)) {
    const group = views.map(({ number }) => number)
    const counts = await communicator.allGatherNumbers(tensor.values.length)
    const rounds = Math.ceil(Math.max(...counts.map(([count]) => count)) / perRound)
    for (let round = 0; round < rounds; round++) {
      const from = Math.min(tensor.values.length, round * perRound)
      const to = Math.min(tensor.values.length, from + perRound)
      const offsets = uint32Array(threads * processes)
      const outgoingEntries = { group, from, to, offsets }
      await pool.ask(members, () => ({ type: 'pack', problem, threads, input, outgoing: outgoingEntries }))
      const lengths = countsToOffsets(offsets, threads, processes)
      await pool.ask(members, () => ({
        type: 'pack',
        problem,
        threads,
        input,
        outgoing: { ...outgoingEntries, outgoing },
      }))
      const receivedWords = await communicator.allToAll(outgoing, lengths, incoming)
      const entries = receivedWords.reduce((sum, words) => sum + words, 0) / entryWords(views[0].source)
      const arrived = { group, words: incoming, entries }
      await pool.ask(members, () => ({ type: 'placeIncoming', problem, threads, input, incoming: arrived }))
    }
  }
}

/**
 * Replaces in place the number of words of each thread for each process (threads × processes) by their offset
 * in the outgoing words; returns the number of words for each process.
 */
function countsToOffsets(offsets: Uint32Array, threads: number, processes: number): number[] {
  const lengths: number[] = []
  let offset = 0
  for (let process = 0; process < processes; process++) {
    const start = offset
    for (let thread = 0; thread < threads; thread++) {
      const at = thread * processes + process
      const words = offsets[at]
      offsets[at] = offset
      offset += words
    }
    lengths.push(offset - start)
  }
  return lengths
}
