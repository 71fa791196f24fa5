/** Settings of the experiments in the page: the paper's, with smaller data so that they take seconds. */
import type { ConvergenceProblem, ConvergenceSeries } from 'lacuna-figures/results'
import type { RunSettings } from '../run/interactiveRun.ts'

/** The fraction of hidden pixels in figure 1. */
export const imageHidden = 0.9
/**
 * The runs of figure 1. In the paper: 1063 × 1599 × 3, 500 epochs, c = 0.02, which is about ten pixels of
 * each row in a step. Here rows are shorter, and c = 0.1 is as many.
 */
export const imageRuns: readonly { name: ImageRunName; options?: RunSettings }[] = [
  {
    name: 'paper',
    options: { solver: 'paper', rank: 50, lambda: 0.01, sample: 0.1, epochs: 100, seed: 1 },
  },
  { name: 'fast', options: { rank: 50, lambda: 'auto', epochs: 100, seed: 1 } },
  { name: 'patches' },
]
/** The methods of figure 1. */
export type ImageRunName = 'paper' | 'fast' | 'patches'
/** Names of the methods in legends. */
export const imageRunNames: Record<ImageRunName, string> = {
  paper: 'paper, c = 0.1',
  fast: 'fast',
  patches: 'fast, patches',
}

/** Relative error of the hidden pixels against epochs. */
export interface ImageCurve {
  name: ImageRunName
  points: { epoch: number; error: number }[]
}

/** Settings that the problems of figure 2 have in common. */
const small = { dims: [360, 320, 40], entries: 120_000, rank: 10, testEntries: 20_000, seed: 1 }
/**
 * The problems of figure 2. In the paper: 71567 × 65133 × 730, 10 million entries, 100 epochs, five trials.
 */
export const problems = [
  { name: 'S1', snrDb: 5, ...small },
  { name: 'S2', snrDb: 30, ...small },
] as const
/** The runs of each problem of figure 2. */
export const convergenceRuns: readonly RunSettings[] = [
  ...[0.05, 0.2, 0.5].map(
    (sample): RunSettings => ({ solver: 'paper', rank: 10, lambda: 0.01, sample, epochs: 40, seed: 1 }),
  ),
  { rank: 10, lambda: 'auto', sample: 'auto', epochs: 40, seed: 1 },
]

/** Returns the result of a problem of figure 2 before its first run. */
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

/** Returns the result of a run of figure 2 before its first point: one trial with an empty curve. */
export function newSeries({ solver = 'fast', sample = 'auto', lambda }: RunSettings): ConvergenceSeries {
  const curve = { epoch: [], seconds: [], observed: [], hidden: [] }
  return { solver, sample, lambda, trials: [{ trial: 1, curve }] }
}
