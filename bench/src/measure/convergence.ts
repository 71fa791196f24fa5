/** Error against seconds and epochs, for both solvers on the same problems. */
import { type CompleteOptions, complete } from 'lacuna'
import type { BenchProblem } from './syntheticProblems.ts'

/** Held-out error of one solver with one setting. */
export interface Curve {
  solver: 'fast' | 'paper'
  sample: number | 'auto'
  lambda: number | 'auto'
  /** Held-out relative error, by epochs and seconds of updates. */
  points: { epoch: number; seconds: number; error: number }[]
  /** Smallest held-out error. */
  best: number
}

/** The results of the paper's solver and of the fast one on one problem. */
export interface Comparison {
  problem: string
  dims: readonly number[]
  entries: number
  rank: number
  threads: number
  curves: Curve[]
  /** Root mean square of the held-out values: times a relative error, it is the RMSE. */
  heldOutRms: number
  /** Smallest held-out error of the paper's solver, and the seconds of both solvers to reach it. */
  target: { error: number; paperSeconds: number; fastSeconds: number | null; ratio: number | null }
  /** Seconds to reach given errors, those that any solver reaches. */
  levels: Level[]
}

/** Seconds of updates to reach a held-out error; null where it was not reached. */
export interface Level {
  error: number
  paper: number | null
  fast: number | null
  /** The fast solver with the best fixed c. */
  fixed: number | null
}

/** Options of compareSolvers. */
export interface ConvergenceOptions {
  threads: number
  /** Fixed c of the fast solver to compare with 'auto'. */
  samples: readonly number[]
  /** Measurements of each curve, interleaved; the median time of each point counts. */
  rounds: number
  onProgress: (line: string) => void
}

/** Sample fractions c with which the paper's solver runs. */
const PAPER_SAMPLES = [0.05, 0.2, 0.5]
/** Held-out relative errors for which the time to reach them is reported. */
const LEVELS = [0.3, 0.2, 0.15, 0.12, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002, 0.001]

/**
 * Runs both solvers on a problem and returns their curves of held-out error, and the seconds to reach given
 * errors. The paper's solver runs with each sample fraction c of PAPER_SAMPLES and each λ of the problem, the
 * fast solver with c = auto and each c of `options.samples`. Times are medians over the rounds.
 */
export async function compareSolvers(
  problem: BenchProblem,
  options: ConvergenceOptions,
): Promise<Comparison> {
  const { threads, samples, rounds, onProgress } = options
  onProgress(`${problem.name}: making the problem …`)
  const { tensor, test } = await problem.make()
  const { rank, epochs, lambdas } = problem
  const paper = PAPER_SAMPLES.flatMap((sample) =>
    lambdas.map((lambda): CompleteOptions => ({ solver: 'paper', sample, lambda, epochs })),
  )
  const fast = (['auto', ...samples] as const).map((sample): CompleteOptions => ({ solver: 'fast', sample }))
  const runs = [...paper, ...fast]
  const curves: Curve[][] = runs.map(() => [])
  for (let round = 1; round <= rounds; round++) {
    for (const [i, run] of runs.entries()) {
      onProgress(`${problem.name}: ${run.solver}, c = ${run.sample}, round ${round} of ${rounds}`)
      const { epochs, settings } = await complete(tensor, { ...run, rank, threads, watch: { test } })
      const points = epochs.map(({ epoch, updateSeconds, watch }) => ({
        epoch,
        seconds: updateSeconds,
        error: watch!.test.relative,
      }))
      const { solver, sample, lambda } = settings
      curves[i].push({ solver, sample, lambda, points, best: Math.min(...points.map(({ error }) => error)) })
    }
  }
  const heldOutRms = Math.sqrt(test.values.reduce((sum, x) => sum + x * x, 0) / test.values.length)
  const size = { dims: tensor.dims, entries: tensor.values.length, heldOutRms }
  return summarize(problem, size, threads, curves.map(medianCurve))
}

/**
 * Returns the curve of several rounds with the median of the seconds of each point; the errors are the same
 * in every round.
 */
function medianCurve(rounds: readonly Curve[]): Curve {
  const [first] = rounds
  const points = first.points.map((point, i) => {
    const seconds = rounds.map((round) => round.points[i]?.seconds ?? point.seconds).sort((a, b) => a - b)
    return { ...point, seconds: seconds[seconds.length >> 1] }
  })
  return { ...first, points }
}

/**
 * Compares curves: times to the best error of the paper's solver, and to each level that any solver reaches.
 */
function summarize(
  { name, rank }: BenchProblem,
  size: Pick<Comparison, 'dims' | 'entries' | 'heldOutRms'>,
  threads: number,
  curves: Curve[],
): Comparison {
  const paper = curves.filter(({ solver }) => solver === 'paper')
  const auto = curves.filter(({ solver, sample }) => solver === 'fast' && sample === 'auto')
  const fixed = curves.filter(({ solver, sample }) => solver === 'fast' && sample !== 'auto')
  const error = Math.min(...paper.map(({ best }) => best))
  const paperSeconds = secondsTo(paper, error)!
  const fastSeconds = secondsTo(auto, error)
  const reached = LEVELS.filter((level) => secondsTo(curves, level) !== null)
  return {
    ...{ problem: name, ...size, rank, threads, curves },
    target: {
      error,
      paperSeconds,
      fastSeconds,
      ratio: fastSeconds === null ? null : paperSeconds / fastSeconds,
    },
    levels: reached.map((level) => ({
      ...{
        error: level,
        paper: secondsTo(paper, level),
        fast: secondsTo(auto, level),
        fixed: secondsTo(fixed, level),
      },
    })),
  }
}

/** Returns the smallest time in which any of the curves reaches an error; null if none does. */
function secondsTo(curves: readonly Curve[], error: number): number | null {
  const times = curves.flatMap(({ points }) => points.find((point) => point.error <= error)?.seconds ?? [])
  return times.length > 0 ? Math.min(...times) : null
}
