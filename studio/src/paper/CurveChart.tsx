import * as Plot from '@observablehq/plot'
import { figure } from '../numbers.ts'
import { Chart } from '../parts/Chart.tsx'
import { chartStyle, logTicks } from '../parts/chartStyle.ts'
import { type Curve, type CurvePoint, strokes } from './experiments.ts'

/** Error against epochs, a line for each way of solving. */
export function CurveChart({ title, curves }: { title: string; curves: readonly Curve[] }) {
  const ticks = logTicks(curves.flatMap(({ points }) => points.map(({ error }) => error)))
  const draw = (width: number): Element =>
    Plot.plot({
      ...{ width, height: 250, marginLeft: 48, marginRight: 12, marginBottom: 34, style: chartStyle },
      x: { label: 'epochs', nice: true, ticks: 5 },
      y: { type: 'log' },
      marks: [
        Plot.gridY(ticks),
        Plot.axisY(ticks, { tickSize: 0, label: 'relative error', text: figure }),
        ...curves.map(({ name, points }) =>
          Plot.line(points, {
            x: 'epoch',
            y: (point: CurvePoint) => point.error,
            stroke: strokes[name].colour,
            strokeDasharray: strokes[name].dash,
            strokeWidth: 2,
          }),
        ),
      ],
    })
  return (
    <figure>
      <figcaption class="figure-title">{title}</figcaption>
      <Chart label={`${title}: relative error against epochs`} draw={draw} of={[curves]} />
    </figure>
  )
}

export function CurveLegend({ names }: { names: readonly string[] }) {
  return (
    <p class="legend">
      {names.map((name) => (
        <span key={name}>
          <svg class="legend-line" viewBox="0 0 30 6" aria-hidden="true">
            <path d="M0 3H30" stroke={strokes[name].colour} stroke-dasharray={strokes[name].dash} />
          </svg>
          {name}
        </span>
      ))}
    </p>
  )
}
