/**
 * Seconds of an epoch of the paper's Algorithm 2 on the CPU, by rank and number of threads, and its fractions
 * by kind of work.
 */
import { type SparseTensor, synthetic } from 'lacuna'
import { type CpuEngine, type CpuProblem, cpuEngine, SKIP_HESSIAN, SKIP_POWER_METHOD } from 'lacuna/internal'
import { median } from './median.ts'

/** Result of measureEngine. */
export interface EngineBench {
  dims: readonly number[]
  entries: number
  sample: number
  rounds: number
  rows: EngineBenchRow[]
}

/** Medians for one rank and one number of threads. */
export interface EngineBenchRow {
  rank: number
  threads: number
  secondsPerEpoch: number
  nsPerEntryAndMode: number
  /** Ratio to the seconds of the first number of threads. */
  speedUp: number
  /** Fractions of the seconds of an epoch: forming H, the power method, the rest. */
  shares: { hessian: number; powerMethod: number; rest: number }
}

/** Dims of the paper's Uber-shaped problem. */
export const DIMS = [183, 24, 1140, 1717]
/** Number of entries of that problem. */
export const ENTRIES = 3_309_490
/** Sample fraction c of a step. */
export const SAMPLE = 0.5

/** Options of measureEngine. */
export interface EngineBenchOptions {
  ranks: readonly number[]
  threads: readonly number[]
  /** Uses a tenth of the entries. */
  small: boolean
  /** Measurements of each row, interleaved. */
  rounds: number
  onProgress: (line: string) => void
}

/** Measures each rank with each number of threads, in interleaved rounds. */
export async function measureEngine({
  ranks,
  threads,
  small,
  rounds,
  onProgress,
}: EngineBenchOptions): Promise<EngineBench> {
  const entries = small ? Math.round(ENTRIES / 10) : ENTRIES
  onProgress(`Making ${entries} entries …`)
  const { tensor } = synthetic({ dims: DIMS, entries, rank: 10, seed: 1 })
  const rows: EngineBenchRow[] = []
  for (const rank of ranks) rows.push(...(await measureRank(tensor, rank, threads, rounds, onProgress)))
  return { dims: DIMS, entries, sample: SAMPLE, rounds, rows }
}

/**
 * Measures one rank with each number of threads. The fractions of an epoch follow from epochs in which the
 * kernel skips the power method, or also forming H.
 */
async function measureRank(
  tensor: SparseTensor,
  rank: number,
  threads: readonly number[],
  rounds: number,
  onProgress: (line: string) => void,
): Promise<EngineBenchRow[]> {
  const engines = threads.map((n) => cpuEngine({ threads: n }))
  try {
    const problems: CpuProblem[] = []
    for (const engine of engines) problems.push(await loadProblem(engine, tensor, rank))
    // The first epoch of each is not counted: it compiles the kernels and touches the memory.
    for (const problem of problems) await epochSeconds(problem, 0)
    const times = problems.map(() => ({
      all: [] as number[],
      noPower: [] as number[],
      gradient: [] as number[],
    }))
    for (let round = 1; round <= rounds; round++) {
      for (const [i, problem] of problems.entries()) {
        onProgress(`Rank ${rank}, ${threads[i]} threads, round ${round} of ${rounds}`)
        times[i].all.push(await epochSeconds(problem, 0))
        times[i].noPower.push(await epochSeconds(problem, SKIP_POWER_METHOD))
        times[i].gradient.push(await epochSeconds(problem, SKIP_POWER_METHOD | SKIP_HESSIAN))
      }
    }
    const reference = median(times[0].all)
    return times.map(({ all, noPower, gradient }, i) => {
      const secondsPerEpoch = median(all)
      const rest = median(gradient) / secondsPerEpoch
      const powerMethod = Math.max(0, 1 - median(noPower) / secondsPerEpoch)
      return {
        rank,
        threads: threads[i],
        secondsPerEpoch,
        speedUp: reference / secondsPerEpoch,
        nsPerEntryAndMode: (1e9 * secondsPerEpoch) / (tensor.values.length * tensor.dims.length),
        shares: { hessian: 1 - rest - powerMethod, powerMethod, rest },
      }
    })
  } finally {
    for (const engine of engines) await engine.close()
  }
}

/** Loads the tensor on an engine, with random initial factors. */
async function loadProblem(engine: CpuEngine, tensor: SparseTensor, rank: number): Promise<CpuProblem> {
  const problem = await engine.load({ tensor, rank, momentumFactors: false, seed: 1 })
  const { factors } = synthetic({ dims: tensor.dims, entries: 1, rank, seed: 2 })
  await problem.writeFactors(factors)
  return problem
}

/** Runs one epoch and returns its seconds. @param skip flags of the work that the kernel leaves out */
async function epochSeconds(problem: CpuProblem, skip: number): Promise<number> {
  const step = { kind: 'paper', maxInner: 1 } as const
  const epoch = { first: 0, count: 1 / SAMPLE, sample: SAMPLE, lambda: 0.01, seed: 1, step }
  return (await problem.iterate(epoch, skip)).seconds
}
