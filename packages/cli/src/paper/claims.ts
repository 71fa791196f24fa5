/** The claims of the paper about its experiments, and whether the measured numbers agree with them. */
import type {
  Claim,
  ConvergenceProblem,
  ConvergenceSeries,
  ImageResult,
  PaperResults,
  TimingProblem,
} from 'lacuna-figures/results'
import { bandOf, speedUps, timingPoints } from 'lacuna-figures/results'
import { formatList } from '../print/format.ts'
import { formatThreeDigits } from './numbers.ts'

/** Results on which the verdicts depend; experiments without results are undefined. */
type Measured = Pick<PaperResults, 'image' | 'convergence' | 'timing' | 'machine'>

/** A claim without its verdict. */
type Statement = Pick<Claim, 'id' | 'figure' | 'statement'>
/** The verdict on a claim, with its evidence. */
type Finding = Pick<Claim, 'verdict' | 'evidence'>

/** The verdict on a claim that was not tested. @param evidence why not */
const untested = (evidence: string): Finding => ({ verdict: 'untested', evidence })

/**
 * Judges the paper's claims about the experiments that have results, and returns them with their verdicts.
 */
export function judgeClaims(measured: Measured): Claim[] {
  const { image, convergence, timing, machine } = measured
  const claims: Claim[] = []
  const add = (statement: Statement, finding: Finding): void => {
    claims.push({ ...statement, ...finding })
  }
  if (image) add(imageStatement, imageFinding(image))
  if (convergence) {
    const problem = (name: string): ConvergenceProblem | undefined =>
      convergence.problems.find((one) => one.name === name)
    add(noiseStatement, smallestSampleFinding(problem('S1'), 'largest'))
    add(highSnrStatement, smallestSampleFinding(problem('S2'), 'smallest'))
  }
  if (timing) {
    const [synthetic, real] = ['S', 'T'].map((name) => timing.problems.find((one) => one.name === name))
    add(speedUpStatement, speedUpFinding(timing.problems, machine.cores))
    add(realSpeedUpStatement, realSpeedUpFinding(synthetic, real, machine.cores))
    add(balanceStatement, balanceFinding(synthetic, real))
  }
  return claims
}

const imageStatement: Statement = {
  ...{ id: 'image-small-c', figure: 1 },
  statement: 'A picture of which nine values in ten are missing is reconstructed even with a small c.',
}

/** Least gain of PSNR over each channel's mean, in dB, that counts as a reconstruction. */
const RECONSTRUCTED_DB = 3

/**
 * Whether the paper's solver restores the picture at least RECONSTRUCTED_DB better than each channel's mean.
 */
function imageFinding({ mean, runs }: ImageResult): Finding {
  const run = runs.find(({ method }) => method === 'paper')
  if (!run) return untested("The paper's solver has not been run.")
  const { psnr, relative } = run.quality
  const gain = psnr - mean.psnr
  return {
    verdict: gain >= RECONSTRUCTED_DB ? 'holds' : 'fails',
    evidence: `With c = ${run.sample} the hidden values come back at ${psnr.toFixed(1)} dB (relative error ${formatThreeDigits(relative)}); each channel's mean gives ${mean.psnr.toFixed(1)} dB. Holds if the gain, ${gain.toFixed(1)} dB, is at least ${RECONSTRUCTED_DB} dB.`,
  }
}

const noiseStatement: Statement = {
  ...{ id: 'small-c-bad-in-noise', figure: 2 },
  statement: 'In noise (S1), small values of c are not effective.',
}
const highSnrStatement: Statement = {
  ...{ id: 'small-c-good-at-high-snr', figure: 2 },
  statement: 'At high SNR (S2), small values of c are more suitable.',
}

/**
 * Whether, with the paper's solver, the smallest c has the largest (or smallest) error on the observed
 * entries in more than half of the epochs; untested with fewer than two values of c.
 */
function smallestSampleFinding(
  problem: ConvergenceProblem | undefined,
  extremeName: 'smallest' | 'largest',
): Finding {
  const series = problem?.series.filter(({ solver }) => solver === 'paper') ?? []
  if (!problem || series.length < 2) return untested('Fewer than two values of c have been run.')
  const bySample = [...series].sort((a, b) => Number(a.sample) - Number(b.sample))
  const epochs = Math.min(...series.flatMap(({ trials }) => trials.map(({ curve }) => curve.epoch.length)))
  let agreeing = 0
  for (let e = 0; e < epochs; e++) {
    const errors = bySample.map((one) => meanAt(one, 'observed', e))
    const extreme = extremeName === 'smallest' ? Math.min(...errors) : Math.max(...errors)
    if (errors[0] === extreme) agreeing++
  }
  const ends = (set: 'observed' | 'hidden'): string =>
    formatList(
      bySample.map((one) => `${formatThreeDigits(meanAt(one, set, epochs - 1))} with c = ${one.sample}`),
    )
  return {
    verdict: 2 * agreeing > epochs ? 'holds' : 'fails',
    evidence: `At ${problem.snrDb} dB, c = ${bySample[0].sample} has the ${extremeName} error on the observed entries in ${agreeing} of ${epochs} epochs. At the end it is ${ends('observed')}; on hidden entries, without their noise, ${ends('hidden')}.`,
  }
}

/** Mean error over the trials at a point of their curves. @param epoch index of the point */
const meanAt = ({ trials }: ConvergenceSeries, set: 'observed' | 'hidden', epoch: number): number =>
  bandOf(trials.map(({ curve }) => curve[set][epoch])).mean

const speedUpStatement: Statement = {
  ...{ id: 'speed-up', figure: 4 },
  statement: 'Significant speed-up is attained in all cases.',
}

/** Least fraction of the ideal gain of further threads that counts as significant speed-up. */
const MIN_GAIN_FRACTION = 0.5

/**
 * Whether the speed-up of the paper's solver on the largest number of threads is at least
 * 1 + MIN_GAIN_FRACTION · (threads − 1) for every problem and rank; untested on one thread.
 */
function speedUpFinding(problems: readonly TimingProblem[], cores: number): Finding {
  const threads = largestThreadCount(problems, cores)
  if (threads < 2) return untested('Only one thread has been measured.')
  const points = problems.flatMap(timingPoints).filter((point) => point.threads === threads)
  const range = (solver: 'paper' | 'fast'): { low: number; high: number } =>
    bandOf(points.filter((point) => point.solver === solver).map(({ speedUp }) => speedUp.mean))
  const [paper, fast] = [range('paper'), range('fast')]
  const needed = 1 + MIN_GAIN_FRACTION * (threads - 1)
  return {
    verdict: paper.low >= needed ? 'holds' : 'fails',
    evidence: `On ${threads} threads the paper's solver is ${paper.low.toFixed(2)} to ${paper.high.toFixed(2)} times as fast as on one, the fast solver ${fast.low.toFixed(2)} to ${fast.high.toFixed(2)} times. Holds if the paper's is at least ${needed} times in every case.`,
  }
}

const realSpeedUpStatement: Statement = {
  ...{ id: 'real-speed-up-lower', figure: 4 },
  statement: 'The speed-up on synthetic data (S) is somewhat higher than on real data (T).',
}

/**
 * Whether the mean speed-up on synthetic data is larger than on real data by more than twice the standard
 * error of the difference; untested without real data or on one thread.
 */
function realSpeedUpFinding(
  synthetic: TimingProblem | undefined,
  real: TimingProblem | undefined,
  cores: number,
): Finding {
  if (!synthetic || !real) return untested('No real data was given (--uber).')
  const threads = largestThreadCount([synthetic, real], cores)
  if (threads < 2) return untested('Only one thread has been measured.')
  const measure = (problem: TimingProblem): Estimate =>
    meanWithStandardError(
      problem.series
        .filter((one) => one.threads === threads && one.solver === 'paper')
        .flatMap((one) => speedUps(problem, one)),
    )
  const [s, t] = [measure(synthetic), measure(real)]
  const margin = 2 * Math.hypot(s.standardError, t.standardError)
  return {
    verdict: s.mean - t.mean > margin ? 'holds' : 'fails',
    evidence: `On ${threads} threads, over all ranks and trials, the paper's solver is ${s.mean.toFixed(2)} times as fast on S and ${t.mean.toFixed(2)} times on T. Holds if the difference is more than twice its standard error, here ${margin.toFixed(2)}. Threads take tasks cut by entries here, not rows, so that uneven rows need not cost anything.`,
  }
}

/** A mean and its standard error. */
interface Estimate {
  mean: number
  standardError: number
}

/** Returns the mean of a sample of numbers and its standard error, 0 for a single number. */
function meanWithStandardError(numbers: readonly number[]): Estimate {
  const { mean } = bandOf(numbers)
  const squares = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0)
  const variance = squares / Math.max(1, numbers.length - 1)
  return { mean, standardError: Math.sqrt(variance / numbers.length) }
}

const balanceStatement: Statement = {
  ...{ id: 'real-less-balanced', figure: 4 },
  statement: 'The entries of real data are spread less evenly over the rows than those of synthetic data.',
}

/** Number of threads at which the balance is compared. */
const BALANCE_THREADS = 32

/**
 * Whether rows as tasks would limit the speed-up of BALANCE_THREADS threads more on real than on synthetic
 * data.
 */
function balanceFinding(synthetic: TimingProblem | undefined, real: TimingProblem | undefined): Finding {
  if (!synthetic || !real) return untested('No real data was given (--uber).')
  const speedUpOf = ({ rowBalance }: TimingProblem): number =>
    rowBalance.find(({ threads }) => threads === BALANCE_THREADS)?.speedUp ?? Number.NaN
  const [s, t] = [speedUpOf(synthetic), speedUpOf(real)]
  return {
    verdict: s > t ? 'holds' : 'fails',
    evidence: `If ${BALANCE_THREADS} threads took whole rows, one after the other, waiting for the last one after each mode would limit the speed-up to ${s.toFixed(1)} on S and ${t.toFixed(1)} on T.`,
  }
}

/** Returns the largest number of threads that was measured and does not exceed the cores, or 1. */
function largestThreadCount(problems: readonly TimingProblem[], cores: number): number {
  const all = problems.flatMap(({ series }) => series.map(({ threads }) => threads))
  return Math.max(...all.filter((threads) => threads <= cores), 1)
}
