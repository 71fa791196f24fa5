/** Heat map of a matrix. */
import * as Plot from '@observablehq/plot'
import { formatNumber } from 'lacuna-figures/numbers'
import { useTheme } from '../../theme.ts'
import { Chart, chartStyle, tipStyle } from '../../widgets/index.ts'
import { cutLabel, type LabelSpace, labelStep, measureLabels } from './axisLabels.ts'
import { hatchLines } from './hatchLines.ts'

interface Props {
  title: string
  rows: readonly string[]
  columns: readonly string[]
  /** (rows × columns), NaN where there is no value. */
  values: Float32Array
  /** The end of the colour scale. */
  most: number
  /** More lines of the tip of a cell. */
  describe?(cell: number): string[]
}

/** Up to this number, rows have the height of a label. */
const FEW_ROWS = 32

/** Draws a matrix as colours from 0 to `most`. */
export function Heatmap({ title, rows, columns, values, most, describe }: Props) {
  const theme = useTheme()
  const color = {
    type: 'linear' as const,
    scheme: theme === 'dark' ? ('viridis' as const) : ('ylgnbu' as const),
    domain: [0, most || 1],
    clamp: true,
  }
  const draw = (width: number): Element => {
    const rowHeight = rows.length <= FEW_ROWS ? 18 : Math.max(4, Math.round(420 / rows.length))
    const rowSpace = measureLabels(rows, width)
    const columnSpace = measureLabels(columns)
    const [marginLeft, marginBottom] = [rowSpace.pixels, columnSpace.pixels]
    return Plot.plot({
      ...{ width, marginLeft, marginBottom, marginTop: 4, marginRight: 4, style: chartStyle },
      height: rowHeight * rows.length + marginBottom + 4,
      x: { domain: [0, columns.length], axis: null },
      y: { domain: [rows.length, 0], axis: null },
      color,
      marks: [
        ...(hasMissing(values) ? [hatching] : []),
        Plot.raster(values, {
          ...{
            width: columns.length,
            height: rows.length,
            x1: 0,
            x2: columns.length,
            y1: 0,
            y2: rows.length,
          },
          fill: (x: number) => x,
          imageRendering: 'pixelated',
        }),
        axisLabels('y', rows, rowSpace, rowHeight * rows.length),
        axisLabels('x', columns, columnSpace, width - marginLeft - 4),
        Plot.tip(
          Array.from(values, (value, cell) => ({ value, cell })),
          Plot.pointer({
            ...tipStyle,
            maxRadius: Number.POSITIVE_INFINITY, // the nearest middle is that of the field under the pointer
            x: ({ cell }: { cell: number }) => (cell % columns.length) + 0.5,
            y: ({ cell }: { cell: number }) => Math.floor(cell / columns.length) + 0.5,
            title: ({ value, cell }: { value: number; cell: number }) =>
              [
                `${rows[Math.floor(cell / columns.length)]}, ${columns[cell % columns.length]}`,
                ...(describe?.(cell) ?? [Number.isNaN(value) ? 'not observed' : formatNumber(value)]),
              ].join('\n'),
          }),
        ),
      ],
    })
  }
  return (
    <figure class="heatmap">
      <figcaption>{title}</figcaption>
      <Chart
        label={`${title}: ${rows.length} rows and ${columns.length} columns of values as colours`}
        draw={draw}
        inputs={[values, most, theme]}
        table={() => ({
          columns: ['', ...columns],
          rows: rows.map((label, row) => [
            label,
            ...values.subarray(row * columns.length, (row + 1) * columns.length),
          ]),
        })}
      />
    </figure>
  )
}

/**
 * Labels of the rows or columns, each in the middle of its cell; every n-th if they would overlap.
 * @param extent the length of the axis in pixels
 */
function axisLabels(
  axis: 'x' | 'y',
  labels: readonly string[],
  { characters }: LabelSpace,
  extent: number,
): Plot.Markish {
  const every = labelStep(labels.length, extent)
  const shown = labels.flatMap((label, at) => (at % every === 0 ? [{ label, at: at + 0.5 }] : []))
  const text = ({ label }: { label: string }): string => cutLabel(label, characters)
  return axis === 'y'
    ? Plot.text(shown, { text, y: 'at', frameAnchor: 'left', textAnchor: 'end', dx: -5 })
    : Plot.text(shown, { text, x: 'at', frameAnchor: 'bottom', textAnchor: 'end', rotate: -90, dy: 5 })
}

/** Whether a value is missing. */
const hasMissing = (values: Float32Array): boolean => values.some(Number.isNaN)

/** The distance of two lines of the hatching, in pixels. */
const HATCH = 6

/** Hatches the area of the cells; it is seen where no cell is drawn over it, that is, where values are missing. */
const hatching: Plot.RenderFunction = (_index, _scales, _values, dimensions) => {
  const { width, height, marginLeft, marginRight, marginTop, marginBottom } = dimensions
  const [columns, rows] = [width - marginLeft - marginRight, height - marginTop - marginBottom]
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  path.setAttribute('d', hatchLines(columns, rows, HATCH))
  path.setAttribute('transform', `translate(${marginLeft},${marginTop})`)
  path.setAttribute('stroke', 'var(--line-strong)')
  path.setAttribute('fill', 'none')
  return path
}

/** The colours of heat maps from 0 to `most`. @param isHatched whether cells are missing in one of them */
export function ColourLegend({ most, isHatched }: { most: number; isHatched: boolean }) {
  const theme = useTheme()
  return (
    <p class="soft small colour-legend">
      0 <span class={theme === 'dark' ? 'ramp viridis' : 'ramp ylgnbu'} aria-hidden="true" />{' '}
      {formatNumber(most)}
      {isHatched && (
        <>
          <span class="ramp hatched" aria-hidden="true" /> not observed
        </>
      )}
    </p>
  )
}
