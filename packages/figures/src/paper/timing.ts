/**
 * Figures 3 and 4: seconds per epoch, and how many times faster than one thread, against the number of
 * threads.
 */
import * as Plot from '@observablehq/plot'
import { axisLabel, fill, frame, type Look, logScale, looks, Sheet, stroke } from '../plot/index.ts'
import type { TimingResult } from '../results/index.ts'
import { type Band, type TimingPoint, timingPoints } from '../results/index.ts'

/** Dashes of the synthetic and the real problem. */
const DASHES = { S: undefined, T: '5 3' }

/** Draws seconds per epoch against threads (figure 3). */
export function secondsFigure(timing: TimingResult, document: Document): SVGSVGElement {
  return timingFigure(timing, document, 'seconds', 'Seconds per epoch against threads')
}

/** Draws the speed-up against threads (figure 4), with the ideal as a dotted line. */
export function speedUpFigure(timing: TimingResult, document: Document): SVGSVGElement {
  return timingFigure(timing, document, 'speedUp', 'Speed-up against threads')
}

/** The points of a solver on a problem, with the style of their line. */
interface DrawnSeries {
  look: Look
  dash: string | undefined
  points: TimingPoint[]
  /** Horizontal shift in pixels, so that the spreads of several series do not cover each other. */
  dx: number
}

/** The shift between two series in pixels. */
const SHIFT = 6

/** Draws a figure of seconds or speed-ups against threads, with a legend. @param title the accessible name */
function timingFigure(
  { problems }: TimingResult,
  document: Document,
  what: 'seconds' | 'speedUp',
  title: string,
): SVGSVGElement {
  const drawn = problems.flatMap((problem, p) =>
    (['paper', 'fast'] as const).map(
      (solver, s): DrawnSeries => ({
        ...{ look: looks[solver], dash: DASHES[problem.name] },
        points: timingPoints(problem).filter((point) => point.solver === solver),
        dx: SHIFT * (2 * p + s - (2 * problems.length - 1) / 2),
      }),
    ),
  )
  const sheet = new Sheet(document, title)
  const legend = problems.flatMap(({ name }) =>
    (['paper', 'fast'] as const).map((solver) => ({
      ...{ look: looks[solver], dash: DASHES[name], marker: true },
      label: problems.length > 1 ? `${solver} on ${name}` : solver,
    })),
  )
  sheet.legend(legend)
  sheet.space(4)
  const key = problems.length > 1 ? ' (S: synthetic, T: real)' : ''
  sheet.heading(`${what === 'seconds' ? 'Seconds per epoch' : 'Times as fast as on one thread'}${key}`)
  sheet.note('Medians over the trials; thick bars: the middle half, thin bars: all.')
  sheet.panels(panel(drawn, what, document))
  return sheet.end()
}

/** Draws one plot with a facet per rank: medians over the trials, with their quartiles and range. */
function panel(drawn: readonly DrawnSeries[], what: 'seconds' | 'speedUp', document: Document): Element {
  const all = drawn.flatMap(({ points }) => points)
  const threads = [...new Set(all.map((point) => point.threads))].sort((a, b) => a - b)
  const [least, most] = [threads[0], threads[threads.length - 1]]
  const facet = (point: { rank: number }): string => `R = ${point.rank}`
  const ranks = [...new Set(all.map(({ rank }) => rank))]
  const ideal = what === 'speedUp' ? ranks.flatMap((rank) => [least, most].map((n) => ({ rank, n }))) : []
  const margin = most > least ? (most / least) ** 0.12 : 2
  return Plot.plot({
    ...frame(document, { height: 210 }),
    fx: { label: null, padding: 0.12, domain: ranks.map((rank) => facet({ rank })) },
    x: {
      ...{
        type: 'log',
        base: 2,
        domain: [least / margin, most * margin],
        ticks: threads,
        tickFormat: String,
      },
      ...axisLabel('threads'),
    },
    y: {
      ...(what === 'seconds'
        ? logScale(
            all.flatMap(({ seconds }) => [seconds.low, seconds.high]),
            4,
          )
        : speedUpScale(all, threads)),
      ...{ label: null, grid: true },
    },
    marks: [
      Plot.line(ideal, {
        ...{ fx: facet, x: 'n', y: 'n', z: 'rank', stroke: 'currentColor', strokeOpacity: 0.35 },
        strokeDasharray: '1 3',
      }),
      ...drawn.flatMap(({ look, points, dx }) =>
        (
          [
            [1, (band: Band) => [band.low, band.high]],
            [3.5, (band: Band) => band.quartiles],
          ] as const
        ).map(([strokeWidth, range]) =>
          Plot.ruleX(points, {
            ...{ fx: facet, x: 'threads', dx, ...stroke(look, 'none'), strokeWidth, strokeOpacity: 0.55 },
            y1: (point: TimingPoint) => range(point[what])[0],
            y2: (point: TimingPoint) => range(point[what])[1],
          }),
        ),
      ),
      ...drawn.map(({ look, dash, points, dx }) =>
        Plot.line(points, {
          ...{ fx: facet, x: 'threads', z: 'rank', dx, ...stroke(look, dash) },
          y: (point: TimingPoint) => point[what].median,
        }),
      ),
      ...drawn.map(({ look, points, dx }) =>
        Plot.dot(points, {
          ...{ fx: facet, x: 'threads', r: 3, dx, ...fill(look) },
          y: (point: TimingPoint) => point[what].median,
        }),
      ),
    ],
  })
}

/** A logarithmic scale of speed-ups with ticks at the numbers of threads, which are the ideal speed-ups. */
function speedUpScale(points: readonly TimingPoint[], threads: readonly number[]) {
  const low = Math.min(1, ...points.map(({ speedUp }) => speedUp.low))
  const high = Math.max(...threads, ...points.map(({ speedUp }) => speedUp.high))
  const between = threads.length < 3 ? [1.5, 3].filter((tick) => tick < high) : []
  return {
    ...{ type: 'log' as const, base: 2, domain: [low * 0.95, high * 1.05] },
    ...{ ticks: [...threads, ...between], tickFormat: String },
  }
}
