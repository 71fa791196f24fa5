/** Figure 2: convergence. */
import * as Plot from '@observablehq/plot'
import {
  axisLabel,
  fill,
  frame,
  type Look,
  logScale,
  looks,
  Sheet,
  sampleLooks,
  stroke,
  WIDTH,
} from '../plot/index.ts'
import type { ConvergenceProblem, ConvergenceResult, ConvergenceSeries } from '../results/index.ts'
import { type MeanPoint, meanCurve } from '../results/index.ts'

/** A mean curve, its look, and the title of the panel that it is drawn in. */
interface DrawnSeries {
  panel: string
  look: Look
  points: MeanPoint[]
}

/**
 * Draws the relative error against epochs, as in the paper, and against seconds: means over the trials with
 * their range.
 */
export function convergenceFigure({ problems }: ConvergenceResult, document: Document): SVGSVGElement {
  const samples = [...new Set(problems.flatMap(({ series }) => series.map(({ sample }) => sample)))]
  const byC = sampleLooks(samples.filter((sample) => sample !== 'auto'))
  const lookOf = ({ sample }: ConvergenceSeries): Look => (sample === 'auto' ? looks.fast : byC.get(sample)!)
  const drawn = problems.flatMap((problem) =>
    problem.series.map((series) => ({
      ...{ panel: panelTitle(problem), look: lookOf(series) },
      points: meanCurve(series.trials.map(({ curve }) => curve)),
    })),
  )
  const sheet = new Sheet(document, 'Relative error against epochs and seconds')
  sheet.legend([
    ...[...byC].map(([sample, look]) => ({ look, label: `paper, c = ${sample}` })),
    ...(samples.includes('auto') ? [{ look: looks.fast, label: 'fast' }] : []),
  ])
  sheet.space(6)
  sheet.heading('Error on observed entries against epochs')
  const panels = (error: 'observed' | 'hidden', along: 'epoch' | 'seconds'): Element[] =>
    problems.map((problem) =>
      panel(
        drawn.filter(({ panel }) => panel === panelTitle(problem)),
        ...([error, along, WIDTH / problems.length, document] as const),
      ),
    )
  sheet.panels(...panels('observed', 'epoch'))
  sheet.space(10)
  sheet.heading(`Error on hidden entries${noiseNote(problems)} against seconds`)
  sheet.panels(...panels('hidden', 'seconds'))
  return sheet.end()
}

/** The title of a problem's panel. */
const panelTitle = ({ name, snrDb }: ConvergenceProblem): string =>
  snrDb === null ? `${name}: real` : `${name}: ${snrDb} dB`

/** The words in the heading that hidden entries have no noise; empty unless all problems are synthetic. */
const noiseNote = (problems: readonly ConvergenceProblem[]): string =>
  problems.every(({ snrDb }) => snrDb !== null) ? ', without their noise,' : ''

/**
 * Draws the plot of one problem: mean curves with their range. Each problem has its own axes: on those of the
 * problem with the smallest errors, the curves of the others would be flat.
 * @param error the error on the vertical axis
 * @param along the quantity on the horizontal axis
 * @param width in pixels
 */
function panel(
  drawn: readonly DrawnSeries[],
  error: 'observed' | 'hidden',
  along: 'epoch' | 'seconds',
  width: number,
  document: Document,
): Element {
  const points = drawn.flatMap(({ points }) => points)
  return Plot.plot({
    ...frame(document, { width }),
    fx: { label: null, padding: 0.09 },
    x:
      along === 'epoch'
        ? { ...axisLabel('epochs'), ticks: 5 }
        : {
            ...logScale(
              points.map(({ seconds }) => seconds),
              2,
            ),
            ...axisLabel('seconds of updates'),
          },
    y: {
      ...logScale(
        points.flatMap((point) => [point[error].low, point[error].high]),
        3,
      ),
      ...{ label: null, grid: true },
    },
    marks: [
      ...drawn.map(({ panel, look, points }) =>
        Plot.areaY(points, {
          ...{ fx: () => panel, x: along, ...fill(look, 0.18) },
          y1: (point: MeanPoint) => point[error].low,
          y2: (point: MeanPoint) => point[error].high,
        }),
      ),
      ...drawn.map(({ panel, look, points }) =>
        Plot.line(points, {
          ...{ fx: () => panel, x: along, ...stroke(look) },
          y: (point: MeanPoint) => point[error].mean,
        }),
      ),
      // A dot where the fast solver stopped.
      ...drawn
        .filter(({ look }) => look === looks.fast)
        .map(({ panel, look, points }) =>
          Plot.dot(points.slice(-1), {
            ...{ fx: () => panel, x: along, r: 3.5, ...fill(look) },
            y: (point: MeanPoint) => point[error].mean,
          }),
        ),
    ],
  })
}
