/**
 * A worker thread, in Node or in a browser. It shares one memory with the others and runs whole AO iterations
 * behind barriers; the main thread hears from it once per request.
 */
import { CONTROL_GO, CONTROL_STOP } from '../../kernels/layout.ts'
import { purpose, stream } from '../../random.ts'
import { buildModeView } from '../../tensor/modeView.ts'
import type { Iterations } from '../engine.ts'
import { instantiateKernel, type Kernel } from './kernel.ts'
import type { MemoryPlan } from './memoryPlan.ts'
import type { Reply, Request } from './messages.ts'
import { mainPort } from './platform.ts'
import { viewArrays } from './viewArrays.ts'

interface Thread {
  number: number
  kernel: Kernel
  memory: WebAssembly.Memory
  plan: MemoryPlan
  words: Int32Array
}

let thread: Thread
const port = mainPort<Reply, Request>()

port.onMessage((request) => {
  try {
    port.send({ done: answer(request) })
  } catch (error) {
    port.send({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
})

function answer(request: Request): number {
  switch (request.type) {
    case 'start':
      thread = start(request)
      return 0
    case 'build':
      build(request)
      return 0
    case 'iterate':
      return iterate(request.run, request.skip)
    case 'error':
      sumErrors(request.entries)
      return 0
  }
}

function start({ thread: number, module, memory, plan }: Request & { type: 'start' }): Thread {
  const kernel = instantiateKernel(module, memory)
  kernel.setScratch(plan.scratch[number])
  return { number, kernel, memory, plan, words: new Int32Array(memory.buffer, plan.control, 64) }
}

/** Each thread builds the views of some modes. */
function build({ tensor, validation, seed, valueScale }: Request & { type: 'build' }): void {
  const { plan, memory, number } = thread
  const jobs = plan.modes.map(({ view }, mode) => ({ entries: tensor, mode, view }))
  if (validation && plan.errors.validation)
    jobs.push({ entries: validation, mode: 0, view: plan.errors.validation.view })
  jobs.forEach(({ entries, mode, view }, job) => {
    if (job % plan.scratch.length === number)
      buildModeView(entries, mode, viewArrays(memory, view, tensor.dims.length), { seed, valueScale })
  })
}

/** Algorithm 2: AO iterations k, modes i, and within them the inner iterations l of Algorithm 1. */
function iterate(run: Iterations, skip: number): number {
  const { kernel, plan } = thread
  for (let k = run.first; k < run.first + run.count; k++) {
    if (stopped()) return k - run.first
    plan.modes.forEach(({ descriptor }, i) => {
      for (let l = 0; l < run.maxInner; l++) {
        const key = stream(run.seed, purpose.sample, k, i, l)
        kernel.paperStep(plan.control, descriptor, key, run.sample, run.lambda, l === 0 ? 1 : 0, skip)
        kernel.barrier(plan.control)
      }
    })
  }
  return run.count
}

/** All threads must stop after the same iteration, so one of them looks and tells the others. */
function stopped(): boolean {
  const { number, kernel, plan, words } = thread
  if (number === 0) Atomics.store(words, CONTROL_GO / 4, 1 - Atomics.load(words, CONTROL_STOP / 4))
  kernel.barrier(plan.control)
  return Atomics.load(words, CONTROL_GO / 4) === 0
}

function sumErrors(entries: 'train' | 'validation'): void {
  const { kernel, plan } = thread
  const view = plan.errors[entries]
  if (!view) return
  kernel.errorSums(plan.control, view.descriptor, view.sums)
  kernel.barrier(plan.control)
}
