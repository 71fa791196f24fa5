/** Seconds to find the best rows along a mode for every row of another. */
import { CpModel } from 'lacuna'
import { topForAll } from 'lacuna/answers'
import { draw, unit } from 'lacuna/internal'

/** Result of measureTop. */
export interface TopBench {
  rows: number
  candidates: number
  rank: number
  n: number
  rounds: { threads: number; seconds: number }[]
}

/** Options of measureTop. */
export interface TopBenchOptions {
  /** Rows that are asked for. */
  rows: number
  /** Rows that are ranked for each of them. */
  candidates: number
  rank: number
  /** Best candidates that are returned. */
  n: number
  threads: readonly number[]
  onProgress?(threads: number, done: number): void
}

/**
 * Ranks all candidates for every row of a model of random factors, a third of whose elements are zero, as in
 * learned models, and measures the seconds with each number of threads.
 */
export async function measureTop(options: TopBenchOptions): Promise<TopBench> {
  const { rows, candidates, rank, n, threads, onProgress } = options
  const dims = [rows, candidates]
  const factors = dims.map((dim, mode) =>
    Float32Array.from({ length: dim * rank }, (_, at) => Math.max(0, 1.5 * unit(draw(17 + mode, at)) - 0.5)),
  )
  const model = new CpModel({ dims, rank, factors })
  const rounds: TopBench['rounds'] = []
  for (const count of threads) {
    const start = performance.now()
    for await (const { first, count: some } of topForAll(model, {
      for: 'mode_1',
      of: 'mode_2',
      n,
      threads: count,
    }))
      onProgress?.(count, first + some)
    rounds.push({ threads: count, seconds: (performance.now() - start) / 1000 })
  }
  return { rows, candidates, rank, n, rounds }
}
