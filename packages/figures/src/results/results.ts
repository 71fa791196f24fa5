/**
 * The content of results.json, which `lacuna paper` writes: all settings and measurements, from which the
 * figures and verdicts can be made again. Averages are not stored; averages.ts computes them from the trials.
 */
import type { SolverName } from 'lacuna/internal'

/** The value of `format` by which the file is recognized. */
export const RESULTS_FORMAT = 'lacuna-paper'
/** The version of the file format. */
export const RESULTS_VERSION = 1

/** Sizes of the experiments; `full` is the paper's. */
export type ScaleName = 'tiny' | 'small' | 'full'
/** All scales, from small to large. */
export const scaleNames: readonly ScaleName[] = ['tiny', 'small', 'full']

/** All results of a run of `lacuna paper`. */
export interface PaperResults {
  format: typeof RESULTS_FORMAT
  version: typeof RESULTS_VERSION
  /** The version of Lacuna. */
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

/** Settings of the experiments, which depend on the scale. */
export interface ExperimentSettings {
  image: {
    height: number
    width: number
    rank: number
    sample: number
    lambda: number
    epochs: number
    /** The fraction of hidden values. */
    missing: number
  }
  convergence: {
    dims: number[]
    entries: number
    rank: number
    /** The sample fractions c of the paper's solver. */
    samples: number[]
    lambda: number
    epochs: number
    /** Signal-to-noise ratios of S1 and S2, in decibels. */
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

/** The machine on which the results were measured. */
export interface Machine {
  cpu: string
  cores: number
  memoryBytes: number
  platform: string
  node: string
}

/** Errors during a run, as columns: point i is (epoch[i], seconds[i], observed[i], hidden[i]). */
export interface Curve {
  /** Passes over the training entries so far. */
  epoch: number[]
  /** Seconds of updates; the time for measuring errors is not counted. */
  seconds: number[]
  /** Relative error on the training entries; for the fast solver on a fixed sample of them. */
  observed: number[]
  /** Relative error on held-out entries; for synthetic data, on their values without noise. */
  hidden: number[]
}

/** A tensor and its source. */
export interface DataDescription {
  /** 'synthetic', 'drawn', or names of files. */
  source: string
  dims: number[]
  entries: number
}

/** Results of figure 1. */
export interface ImageResult {
  data: DataDescription
  /** The baseline: the mean of each channel in place of its hidden values. */
  mean: PictureQuality
  /** File names of the original and the damaged picture. */
  pictures: { original: string; damaged: string }
  runs: ImageRun[]
}

/**
 * The paper's solver, the fast solver on the same tensor, or the fast solver on patches, which is the default
 * of `lacuna image`.
 */
export type ImageMethod = 'paper' | 'fast' | 'patches'

/** The restoration of the picture by one method. */
export interface ImageRun {
  method: ImageMethod
  rank: number
  sample: number | 'auto'
  lambda: number | 'auto'
  /** Total time, including that for measuring errors. */
  seconds: number
  quality: PictureQuality
  /** Missing for patches, whose errors cannot be compared: they are another tensor. */
  curve?: Curve
  /** The file name of the restored picture, which lies beside results.json. */
  picture: string
}

/** Errors on the hidden values. */
export interface PictureQuality {
  /** Relative error. */
  relative: number
  /** Peak signal-to-noise ratio in decibels. */
  psnr: number
}

/** Results of figure 2. */
export interface ConvergenceResult {
  problems: ConvergenceProblem[]
}

/** One data set of figure 2. */
export interface ConvergenceProblem {
  /** The paper's names: S1 and S2 are synthetic, T is real. */
  name: 'S1' | 'S2' | 'T'
  data: DataDescription
  hiddenEntries: number
  /** Signal-to-noise ratio in decibels; null for real data. */
  snrDb: number | null
  /** Peak memory of the process when the last trial had ended. */
  peakMemoryBytes: number
  series: ConvergenceSeries[]
}

/** The trials of one solver with one sample fraction. */
export interface ConvergenceSeries {
  solver: SolverName
  /** The sample fraction c. */
  sample: number | 'auto'
  lambda: number | 'auto'
  trials: { trial: number; curve: Curve }[]
}

/** Results of figures 3 and 4. */
export interface TimingResult {
  problems: TimingProblem[]
}

/** One data set of figures 3 and 4: S is synthetic, T is real. */
export interface TimingProblem {
  name: 'S' | 'T'
  data: DataDescription
  /**
   * Per number of threads, how much faster than one the work could be if every row were one task
   * (balance.ts).
   */
  rowBalance: { threads: number; speedUp: number }[]
  /** Peak memory of the process, with the engines of all numbers of threads open at once. */
  peakMemoryBytes: number
  series: TimingSeries[]
}

/** The trials of one solver with one rank and number of threads. */
export interface TimingSeries {
  solver: SolverName
  rank: number
  threads: number
  /** Seconds of an epoch with fixed c, one per trial. */
  seconds: number[]
}

/** A claim of the paper, and the verdict of this run. */
export interface Claim {
  id: ClaimId
  figure: number
  /** The claim in our words. */
  statement: string
  /** `untested` if the data or the threads for it were missing. */
  verdict: 'holds' | 'fails' | 'untested'
  /** A sentence with the numbers on which the verdict is based. */
  evidence: string
}

/** Identifies a claim. */
export type ClaimId =
  | 'image-small-c'
  | 'small-c-bad-in-noise'
  | 'small-c-good-at-high-snr'
  | 'speed-up'
  | 'real-speed-up-lower'
  | 'real-less-balanced'
