/** Heat map of a matrix on a canvas. */
import * as Plot from '@observablehq/plot'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useTheme } from '../../theme.ts'

interface Props {
  title: string
  rows: readonly string[]
  columns: readonly string[]
  /** (rows × columns), NaN where there is no value. */
  values: Float32Array
  /** The end of the colour scale. */
  most: number
  /** Called with the cell under the pointer. */
  onPoint(cell: { row: number; column: number } | undefined): void
}

/** With more rows or columns than this, labels are not legible and are left out. */
const MOST_LABELS = 32

/** Draws a matrix as colours from 0 to `most`. */
export function Heatmap({ title, rows, columns, values, most, onPoint }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const theme = useTheme()
  useLayoutEffect(() => {
    const context = canvas.current!.getContext('2d')!
    const scheme = theme === 'dark' ? 'viridis' : 'ylgnbu'
    const colour = Plot.scale({ color: { type: 'linear', scheme, domain: [0, most || 1], clamp: true } })
    context.clearRect(0, 0, columns.length, rows.length)
    values.forEach((value, cell) => {
      if (Number.isNaN(value)) return
      context.fillStyle = colour.apply(value)
      context.fillRect(cell % columns.length, Math.floor(cell / columns.length), 1, 1)
    })
  }, [values, most, theme])
  const point = ({
    offsetX,
    offsetY,
    currentTarget,
  }: PointerEvent & { currentTarget: HTMLCanvasElement }): void =>
    onPoint({
      row: Math.min(rows.length - 1, Math.floor((offsetY / currentTarget.clientHeight) * rows.length)),
      column: Math.min(
        columns.length - 1,
        Math.floor((offsetX / currentTarget.clientWidth) * columns.length),
      ),
    })
  const rowHeight = rows.length <= MOST_LABELS ? 18 : Math.max(4, Math.round(420 / rows.length))
  return (
    <figure class="heatmap">
      <figcaption>{title}</figcaption>
      <div class="heatmap-grid">
        <ol class="heatmap-rows" aria-hidden="true" style={{ '--row': `${rowHeight}px` }}>
          {rows.length <= MOST_LABELS && rows.map((label) => <li key={label}>{label}</li>)}
        </ol>
        <canvas
          ref={canvas}
          width={columns.length}
          height={rows.length}
          role="img"
          aria-label={`${title}: ${rows.length} rows and ${columns.length} columns of values as colours`}
          style={{ height: `${rowHeight * rows.length}px` }}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => onPoint(undefined)}
        />
        <ol class="heatmap-columns" aria-hidden="true">
          {columns.length <= MOST_LABELS && columns.map((label) => <li key={label}>{label}</li>)}
        </ol>
      </div>
    </figure>
  )
}
