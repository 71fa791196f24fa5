/** Chart of the errors of a run. */
import * as Plot from '@observablehq/plot'
import { formatNumber } from 'lacuna-figures/numbers'
import { logScale } from 'lacuna-figures/plot'
import type { Progress } from '../../run/interactiveRun.ts'
import { Chart } from './Chart.tsx'
import { chartStyle, tipStyle } from './chartStyle.ts'
import type { ChartTable } from './chartTable.ts'
import type { Domain } from './zoom.ts'

/** Longer histories are thinned to this number of points. */
const MOST_POINTS = 200

interface Props {
  history: readonly Progress[]
  /** The name of the training entries in the legend. */
  known: string
  /** The name of the held-out entries in the legend. */
  heldOut: string
}

/** Relative error against epochs, on a logarithmic scale. */
export function ErrorChart({ history, known, heldOut }: Props) {
  const isHeldOut = history.some(({ validation }) => validation)
  const draw = (width: number, zoom?: Domain): Element => {
    const every = Math.ceil(history.length / MOST_POINTS)
    const points = history.filter((_, i) => i % every === 0 || i === history.length - 1)
    const held = points.filter(({ validation }) => validation)
    const errors = points.flatMap(({ train, validation }) => [train.relative, validation?.relative ?? 0])
    const last = history.at(-1)
    const series = { x: 'epoch', z: 'stage', strokeWidth: 2, clip: true } as const
    return Plot.plot({
      ...{ width, height: 170, marginLeft: 40, marginRight: 12, marginBottom: 32, style: chartStyle },
      x: { label: 'epochs', ticks: 5, ...(zoom ? { domain: zoom } : { nice: true }) },
      y: { ...logScale(errors, 3), label: 'relative error', grid: true, tickSize: 0 },
      marks: [
        Plot.line(points, { ...series, y: (p: Progress) => p.train.relative, stroke: 'var(--train)' }),
        Plot.line(held, {
          ...series,
          y: (p: Progress) => p.validation?.relative,
          stroke: 'var(--held-out)',
          strokeDasharray: '5 3',
        }),
        ...(last
          ? [
              Plot.dot([last], {
                x: 'epoch',
                y: (p: Progress) => p.train.relative,
                fill: 'var(--train)',
                clip: true,
              }),
            ]
          : []),
        Plot.tip(
          points,
          Plot.pointerX({
            ...tipStyle,
            x: 'epoch',
            y: (p: Progress) => p.train.relative,
            title: (p: Progress) =>
              [
                `epoch ${formatNumber(p.epoch)}`,
                `${known}: ${formatNumber(p.train.relative)}`,
                ...(p.validation ? [`${heldOut}: ${formatNumber(p.validation.relative)}`] : []),
              ].join('\n'),
          }),
        ),
      ],
    })
  }
  const table = (): ChartTable => ({
    columns: ['epoch', 'stage', known, ...(isHeldOut ? [heldOut] : [])],
    rows: history.map(({ epoch, stage, train, validation }) => [
      ...[epoch, stage, train.relative],
      ...(isHeldOut ? [validation?.relative] : []),
    ]),
  })
  return (
    <Chart
      label="Relative error against epochs"
      draw={draw}
      inputs={[history.length, history]}
      table={table}
      legend={[
        { text: known, colour: 'var(--train)' },
        ...(isHeldOut ? [{ text: heldOut, colour: 'var(--held-out)', dash: '5 3' }] : []),
      ]}
      zoomable
    />
  )
}
