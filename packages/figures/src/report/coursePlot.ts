/** Plot of a component's course along an ordered mode. */
import * as Plot from '@observablehq/plot'

/** Width of the plot of a course, in pixels. */
const WIDTH = 300
/** Height of the plot of a course, in pixels. */
const HEIGHT = 120
/** Largest number of points of a course; more rows are averaged in groups of consecutive ones. */
const MAX_POINTS = 240

/** Data of coursePlot. */
export interface CoursePlot {
  /** Position of each row on the x axis: milliseconds since 1970 if `isTime` (P). */
  positions: Float64Array
  isTime: boolean
  /** Values of the component relative to their mean (P). */
  course: Float64Array
  /** Values of all components together relative to their mean (P). */
  meanCourse: Float64Array
  /** Number of entries of each row (P); rows without entries are not drawn. */
  counts?: Uint32Array
}

/**
 * Draws the course of a component as an area, and the mean course as a line. Rows without entries are not
 * drawn; more than MAX_POINTS rows are averaged in groups.
 * @returns SVG
 */
export function coursePlot(
  { positions, isTime, course, meanCourse, counts }: CoursePlot,
  document: Document,
): string {
  const order = Array.from(positions.keys())
    .filter((row) => !counts || counts[row] > 0)
    .sort((a, b) => positions[a] - positions[b])
  const step = Math.max(1, order.length / MAX_POINTS)
  const points = Array.from({ length: Math.min(order.length, MAX_POINTS) }, (_, p) => {
    const rows = order.slice(Math.floor(p * step), Math.floor((p + 1) * step))
    const mean = (values: Float64Array): number =>
      rows.reduce((sum, row) => sum + values[row], 0) / rows.length
    const position = positions[rows[0]]
    return { x: isTime ? new Date(position) : position, component: mean(course), mean: mean(meanCourse) }
  })
  const plot = Plot.plot({
    ...{
      document,
      width: WIDTH,
      height: HEIGHT,
      marginLeft: 26,
      marginRight: 8,
      marginTop: 8,
      marginBottom: 22,
    },
    x: {
      type: isTime ? 'utc' : 'linear',
      label: null,
      ticks: isTime ? 4 : 6,
      tickFormat: isTime ? undefined : String,
    },
    y: {
      label: null,
      ticks: 3,
      domain: [0, Math.max(1.2, ...points.map(({ component, mean }) => Math.max(component, mean)))],
    },
    marks: [
      Plot.areaY(points, { x: 'x', y: 'component', curve: 'step', className: 'own' }),
      Plot.lineY(points, { x: 'x', y: 'mean', curve: 'step', className: 'usual', strokeWidth: 1 }),
    ],
  })
  return toSvgWithoutStyle(plot)
}

/**
 * Returns a plot as SVG text without Plot's style sheet, of which there would be one per plot. Changes the
 * plot.
 */
function toSvgWithoutStyle(plot: Element): string {
  plot.removeAttribute('class')
  for (const style of plot.querySelectorAll('style')) style.remove()
  return plot.outerHTML
}
