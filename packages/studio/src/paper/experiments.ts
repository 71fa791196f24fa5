/** The paper's settings, and what is smaller here so that one can watch. */
import type { ConvergenceProblem, ConvergenceSeries } from 'lacuna-figures/results'
import type { RunSettings } from '../solving/solving.ts'

/**
 * Figure 1. The paper: 1063 × 1599 × 3, 500 epochs, c = 0.02, which is some ten pixels of each row in a step. Here the rows
 * are shorter: c = 0.1 is as many.
 */
export const imageHidden = 0.9
export const imageRuns: readonly { name: ImageRunName; options?: RunSettings }[] = [
  {
    name: 'paper',
    options: { solver: 'paper', rank: 50, lambda: 0.01, sample: 0.1, epochs: 100, seed: 1 },
  },
  { name: 'fast', options: { rank: 50, lambda: 'auto', epochs: 100, seed: 1 } },
  { name: 'patches' },
]
export type ImageRunName = 'paper' | 'fast' | 'patches'
export const imageRunNames: Record<ImageRunName, string> = {
  paper: 'paper, c = 0.1',
  fast: 'fast',
  patches: 'fast, patches',
}

export interface ImageCurve {
  name: ImageRunName
  points: { epoch: number; error: number }[]
}

/** Figure 2. The paper: 71567 × 65133 × 730, 10 million entries, 100 epochs, five trials. */
const small = { dims: [360, 320, 40], entries: 120_000, rank: 10, testEntries: 20_000, seed: 1 }
export const problems = [
  { name: 'S1', snrDb: 5, ...small },
  { name: 'S2', snrDb: 30, ...small },
] as const
export const convergenceRuns: readonly RunSettings[] = [
  ...[0.05, 0.2, 0.5].map(
    (sample): RunSettings => ({ solver: 'paper', rank: 10, lambda: 0.01, sample, epochs: 40, seed: 1 }),
  ),
  { rank: 10, lambda: 'auto', sample: 'auto', epochs: 40, seed: 1 },
]

/** A problem of which nothing is known yet. */
export function newProblem({
  name,
  snrDb,
  dims,
  entries,
  testEntries,
}: (typeof problems)[number]): ConvergenceProblem {
  const data = { source: 'synthetic', dims, entries }
  return { name, data, hiddenEntries: testEntries, snrDb, peakMemoryBytes: 0, series: [] }
}

export function newSeries({ solver = 'fast', sample = 'auto', lambda }: RunSettings): ConvergenceSeries {
  const curve = { epoch: [], seconds: [], observed: [], hidden: [] }
  return { solver, sample, lambda, trials: [{ trial: 1, curve }] }
}
