/** The AO iterations of a problem, as a thread runs them: with the others, behind barriers. */
import {
  CONTROL_GO,
  CONTROL_STOP,
  NOISE_BINS,
  STEP_GRADIENT,
  STEP_NEWTON,
  STEP_ZEROS,
} from '../../kernels/layout.ts'
import { purpose, stream } from '../../random.ts'
import type { Iterated, Iterations } from '../engine.ts'
import { multiplyColumns, prepareZeros } from './allCells.ts'
import type { Kernel } from './kernel.ts'
import { addBins } from './learnedNoise.ts'
import { sweepPosterior } from './posterior.ts'
import type { PosteriorWork } from './posteriorProblem.ts'
import { chunksAtATime } from './segments.ts'
import { shareStep } from './shareStep.ts'
import { gatherChunks } from './sumErrors.ts'
import { meet, type Problem, since } from './threadProblem.ts'

/** Algorithm 2: AO iterations k, modes i, and within them the inner iterations l of Algorithm 1. */
export function iterate(problem: Problem, run: Iterations, skip: number): Iterated {
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

function setStep(
  kernel: Kernel,
  { sample, lambda, step }: Iterations,
  l: number,
  skip: number,
  zeros: boolean,
): void {
  if (step.kind === 'paper') kernel.setPaperStep(sample, lambda, l === 0 ? 1 : 0, skip)
  else if (step.kind === 'posterior') return
  else if (step.kind === 'gradient') kernel.setFastStep(STEP_GRADIENT, sample, lambda, step.momentum, 0)
  else kernel.setFastStep(zeros ? STEP_ZEROS : STEP_NEWTON, sample, lambda, step.momentum, step.damping)
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
