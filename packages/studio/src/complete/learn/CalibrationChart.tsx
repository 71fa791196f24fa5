/** Chart of predictions against what was observed, on entries that a model has not seen. */
import * as Plot from '@observablehq/plot'
import { formatCount, formatNumber, formatPercent } from 'lacuna-figures/numbers'
import { Chart, chartStyle, tipStyle } from '../../widgets/index.ts'
import type { Calibration } from '../protocol.ts'

type Group = Calibration['groups'][number]

/**
 * The mean prediction and the mean observed value of ten groups of entries by prediction: a calibrated model has
 * them on the diagonal, and a model that knows nothing has them on a horizontal line.
 */
export function CalibrationChart({ calibration, on }: { calibration: Calibration; on: string }) {
  const { groups, coverage } = calibration
  const draw = (width: number): Element => {
    const ends = groups.flatMap(({ predicted, observed }) => [predicted, observed])
    const domain = [Math.min(...ends), Math.max(...ends)]
    const point = { x: 'predicted', y: 'observed' } as const
    return Plot.plot({
      ...{ width, height: 240, marginLeft: 48, marginBottom: 34, style: chartStyle },
      x: { label: 'predicted', domain, nice: true, ticks: 5 },
      y: { label: 'observed', domain, nice: true, ticks: 5, grid: true },
      marks: [
        Plot.line(
          domain.map((x) => [x, x]),
          {
            stroke: 'var(--line-strong)',
            strokeDasharray: '4 3',
          },
        ),
        Plot.line(groups, { ...point, stroke: 'var(--train)' }),
        Plot.dot(groups, { ...point, fill: 'var(--train)', r: 4 }),
        Plot.tip(
          groups,
          Plot.pointer({
            ...tipStyle,
            ...point,
            title: ({ entries, predicted, observed }: Group) =>
              `${formatCount(entries)} entries\npredicted ${formatNumber(predicted)}\nobserved ${formatNumber(observed)}`,
          }),
        ),
      ],
    })
  }
  return (
    <figure class="calibration">
      <figcaption>
        <b>Calibration</b> means of ten groups of {on}: on the dashed line, predictions are right on average
      </figcaption>
      <Chart
        label="Observed against predicted values"
        draw={draw}
        inputs={[calibration]}
        table={() => ({
          columns: ['entries', 'predicted', 'observed'],
          rows: groups.map(({ entries, predicted, observed }) => [entries, predicted, observed]),
        })}
      />
      {coverage && (
        <p class="soft small">
          {formatPercent(coverage.fraction)} of the entries lie within their {formatPercent(coverage.level)}{' '}
          intervals.
        </p>
      )}
    </figure>
  )
}
