/** A map of the places of a model, with one component lit up or all together. */
import * as Plot from '@observablehq/plot'
import { formatPercent } from 'lacuna-figures/numbers'
import { widthOfDegree } from 'lacuna-figures/places'
import { Chart, chartStyle, tipStyle } from '../../../widgets/index.ts'
import type { PlaceMap } from '../../answers.ts'

/** The tallest map, in pixels. */
const MOST_HEIGHT = 520

/** A cell of the map. */
interface Cell {
  north: number
  east: number
  total: number
  own: number
}

/** Grey cells are the outline of everything; coloured ones are the component, or all together. */
export function PlaceChart({ places, component }: { places: PlaceMap; component: number | undefined }) {
  const { south, north, west, east, rows, columns, isCrossed } = places
  const [height, width] = [(north - south) / rows, (east - west) / columns]
  const own = component === undefined ? places.total : places.components[component - 1]
  const cells = Array.from(
    places.cells,
    (cell, i): Cell => ({
      north: north - (Math.floor(cell / columns) + 0.5) * height,
      east: west + ((cell % columns) + 0.5) * width,
      total: places.total[i],
      own: own[i],
    }),
  )
  const box = {
    x1: (d: Cell) => d.east - width / 2,
    x2: (d: Cell) => d.east + width / 2,
    y1: (d: Cell) => d.north - height / 2,
    y2: (d: Cell) => d.north + height / 2,
  }
  const draw = (available: number): Element => {
    const margins = { marginLeft: 44, marginRight: 8, marginTop: 8, marginBottom: 26 }
    const ratio = (rows * height) / (columns * width * widthOfDegree(places))
    const inner = Math.min(available - 52, (MOST_HEIGHT - 34) / ratio)
    return Plot.plot({
      ...{ width: inner + 52, height: inner * ratio + 34, style: chartStyle, ...margins },
      x: { domain: [west, east], label: null, ticks: 4, tickFormat: degrees },
      y: { domain: [south, north], label: null, ticks: 4, tickFormat: degrees },
      marks: [
        Plot.rect(cells, { ...box, fill: 'var(--line)', shapeRendering: 'crispEdges' }),
        Plot.rect(
          cells.filter((d) => d.own >= 0.01),
          {
            ...box,
            fill: 'var(--accent)',
            shapeRendering: 'crispEdges',
            // The square root shows faint cells, too.
            fillOpacity: (d: Cell) => 0.12 + 0.88 * Math.sqrt(d.own),
          },
        ),
        Plot.tip(
          cells,
          Plot.pointer({
            ...tipStyle,
            x: 'east',
            y: 'north',
            title: (d: Cell) =>
              [
                `${degrees(d.north)}, ${degrees(d.east)}`,
                ...(component === undefined
                  ? []
                  : [`component ${component}: ${formatPercent(d.own)} of its largest`]),
                `all together: ${formatPercent(d.total)} of the largest`,
              ].join('\n'),
          }),
        ),
      ],
    })
  }
  const name = component === undefined ? 'all components' : `component ${component}`
  return (
    <figure class="place-chart">
      <Chart
        label={`Map of ${name}`}
        draw={draw}
        inputs={[places, component]}
        table={() => ({
          columns: ['latitude', 'longitude', name, 'all together'],
          rows: cells.map((d) => [Number(d.north.toFixed(5)), Number(d.east.toFixed(5)), d.own, d.total]),
        })}
        legend={[
          { text: name, colour: 'var(--accent)' },
          { text: 'anything observed', colour: 'var(--line-strong)' },
        ]}
      />
      {isCrossed && (
        <figcaption class="soft small">
          Latitude and longitude were learned apart, so that a component is stripes; merged to one mode,
          places are learned as pairs.
        </figcaption>
      )}
    </figure>
  )
}

/** Degrees with at most three decimals. */
const degrees = (x: number): string => String(Number(x.toFixed(3)))
