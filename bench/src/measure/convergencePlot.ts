/** The plot of `bench convergence`: held-out error against seconds of updates, a panel per problem. */
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
} from 'lacuna-figures/plot'
import type { Comparison, Curve } from './convergence.ts'

/** The width of a panel in pixels. */
const PANEL = 300

/**
 * Draws the paper's solver with the best λ of each c, and the fast solver with its defaults, on logarithmic axes.
 * @param results one comparison per panel
 */
export function convergencePlot(results: readonly Comparison[], document: Document): SVGSVGElement {
  const sheet = new Sheet(
    document,
    'Held-out relative error against seconds of updates',
    PANEL * results.length,
  )
  const paper = results.map(({ curves }) => bestPerSample(curves))
  const byC = sampleLooks([...new Set(paper.flat().map(({ sample }) => Number(sample)))])
  sheet.legend([
    { look: looks.fast, label: 'fast (default)', marker: true },
    ...[...byC].map(([sample, look]) => ({ look, label: `paper, c = ${sample}` })),
  ])
  sheet.space(6)
  sheet.panels(
    ...results.map(({ problem, entries, rank, curves }, at) => {
      const drawn = [
        ...paper[at].map((curve) => ({ curve, look: byC.get(Number(curve.sample))! })),
        ...curves.filter(isDefault).map((curve) => ({ curve, look: looks.fast })),
      ]
      const title = `${problem}: ${(entries / 1e6).toFixed(1)} M entries, R = ${rank}`
      return panel(title, drawn, document)
    }),
  )
  return sheet.end()
}

/** Whether a curve is that of the fast solver with its defaults. */
const isDefault = ({ solver, sample }: Curve): boolean => solver === 'fast' && sample === 'auto'

/** Of the paper's curves, for each c the one whose λ gives the smallest error. */
function bestPerSample(curves: readonly Curve[]): Curve[] {
  const best = new Map<number | 'auto', Curve>()
  for (const curve of curves)
    if (curve.solver === 'paper' && curve.best < (best.get(curve.sample)?.best ?? Infinity))
      best.set(curve.sample, curve)
  return [...best.values()]
}

/** Draws the curves of one problem. */
function panel(
  title: string,
  drawn: readonly { curve: Curve; look: Look }[],
  document: Document,
): ReturnType<typeof Plot.plot> {
  const points = drawn.flatMap(({ curve }) => curve.points)
  const channels = { x: 'seconds', y: 'error' }
  return Plot.plot({
    ...frame(document, { width: PANEL, height: 230 }),
    fx: { label: null, padding: 0.09 },
    x: {
      ...logScale(
        points.map(({ seconds }) => seconds),
        3,
      ),
      ...axisLabel('seconds of updates'),
    },
    y: {
      ...logScale(
        points.map(({ error }) => error),
        3,
      ),
      ...{ label: null, grid: true },
    },
    marks: [
      ...drawn.map(({ curve, look }) =>
        Plot.line(curve.points, { ...channels, ...stroke(look), fx: () => title }),
      ),
      ...drawn
        .filter(({ look }) => look === looks.fast)
        .map(({ curve, look }) =>
          Plot.dot(curve.points.slice(-1), { ...channels, ...fill(look), r: 3.5, fx: () => title }),
        ),
    ],
  })
}
