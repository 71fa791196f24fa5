/** The problem that tests of runs learn, and settings to learn it with. */
import type { CpModel } from '#lacuna/model/index.js'
import type { RunOptions } from '#lacuna/solver/index.js'
import { synthetic } from '#lacuna/tensor/index.js'

const problem = synthetic({
  dims: [12, 60, 50],
  entries: 12_000,
  rank: 3,
  snrDb: 15,
  seed: 2,
  testEntries: 800,
})
/** The training entries. */
export const { tensor } = problem
/** The entries that runs are judged on. */
export const hidden = problem.test!

/** The factors as text, to compare bits. */
export const bytesOf = ({ factors }: Pick<CpModel, 'factors'>): string =>
  Buffer.concat(
    factors.map((factor) => Buffer.from(factor.buffer, factor.byteOffset, factor.byteLength)),
  ).toString('base64')

/** Settings of runs without a learned prior. */
export const SOLVERS: RunOptions[] = [
  { solver: 'fast', rank: 4, epochs: 12, tolerance: 0 },
  { solver: 'fast', rank: 26, epochs: 6, tolerance: 0 },
  { solver: 'paper', rank: 4, sample: 0.3, maxInner: 2, epochs: 6 },
]
/** Ends with sweeps under a learned prior. */
export const LEARNED: RunOptions = { rank: 5, epochs: 42, tolerance: 0 }
