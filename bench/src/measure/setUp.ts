/** Seconds from entries to a loaded problem on the CPU engine, by phase and number of threads. */
import { synthetic } from 'lacuna'
import { cpuEngine, type SetUpTimes } from 'lacuna/internal'
import { median } from './median.ts'

/** Result of measureSetUp. */
export interface SetUpBench {
  dims: readonly number[]
  entries: number
  rank: number
  rows: SetUpRow[]
}

/** Medians for one number of threads. */
export interface SetUpRow extends SetUpTimes {
  threads: number
  /**
   * Seconds of loading, with threads started and the kernel compiled; `start` is the time of those, for the
   * first problem.
   */
  total: number
  /** Processor seconds of all threads. */
  processorSeconds: number
}

/** Problems of the sizes of the paper's data sets; ratings also at a tenth. */
export const setUpProblems = {
  uber: { dims: [183, 24, 1140, 1717], entries: 3_309_490 },
  ratings: { dims: [7157, 6513, 730], entries: 1_000_005 },
  'ratings-full': { dims: [71_567, 65_133, 730], entries: 10_000_054 },
} as const

/** Options of measureSetUp. */
export interface SetUpBenchOptions {
  problem: keyof typeof setUpProblems
  /** Uses a tenth of the entries. */
  small: boolean
  rank: number
  threads: readonly number[]
  rounds: number
  onProgress: (line: string) => void
}

/** Loads the problem on engines of each number of threads, in interleaved rounds. */
export async function measureSetUp(options: SetUpBenchOptions): Promise<SetUpBench> {
  const { problem, small, rank, threads, rounds, onProgress } = options
  const { dims } = setUpProblems[problem]
  const entries = Math.round(setUpProblems[problem].entries / (small ? 10 : 1))
  onProgress(`Making ${entries} entries …`)
  const { tensor } = synthetic({ dims, entries, rank: 10, seed: 1 })
  const engines = threads.map((n) => cpuEngine({ threads: n }))
  const starts: number[] = []
  const found: SetUpRow[][] = threads.map(() => [])
  for (let round = 0; round <= rounds; round++)
    for (const [i, engine] of engines.entries()) {
      onProgress(`${threads[i]} threads, round ${round} of ${rounds}`)
      const used = process.cpuUsage()
      const begun = performance.now()
      const loaded = await engine.load({ tensor, rank, momentumFactors: true, probe: 50_000, seed: 1 })
      const total = (performance.now() - begun) / 1000
      const { user, system } = process.cpuUsage(used)
      if (round === 0) starts.push(loaded.setUp.start)
      else
        found[i].push({
          ...loaded.setUp,
          threads: threads[i],
          total,
          processorSeconds: (user + system) / 1e6,
        })
      await loaded.close()
    }
  for (const engine of engines) await engine.close()
  const rows = found.map((row, i) => ({ ...medianRow(row), start: starts[i] }))
  return { dims, entries, rank, rows }
}

/** Returns the median of each field over the rounds. */
function medianRow(rows: readonly SetUpRow[]): SetUpRow {
  const keys = Object.keys(rows[0]) as (keyof SetUpRow)[]
  return Object.fromEntries(
    keys.map((key) => [key, median(rows.map((row) => row[key]))]),
  ) as unknown as SetUpRow
}
