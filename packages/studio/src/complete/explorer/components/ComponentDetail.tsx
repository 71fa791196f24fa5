/** One component in detail: its map, its profile along each mode, and its strongest rows. */
import * as Plot from '@observablehq/plot'
import { formatCount, formatPercent } from 'lacuna-figures/numbers'
import { Chart, chartStyle, type Domain, tipStyle } from '../../../widgets/index.ts'
import type { Component, ComponentMode, PlaceMap, ProfilePoint } from '../../answers.ts'
import { PlaceChart } from './PlaceChart.tsx'
import { stepsOf } from './steps.ts'

/** The chosen component; without one, the map of all components together. */
export function ComponentDetail({
  component,
  places,
}: {
  component: Component | undefined
  places: PlaceMap | undefined
}) {
  return (
    <section
      class="component-detail"
      aria-label={component ? `Component ${component.number} in detail` : 'All components together'}
    >
      {places && <PlaceChart places={places} component={component?.number} />}
      {component && (
        <div class="spread">
          {component.modes.map((mode) => (
            <div key={mode.name} class="stack tight">
              {mode.isOrdered && <ProfileChart number={component.number} mode={mode} />}
              {!mode.isOrdered && <StrongestRows mode={mode} />}
            </div>
          ))}
        </div>
      )}
    </section>
  )
}

/** The rows of a mode that are special about a component, as a table. */
function StrongestRows({ mode: { name, strongest } }: { mode: ComponentMode }) {
  const hasEntries = strongest.some(({ entries }) => entries !== undefined)
  return (
    <table class="numbers-table">
      <thead>
        <tr>
          <th scope="col">{name}</th>
          <th scope="col">weight</th>
          <th scope="col">lift</th>
          {hasEntries && <th scope="col">entries</th>}
        </tr>
      </thead>
      <tbody>
        {strongest.map(({ label, weight, lift, entries }) => (
          <tr key={label}>
            <td>{label}</td>
            <td>{formatPercent(weight)}</td>
            <td>×{lift.toFixed(1)}</td>
            {hasEntries && <td>{entries === undefined ? '' : formatCount(entries)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The profile of a component along an ordered mode, over what is usual there. */
function ProfileChart({ number, mode }: { number: number; mode: ComponentMode }) {
  const { name, profile } = mode
  const steps = stepsOf(profile, mode.size)
  const draw = (width: number, zoom?: Domain): Element =>
    Plot.plot({
      ...{ width, height: 150, marginLeft: 34, marginRight: 8, marginTop: 10, marginBottom: 26 },
      style: chartStyle,
      x: {
        label: null,
        domain: zoom ?? [-0.5, mode.size - 0.5],
        ticks: Math.min(6, Math.max(2, Math.floor(width / 90))),
        tickFormat: (row: number) => labelAt(profile, row),
        tickSize: 3,
      },
      y: { label: null, ticks: 3, domain: [0, 1], tickFormat: '%', grid: true },
      marks: [
        Plot.areaY(steps, {
          ...{
            x: 'row',
            y: 'value',
            curve: 'step-after',
            fill: 'var(--accent)',
            fillOpacity: 0.7,
            clip: true,
          },
        }),
        Plot.lineY(steps, {
          ...{ x: 'row', y: 'usual', curve: 'step-after', stroke: 'var(--held-out)', clip: true },
        }),
        Plot.tip(
          profile,
          Plot.pointerX({
            ...tipStyle,
            x: 'row',
            y: 'value',
            title: ({ label, value, usual }: ProfilePoint) =>
              `${name} ${label}\ncomponent ${number}: ${formatPercent(value)} of its largest\nusual: ${formatPercent(usual)} of the largest`,
          }),
        ),
      ],
    })
  return (
    <Chart
      label={`Component ${number} along ${name}`}
      draw={draw}
      inputs={[profile, number]}
      table={() => ({
        columns: [name, `component ${number}`, 'usual'],
        rows: profile.map(({ label, value, usual }) => [label, value, usual]),
      })}
      legend={[
        { text: `component ${number} along ${name}`, colour: 'var(--accent)' },
        { text: 'usual', colour: 'var(--held-out)' },
      ]}
      zoomable
    />
  )
}

/** The label of the point of a profile at or before a row; empty between rows. */
function labelAt(profile: readonly ProfilePoint[], row: number): string {
  if (!Number.isInteger(row)) return ''
  return profile.findLast((point) => point.row <= row)?.label ?? ''
}
