/** How far a model can be trusted: residuals, calibration, worst cells, leverage, stability. */
import * as Plot from '@observablehq/plot'
import { formatByError, formatCount, formatNumber, formatPercent } from 'lacuna-figures/numbers'
import { Chart, chartStyle, type Domain, formatTick, tipStyle } from '../../widgets/index.ts'
import type { Validation } from '../answers.ts'
import type { ExploreProps } from './shared/exploreProps.ts'
import { useAnswer } from './shared/useAnswer.ts'

/** Charts and tables about the errors of a model. */
export function ValidationCard({ model, call, tables }: ExploreProps) {
  const { value: found, problem } = useAnswer(() => call.validate(), [model, tables])
  if (problem !== undefined) return <p class="soft">{problem}</p>
  if (!found)
    return (
      <p class="soft">
        A model that was opened as a file has no entries to compare with: open the data and learn from it.
      </p>
    )
  const of = found.of === 'held-out' ? 'held-out entries' : 'entries that the model was learned from'
  return (
    <div class="stack">
      <p>
        On {formatCount(found.entries)} {of} the error is {formatNumber(found.rmse)} (RMSE).
        {found.of === 'training' &&
          ' The model has seen these: its error on others is larger. Hold out some entries to see it.'}
      </p>
      <div class="spread">
        <ResidualChart {...{ found }} />
        <CalibrationChart {...{ found }} />
      </div>
      <div class="spread">
        <table class="numbers-table">
          <caption>Cells with the largest residuals</caption>
          <thead>
            <tr>
              <th scope="col">{model.modes.map(({ name }) => name).join(', ')}</th>
              <th scope="col">observed</th>
              <th scope="col">predicted</th>
            </tr>
          </thead>
          <tbody>
            {found.worst.map(({ labels, observed, predicted }) => (
              <tr key={labels.join('\n')}>
                <td>{labels.join(', ')}</td>
                <td>{formatNumber(observed)}</td>
                <td>{formatByError(predicted, found.rmse)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {found.leverage.map(({ mode, rows }) => (
          <table key={mode} class="numbers-table">
            <caption>
              {mode}: largest leverage, of {model.rank} in all
            </caption>
            <tbody>
              {rows.map(({ label, leverage, entries }) => (
                <tr key={label}>
                  <td>{label}</td>
                  <td>{leverage.toFixed(2)}</td>
                  <td>{entries === undefined ? '' : `${formatCount(entries)} entries`}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      </div>
      {found.coreConsistency !== undefined && (
        <p class="soft small" data-testid="core">
          Core consistency {formatPercent(Math.max(0, found.coreConsistency))}: near 100% the data have the
          form of the model; near 0 components are too many, and share between them what is one.
        </p>
      )}
      {found.stability && (
        <p class="soft small">
          The models of the ensemble agree in their components by {formatPercent(found.stability.match)}:{' '}
          {found.stability.found
            .map(({ number, in: inModels, of: models }) => `component ${number} in ${inModels} of ${models}`)
            .join(', ')}
          .
        </p>
      )}
      <p class="soft small">
        A row of leverage near 1 has a component to itself: its predictions rest on its own entries alone.
      </p>
    </div>
  )
}

/** The histogram of the residuals. */
function ResidualChart({ found: { residuals } }: { found: Validation }) {
  const draw = (width: number, zoom?: Domain): Element =>
    Plot.plot({
      ...{ width, height: 180, marginLeft: 44, marginRight: 8, marginTop: 16, marginBottom: 34 },
      style: chartStyle,
      x: { label: 'observed − predicted', labelAnchor: 'center', labelArrow: 'none', ticks: 5, domain: zoom },
      y: { label: 'entries', ticks: 3, tickFormat: formatTick, grid: true },
      marks: [
        Plot.rectY(residuals, { x1: 'from', x2: 'to', y: 'entries', fill: 'var(--accent)', clip: true }),
        Plot.ruleX([0], { stroke: 'var(--line-strong)' }),
        Plot.tip(
          residuals,
          Plot.pointerX({
            ...tipStyle,
            x: (d: Validation['residuals'][number]) => (d.from + d.to) / 2,
            y: 'entries',
            title: ({ from, to, entries }: Validation['residuals'][number]) =>
              `${formatNumber(from)} to ${formatNumber(to)}: ${formatCount(entries)} entries`,
          }),
        ),
      ],
    })
  return (
    <Chart
      label="Residuals"
      draw={draw}
      inputs={[residuals]}
      table={() => ({
        columns: ['from', 'to', 'entries'],
        rows: residuals.map(({ from, to, entries }) => [from, to, entries]),
      })}
      zoomable
    />
  )
}

/** Mean observed values against predictions: on the diagonal if the model is calibrated. */
function CalibrationChart({ found: { calibration } }: { found: Validation }) {
  const ends = calibration.flatMap(({ predicted, observed }) => [predicted, observed])
  const domain: [number, number] = [Math.min(...ends), Math.max(...ends)]
  type Group = Validation['calibration'][number]
  const draw = (width: number): Element =>
    Plot.plot({
      ...{ width, height: 180, marginLeft: 44, marginRight: 8, marginTop: 16, marginBottom: 34 },
      style: chartStyle,
      x: { label: 'predicted', labelAnchor: 'center', labelArrow: 'none', ticks: 5, domain, nice: true },
      y: { label: 'observed on average', ticks: 4, grid: true },
      marks: [
        Plot.line(
          [domain, domain].map((_, i) => [domain[i], domain[i]]),
          {
            stroke: 'var(--line-strong)',
            strokeDasharray: '4 3',
          },
        ),
        Plot.ruleX(calibration, {
          x: 'predicted',
          y1: (d: Group) => d.observed - d.spread / Math.sqrt(d.entries),
          y2: (d: Group) => d.observed + d.spread / Math.sqrt(d.entries),
          stroke: 'var(--accent)',
        }),
        Plot.dot(calibration, { x: 'predicted', y: 'observed', fill: 'var(--accent)', r: 4 }),
        Plot.tip(
          calibration,
          Plot.pointer({
            ...tipStyle,
            x: 'predicted',
            y: 'observed',
            title: ({ predicted, observed, spread, entries }: Group) =>
              `predicted ${formatNumber(predicted)}\nobserved ${formatNumber(observed)} ± ${formatNumber(spread / Math.sqrt(entries))}\n${formatCount(entries)} entries`,
          }),
        ),
      ],
    })
  return (
    <Chart
      label="Observed values against predictions"
      draw={draw}
      inputs={[calibration]}
      table={() => ({
        columns: ['predicted', 'observed', 'standard deviation', 'entries'],
        rows: calibration.map(({ predicted, observed, spread, entries }) => [
          predicted,
          observed,
          spread,
          entries,
        ]),
      })}
    />
  )
}
