/**
 * The wrapper of all charts by Observable Plot: follows the width of its container, zooms along the horizontal
 * axis, shows its numbers as a table, and saves itself as SVG, PNG and CSV.
 */
import type { Plot as Drawn } from '@observablehq/plot'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ChartTools } from './ChartTools.tsx'
import type { LegendEntry } from './chartStyle.ts'
import { type ChartTable, cellText } from './chartTable.ts'
import { Legend } from './Legend.tsx'
import { useBrush } from './useBrush.ts'
import { type Domain, zoomIn, zoomOut } from './zoom.ts'

interface Props {
  /** The accessible name, and the name of saved files. */
  label: string
  /**
   * Draws the chart at a width in pixels.
   * @param zoom the part of the horizontal axis to show; all of it if undefined
   */
  draw(width: number, zoom?: Domain): Element
  /** The chart is drawn again when one of these changes. */
  inputs: readonly unknown[]
  /** Returns the numbers of the chart. */
  table(): ChartTable
  /** The series, if there is more than one. */
  legend?: readonly LegendEntry[]
  /** Whether the horizontal axis can be zoomed: only if it is a scale of numbers or times. */
  zoomable?: boolean
}

/** At most this number of rows of a table is shown in the page; the .csv file has all. */
const MOST_ROWS = 500

/** Draws a chart with its legend and tools. */
export function Chart({ label, draw, inputs, table, legend = [], zoomable = false }: Props) {
  const container = useRef<HTMLDivElement>(null)
  const drawn = useRef<Element & Partial<Drawn>>(undefined)
  /** The domain of the chart without zoom. */
  const whole = useRef<Domain>(undefined)
  const [width, setWidth] = useState(0)
  const [zoom, setZoom] = useState<Domain>()
  const [hasTable, setHasTable] = useState(false)

  useEffect(() => {
    const observer = new ResizeObserver(([{ contentRect }]) => setWidth(Math.floor(contentRect.width)))
    observer.observe(container.current!)
    return () => observer.disconnect()
  }, [])
  useEffect(() => setZoom(undefined), [label])
  useEffect(() => {
    if (width === 0) return
    // The chart is drawn in a task of its own, so that pictures and numbers are updated first.
    const timer = setTimeout(() => {
      drawn.current = draw(width, zoom)
      // Plot names the groups of its marks; only elements with a role may have a name.
      for (const group of drawn.current.querySelectorAll('g[aria-label]')) group.setAttribute('role', 'img')
      container.current?.replaceChildren(drawn.current)
      if (!zoom) whole.current = readDomain(drawn.current)
    })
    return () => clearTimeout(timer)
  }, [width, zoom, ...inputs])
  useBrush(container, zoomable, () => drawn.current?.scale?.('x'), setZoom)

  const current = zoom ?? whole.current
  return (
    <div class="chart">
      {legend.length > 0 && <Legend entries={legend} />}
      <div
        class={zoomable ? 'chart-picture zoomable' : 'chart-picture'}
        role="img"
        aria-label={label}
        ref={container}
        onDblClick={() => setZoom(undefined)}
      />
      <ChartTools
        {...{ label, legend, table, hasTable }}
        drawn={() => drawn.current}
        onTable={() => setHasTable(!hasTable)}
        zoom={
          zoomable
            ? {
                isZoomed: zoom !== undefined,
                in: () => (current ?? whole.current) && setZoom(zoomIn((current ?? whole.current)!)),
                out: () => zoom && setZoom(zoomOut(zoom, whole.current!)),
                reset: () => setZoom(undefined),
              }
            : undefined
        }
      />
      {hasTable && <Numbers label={label} table={table()} />}
    </div>
  )
}

/** The domain of a chart's horizontal axis as numbers; undefined if it is not continuous. */
function readDomain(drawn: Element & Partial<Drawn>): Domain | undefined {
  const domain = drawn.scale?.('x')?.domain
  if (!domain || Array.from(domain).length !== 2) return undefined
  const [from, to] = Array.from(domain).map(Number)
  return Number.isFinite(from) && Number.isFinite(to) ? [from, to] : undefined
}

/** The numbers of a chart as a table that scrolls. */
function Numbers({ label, table: { columns, rows } }: { label: string; table: ChartTable }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="chart-numbers" aria-label={`Numbers of: ${label}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_ROWS).map((row, r) => (
            <tr key={r}>
              {row.map((cell, c) => (
                <td key={columns[c]}>
                  {typeof cell === 'number' ? String(Number(cell.toPrecision(6))) : cellText(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MOST_ROWS && (
        <p class="soft small">
          The first {MOST_ROWS} of {rows.length} rows; the .csv file has all.
        </p>
      )}
    </section>
  )
}
