/** Chart of figure 1. */
import * as Plot from '@observablehq/plot'
import { formatNumber } from 'lacuna-figures/numbers'
import { logScale, looks } from 'lacuna-figures/plot'
import { useTheme } from '../theme.ts'
import { Chart, chartStyle, type Domain, tipStyle } from '../widgets/index.ts'
import { type ImageCurve, imageRunNames } from './experiments.ts'

/** Relative error of the hidden pixels against epochs, in the colours of the paper's figures. */
export function ImageCurves({ curves }: { curves: readonly ImageCurve[] }) {
  const theme = useTheme()
  const errors = curves.flatMap(({ points }) => points.map(({ error }) => error))
  if (errors.length === 0) return null
  const draw = (width: number, zoom?: Domain): Element =>
    Plot.plot({
      ...{ width, height: 200, marginLeft: 48, marginRight: 12, marginBottom: 34, style: chartStyle },
      x: { label: 'epochs', ticks: 5, domain: zoom },
      y: { ...logScale(errors, 4), label: 'relative error of the hidden pixels', grid: true },
      marks: [
        ...curves.map(({ name, points }) =>
          Plot.line(points, {
            x: 'epoch',
            y: 'error',
            stroke: looks[name][theme],
            strokeWidth: looks[name].width,
            clip: true,
          }),
        ),
        Plot.tip(
          curves.flatMap(({ name, points }) => points.map((point) => ({ ...point, name }))),
          Plot.pointer({
            ...tipStyle,
            x: 'epoch',
            y: 'error',
            title: ({ name, epoch, error }: ImageCurve['points'][number] & Pick<ImageCurve, 'name'>) =>
              `${imageRunNames[name]}\nepoch ${formatNumber(epoch)}: ${formatNumber(error)}`,
          }),
        ),
      ],
    })
  return (
    <Chart
      label="Relative error of the hidden pixels against epochs"
      draw={draw}
      inputs={[curves, theme]}
      table={() => ({
        columns: ['method', 'epoch', 'relative error'],
        rows: curves.flatMap(({ name, points }) =>
          points.map(({ epoch, error }) => [imageRunNames[name], epoch, error]),
        ),
      })}
      legend={curves.map(({ name }) => ({ text: imageRunNames[name], colour: looks[name][theme] }))}
      zoomable
    />
  )
}
