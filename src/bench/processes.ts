/**
 * Seconds per epoch on the processes and threads that there are, for steps of both solvers, and which share of them goes to
 * telling other processes and waiting for them. Every process makes its own share of the entries.
 */
import type { CpuEngine } from '../engine/cpu/index.ts'
import type { Step } from '../engine/engine.ts'
import { synthetic } from '../tensor/index.ts'
import { median } from './median.ts'
import { largeTensor } from './size.ts'

export interface ProcessesBench {
  processes: number
  threads: number
  rows: ProcessesBenchRow[]
}

export interface ProcessesBenchRow {
  problem: string
  dims: readonly number[]
  entries: number
  solver: string
  rank: number
  /** From entries, which are there, to a loaded problem. */
  loadingSeconds: number
  secondsPerEpoch: number
  /** Of an epoch: the mean over the processes, and that of the one that waits longest. */
  exchanging: { mean: number; most: number }
  /** In bytes, of the process that took most, so far. */
  peak: number
}

const PROBLEMS = {
  uber: { dims: [183, 24, 1140, 1717], entries: 3_309_490 },
  movielens: { dims: [71_567, 65_133, 731], entries: 10_000_054 },
}
export type ProcessesProblem = keyof typeof PROBLEMS
export const processesProblems = Object.keys(PROBLEMS) as ProcessesProblem[]

/** Half of a row's entries in a step, as in the paper's experiments: an epoch is two AO iterations. */
const SAMPLE = 0.5
const STEPS: Record<string, Step> = {
  paper: { kind: 'paper', maxInner: 1 },
  fast: { kind: 'newton', momentum: 0.5, damping: 1 },
}

export interface ProcessesBenchOptions {
  problems: readonly ProcessesProblem[]
  ranks: readonly number[]
  rounds: number
  /** A tenth of the entries. */
  small: boolean
  onProgress: (line: string) => void
}

export async function runProcessesBench(
  engine: CpuEngine,
  { problems, ranks, rounds, small, onProgress }: ProcessesBenchOptions,
): Promise<ProcessesBench> {
  const world = await engine.world()
  const rows: ProcessesBenchRow[] = []
  for (const problem of problems) {
    const { dims, entries: all } = PROBLEMS[problem]
    const entries = small ? Math.round(all / 10) : all
    onProgress(`Making ${entries} entries …`)
    const tensor = largeTensor(dims, entries, () => {}, world)
    for (const rank of ranks)
      for (const [solver, step] of Object.entries(STEPS)) {
        onProgress(`${problem}, ${solver}, rank ${rank}: loading`)
        await world.gatherNumbers(0) // begin together
        const start = performance.now()
        const loaded = await engine.load({ tensor, rank, companions: solver === 'fast', seed: 1 })
        const loadingSeconds = (performance.now() - start) / 1000
        await loaded.writeFactors(synthetic({ dims, entries: 1, rank, seed: 2 }).factors)
        if (solver === 'fast') await loaded.balance()
        const seconds: number[] = []
        const exchanging: number[] = []
        // The first epoch is not counted: it compiles the kernels and touches the memory.
        for (let round = 0; round <= rounds; round++) {
          onProgress(`${problem}, ${solver}, rank ${rank}: round ${round} of ${rounds}`)
          const epoch = { first: 2 * round, count: 1 / SAMPLE, sample: SAMPLE, lambda: 0.01, seed: 1, step }
          const took = await loaded.iterate(epoch)
          if (round === 0) continue
          seconds.push(took.seconds)
          exchanging.push((took.exchanging ?? 0) / took.seconds)
        }
        await loaded.close()
        const peak = process.resourceUsage().maxRSS * 1024
        const each = await world.gatherNumbers(median(exchanging), peak, loadingSeconds)
        const largest = (column: number): number => Math.max(...each.map((numbers) => numbers[column]))
        rows.push({
          problem,
          dims,
          entries,
          solver,
          rank,
          loadingSeconds: largest(2),
          secondsPerEpoch: median(seconds),
          exchanging: {
            mean: each.reduce((sum, [share]) => sum + share, 0) / each.length,
            most: largest(0),
          },
          peak: largest(1),
        })
      }
  }
  return { processes: world.processes, threads: engine.threads, rows }
}
