/** The tools of a chart: zoom, its numbers, and saving it. */
import { useRef } from 'preact/hooks'
import { download } from '../download.ts'
import type { LegendEntry } from './chartStyle.ts'
import { type ChartTable, fileStem, tableToCsv } from './chartTable.ts'
import { chartPng, chartSvg } from './exportChart.ts'

interface Props {
  label: string
  legend: readonly LegendEntry[]
  table(): ChartTable
  /** The chart as it is drawn now. */
  drawn(): Element | undefined
  hasTable: boolean
  onTable(): void
  /** Undefined where the chart does not zoom. */
  zoom?: { isZoomed: boolean; in(): void; out(): void; reset(): void }
}

/** A row of small buttons below a chart, and a menu that saves it. */
export function ChartTools({ label, legend, table, drawn, hasTable, onTable, zoom }: Props) {
  const menu = useRef<HTMLDetailsElement>(null)
  const save = async (kind: 'svg' | 'png' | 'csv'): Promise<void> => {
    menu.current!.open = false
    const name = `${fileStem(label)}.${kind}`
    if (kind === 'csv') return download(new Blob([tableToCsv(table())], { type: 'text/csv' }), name)
    const chart = drawn()
    if (!chart) return
    const svg = chartSvg(chart, legend)
    download(kind === 'svg' ? new Blob([svg], { type: 'image/svg+xml' }) : await chartPng(svg), name)
  }
  return (
    <div class="chart-tools">
      {zoom && (
        <>
          <button type="button" aria-label={`Zoom in: ${label}`} title="Zoom in (or drag)" onClick={zoom.in}>
            +
          </button>
          {zoom.isZoomed && (
            <>
              <button type="button" aria-label={`Zoom out: ${label}`} title="Zoom out" onClick={zoom.out}>
                −
              </button>
              <button type="button" aria-label={`Show all: ${label}`} onClick={zoom.reset}>
                all
              </button>
            </>
          )}
        </>
      )}
      <button type="button" aria-label={`Numbers: ${label}`} aria-expanded={hasTable} onClick={onTable}>
        numbers
      </button>
      <details class="menu" ref={menu}>
        <summary aria-label={`Save: ${label}`}>save</summary>
        <div class="menu-items">
          {(['svg', 'png', 'csv'] as const).map((kind) => (
            <button key={kind} type="button" onClick={() => void save(kind)}>
              {kind.toUpperCase()}
            </button>
          ))}
        </div>
      </details>
    </div>
  )
}
