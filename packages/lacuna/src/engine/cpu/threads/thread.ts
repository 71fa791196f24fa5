/**
 * Handles the requests to a thread. Threads share the memories of a problem's partitions and run whole AO
 * iterations, synchronized by barriers. A worker receives requests as messages (worker.ts); where memory
 * cannot be shared, the calling thread handles them.
 */

import { collectGarbage } from '../../../base/garbage.ts'
import { type Exchange, singleExchange } from '../../../comm/index.ts'
import type { Timed } from '../../engine.ts'
import { countEntries, countSegments } from '../setup/count/countEntries.ts'
import { fillCells } from '../setup/grid/cells.ts'
import { placeEntries } from '../setup/place/placeEntries.ts'
import { packEntries, placeIncoming } from '../setup/place/routes.ts'
import { sortSegments } from '../setup/place/sortSegments.ts'
import { addTotals } from '../setup/rowTotals.ts'
import { balancePasses, fillPasses } from '../steps/balance.ts'
import { gatherMomentumFactors } from '../steps/exchangeRows.ts'
import { iterate } from '../steps/iterate.ts'
import { sumErrors, sumValuesOrWeights } from '../steps/sumErrors.ts'
import { instantiateKernel } from './kernel.ts'
import type { Answer, Request } from './messages.ts'
import { barrier, openProblem, type ThreadPartition, type ThreadProblem, timeSince } from './threadProblem.ts'

/**
 * Creates the request handler of a thread, which holds the thread's problems. Only 'connect' is answered
 * asynchronously.
 */
export function createThread(): (request: Request) => Answer | Promise<Answer> {
  const problems = new Map<number, ThreadProblem>()
  /** The open problem of a request, as the threads that got it see it. */
  const problemOf = ({ problem: number, threads }: { problem: number; threads?: number }): ThreadProblem => {
    const problem = problems.get(number)!
    if (threads === undefined || threads === problem.threads) return problem
    return { ...problem, threads, inProcess: { ...problem.inProcess, threads } }
  }
  let exchange = singleExchange
  return (request) => {
    switch (request.type) {
      case 'connect':
        return connect(request).then((connected) => {
          exchange = connected
          const { rank, size, hostSize, sharesMemory } = connected
          return { rank, size, hostSize, sharesMemory }
        })
      case 'broadcast':
        return exchange.broadcast(request.numbers)
      case 'allReduce':
        for (const counts of request.counts) exchange.allReduce(counts)
        return undefined
      case 'allGather':
        return exchange.allGather(request.words, request.starts, request.lengths)
      case 'allToAll':
        return exchange.allToAll(request.outgoing, request.lengths, request.incoming)
      case 'shareMemory':
        return exchange.shareMemory(request.buffer)
      case 'disconnect':
        return exchange.close()
      case 'count': {
        const { module, memory, input, thread, inProcess } = request
        return countEntries(instantiateKernel(module, memory), memory, input, thread, inProcess)
      }
      case 'countSegments': {
        const { module, memory, input, thread, inProcess, long } = request
        return countSegments(instantiateKernel(module, memory), memory, input, long, thread, inProcess)
      }
      case 'open':
        problems.set(request.problem, openProblem(request.setup, request.module, exchange))
        return undefined
      case 'place': {
        const problem = problemOf(request)
        const start = performance.now()
        placeEntries(problem, request.input)
        barrier(problem.parts, problem.thread)
        const placed = performance.now()
        const repeated = sortSegments(problem, request.input)
        return [(placed - start) / 1000, repeated]
      }
      case 'pack':
        return packEntries(problemOf(request), request.input, request.outgoing)
      case 'placeIncoming':
        return placeIncoming(problemOf(request), request.input, request.incoming)
      case 'sort':
        return [0, sortSegments(problemOf(request), request.input)]
      case 'fillCells':
        return fillCells(problemOf(request), request.gathered)
      case 'iterate':
        return iterate(problemOf(request), request.run, request.skip)
      case 'balance':
        return runPasses(problemOf(request), balancePasses)
      case 'fillEmptyRows':
        return runPasses(problemOf(request), fillPasses)
      case 'errors':
        return sumErrors(problemOf(request), request.views)
      case 'values':
      case 'weights':
        return sumValuesOrWeights(problemOf(request), request.views, request.type)
      case 'top':
        instantiateKernel(request.module, request.memory).topRows(request.control, request.work)
        return undefined
      case 'totals':
        return addTotals(request.module, request.memory, request.input)
      case 'gatherMomentumFactors':
        return gatherMomentumFactors(problemOf(request))
      case 'snapshot':
        return takeSnapshot(problemOf(request))
      case 'restore':
        return restore(problemOf(request))
      case 'close':
        closeProblem(problems, request.problem)
        return undefined
    }
  }
}

/** Forgets a problem, and collects its memories at once if they are large: no other thread can free them. */
function closeProblem(problems: Map<number, ThreadProblem>, number: number): void {
  const parts = problems.get(number)?.parts ?? []
  const bytes = parts.reduce((sum, { memory }) => sum + memory.buffer.byteLength, 0)
  problems.delete(number)
  collectGarbage(bytes)
}

/**
 * Connects a thread with the other processes. Thread 0 gets the exchange of the module; the others, given
 * `ranks`, get one that has the ranks but cannot communicate.
 */
async function connect({ module, options, ranks }: Request & { type: 'connect' }): Promise<Exchange> {
  if (ranks) return { ...singleExchange, ...ranks }
  const { connect } = await import(/* @vite-ignore */ /* webpackIgnore: true */ module)
  return connect(options)
}

/** Runs passes over all partitions, with a barrier after each; returns their duration. */
function runPasses(problem: ThreadProblem, passes: typeof balancePasses): Timed {
  const { parts, thread, threads } = problem
  const start = performance.now()
  for (const pass of passes) {
    for (const part of parts) pass(part, thread, threads)
    barrier(parts, thread)
  }
  return timeSince(problem, start)
}

/** The padded matrix (rows × R) at an address of a partition, as an array over its memory. */
const matrixAt = ({ memory, layout }: ThreadPartition, address: number, rows: number): Float32Array =>
  new Float32Array(memory.buffer, address, rows * layout.padded)

/** Copies the factors to the snapshot, in the first partition; thread 0 does it, the others wait. */
function takeSnapshot({ parts: [first], thread, barrier }: ThreadProblem): void {
  if (thread === 0)
    first.layout.modes.forEach(({ factor, rows }, i) => {
      matrixAt(first, first.layout.snapshot[i], rows).set(matrixAt(first, factor, rows))
    })
  barrier()
}

/**
 * Restores the factors of the snapshot in all partitions, and resets momentum; thread 0 does it, the others
 * wait.
 */
function restore({ parts, thread, barrier }: ThreadProblem): void {
  const [first] = parts
  if (thread === 0)
    for (const part of parts)
      part.layout.modes.forEach(({ factor, momentumFactor, rows }, i) => {
        const snapshot = matrixAt(first, first.layout.snapshot[i], rows)
        matrixAt(part, factor, rows).set(snapshot)
        if (momentumFactor) matrixAt(part, momentumFactor, rows).set(snapshot)
      })
  barrier()
}
