/** Held-out errors and seconds of the default solver at several ranks, where the truth has a known rank. */
import { complete, type Engine, synthetic } from 'lacuna'

/** Options of measureRanks. */
export interface RanksBenchOptions {
  dims: readonly number[]
  /** Number of training entries; a twentieth as many are held out. */
  entries: number
  /** The rank of the truth. */
  truth: number
  /** Signal-to-noise ratio in dB. */
  snr: number
  ranks: readonly number[]
  engine: Engine
  onProgress?(line: string): void
}

/** The result at one rank. */
export interface RankRow {
  rank: number
  /** Seconds of the solution, set-up included. */
  seconds: number
  epochs: number
  /** Relative errors on training entries, and on held-out ones, which have no noise. */
  train: number
  test: number
  /** The held-out error, divided by the least of all ranks. */
  ratio: number
}

/** Solves one synthetic problem at each rank with the default settings. */
export async function measureRanks(options: RanksBenchOptions): Promise<RankRow[]> {
  const { dims, entries, truth, snr, ranks, engine, onProgress } = options
  onProgress?.('Making the entries …')
  const size = { dims: [...dims], entries, testEntries: Math.ceil(entries / 20) }
  const { tensor, test } = synthetic({ ...size, rank: truth, snrDb: snr, seed: 1 })
  const rows: Omit<RankRow, 'ratio'>[] = []
  for (const rank of ranks) {
    const start = performance.now()
    const { model, epochs, train } = await complete(tensor, {
      rank,
      engine,
      onEpoch: ({ epoch }) => onProgress?.(`Rank ${rank}: epoch ${epoch.toFixed(0)}`),
    })
    const seconds = (performance.now() - start) / 1000
    const error = model.error(test!).relative
    rows.push({ rank, seconds, epochs: epochs.at(-1)!.epoch, train: train.relative, test: error })
  }
  const least = Math.min(...rows.map((row) => row.test))
  return rows.map((row) => ({ ...row, ratio: row.test / least }))
}
