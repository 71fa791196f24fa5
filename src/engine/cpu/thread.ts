/**
 * What a thread does when it is asked. It shares the memories of a problem's parts with the others and runs whole AO
 * iterations behind barriers. A worker answers so by messages (worker.ts); where no memory can be shared, the caller's
 * own thread does.
 */
import {
  CONTROL_GO,
  CONTROL_NEXT_TASK,
  CONTROL_STOP,
  STEP_GRADIENT,
  STEP_NEWTON,
} from '../../kernels/layout.ts'
import { purpose, stream } from '../../random.ts'
import type { Iterated, Iterations } from '../engine.ts'
import { type Exchange, localExchange } from '../exchange.ts'
import { balancePasses, fillPasses } from './balance.ts'
import { instantiateKernel, type Kernel } from './kernel.ts'
import { longestSegment, type PartLayout, partialBytes } from './layout.ts'
import { countEntries, countSegments, placeEntries, sortOverlongSegments } from './loading.ts'
import type { Answer, Opening, Placing, Request } from './messages.ts'
import { chunksAtATime } from './segments.ts'

/** A problem as this thread has it. */
interface Problem extends Opening {
  parts: readonly Part[]
  exchange: Exchange
}

interface Part {
  kernel: Kernel
  memory: WebAssembly.Memory
  layout: PartLayout
  words: Int32Array
  observed: readonly number[]
}

/** A thread to come, without problems yet. */
export function newThread(): (request: Request) => Answer {
  const problems = new Map<number, Problem>()
  const known = (number: number): Problem => problems.get(number)!
  return (request) => {
    switch (request.type) {
      case 'count': {
        const { module, memory, loading, thread } = request
        return countEntries(instantiateKernel(module, memory), memory, loading, thread)
      }
      case 'countSegments': {
        const { module, memory, loading, thread, long } = request
        return countSegments(instantiateKernel(module, memory), memory, loading, long, thread)
      }
      case 'open':
        problems.set(request.problem, open(request.opening, request.module))
        return undefined
      case 'place': {
        const { parts, thread, threads } = known(request.problem)
        return placeEntries(parts, request.placing, thread, threads)
      }
      case 'sort':
        return sort(known(request.problem), request.placing)
      case 'iterate':
        return iterate(known(request.problem), request.run, request.skip)
      case 'balance':
        return passOver(known(request.problem), balancePasses)
      case 'fillEmptyRows':
        return passOver(known(request.problem), fillPasses)
      case 'errors':
        return sumErrors(known(request.problem), request.views)
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

function open(opening: Opening, module: WebAssembly.Module): Problem {
  const { thread, threads, observed } = opening
  const parts = opening.parts.map(({ memory, layout }) => {
    const kernel = instantiateKernel(module, memory)
    kernel.setScratch(layout.scratch[thread])
    return { kernel, memory, layout, observed, words: new Int32Array(memory.buffer, layout.control, 64) }
  })
  const memories = parts.map(({ memory }) => memory)
  return { ...opening, parts, exchange: localExchange(memories, thread, threads, () => meet(parts, thread)) }
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
function iterate(problem: Problem, run: Iterations, skip: number): Omit<Iterated, 'seconds'> {
  const { parts, thread } = problem
  const inner = run.step.kind === 'paper' ? run.step.maxInner : 1
  const modes = parts[0].layout.modes.length
  const end = performance.now() + 1000 * (run.seconds ?? Infinity)
  for (let done = 0; ; done++) {
    // At least one, however little time there is: otherwise it would never end.
    const cut = whyNot(problem, done > 0 ? end : Infinity)
    if (cut) return { done, cut }
    if (done === run.count) return { done }
    for (let i = 0; i < modes; i++)
      for (let l = 0; l < inner; l++) {
        const key = stream(run.seed, purpose.sample, run.first + done, i, l)
        for (const { kernel, layout } of parts) {
          const { descriptor, chunkCount } = layout.views[i]
          setStep(kernel, run, l, skip)
          kernel.step(layout.control, descriptor, key, chunksAtATime(chunkCount))
        }
        meet(parts, thread)
        if (parts.length > 1) shareStep(problem, i, key)
      }
  }
}

function setStep(kernel: Kernel, { sample, lambda, step }: Iterations, l: number, skip: number): void {
  if (step.kind === 'paper') kernel.setPaperStep(sample, lambda, l === 0 ? 1 : 0, skip)
  else if (step.kind === 'gradient') kernel.setFastStep(STEP_GRADIENT, sample, lambda, step.momentum, 0)
  else kernel.setFastStep(STEP_NEWTON, sample, lambda, step.momentum, step.damping)
}

const GO = 1
const STOPPED = 2
const TIME_IS_UP = 3

/** All threads must stop after the same iteration, so one of them looks and tells the others. */
function whyNot({ parts, thread }: Problem, end: number): Iterated['cut'] {
  const { words } = parts[0]
  if (thread === 0) {
    const stopped = Atomics.load(words, CONTROL_STOP / 4) !== 0
    Atomics.store(words, CONTROL_GO / 4, stopped ? STOPPED : performance.now() >= end ? TIME_IS_UP : GO)
  }
  meet(parts, thread)
  const decision = Atomics.load(words, CONTROL_GO / 4)
  return decision === GO ? undefined : decision === STOPPED ? 'stopped' : 'seconds'
}

/** After a step: everyone gets the rows that the others changed, and finishes those that several parts share. */
function shareStep(
  { parts, thread, threads, owned, shared, exchange }: Problem,
  i: number,
  key: number,
): void {
  const { modes, exchange: area, handedOver, padded } = parts[0].layout
  const rowBytes = 4 * padded
  const rows = owned[i].map(({ from, to }) => ({
    address: modes[i].factor + from * rowBytes,
    byteLength: (to - from) * rowBytes,
  }))
  if (shared[i].length === 0) {
    exchange.share([rows])
    return
  }
  const bytes = handedOver * partialBytes(padded)
  let job = 0
  for (const { row, parts: sharers } of shared[i])
    for (const { part, slots, half } of sharers)
      if (job++ % threads === thread)
        parts[part].kernel.handOver(
          parts[part].layout.views[i].descriptor,
          row,
          key,
          slots,
          area + (2 * part + half) * bytes,
        )
  exchange.share([rows, parts.map((_, k) => ({ address: area + 2 * k * bytes, byteLength: 2 * bytes }))])
  for (const { kernel, layout } of parts)
    for (const { row, table } of shared[i])
      if (job++ % threads === thread)
        kernel.finishSharedRow(layout.views[i].descriptor, row, key, modes[i].sharedRows + table)
  meet(parts, thread)
}

function passOver({ parts, thread, threads }: Problem, passes: typeof balancePasses): void {
  for (const pass of passes) {
    for (const part of parts) pass(part, thread, threads)
    meet(parts, thread)
  }
}

function sumErrors({ parts, thread }: Problem, views: readonly number[]): void {
  for (const v of views) {
    for (const { kernel, layout } of parts)
      kernel.errorSums(layout.control, layout.views[v].descriptor, layout.views[v].errorSums)
    meet(parts, thread)
  }
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
