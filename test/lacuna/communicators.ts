/**
 * Communicators of several processes in one: each process is an asynchronous function, and they exchange data
 * in memory instead of through MPI. As with MPI, all processes must call the same operation at the same time.
 */
import { singleRank } from '#lacuna/comm/exchange.js'
import { Communicator, type Transport } from '#lacuna/comm/index.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'

/**
 * The collective operations: each is given the calls of all processes, by rank, and returns their results.
 */
const operations = {
  broadcast(calls: Parameters<Transport['broadcast']>[]): unknown[] {
    const [[numbers]] = calls
    return calls.map(([own]) => own.set(numbers))
  },
  allReduce(calls: Parameters<Transport['allReduce']>[]): unknown[] {
    const sums = calls[0][0].map((counts, c) =>
      counts.map((_, i) => calls.reduce((sum, [own]) => sum + own[c][i], 0)),
    )
    return calls.map(([own]) => {
      for (const [c, counts] of own.entries()) counts.set(sums[c])
      return undefined
    })
  },
  allGather(calls: Parameters<Transport['allGather']>[]): unknown[] {
    const pieces = calls.map(([words, starts, lengths], k) => words.slice(starts[k], starts[k] + lengths[k]))
    return calls.map(([words], to) => {
      for (const [k, piece] of pieces.entries()) if (k !== to) words.set(piece, calls[k][1][k])
      return undefined
    })
  },
  allToAll(calls: Parameters<Transport['allToAll']>[]): unknown[] {
    const pieces = calls.map(([outgoing, lengths]) => {
      let at = 0
      return lengths.map((length) => {
        at += length
        return outgoing.slice(at - length, at)
      })
    })
    return calls.map(([, , incoming], to) => {
      let at = 0
      return pieces.map((sent) => {
        incoming.set(sent[to], at)
        at += sent[to].length
        return sent[to].length
      })
    })
  },
}

/** A call of an operation in one process, which waits for those of the others. */
interface Call {
  rank: number
  operation: keyof typeof operations
  parameters: never
  resolve(result: never): void
  reject(error: unknown): void
}

/** Runs work in each of several processes. @returns the outcome of each, by rank */
export async function runInProcesses<T>(
  processes: number,
  work: (communicator: Communicator) => Promise<T>,
): Promise<PromiseSettledResult<T>[]> {
  let waiting: Call[] = []
  let ended = 0
  const runIfComplete = (): void => {
    if (waiting.length === 0 || waiting.length + ended < processes) return
    const calls = waiting.sort((a, b) => a.rank - b.rank)
    waiting = []
    try {
      if (ended > 0) throw new Error('Some processes wait for others that have ended.')
      const names = new Set(calls.map(({ operation }) => operation))
      if (names.size > 1) throw new Error(`Some processes call ${[...names].join(', others ')}.`)
      const results = operations[calls[0].operation](calls.map(({ parameters }) => parameters))
      results.forEach((result, k) => {
        calls[k].resolve(result as never)
      })
    } catch (error) {
      for (const { reject } of calls) reject(error)
    }
  }
  const transportOf = (rank: number): Transport => {
    const call =
      (operation: keyof typeof operations) =>
      (...parameters: unknown[]): Promise<never> =>
        new Promise((resolve, reject) => {
          waiting.push({ rank, operation, parameters: parameters as never, resolve, reject })
          runIfComplete()
        })
    return {
      broadcast: call('broadcast'),
      allReduce: call('allReduce'),
      allGather: call('allGather'),
      allToAll: call('allToAll'),
      shareMemory: async () => false,
    }
  }
  return Promise.allSettled(
    Array.from({ length: processes }, (_, rank) =>
      work(
        new Communicator(transportOf(rank), { ...singleRank, rank, size: processes, hostSize: processes }),
      ).finally(() => {
        ended++
        runIfComplete()
      }),
    ),
  )
}

/** Returns the entries of all shards, each as its indices and its value, sorted. */
export function entriesOf(shards: readonly SparseTensor[]): number[][] {
  const entries = shards.flatMap(({ indices, values }) =>
    Array.from(values, (value, e) => [...indices.map((column) => column[e]), value]),
  )
  return entries.sort((a, b) => a.map((x, i) => x - b[i]).find((difference) => difference !== 0) ?? 0)
}

/**
 * Returns the results of all processes, or the message if all of them failed with the same one; throws if
 * they differ.
 */
export function commonOutcome<T>(results: PromiseSettledResult<T>[]): T[] | string {
  const faults = results.map((result) => (result.status === 'rejected' ? String(result.reason.message) : ''))
  if (new Set(faults).size > 1) throw new Error(`The processes do not agree: ${faults.join(' | ')}`)
  return faults[0] !== '' ? faults[0] : results.map((result) => (result as PromiseFulfilledResult<T>).value)
}
