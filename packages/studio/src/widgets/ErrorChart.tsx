/** Chart of the errors of a run. */
import * as Plot from '@observablehq/plot'
import { logScale } from 'lacuna-figures/plot'
import type { Progress } from '../run/interactiveRun.ts'
import { Chart } from './Chart.tsx'
import { chartStyle } from './chartStyle.ts'

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
  const draw = (width: number): Element => {
    const every = Math.ceil(history.length / MOST_POINTS)
    const points = history.filter((_, i) => i % every === 0 || i === history.length - 1)
    const held = points.filter(({ validation }) => validation)
    const errors = points.flatMap(({ train, validation }) => [train.relative, validation?.relative ?? 0])
    const last = history.at(-1)
    return Plot.plot({
      ...{ width, height: 170, marginLeft: 40, marginRight: 12, marginBottom: 32, style: chartStyle },
      x: { label: 'epochs', nice: true, ticks: 5 },
      y: { ...logScale(errors, 3), label: 'relative error', grid: true, tickSize: 0 },
      marks: [
        Plot.line(points, {
          x: 'epoch',
          y: (p: Progress) => p.train.relative,
          z: 'stage',
          stroke: 'var(--train)',
          strokeWidth: 2,
        }),
        Plot.line(held, {
          x: 'epoch',
          y: (p: Progress) => p.validation?.relative,
          z: 'stage',
          stroke: 'var(--held-out)',
          strokeWidth: 2,
          strokeDasharray: '5 3',
        }),
        ...(last
          ? [Plot.dot([last], { x: 'epoch', y: (p: Progress) => p.train.relative, fill: 'var(--train)' })]
          : []),
      ],
    })
  }
  return (
    <div>
      <Chart label="Relative error against epochs" draw={draw} inputs={[history.length, history]} />
      <p class="legend">
        <span class="key train">{known}</span>
        {history.some(({ validation }) => validation) && <span class="key held-out">{heldOut}</span>}
      </p>
    </div>
  )
}
