/** Summary of the data: size, density, and distributions of values and entries. */
import * as Plot from '@observablehq/plot'
import { numberAsText } from 'lacuna/internal'
import { formatCount, formatDensity, formatNumber } from 'lacuna-figures/numbers'
import type { ComponentChildren } from 'preact'
import { Chart, chartStyle, formatTick, tipStyle } from '../../widgets/index.ts'
import type { Bin, DataSummary, ModeSummary } from '../protocol.ts'

interface Props {
  name: string
  data: DataSummary
  /** A question about the data. */
  children?: ComponentChildren
}

/** The numbers of the data, the remarks on reading it, and a chart of the values and of each mode. */
export function DataCard({ name, data, children }: Props) {
  const { modes, entries, values } = data
  const cells = modes.reduce((product, { size }) => product * size, 1)
  return (
    <section class="card stack" aria-label="The data">
      <h2>{name}</h2>
      <dl class="figures">
        <div>
          <dt>Size</dt>
          <dd data-testid="size">{modes.map(({ size }) => formatCount(size)).join(' × ')}</dd>
        </div>
        <div>
          <dt>Observed entries</dt>
          <dd>{formatCount(entries)}</dd>
        </div>
        <div>
          <dt>Density</dt>
          <dd data-testid="density">{formatDensity(entries, cells)}</dd>
        </div>
        <div>
          <dt>Values</dt>
          <dd>
            {numberAsText(values.min)} … {numberAsText(values.max)}, mean {formatNumber(values.mean)}
          </dd>
        </div>
      </dl>
      {data.remarks.map((remark) => (
        <p key={remark} class="soft small">
          {remark}
        </p>
      ))}
      {children}
      <div class="spread">
        <figure>
          <figcaption>
            <b>Values</b>
          </figcaption>
          <Chart
            label="How often each value occurs"
            draw={(width) => histogramChart(values.bins, width)}
            inputs={[values]}
            table={() => ({
              columns: ['from', 'to', 'entries'],
              rows: values.bins.map(({ from, to, entries }) => [from, to, entries]),
            })}
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
              inputs={[mode]}
              table={() => ({
                columns: [mode.inOrder ? 'row' : 'rank', 'entries'],
                rows: mode.rows.map((entries, row) => [
                  mode.inOrder
                    ? row + 1
                    : 1 + Math.round((row * (mode.size - 1)) / Math.max(1, mode.rows.length - 1)),
                  entries,
                ]),
              })}
            />
            <small class="soft">
              median {formatCount(mode.median)}, most {formatCount(mode.most)}
              {mode.empty > 0 && `, ${formatCount(mode.empty)} empty`}
            </small>
          </figure>
        ))}
      </div>
    </section>
  )
}

/** Size and style of the small charts. */
const small = {
  height: 96,
  marginLeft: 34,
  marginRight: 4,
  marginTop: 8,
  marginBottom: 20,
  style: chartStyle,
}

/** The space for a tick and its label, in pixels. */
const TICK_WIDTH = 48

/** Draws the histogram of the values; one bar per value if each bin is one value. */
function histogramChart(bins: readonly Bin[], width: number): Element {
  const single = bins.every(({ from, to }) => from === to)
  return Plot.plot({
    width,
    ...small,
    x: {
      label: null,
      ticks: Math.max(2, Math.floor(width / TICK_WIDTH)),
      ...(Math.max(...bins.map(({ to }) => to)) >= 1000 && { tickFormat: formatTick }),
      ...(single && {
        type: 'band' as const,
        tickFormat: '~g',
        ticks: thinTicks(bins.map(({ from }) => from)),
      }),
    },
    y: { label: null, ticks: 3, tickFormat: formatTick, grid: true },
    marks: [
      single
        ? Plot.barY(bins, { x: 'from', y: 'entries', fill: 'var(--accent)' })
        : Plot.rectY(bins, { x1: 'from', x2: 'to', y: 'entries', fill: 'var(--accent)' }),
      Plot.ruleY([0], { stroke: 'var(--line-strong)' }),
      Plot.tip(
        bins,
        Plot.pointerX({
          ...tipStyle,
          ...(single ? { x: 'from' } : { x: ({ from, to }: Bin) => (from + to) / 2 }),
          y: 'entries',
          title: ({ from, to, entries }: Bin) =>
            `${from === to ? formatNumber(from) : `${formatNumber(from)} to ${formatNumber(to)}`}: ${formatCount(entries)} entries`,
        }),
      ),
    ],
  })
}

/** At most six of the values, so that the labels of the ticks do not overlap. */
const thinTicks = (values: number[]): number[] =>
  values.filter((_, i) => i % Math.ceil(values.length / 6) === 0)

/**
 * Draws the entries per row of a mode: bars in the order of the rows, or the curve from the fullest row to
 * the emptiest.
 */
function rowsChart({ rows, inOrder }: ModeSummary, width: number): Element {
  const points = rows.map((entries, row) => ({ row, entries }))
  return Plot.plot({
    width,
    ...small,
    x: { axis: null },
    y: { label: null, ticks: 3, tickFormat: formatTick, grid: true },
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
      Plot.tip(
        points,
        Plot.pointerX({
          ...tipStyle,
          x: (d: { row: number }) => (inOrder ? d.row + 0.5 : d.row),
          y: 'entries',
          title: ({ row, entries }: { row: number; entries: number }) =>
            inOrder ? `row ${row + 1}: ${formatCount(entries)} entries` : `${formatCount(entries)} entries`,
        }),
      ),
    ],
  })
}
