import * as Plot from '@observablehq/plot'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useTheme } from '../theme.ts'

interface Props {
  title: string
  rows: readonly string[]
  columns: readonly string[]
  /** (rows × columns), NaN where there is nothing. */
  values: Float32Array
  most: number
  onPoint(cell: { row: number; column: number } | undefined): void
}

/** With more rows or columns than this their labels would not be legible. */
const LABELS = 32

/** A matrix as colours. */
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
  const rowHeight = rows.length <= LABELS ? 18 : Math.max(4, Math.round(420 / rows.length))
  return (
    <figure class="heatmap">
      <figcaption>{title}</figcaption>
      <div class="heatmap-grid">
        <ol class="heatmap-rows" aria-hidden="true" style={{ '--row': `${rowHeight}px` }}>
          {rows.length <= LABELS && rows.map((label) => <li key={label}>{label}</li>)}
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
          {columns.length <= LABELS && columns.map((label) => <li key={label}>{label}</li>)}
        </ol>
      </div>
    </figure>
  )
}
