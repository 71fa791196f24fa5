/** The paper's settings, and what is smaller here so that one can watch. */
import type { CompleteOptions } from 'lacuna'
import type { RunSettings } from '../solving/solving.ts'

export interface CurvePoint {
  epoch: number
  seconds: number
  error: number
}

export interface Curve {
  problem: string
  name: string
  points: CurvePoint[]
}

/**
 * Figure 1. The paper: 1063 × 1599 × 3, 500 epochs, c = 0.02, which is some ten pixels of each row in a step. Here the rows
 * are shorter: c = 0.1 is as many.
 */
export const imageHidden = 0.9
export const imageRuns: readonly { name: string; method: 'plain' | 'patches'; options?: RunSettings }[] = [
  {
    name: 'paper, c = 0.1',
    method: 'plain',
    options: { solver: 'paper', rank: 50, lambda: 0.01, sample: 0.1, epochs: 100, seed: 1 },
  },
  { name: 'fast', method: 'plain', options: { rank: 50, lambda: 'auto', epochs: 100, seed: 1 } },
  { name: 'fast, patches', method: 'patches' },
]

/** Figure 2. The paper: 71567 × 65133 × 730, 10 million entries, 100 epochs, five trials. */
const small = { dims: [360, 320, 40], entries: 120_000, rank: 10, testEntries: 20_000, seed: 1 }
export const problems = [
  { name: 'S1: much noise, 5 dB', snrDb: 5, ...small },
  { name: 'S2: little noise, 30 dB', snrDb: 30, ...small },
]
export const runs: readonly { name: string; options: CompleteOptions }[] = [
  ...[0.05, 0.2, 0.5].map((sample) => ({
    name: `paper, c = ${sample}`,
    options: { solver: 'paper', sample, epochs: 40, seed: 1 } as const,
  })),
  { name: 'fast', options: { epochs: 40, lambda: 'auto', patience: 1000, tolerance: 0, seed: 1 } },
]

/** Okabe and Ito's colours, and a dash for each, so that no one depends on colour alone. */
export const strokes: Record<string, { colour: string; dash: string }> = {
  'paper, c = 0.1': { colour: 'var(--train)', dash: '6 3' },
  'paper, c = 0.05': { colour: 'var(--train)', dash: '2 3' },
  'paper, c = 0.2': { colour: 'var(--held-out)', dash: '6 3' },
  'paper, c = 0.5': { colour: 'var(--fourth)', dash: '9 2 2 2' },
  'fast, patches': { colour: 'var(--fourth)', dash: '9 2 2 2' },
  fast: { colour: 'var(--third)', dash: '' },
}
