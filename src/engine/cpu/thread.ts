/**
 * What a thread does when it is asked. It shares one memory with the others and runs whole AO iterations behind
 * barriers. A worker answers so by messages (worker.ts); where no memory can be shared, the caller's own thread does.
 */
import { CONTROL_GO, CONTROL_STOP, STEP_GRADIENT, STEP_NEWTON } from '../../kernels/layout.ts'
import { purpose, stream } from '../../random.ts'
import { buildModeView } from '../../tensor/modeView.ts'
import type { EntrySet, Iterations } from '../engine.ts'
import { balanceColumns } from './balance.ts'
import { instantiateKernel, type Kernel } from './kernel.ts'
import type { MemoryPlan } from './memoryPlan.ts'
import type { Request } from './messages.ts'
import { viewArrays } from './viewArrays.ts'

interface Thread {
  number: number
  kernel: Kernel
  memory: WebAssembly.Memory
  plan: MemoryPlan
  words: Int32Array
}

/** A thread to come: it answers `start` first. The answer is the number of AO iterations done, for `iterate`. */
export function newThread(): (request: Request) => number {
  let thread: Thread
  return (request) => {
    switch (request.type) {
      case 'start':
        thread = start(request)
        return 0
      case 'build':
        build(thread, request)
        return 0
      case 'iterate':
        return iterate(thread, request.run, request.skip)
      case 'balance':
        balance(thread)
        return 0
      case 'error':
        sumErrors(thread, request.entries)
        return 0
    }
  }
}

function start({ thread: number, module, memory, plan }: Request & { type: 'start' }): Thread {
  const kernel = instantiateKernel(module, memory)
  kernel.setScratch(plan.scratch[number])
  return { number, kernel, memory, plan, words: new Int32Array(memory.buffer, plan.control, 64) }
}

/** Each thread builds some of the views. */
function build(
  { plan, memory, number }: Thread,
  { sets, seed, valueScale }: Request & { type: 'build' },
): void {
  const order = plan.modes.length
  const jobs = plan.modes.map(({ view }, mode) => ({ entries: sets.train, mode, view }))
  for (const name of ['validation', 'probe'] as const) {
    const errors = plan.errors[name]
    if (errors) jobs.push({ entries: sets[name], mode: 0, view: errors.view })
  }
  jobs.forEach(({ entries, mode, view }, job) => {
    if (entries && job % plan.scratch.length === number)
      buildModeView(entries, mode, viewArrays(memory, view, order), { seed, valueScale })
  })
}

/** Algorithm 2: AO iterations k, modes i, and within them the inner iterations l of Algorithm 1. */
function iterate(thread: Thread, run: Iterations, skip: number): number {
  const { kernel, plan } = thread
  const inner = run.step.kind === 'paper' ? run.step.maxInner : 1
  let done = 0
  for (let k = run.first; done < run.count && !stopped(thread); k++, done++) {
    plan.modes.forEach(({ descriptor }, i) => {
      for (let l = 0; l < inner; l++) {
        setStep(kernel, run, l, skip)
        kernel.step(plan.control, descriptor, stream(run.seed, purpose.sample, k, i, l))
        kernel.barrier(plan.control)
      }
    })
  }
  if (run.step.kind !== 'paper') balance(thread)
  return done
}

function setStep(kernel: Kernel, { sample, lambda, step }: Iterations, l: number, skip: number): void {
  if (step.kind === 'paper') kernel.setPaperStep(sample, lambda, l === 0 ? 1 : 0, skip)
  else if (step.kind === 'gradient') kernel.setFastStep(STEP_GRADIENT, sample, lambda, step.momentum, 0)
  else kernel.setFastStep(STEP_NEWTON, sample, lambda, step.momentum, step.damping)
}

function balance({ kernel, plan, memory, number }: Thread): void {
  balanceColumns(plan, memory, number, () => kernel.barrier(plan.control))
}

/** All threads must stop after the same iteration, so one of them looks and tells the others. */
function stopped({ number, kernel, plan, words }: Thread): boolean {
  if (number === 0) Atomics.store(words, CONTROL_GO / 4, 1 - Atomics.load(words, CONTROL_STOP / 4))
  kernel.barrier(plan.control)
  return Atomics.load(words, CONTROL_GO / 4) === 0
}

function sumErrors({ kernel, plan }: Thread, entries: EntrySet): void {
  const view = plan.errors[entries]
  if (!view) return
  kernel.errorSums(plan.control, view.descriptor, view.sums)
  kernel.barrier(plan.control)
}
