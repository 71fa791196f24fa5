/** Sentences about the numbers of each figure. */
import type { ConvergenceProblem, PaperResults } from 'lacuna-figures/results'
import { bandOf, meanCurve, timingPoints } from 'lacuna-figures/results'
import { formatList } from '../../print/format.ts'
import { formatThreeDigits } from '../numbers.ts'

/** Describes the results in sentences of plain text, by experiment; empty where there are none. */
export function describeObservations(results: PaperResults): {
  image: string[]
  convergence: string[]
  timing: string[]
} {
  return {
    image: results.image ? describeImage(results.image) : [],
    convergence: results.convergence?.problems.map(describeProblem) ?? [],
    timing: results.timing ? describeTiming(results.timing) : [],
  }
}

/** Compares the quality and time of the restorations, in one sentence. */
function describeImage({ runs, mean }: NonNullable<PaperResults['image']>): string[] {
  const names = {
    paper: "the paper's solver",
    fast: 'the fast solver on the same tensor',
    patches: 'patches',
  }
  const one = ({ method, quality, seconds }: (typeof runs)[number]): string =>
    `${names[method]} ${method === 'paper' ? 'comes to ' : ''}${quality.psnr.toFixed(1)} dB (relative error ${formatThreeDigits(quality.relative)}) in ${formatThreeDigits(seconds)} s`
  return [
    `On the hidden values ${formatList(runs.map(one))}; each channel's mean gives ${mean.psnr.toFixed(1)} dB.`,
  ]
}

/**
 * Compares the seconds in which both solvers reach the smallest error of the paper's solver on held-out
 * entries, in one sentence.
 */
function describeProblem({ name, series, snrDb }: ConvergenceProblem): string {
  const curves = series.map((one) => ({ ...one, points: meanCurve(one.trials.map(({ curve }) => curve)) }))
  const paper = curves.filter(({ solver }) => solver === 'paper')
  const fast = curves.find(({ solver }) => solver === 'fast')
  const data = snrDb === null ? `${name}, real data` : `${name}, ${snrDb} dB`
  if (paper.length === 0 || !fast) return `${data}: only one solver has been run.`
  const reached = paper.flatMap(({ sample, points }) =>
    points.map(({ seconds, hidden }) => ({ sample, seconds, error: hidden.mean })),
  )
  const best = reached.reduce((least, point) => (point.error < least.error ? point : least))
  const sooner = fast.points.find(({ hidden }) => hidden.mean <= best.error)
  const end = fast.points[fast.points.length - 1]
  const lowest = Math.min(...fast.points.map(({ hidden }) => hidden.mean))
  const comparison = sooner
    ? `the fast solver has it after ${formatThreeDigits(sooner.seconds)} s${formatRatio(best.seconds / sooner.seconds)}`
    : `the fast solver comes to ${formatThreeDigits(lowest)}`
  return `${data}: the smallest error on hidden entries of the paper's solver is ${formatThreeDigits(best.error)}, with c = ${best.sample} after ${formatThreeDigits(best.seconds)} s; ${comparison}, and ends at ${formatThreeDigits(end.hidden.mean)} after ${formatThreeDigits(end.seconds)} s.`
}

/** Formats how many times sooner an error is reached; empty if it is not sooner. */
const formatRatio = (times: number): string => (times > 1 ? `, ${formatThreeDigits(times)} times sooner` : '')

/**
 * Compares the seconds per epoch of both solvers on the smallest number of threads, a sentence per problem.
 */
function describeTiming({ problems }: NonNullable<PaperResults['timing']>): string[] {
  return problems.map((problem) => {
    const points = timingPoints(problem)
    const least = Math.min(...points.map(({ threads }) => threads))
    const one = points.filter(({ threads }) => threads === least)
    const ranks = [...new Set(one.map(({ rank }) => rank))]
    const seconds = (solver: string): number[] =>
      ranks.map((rank) => one.find((point) => point.solver === solver && point.rank === rank)!.seconds.mean)
    const [paper, fast] = [seconds('paper'), seconds('fast')]
    const ratio = bandOf(paper.map((s, r) => s / fast[r]))
    return `${problem.name}: on ${least === 1 ? 'one thread' : `${least} threads`} an epoch takes ${formatList(paper.map(formatThreeDigits))} s with the paper's steps at R = ${formatList(ranks.map(String))}, and ${formatList(fast.map(formatThreeDigits))} s with the fast solver's: ${ratio.low.toFixed(1)} to ${ratio.high.toFixed(1)} times less.`
  })
}
