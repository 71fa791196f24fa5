/**
 * Several processes in one: each is an asynchronous function with a World of its own, and they meet in memory instead of in
 * MPI. What they send is checked as MPI would: all ask for the same, one thing at a time.
 */
import { World } from '#lacuna/comm/communicator.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'

interface Request {
  type: string
  words?: Uint32Array
  counts?: Uint32Array[]
  outgoing?: Uint32Array
  incoming?: Uint32Array
  starts?: number[]
  lengths?: number[]
}

/** What all processes have asked for when the last of them comes; answers by process. */
function exchange(asked: Request[]): unknown[] {
  const types = new Set(asked.map(({ type }) => type))
  if (types.size > 1) throw new Error(`Some processes ask for ${[...types].join(', others for ')}.`)
  const [{ type }] = asked
  if (type === 'gather') {
    for (const { words } of asked)
      asked.forEach((from, k) => {
        const [start, length] = [asked[k].starts![k], asked[k].lengths![k]]
        words!.set(from.words!.slice(start, start + length), start)
      })
    return asked.map(() => undefined)
  }
  if (type === 'addUp') {
    const sums = asked[0].counts!.map((counts, c) =>
      counts.map((_, i) => asked.reduce((sum, request) => sum + request.counts![c][i], 0)),
    )
    for (const { counts } of asked)
      sums.forEach((sum, c) => {
        counts![c].set(sum)
      })
    return asked.map(() => undefined)
  }
  if (type !== 'deal') throw new Error(`Nobody exchanges ${type} here.`)
  const pieces = asked.map(({ outgoing, lengths }) => {
    let at = 0
    return lengths!.map((length) => {
      at += length
      return outgoing!.slice(at - length, at)
    })
  })
  return asked.map(({ incoming }, to) => {
    let at = 0
    return pieces.map((sent) => {
      incoming!.set(sent[to], at)
      at += sent[to].length
      return sent[to].length
    })
  })
}

/** What the work gives in each of so many processes. */
export async function inProcesses<T>(
  processes: number,
  work: (world: World) => Promise<T>,
): Promise<PromiseSettledResult<T>[]> {
  let waiting: { request: Request; resolve(answer: unknown[]): void; reject(error: unknown): void }[] = []
  let ended = 0
  const places = new Map<object, number>()
  const meet = (): void => {
    if (waiting.length === 0 || waiting.length + ended < processes) return
    const all = waiting
    waiting = []
    try {
      if (ended > 0) throw new Error('Some processes wait for others that have ended.')
      const inOrder = [...all].sort((a, b) => places.get(a.request)! - places.get(b.request)!)
      exchange(inOrder.map(({ request }) => request)).forEach((answer, k) => {
        inOrder[k].resolve([answer])
      })
    } catch (error) {
      for (const { reject } of all) reject(error)
    }
  }
  const poolOf = (process: number) => ({
    threads: 1,
    ask: (_: readonly number[], make: (place: number) => Request): Promise<unknown[]> =>
      new Promise((resolve, reject) => {
        const request = make(0)
        places.set(request, process)
        waiting.push({ request, resolve, reject })
        meet()
      }),
    close: async () => {},
  })
  return Promise.allSettled(
    Array.from({ length: processes }, (_, process) =>
      work(new World(poolOf(process) as never, { process, processes, neighbours: processes })).finally(() => {
        ended++
        meet()
      }),
    ),
  )
}

/** All entries of the shares, in an order of their own, and what is said of them by each. */
export function entriesOf(shares: readonly SparseTensor[]): number[][] {
  const entries = shares.flatMap(({ indices, values }) =>
    Array.from(values, (value, e) => [...indices.map((column) => column[e]), value]),
  )
  return entries.sort((a, b) => a.map((x, i) => x - b[i]).find((difference) => difference !== 0) ?? 0)
}

/** The results of processes that must not fail; or the one sentence with which all of them must. */
export function agreed<T>(results: PromiseSettledResult<T>[]): T[] | string {
  const faults = results.map((result) => (result.status === 'rejected' ? String(result.reason.message) : ''))
  if (new Set(faults).size > 1) throw new Error(`The processes do not agree: ${faults.join(' | ')}`)
  return faults[0] !== '' ? faults[0] : results.map((result) => (result as PromiseFulfilledResult<T>).value)
}
