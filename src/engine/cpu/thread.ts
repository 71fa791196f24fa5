/**
 * What a thread does when it is asked. It shares the memories of a problem's parts with the others and runs whole AO
 * iterations behind barriers. A worker answers so by messages (worker.ts); where no memory can be shared, the caller's
 * own thread does.
 */
import {
  CONTROL_GO,
  CONTROL_NEXT_TASK,
  CONTROL_STOP,
  NOISE_BINS,
  STEP_GRADIENT,
  STEP_NEWTON,
  STEP_ZEROS,
} from '../../kernels/layout.ts'
import { purpose, stream } from '../../random.ts'
import type { Iterated, Iterations, Timed } from '../engine.ts'
import { alone, type Exchange } from '../exchange.ts'
import { addBlocks, balancePasses, fillPasses } from './balance.ts'
import { fillCells } from './cells.ts'
import { instantiateKernel, type Kernel } from './kernel.ts'
import { exchangePlace, longestSegment, type PartLayout, partialBytes } from './layout.ts'
import { countEntries, countSegments, placeEntries, sortOverlongSegments } from './loading.ts'
import type { Answer, Opening, Placing, Request } from './messages.ts'
import { addBins, type PosteriorWork, sweepPosterior } from './posterior.ts'
import { packEntries, placeIncoming } from './routing.ts'
import { chunksAtATime } from './segments.ts'
import { type Area, type Sharing, shareAreas } from './sharing.ts'
import { sweepStrata } from './strata.ts'
import { addProducts, sumOfSquares, sumProducts, writeGram } from './zeros.ts'

/** A problem as this thread has it. */
interface Problem extends Opening, Sharing {
  parts: readonly Part[]
}

interface Part {
  kernel: Kernel
  memory: WebAssembly.Memory
  layout: PartLayout
  words: Int32Array
  observed: readonly number[]
  zeros: boolean
}

/** A thread to come, without problems yet. Only what it is asked to load makes it answer later. */
export function newThread(): (request: Request) => Answer | Promise<Answer> {
  const problems = new Map<number, Problem>()
  const known = (number: number): Problem => problems.get(number)!
  let exchange = alone
  return (request) => {
    switch (request.type) {
      case 'connect':
        return connect(request).then((connected) => {
          exchange = connected
          const { process, processes, neighbours } = connected
          return { process, processes, neighbours }
        })
      case 'tell':
        return exchange.tell(request.numbers)
      case 'addUp':
        for (const counts of request.counts) exchange.addUp(counts)
        return undefined
      case 'gather':
        return exchange.gather(request.words, request.starts, request.lengths)
      case 'deal':
        return exchange.deal(request.outgoing, request.lengths, request.incoming)
      case 'disconnect':
        return exchange.close()
      case 'count': {
        const { module, memory, loading, thread } = request
        return countEntries(instantiateKernel(module, memory), memory, loading, thread)
      }
      case 'countSegments': {
        const { module, memory, loading, thread, long } = request
        return countSegments(instantiateKernel(module, memory), memory, loading, long, thread)
      }
      case 'open':
        problems.set(request.problem, open(request.opening, request.module, exchange))
        return undefined
      case 'place': {
        const { parts, thread, threads } = known(request.problem)
        return placeEntries(parts, request.placing, thread, threads)
      }
      case 'pack':
        return packEntries(known(request.problem), request.placing, request.packing)
      case 'placeIncoming':
        return placeIncoming(known(request.problem), request.placing, request.incoming)
      case 'sort':
        return sort(known(request.problem), request.placing)
      case 'fillCells':
        return fillCells(known(request.problem), request.filling)
      case 'iterate':
        return iterate(known(request.problem), request.run, request.skip)
      case 'balance':
        return passOver(known(request.problem), balancePasses)
      case 'fillEmptyRows':
        return passOver(known(request.problem), fillPasses)
      case 'errors':
        return sumErrors(known(request.problem), request.views)
      case 'weights':
        return sumWeights(known(request.problem), request.views)
      case 'top':
        instantiateKernel(request.module, request.memory).topRows(request.control, request.work)
        return undefined
      case 'shareCompanions':
        return shareCompanions(known(request.problem))
      case 'keep':
        return keep(known(request.problem))
      case 'restore':
        return restore(known(request.problem))
      case 'close':
        problems.delete(request.problem)
        return undefined
    }
  }
}

/** The other processes, where there are any: the first thread speaks with them, the others know how many they are. */
async function connect({ module, options, known }: Request & { type: 'connect' }): Promise<Exchange> {
  if (known) return { ...alone, ...known }
  const { connect } = await import(/* @vite-ignore */ /* webpackIgnore: true */ module)
  return connect(options)
}

function open(opening: Opening, module: WebAssembly.Module, exchange: Exchange): Problem {
  const { thread, observed, zeros } = opening
  const parts = opening.parts.map(({ memory, layout }) => {
    const kernel = instantiateKernel(module, memory)
    kernel.setScratch(layout.scratch[thread])
    kernel.setPosteriorScratch(layout.posteriorScratch[thread])
    const words = new Int32Array(memory.buffer, layout.control, 64)
    return { kernel, memory, layout, observed, zeros, words }
  })
  const memories = parts.map(({ memory }) => memory)
  return { ...opening, parts, exchange, memories, meet: () => meet(parts, thread) }
}

/** Waits until all threads of the problem are here, and puts the parts' task counters back. */
function meet(parts: readonly Part[], thread: number): void {
  const [{ kernel, layout }, ...others] = parts
  kernel.barrier(layout.control)
  if (others.length === 0) return
  // The barrier lies in the first part, and puts back the first part's counter only.
  if (thread === 0) for (const { words } of others) Atomics.store(words, CONTROL_NEXT_TASK / 4, 0)
  kernel.barrier(layout.control)
}

function sort({ parts, thread, threads, segments }: Problem, { views, keys }: Placing): void {
  const most = longestSegment(Math.max(...segments))
  for (const { kernel, memory, layout } of parts)
    views.forEach((source, v) => {
      const view = layout.views[v]
      const modeKey = keys.modes[source.mode]
      kernel.orderChunks(view.descriptor, keys.hash, modeKey, layout.scratch[thread], most, thread, threads)
      if (v % threads === thread) sortOverlongSegments(memory, view, source, keys, most)
    })
}

/** Algorithm 2: AO iterations k, modes i, and within them the inner iterations l of Algorithm 1. */
function iterate(problem: Problem, run: Iterations, skip: number): Iterated {
  const { parts, thread, exchange } = problem
  const inner = run.step.kind === 'paper' ? run.step.maxInner : 1
  const modes = parts[0].layout.modes.length
  const spent = exchange.spent()
  const start = performance.now()
  const end = start + 1000 * (run.seconds ?? Infinity)
  if (problem.zeros) for (let i = 1; i < modes; i++) multiplyColumns(problem, i)
  for (let done = 0; ; done++) {
    // At least one, however little time there is: otherwise it would never end.
    const cut = whyNot(problem, done > 0 ? end : Infinity)
    if (cut) return { done, cut, exchanging: exchange.spent() - spent, ...since(problem, start) }
    if (done === run.count) return { done, exchanging: exchange.spent() - spent, ...since(problem, start) }
    if (run.step.kind === 'posterior') {
      const key = stream(run.seed, purpose.sample, run.first + done, 0, 0)
      sweepPosterior(problem, run.step, run.lambda, posteriorWork(problem, key))
      continue
    }
    if (run.step.kind === 'strata') {
      sweepStrata(problem, run.step, done)
      continue
    }
    for (let i = 0; i < modes; i++) {
      if (problem.zeros) prepareZeros(problem, i)
      for (let l = 0; l < inner; l++) {
        const key = stream(run.seed, purpose.sample, run.first + done, i, l)
        for (const { kernel, layout } of parts) {
          const { descriptor, chunkCount } = layout.views[i]
          setStep(kernel, run, l, skip, problem.zeros)
          kernel.step(layout.control, descriptor, key, chunksAtATime(chunkCount))
        }
        meet(parts, thread)
        if (parts.length > 1 || exchange.processes > 1) shareStep(problem, i, key)
      }
      if (problem.zeros) multiplyColumns(problem, i)
    }
  }
}

function posteriorWork(problem: Problem, key: number): PosteriorWork {
  const { parts, thread, exchange, noiseSums, errorSums } = problem
  return {
    step(i) {
      for (const { kernel, layout } of parts) {
        const { descriptor, chunkCount } = layout.views[i]
        kernel.step(layout.control, descriptor, key, chunksAtATime(chunkCount))
      }
      meet(parts, thread)
      if (parts.length > 1 || exchange.processes > 1) shareStep(problem, i, key)
    },
    gatherBins() {
      const perChunk = 3 * NOISE_BINS
      gatherChunks(problem, noiseSums, errorSums[0].firstChunks, perChunk, ({ memory, layout }) => {
        return new Float64Array(memory.buffer, layout.noiseSums, perChunk * layout.views[0].chunkCount)
      })
      return addBins(noiseSums)
    },
  }
}

/** By the clock of the first process. */
function since({ exchange, thread }: Problem, start: number): Timed {
  const seconds = Float64Array.of((performance.now() - start) / 1000)
  if (thread === 0) exchange.tell(seconds)
  return { seconds: seconds[0] }
}

function setStep(
  kernel: Kernel,
  { sample, lambda, step }: Iterations,
  l: number,
  skip: number,
  zeros: boolean,
): void {
  if (step.kind === 'paper') kernel.setPaperStep(sample, lambda, l === 0 ? 1 : 0, skip)
  else if (step.kind === 'posterior' || step.kind === 'strata') return
  else if (step.kind === 'gradient') kernel.setFastStep(STEP_GRADIENT, sample, lambda, step.momentum, 0)
  else kernel.setFastStep(zeros ? STEP_ZEROS : STEP_NEWTON, sample, lambda, step.momentum, step.damping)
}

/** U⁽ⁱ⁾ᵀU⁽ⁱ⁾, in every part. */
function multiplyColumns({ parts, thread, threads }: Problem, i: number): void {
  for (const part of parts) sumProducts(part, i, thread, threads)
  meet(parts, thread)
  if (thread === 0) for (const part of parts) addProducts(part, i)
  meet(parts, thread)
}

/** What a step of mode i must know of the cells that are not listed. */
function prepareZeros({ parts, thread }: Problem, i: number): void {
  if (thread === 0) for (const part of parts) writeGram(part, i)
  meet(parts, thread)
}

/** Σ y² and Σ y over all cells. */
function sumAllCells(problem: Problem): void {
  const { parts, thread, threads, totals } = problem
  const [first] = parts
  const { modes } = first.layout
  for (const { factor, rows, rowLengths, blockSums } of modes)
    first.kernel.sumRows(factor, rows, rowLengths, blockSums, thread, threads)
  modes.forEach((_, i) => {
    multiplyColumns(problem, i)
  })
  if (thread !== 0) return
  const sums = modes.map((mode) => addBlocks(first.memory, first.layout, mode))
  totals[0] = sumOfSquares(first)
  totals[1] = sums[0].reduce((sum, _, r) => sum + sums.reduce((product, column) => product * column[r], 1), 0)
}

const GO = 1
const STOPPED = 2
const TIME_IS_UP = 3

/**
 * All threads of all processes must stop after the same iteration, so one of each looks and they tell one another. Whoever is
 * told to stop stops all; the time is up by the clock of the first process.
 */
function whyNot({ parts, thread, exchange }: Problem, end: number): Iterated['cut'] {
  const { words } = parts[0]
  if (thread === 0) {
    const isStopped = Atomics.load(words, CONTROL_STOP / 4) !== 0
    const isOver = exchange.process === 0 && performance.now() >= end
    const reasons = Uint32Array.of(isStopped ? 1 : 0, isOver ? 1 : 0)
    exchange.addUp(reasons)
    Atomics.store(words, CONTROL_GO / 4, reasons[0] > 0 ? STOPPED : reasons[1] > 0 ? TIME_IS_UP : GO)
  }
  meet(parts, thread)
  const decision = Atomics.load(words, CONTROL_GO / 4)
  return decision === GO ? undefined : decision === STOPPED ? 'stopped' : 'seconds'
}

/** After a step: everyone gets the rows that the others changed, and finishes those that several parts share. */
function shareStep(problem: Problem, i: number, key: number): void {
  const { parts, firstPart, thread, threads, shared } = problem
  const { modes } = parts[0].layout
  const rows = rowsToShare(problem, i)
  if (shared[i].length === 0) {
    shareAreas(problem, rows)
    return
  }
  let job = 0
  for (const { row, parts: sharers } of shared[i])
    for (const { part, slots, beginsHere } of sharers) {
      const own = parts[part - firstPart]
      if (!own || job++ % threads !== thread) continue
      const { descriptor } = own.layout.views[i]
      own.kernel.handOver(descriptor, row, key, slots, exchangePlace(own.layout, part), beginsHere)
    }
  shareAreas(problem, [...rows, sumsToShare(problem, i, key)])
  for (const { kernel, layout } of parts)
    for (const { row, table } of shared[i])
      if (job++ % threads === thread)
        kernel.finishSharedRow(layout.views[i].descriptor, row, key, modes[i].sharedRows + table)
  meet(parts, thread)
}

/** The sums that each part hands over of rows that it shares: how many there are, everyone can tell. */
function sumsToShare({ parts, thread, owned, shared }: Problem, i: number, key: number): Area[] {
  const [{ kernel, layout }] = parts
  const areas = owned[i].map((_, part) => ({ address: exchangePlace(layout, part), byteLength: 0 }))
  // Only who copies or sends them need know.
  if (thread > 0 && parts.length === 1) return areas
  for (const { row, parts: sharers } of shared[i])
    for (const { part, begin, end, beginsHere } of sharers) {
      const sums = kernel.handedOver(layout.views[i].descriptor, row, key, begin, end)
      const byteLength = sums * partialBytes(layout.padded)
      areas[part].byteLength += byteLength
      if (!beginsHere) areas[part].address -= byteLength
    }
  return areas
}

/** What a step changes of the rows that each part alone has. */
function rowsToShare(problem: Problem, i: number): Area[][] {
  const { modes, padded } = problem.parts[0].layout
  const { factor, moments, leverages, rowSums } = modes[i]
  const rows = [areasOf(problem, factor, i)]
  if (problem.posterior)
    rows.push(
      areasOf(problem, moments, i, 4 * padded * padded),
      areasOf(problem, leverages, i, 4),
      areasOf(problem, rowSums, i, 24),
    )
  return rows
}

/** The rows of a matrix of a mode that each part alone has. */
function areasOf(
  { parts, owned }: Problem,
  matrix: number,
  mode: number,
  rowBytes = 4 * parts[0].layout.padded,
): Area[] {
  return owned[mode].map(({ from, to }) => ({
    address: matrix + from * rowBytes,
    byteLength: (to - from) * rowBytes,
  }))
}

/** A part keeps the companions of its own rows only; those of shared rows are the same in all. */
function shareCompanions(problem: Problem): void {
  const { modes } = problem.parts[0].layout
  shareAreas(
    problem,
    modes.map(({ companion }, i) => areasOf(problem, companion, i)),
  )
}

function passOver(problem: Problem, passes: typeof balancePasses): Timed {
  const { parts, thread, threads } = problem
  const start = performance.now()
  for (const pass of passes) {
    for (const part of parts) pass(part, thread, threads)
    meet(parts, thread)
  }
  return since(problem, start)
}

/** Every process gets the sums of all chunks, so that everyone can add them in their order. */
function sumErrors(problem: Problem, views: readonly number[]): Timed {
  const { parts } = problem
  const start = performance.now()
  for (const v of views) {
    const zeros = problem.zeros && v === 0
    if (zeros) sumAllCells(problem)
    for (const { kernel, layout } of parts)
      kernel.errorSums(layout.control, layout.views[v].descriptor, layout.views[v].errorSums, zeros ? 1 : 0)
    gatherSums(problem, v)
  }
  return since(problem, start)
}

/** The sums of the weights, where those of the errors are otherwise. */
function sumWeights(problem: Problem, views: readonly number[]): void {
  for (const v of views) {
    for (const { kernel, layout } of problem.parts)
      kernel.weightSums(layout.control, layout.views[v].descriptor, layout.views[v].errorSums)
    gatherSums(problem, v)
  }
}

function gatherSums(problem: Problem, v: number): void {
  const { parts, thread, errorSums } = problem
  meet(parts, thread)
  if (thread !== 0) return
  const { sums, firstChunks } = errorSums[v]
  gatherChunks(problem, sums, firstChunks, 2, ({ memory, layout }) => {
    const { errorSums: own, chunkCount } = layout.views[v]
    return new Float64Array(memory.buffer, own, 2 * chunkCount)
  })
}

/** Numbers of all processes' chunks, in their order, from those of each part here. */
function gatherChunks(
  { parts, firstPart, exchange }: Problem,
  sums: Float64Array,
  firstChunks: readonly number[],
  perChunk: number,
  own: (part: Part) => Float64Array,
): void {
  parts.forEach((part, k) => {
    sums.set(own(part), perChunk * firstChunks[firstPart + k])
  })
  const words = 2 * perChunk
  const starts = Array.from({ length: exchange.processes }, (_, p) => words * firstChunks[p * parts.length])
  const ends = [...starts.slice(1), 2 * sums.length]
  exchange.gather(
    new Uint32Array(sums.buffer),
    starts,
    ends.map((end, p) => end - starts[p]),
  )
}

const factorOf = ({ memory, layout }: Part, address: number, rows: number): Float32Array =>
  new Float32Array(memory.buffer, address, rows * layout.padded)

function keep({ parts: [first], thread }: Problem): void {
  if (thread !== 0) return
  first.layout.modes.forEach(({ factor, rows }, i) => {
    factorOf(first, first.layout.kept[i], rows).set(factorOf(first, factor, rows))
  })
}

function restore({ parts, thread }: Problem): void {
  if (thread !== 0) return
  const [first] = parts
  for (const part of parts)
    part.layout.modes.forEach(({ factor, companion, rows }, i) => {
      const kept = factorOf(first, first.layout.kept[i], rows)
      factorOf(part, factor, rows).set(kept)
      if (companion) factorOf(part, companion, rows).set(kept)
    })
}
