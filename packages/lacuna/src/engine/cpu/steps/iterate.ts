/** AO iterations, as one of the threads runs them, synchronized by barriers. */

import { purpose, stream } from '../../../base/random.ts'
import {
  CONTROL_GO,
  CONTROL_STOP,
  NOISE_BINS,
  STEP_GRADIENT,
  STEP_NEWTON,
  STEP_ZEROS,
} from '../../../kernels/solve/layout.ts'
import type { Iterated, Iterations } from '../../engine.ts'
import { multiplyColumns, prepareZeros } from '../setup/grid/allCells.ts'
import type { Kernel } from '../threads/kernel.ts'
import { barrier, type ThreadProblem, timeSince } from '../threads/threadProblem.ts'
import { exchangeRows } from './exchangeRows.ts'
import { addBins } from './posterior/learnedNoise.ts'
import { sweepPosterior } from './posterior/posterior.ts'
import type { PosteriorWork } from './posterior/posteriorNumbers.ts'
import { sweepStrata } from './strata.ts'
import { gatherChunks } from './sumErrors.ts'

/**
 * Runs a thread's work of AO iterations: Algorithm 2, with iterations k, modes i, and the inner iterations l
 * of Algorithm 1. Returns how many were done, and why it ended early.
 * @param skip for a benchmark, the parts of the paper's step to leave out: SKIP_… of kernels/solve/layout.ts
 */
export function iterate(problem: ThreadProblem, run: Iterations, skip: number): Iterated {
  const { parts, thread, exchange } = problem
  const inner = run.step.kind === 'paper' ? run.step.maxInner : 1
  const modes = parts[0].layout.modes.length
  const exchangedBefore = exchange.secondsSpent()
  const start = performance.now()
  const end = start + 1000 * (run.seconds ?? Infinity)
  /** The result after `done` AO iterations; all processes must call it together. */
  const result = (done: number): Iterated => ({
    done,
    exchanging: exchange.secondsSpent() - exchangedBefore,
    ...timeSince(problem, start),
  })
  if (problem.zeros) for (let i = 1; i < modes; i++) multiplyColumns(problem, i)
  let isDecided = false
  for (let done = 0; ; done++) {
    if (!isDecided) {
      // At least one iteration, however little time there is: otherwise a run would never end.
      writeDecision(problem, done > 0 ? end : Infinity)
      barrier(parts, thread)
    }
    isDecided = false
    const cut = readDecision(problem)
    if (cut) return { cut, ...result(done) }
    if (done === run.count) return result(done)
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
          setStep(kernel, run, l, skip, problem.zeros)
          kernel.step(layout.control, layout.views[i].descriptor, key, thread)
        }
        // The barrier of the last step also carries the decision to continue.
        if (i === modes - 1 && l === inner - 1) {
          writeDecision(problem, end)
          isDecided = true
        }
        barrier(parts, thread)
        if (parts.length > 1 || exchange.size > 1) exchangeRows(problem, i, key)
      }
      if (problem.zeros) multiplyColumns(problem, i)
    }
  }
}

/**
 * Sets the parameters of a step in this thread's kernel instance; 'posterior' and 'strata' steps set their
 * own.
 * @param l the number of the inner iteration
 */
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

/**
 * Returns the operations of a posterior sweep that involve all threads and processes.
 * @param key the random stream of the sweep
 */
function posteriorWork(problem: ThreadProblem, key: number): PosteriorWork {
  const { parts, thread, exchange, noiseSums, errorSums } = problem
  return {
    step(i) {
      for (const { kernel, layout } of parts) {
        kernel.step(layout.control, layout.views[i].descriptor, key, thread)
      }
      barrier(parts, thread)
      if (parts.length > 1 || exchange.size > 1) exchangeRows(problem, i, key)
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

// The decisions that CONTROL_GO of the control block holds.

/** Continue with the next AO iteration. */
const GO = 1
/** End: `stop` was called on some process. */
const STOPPED = 2
/** End: the time limit is reached. */
const TIME_IS_UP = 3

/**
 * Decides whether to continue, on thread 0 of every process, and writes it to the control block: all threads
 * of all processes must stop after the same iteration. A stop on one process stops all; the time is up by the
 * clock of rank 0. The decision is valid after the next barrier.
 * @param end when the time is up, by performance.now()
 */
function writeDecision({ parts, thread, exchange }: ThreadProblem, end: number): void {
  if (thread !== 0) return
  const { words } = parts[0]
  const isStopped = Atomics.load(words, CONTROL_STOP / 4) !== 0
  const isOver = exchange.rank === 0 && performance.now() >= end
  const reasons = Uint32Array.of(isStopped ? 1 : 0, isOver ? 1 : 0)
  exchange.allReduce(reasons)
  Atomics.store(words, CONTROL_GO / 4, reasons[0] > 0 ? STOPPED : reasons[1] > 0 ? TIME_IS_UP : GO)
}

/** Reads the decision: why the iterations end, or undefined if they continue. */
function readDecision({ parts: [{ words }] }: ThreadProblem): Iterated['cut'] {
  const decision = Atomics.load(words, CONTROL_GO / 4)
  return decision === GO ? undefined : decision === STOPPED ? 'stopped' : 'seconds'
}
