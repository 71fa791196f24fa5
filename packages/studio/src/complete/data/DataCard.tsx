import * as Plot from '@observablehq/plot'
import { count, figure, percent } from '../numbers.ts'
import { Chart } from '../widgets/Chart.tsx'
import { chartStyle } from '../widgets/chartStyle.ts'
import type { Bin, DataSummary, ModeSummary } from './protocol.ts'

/** What was observed: how much, of what size, and how it is spread. */
export function DataCard({ name, data }: { name: string; data: DataSummary }) {
  const { modes, entries, density, values } = data
  return (
    <section class="card stack" aria-label="The data">
      <h2>{name}</h2>
      <dl class="figures">
        <div>
          <dt>Size</dt>
          <dd data-testid="size">{modes.map(({ size }) => count(size)).join(' × ')}</dd>
        </div>
        <div>
          <dt>Observed entries</dt>
          <dd>{count(entries)}</dd>
        </div>
        <div>
          <dt>Density</dt>
          <dd>{percent(density)}</dd>
        </div>
        <div>
          <dt>Values</dt>
          <dd>
            {figure(values.min)} … {figure(values.max)}, mean {figure(values.mean)}
          </dd>
        </div>
      </dl>
      {data.remarks.map((remark) => (
        <p key={remark} class="soft small">
          {remark}
        </p>
      ))}
      <div class="spread">
        <figure>
          <figcaption>
            <b>Values</b>
          </figcaption>
          <Chart
            label="How often each value occurs"
            draw={(width) => histogram(values.bins, width)}
            of={[values]}
          />
        </figure>
        {modes.map((mode) => (
          <figure key={mode.name}>
            <figcaption>
              <b>{mode.name}</b> entries per row
              {mode.inOrder ? '' : ', fullest first'}
            </figcaption>
            <Chart
              label={`Entries per row of ${mode.name}`}
              draw={(width) => rowsChart(mode, width)}
              of={[mode]}
            />
            <small class="soft">
              median {count(mode.median)}, most {count(mode.most)}
              {mode.empty > 0 && `, ${count(mode.empty)} empty`}
            </small>
          </figure>
        ))}
      </div>
    </section>
  )
}

const small = {
  height: 96,
  marginLeft: 34,
  marginRight: 4,
  marginTop: 8,
  marginBottom: 20,
  style: { ...chartStyle, fontSize: '10px' },
}

function histogram(bins: readonly Bin[], width: number): Element {
  const single = bins.every(({ from, to }) => from === to)
  return Plot.plot({
    width,
    ...small,
    x: {
      label: null,
      ticks: 4,
      ...(single && { type: 'band' as const, tickFormat: '~g', ticks: sparse(bins.map(({ from }) => from)) }),
    },
    y: { label: null, ticks: 3, tickFormat: '~s', grid: true },
    marks: [
      single
        ? Plot.barY(bins, { x: 'from', y: 'entries', fill: 'var(--accent)' })
        : Plot.rectY(bins, { x1: 'from', x2: 'to', y: 'entries', fill: 'var(--accent)' }),
      Plot.ruleY([0], { stroke: 'var(--line-strong)' }),
    ],
  })
}

/** At most six of them, so that their texts do not touch. */
const sparse = (values: number[]): number[] => values.filter((_, i) => i % Math.ceil(values.length / 6) === 0)

function rowsChart({ rows, inOrder }: ModeSummary, width: number): Element {
  const points = rows.map((entries, row) => ({ row, entries }))
  return Plot.plot({
    width,
    ...small,
    x: { axis: null },
    y: { label: null, ticks: 3, tickFormat: '~s', grid: true },
    marks: [
      inOrder
        ? Plot.rectY(points, {
            x1: 'row',
            x2: (d: { row: number }) => d.row + 1,
            y: 'entries',
            fill: 'var(--accent)',
            inset: points.length > 40 ? 0 : 0.5,
          })
        : Plot.areaY(points, { x: 'row', y: 'entries', fill: 'var(--accent)' }),
      Plot.ruleY([0], { stroke: 'var(--line-strong)' }),
    ],
  })
}
