/** Chart of figure 1. */
import * as Plot from '@observablehq/plot'
import { logScale, looks } from 'lacuna-figures/plot'
import { useTheme } from '../theme.ts'
import { Chart, chartStyle } from '../widgets/index.ts'
import { type ImageCurve, imageRunNames } from './experiments.ts'

/** Relative error of the known pixels against epochs, in the colours of the paper's figures. */
export function ImageCurves({ curves }: { curves: readonly ImageCurve[] }) {
  const theme = useTheme()
  const errors = curves.flatMap(({ points }) => points.map(({ error }) => error))
  if (errors.length === 0) return null
  const draw = (width: number): Element =>
    Plot.plot({
      ...{ width, height: 200, marginLeft: 48, marginRight: 12, marginBottom: 34, style: chartStyle },
      x: { label: 'epochs', ticks: 5 },
      y: { ...logScale(errors, 4), label: 'relative error of the known pixels', grid: true },
      marks: curves.map(({ name, points }) =>
        Plot.line(points, {
          x: 'epoch',
          y: 'error',
          stroke: looks[name][theme],
          strokeWidth: looks[name].width,
        }),
      ),
    })
  return (
    <div>
      <Chart label="Relative error of the known pixels against epochs" draw={draw} inputs={[curves, theme]} />
      <p class="legend">
        {curves.map(({ name }) => (
          <span key={name}>
            <svg class="legend-line" viewBox="0 0 30 6" aria-hidden="true">
              <path d="M0 3H30" stroke={looks[name][theme]} />
            </svg>
            {imageRunNames[name]}
          </span>
        ))}
      </p>
    </div>
  )
}
