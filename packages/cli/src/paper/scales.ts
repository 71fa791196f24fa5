/** Settings of the experiments: the paper's sizes, or smaller problems of the same kind. */
import type { ExperimentSettings, ScaleName } from 'lacuna-figures/results'

/** Weight of the squared factors. The paper does not state λ; docs/paper.md explains this value. */
const LAMBDA = 0.01
/**
 * Signal-to-noise ratios of S1 and S2 in dB. The paper does not state them: at 10 dB a third of an observed
 * value is noise, at 30 dB a thirtieth.
 */
const SNR_DB = [10, 30]

/** Settings of figure 1 that scales share unless they override them. */
const image = { rank: 50, sample: 0.02, lambda: LAMBDA, epochs: 500, missing: 0.9 }
/** Settings of figure 2 that scales share unless they override them. */
const convergence = {
  ...{ rank: 10, samples: [0.05, 0.2, 0.5], lambda: LAMBDA, epochs: 100, snrDb: SNR_DB, trials: 5 },
}
/** Settings of figures 3 and 4 that scales share unless they override them. */
const timing = {
  ...{ dims: [183, 24, 1140, 1717], ranks: [10, 30, 50], sample: 0.5, lambda: LAMBDA, trials: 5 },
}

/** Settings by the name of --scale. */
const scales: { [name in ScaleName]: WithoutThreads } = {
  full: {
    image: { height: 1063, width: 1599, ...image },
    convergence: { ...convergence, dims: [71567, 65133, 730], entries: 10_000_054 },
    timing: { ...timing, entries: 3_309_490 },
  },
  // A sample of 0.04 has as many entries of each row and column of half a picture as one of 0.02 has of the
  // whole.
  small: {
    image: { height: 532, width: 800, ...image, sample: 0.04, epochs: 200 },
    convergence: { ...convergence, dims: [7157, 6513, 730], entries: 1_000_005, trials: 3 },
    timing: { ...timing, entries: 1_103_163 },
  },
  // Rows of so small a picture would have less than one entry in a sample of 0.02.
  tiny: {
    image: { height: 133, width: 200, ...image, rank: 10, sample: 0.1, epochs: 60 },
    convergence: { ...convergence, dims: [400, 360, 60], entries: 60_000, epochs: 30, trials: 2 },
    timing: { ...timing, dims: [46, 24, 285, 430], entries: 50_000, trials: 2 },
  },
}

/** Settings of all experiments but for the numbers of threads, which the user gives. */
interface WithoutThreads extends Omit<ExperimentSettings, 'timing'> {
  timing: Omit<ExperimentSettings['timing'], 'threads'>
}

/** Returns the settings of a scale, with the given numbers of threads and, unless undefined, of trials. */
export function experimentSettings(
  scale: ScaleName,
  threads: readonly number[],
  trials?: number,
): ExperimentSettings {
  const { image, convergence, timing } = scales[scale]
  return {
    image,
    convergence: { ...convergence, trials: trials ?? convergence.trials },
    timing: { ...timing, threads: [...threads], trials: trials ?? timing.trials },
  }
}
