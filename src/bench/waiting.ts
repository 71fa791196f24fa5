/** Where the time of an AO iteration goes when samples are small: at work on rows, handing out chunks, waiting for others. */
import type { CpuProblem } from '../engine/cpu/cpuProblem.ts'
import { cpuEngine } from '../engine/cpu/index.ts'
import { SKIP_ROWS } from '../kernels/layout.ts'
import { synthetic } from '../tensor/index.ts'
import { DIMS, ENTRIES, prepare } from './engine.ts'
import { median } from './median.ts'

export interface WaitingBench {
  dims: readonly number[]
  entries: number
  rows: WaitingRow[]
}

/** Microseconds of an AO iteration, the mean of all threads: rows + handOut + waiting + between make up all. */
export interface WaitingRow {
  rank: number
  threads: number
  sample: number
  iteration: number
  rows: number
  handOut: number
  waiting: number
  between: number
}

export interface WaitingBenchOptions {
  ranks: readonly number[]
  threads: readonly number[]
  samples: readonly number[]
  small: boolean
  rounds: number
  onProgress: (line: string) => void
}

/** About so many sampled entries are worked on in a round. */
const ENTRIES_PER_ROUND = 4_000_000

export async function runWaitingBench(options: WaitingBenchOptions): Promise<WaitingBench> {
  const { ranks, threads, samples, small, rounds, onProgress } = options
  const entries = small ? Math.round(ENTRIES / 10) : ENTRIES
  onProgress(`Making ${entries} entries …`)
  const { tensor } = synthetic({ dims: DIMS, entries, rank: 10, seed: 1 })
  const rows: WaitingRow[] = []
  for (const rank of ranks) {
    const engines = threads.map((n) => cpuEngine({ threads: n }))
    const problems: CpuProblem[] = []
    for (const engine of engines) problems.push(await prepare(engine, tensor, rank, true))
    for (const sample of samples) {
      const iterations = Math.max(1, Math.round(ENTRIES_PER_ROUND / (sample * entries)))
      const found: WaitingRow[][] = threads.map(() => [])
      // The first round is not counted.
      for (let round = 0; round <= rounds; round++)
        for (const [i, problem] of problems.entries()) {
          onProgress(`Rank ${rank}, c = ${sample}, ${threads[i]} threads, round ${round} of ${rounds}`)
          const row = await measure(problem, sample, iterations)
          if (round > 0) found[i].push({ rank, threads: threads[i], ...row })
        }
      rows.push(...found.map(medianRow))
    }
    for (const engine of engines) await engine.close()
  }
  return { dims: DIMS, entries, rows }
}

async function measure(
  problem: CpuProblem,
  sample: number,
  count: number,
): Promise<Omit<WaitingRow, 'rank' | 'threads'>> {
  const run = { first: 0, count, sample, lambda: 0.01, seed: 1 }
  const handing = await problem.iterateTimed({ ...run, step: { kind: 'paper', maxInner: 1 } }, SKIP_ROWS)
  const working = await problem.iterateTimed({ ...run, step: { kind: 'newton', momentum: 0, damping: 4 } })
  const each = (numbers: readonly number[]): number =>
    (1e6 * numbers.reduce((sum, x) => sum + x, 0)) / numbers.length / count
  const iteration = each(working.map(({ seconds }) => seconds))
  const stepping = each(working.map((spent) => spent.stepping))
  const waiting = each(working.map((spent) => spent.waiting))
  const handOut = Math.min(stepping, each(handing.map((spent) => spent.stepping)))
  return {
    sample,
    iteration,
    rows: stepping - handOut,
    handOut,
    waiting,
    between: Math.max(0, iteration - stepping - waiting),
  }
}

function medianRow(rows: readonly WaitingRow[]): WaitingRow {
  const keys = Object.keys(rows[0]) as (keyof WaitingRow)[]
  return Object.fromEntries(
    keys.map((key) => [key, median(rows.map((row) => row[key]))]),
  ) as unknown as WaitingRow
}
