/**
 * Figures 3 and 4: seconds per epoch by rank and number of threads, on real data and on synthetic data of its
 * size.
 */

import { type SparseTensor, synthetic } from 'lacuna'
import { type CpuEngine, cpuEngine, fixedStage, type LoadedProblem, type Step, stepOf } from 'lacuna/internal'
import type {
  DataDescription,
  ExperimentSettings,
  TimingProblem,
  TimingResult,
  TimingSeries,
} from 'lacuna-figures/results'
import type { Progress } from '../progress.ts'
import { rowBalance } from './balance.ts'
import type { RealData } from './data.ts'
import { closeAll, type Group, peakMemoryBytes, type Session, throwIfStopped } from './group.ts'

/** Sizes and solver settings of figures 3 and 4. */
type Settings = ExperimentSettings['timing']

/**
 * Stored record of a trial: the problem, and seconds of an epoch of each solver on each number of threads.
 */
export interface TimingRecord extends Omit<TimingProblem, 'series'> {
  measured: { solver: TimingSeries['solver']; threads: number; seconds: number }[]
}

/** Numbers of threads for which the balance of the rows is computed, on any machine. */
const BALANCE_THREADS = [2, 4, 8, 16, 32]
/** Rank of the synthetic data, as in the paper, for any rank of the model. */
const TRUE_RANK = 10
/** Solvers that are measured, in turns. */
const SOLVERS = ['paper', 'fast'] as const

/** Settings of the experiment of figures 3 and 4. */
export interface TimingContext {
  settings: Settings
  seed: number
  /** Uber pickups, if they were given. */
  real?: RealData
}

/** Id of a trial in the store. @param problem S or T @param trial from 1 */
const trialId = (problem: string, rank: number, trial: number): string => `timing-${problem}-${rank}-${trial}`

/** Lists the trials of figures 3 and 4, in a group for each problem and rank. */
export function timingGroups(context: TimingContext): Group[] {
  const { settings, real } = context
  const names = real ? (['S', 'T'] as const) : (['S'] as const)
  return names.flatMap((name) =>
    settings.ranks.map((rank) => ({
      figure: 'Figures 3 and 4',
      trials: Array.from({ length: settings.trials }, (_, t) => ({
        id: trialId(name, rank, t + 1),
        label: `${name}, R = ${rank}, trial ${t + 1} of ${settings.trials}`,
      })),
      open: (progress: Progress) => openSession(name, rank, context, progress),
    })),
  )
}

/**
 * Prepares a group: makes the tensor, and loads it on an engine for each number of threads. A trial measures
 * every solver on every engine.
 */
async function openSession(
  name: TimingProblem['name'],
  rank: number,
  context: TimingContext,
  progress: Progress,
): Promise<Session> {
  const { settings, seed } = context
  progress(`Figures 3 and 4: making ${name}`)
  const { tensor, source } = await makeProblem(name, context, progress)
  const data: DataDescription = { source, dims: [...tensor.dims], entries: tensor.values.length }
  const balance = BALANCE_THREADS.map((threads) => ({ threads, speedUp: rowBalance(tensor, threads) }))
  const engines: CpuEngine[] = []
  const problems: LoadedProblem[] = []
  try {
    for (const threads of settings.threads) {
      progress(`Figures 3 and 4: ${name}, R = ${rank}, loading for ${threads} threads`)
      const engine = cpuEngine({ threads })
      engines.push(engine)
      const problem = await engine.load({ tensor, rank, momentumFactors: true, seed })
      problems.push(problem)
      // The first epoch of each is not counted: it compiles the kernels and touches the memory.
      for (const solver of SOLVERS) await measureEpoch(problem, rank, solver, settings, seed)
    }
  } catch (error) {
    await closeAll(engines)
    throw error
  }
  return {
    run: async (trial, progress, signal) => {
      const measured: TimingRecord['measured'] = []
      for (const [i, { threads, description }] of engines.entries())
        for (const solver of SOLVERS) {
          throwIfStopped(signal)
          progress(`${solver} on ${description}`)
          const seconds = await measureEpoch(problems[i], rank, solver, settings, seed + trial)
          measured.push({ solver, threads, seconds })
        }
      const record: TimingRecord = {
        name,
        data,
        rowBalance: balance,
        peakMemoryBytes: peakMemoryBytes(),
        measured,
      }
      return record
    },
    close: () => closeAll(engines),
  }
}

/**
 * Makes the tensor of a problem: T is real, S synthetic, of the size of T if that is given, as in the paper.
 */
async function makeProblem(
  name: TimingProblem['name'],
  { settings, seed, real }: TimingContext,
  progress: Progress,
): Promise<{ tensor: SparseTensor; source: string }> {
  const observed = await real?.read(progress)
  if (name === 'T') return { tensor: observed!, source: real!.source }
  const { dims, entries } = observed ? { dims: observed.dims, entries: observed.values.length } : settings
  return { tensor: synthetic({ dims, entries, rank: TRUE_RANK, seed }).tensor, source: 'synthetic' }
}

/**
 * Measures the seconds of one epoch, 1/c AO iterations, from random factors, which overwrite those of the
 * problem.
 */
async function measureEpoch(
  problem: LoadedProblem,
  rank: number,
  solver: TimingSeries['solver'],
  { sample, lambda }: Settings,
  seed: number,
): Promise<number> {
  const { dims } = problem.statistics
  await problem.writeFactors(synthetic({ dims, entries: 1, rank, seed: seed + 1 }).factors)
  if (solver === 'fast') await problem.balance()
  const step: Step = solver === 'paper' ? { kind: 'paper', maxInner: 1 } : stepOf(fixedStage(sample, rank), 1)
  const count = Math.round(1 / sample)
  return (await problem.iterate({ first: 0, count, sample, lambda, seed, step })).seconds
}

/**
 * Collects the finished trials of figures 3 and 4, by problem; undefined if there are none.
 * @param read returns the record of a trial, undefined if it is not finished
 */
export async function collectTiming(
  settings: Settings,
  read: (id: string) => Promise<object | undefined>,
): Promise<TimingResult | undefined> {
  const problems: TimingProblem[] = []
  for (const name of ['S', 'T'] as const) {
    let problem: TimingProblem | undefined
    for (const rank of settings.ranks)
      for (let trial = 1; trial <= settings.trials; trial++) {
        const record = (await read(trialId(name, rank, trial))) as TimingRecord | undefined
        if (!record) continue
        const { measured, ...rest } = record
        problem ??= { ...rest, series: [] }
        problem.peakMemoryBytes = Math.max(problem.peakMemoryBytes, rest.peakMemoryBytes)
        for (const one of measured) addMeasurement(problem.series, rank, one)
      }
    if (problem) problems.push(problem)
  }
  return problems.length > 0 ? { problems } : undefined
}

/** Adds a measurement to the series of its solver, rank and threads, which is created if necessary. */
function addMeasurement(
  series: TimingSeries[],
  rank: number,
  { solver, threads, seconds }: TimingRecord['measured'][number],
): void {
  let found = series.find((one) => one.solver === solver && one.rank === rank && one.threads === threads)
  if (!found) {
    found = { solver, rank, threads, seconds: [] }
    series.push(found)
  }
  found.seconds.push(seconds)
}
