/**
 * results.json of `lacuna paper`: everything that was set and measured, so that figures and verdicts can be made again
 * from it alone, here or in a browser. Averages are not stored: they follow from the trials (averages.ts).
 */
import type { SolverName } from 'lacuna/internal'

export const RESULTS_FORMAT = 'lacuna-paper'
export const RESULTS_VERSION = 1

export type ScaleName = 'tiny' | 'small' | 'full'
export const scaleNames: readonly ScaleName[] = ['tiny', 'small', 'full']

export interface PaperResults {
  format: typeof RESULTS_FORMAT
  version: typeof RESULTS_VERSION
  /** The version of lacuna that measured. */
  lacuna: string
  scale: ScaleName
  /** Trial t uses the seed `seed + t − 1`, for the data and for the solver. */
  seed: number
  settings: ExperimentSettings
  machine: Machine
  /** Figure 1. */
  image?: ImageResult
  /** Figure 2. */
  convergence?: ConvergenceResult
  /** Figures 3 and 4. */
  timing?: TimingResult
  claims: Claim[]
}

/** What the scale decides (scales.ts). */
export interface ExperimentSettings {
  image: {
    height: number
    width: number
    rank: number
    sample: number
    lambda: number
    epochs: number
    missing: number
  }
  convergence: {
    dims: number[]
    entries: number
    rank: number
    samples: number[]
    lambda: number
    epochs: number
    /** Of S1 and S2, in decibels. */
    snrDb: number[]
    trials: number
  }
  timing: {
    dims: number[]
    entries: number
    ranks: number[]
    sample: number
    lambda: number
    threads: number[]
    trials: number
  }
}

export interface Machine {
  cpu: string
  cores: number
  memoryBytes: number
  platform: string
  node: string
}

/** Errors on the way, as columns: point i is (epoch[i], seconds[i], observed[i], hidden[i]). */
export interface Curve {
  /** How often each entry has been accessed on average. */
  epoch: number[]
  /** Of updates; measuring the errors is not counted. */
  seconds: number[]
  /** Relative error on the training entries (with the fast solver: on a fixed sample of them). */
  observed: number[]
  /** Relative error on entries that the solver never sees; without noise where the data is synthetic. */
  hidden: number[]
}

/** A tensor, and where it came from. */
export interface DataDescription {
  /** 'synthetic', 'drawn', or the names of the files. */
  source: string
  dims: number[]
  entries: number
}

export interface ImageResult {
  data: DataDescription
  /** How close one comes with nothing learned: each channel's mean in its holes. */
  mean: PictureQuality
  /** The original and what was left of it. */
  pictures: { original: string; damaged: string }
  runs: ImageRun[]
}

/** The paper's solver, the fast solver on the same tensor, and `lacuna image` as it is by default. */
export type ImageMethod = 'paper' | 'fast' | 'patches'

export interface ImageRun {
  method: ImageMethod
  rank: number
  sample: number | 'auto'
  lambda: number | 'auto'
  /** All of it, errors included. */
  seconds: number
  quality: PictureQuality
  /** Not of patches: their tensor is another one. */
  curve?: Curve
  /** The restored picture beside results.json. */
  picture: string
}

/** Over the values that were hidden. */
export interface PictureQuality {
  relative: number
  /** In decibels. */
  psnr: number
}

export interface ConvergenceResult {
  problems: ConvergenceProblem[]
}

export interface ConvergenceProblem {
  /** As the paper names them: S1 and S2 synthetic, T real. */
  name: 'S1' | 'S2' | 'T'
  data: DataDescription
  hiddenEntries: number
  /** In decibels; null for real data. */
  snrDb: number | null
  /** The most memory the process had taken when the last of its trials was done. */
  peakMemoryBytes: number
  series: ConvergenceSeries[]
}

export interface ConvergenceSeries {
  solver: SolverName
  /** c */
  sample: number | 'auto'
  lambda: number | 'auto'
  trials: { trial: number; curve: Curve }[]
}

export interface TimingResult {
  problems: TimingProblem[]
}

export interface TimingProblem {
  name: 'S' | 'T'
  data: DataDescription
  /** Per number of threads, how much faster than one the work could be if every row were one task (balance.ts). */
  rowBalance: { threads: number; speedUp: number }[]
  /** As of a convergence problem; all numbers of threads are held ready side by side. */
  peakMemoryBytes: number
  series: TimingSeries[]
}

export interface TimingSeries {
  solver: SolverName
  rank: number
  threads: number
  /** Of an epoch with c fixed, one per trial. */
  seconds: number[]
}

/** A sentence of the paper, and what was found here. */
export interface Claim {
  id: ClaimId
  figure: number
  /** In our words. */
  statement: string
  /** `untested` where the data or the threads for it were not there. */
  verdict: 'holds' | 'fails' | 'untested'
  /** The numbers it rests on, in a sentence. */
  evidence: string
}

export type ClaimId =
  | 'image-small-c'
  | 'small-c-bad-in-noise'
  | 'small-c-good-at-high-snr'
  | 'speed-up'
  | 'real-speed-up-lower'
  | 'real-less-balanced'
