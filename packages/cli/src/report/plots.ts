/** Small plots of a component: its course along an ordered mode, and its map. */
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

/** Data of mapPlot. */
export interface MapPlot {
  /** Degrees north of each row of the mode of latitudes. */
  latitudes: Float64Array
  /** Degrees east of each row of the mode of longitudes. */
  longitudes: Float64Array
  /** Number of entries of each row of latitudes and of longitudes; the map covers all but 0.5% of them. */
  counts: readonly [ArrayLike<number>, ArrayLike<number>]
  /** Value of all components together at a row of latitudes and a row of longitudes. */
  total(latitudeRow: number, longitudeRow: number): number
  /** Value of this component at a row of latitudes and a row of longitudes. */
  component(latitudeRow: number, longitudeRow: number): number
}

/** Smallest and largest position, in degrees. */
type Range = readonly [number, number]

/** Length of the longer side of a map, in pixels. */
const MAP_SIZE = 480
/** Number of cells along the longer side of a map. */
const CELLS = 96
/** Fractions of the largest value at which colours begin, from faint to strong. */
const LEVELS = [0.02, 0.06, 0.15, 0.35, 0.7]

/** Section of a map in degrees, and its number of cells. */
interface Window {
  south: number
  north: number
  west: number
  east: number
  rows: number
  columns: number
}

/**
 * Divides a section of the map into cells that are square on the ground at its mean latitude: CELLS along the
 * longer side, at least 8 along the other.
 */
function createWindow([south, north]: Range, [west, east]: Range): Window {
  const ratio = ((east - west) * Math.cos((((south + north) / 2) * Math.PI) / 180)) / (north - south || 1)
  const columns = ratio >= 1 ? CELLS : Math.max(8, Math.round(CELLS * ratio))
  const rows = ratio >= 1 ? Math.max(8, Math.round(CELLS / ratio)) : CELLS
  return { south, north, west, east, rows, columns }
}

/**
 * Sums the values in each cell of a window, from north to south; positions outside are left out (rows ×
 * columns).
 */
function sumCells(
  { latitudes, longitudes }: MapPlot,
  window: Window,
  value: MapPlot['component'],
): Float64Array {
  const { south, north, west, east, rows, columns } = window
  const cellOf = (x: number, from: number, to: number, cells: number): number =>
    x < from || x > to ? -1 : Math.min(cells - 1, Math.floor(((x - from) / (to - from || 1)) * cells))
  const y = latitudes.map((latitude) => cellOf(latitude, south, north, rows))
  const x = longitudes.map((longitude) => cellOf(longitude, west, east, columns))
  const cells = new Float64Array(rows * columns)
  y.forEach((row, i) => {
    if (row < 0) return
    for (let j = 0; j < x.length; j++) if (x[j] >= 0) cells[(rows - 1 - row) * columns + x[j]] += value(i, j)
  })
  return cells
}

/**
 * Crops a window to its cells of at least LEVELS[0] of the largest value, with a margin of two cells, and
 * divides it anew.
 * @param cells sums of the window (rows × columns)
 */
function cropWindow(window: Window, cells: Float64Array): Window {
  const { south, north, west, east, rows, columns } = window
  const threshold = LEVELS[0] * cells.reduce((most, value) => Math.max(most, value), 0)
  let [top, bottom, left, right] = [rows, -1, columns, -1]
  cells.forEach((value, at) => {
    if (value < threshold) return
    const [row, column] = [Math.floor(at / columns), at % columns]
    top = Math.min(top, row)
    bottom = Math.max(bottom, row)
    left = Math.min(left, column)
    right = Math.max(right, column)
  })
  const [height, width] = [(north - south) / rows, (east - west) / columns]
  return createWindow(
    [Math.max(south, north - (bottom + 3) * height), Math.min(north, north - (top - 2) * height)],
    [Math.max(west, west + (left - 2) * width), Math.min(east, west + (right + 3) * width)],
  )
}

/**
 * Draws a map, cropped to where all components together are visible: grey for them, coloured for this one.
 * @returns SVG
 */
export function mapPlot(map: MapPlot): string {
  const wide = createWindow(
    trimmedRange(map.latitudes, map.counts[0]),
    trimmedRange(map.longitudes, map.counts[1]),
  )
  const window = cropWindow(wide, sumCells(map, wide, map.total))
  const { south, north, west, east, rows, columns } = window
  const sums = (value: MapPlot['component']): Float64Array => sumCells(map, window, value)
  const cell = MAP_SIZE / Math.max(rows, columns)
  // One path per level of LEVELS, more opaque for larger values.
  const layer = (cells: Float64Array, name: string): string => {
    const top = cells.reduce((most, value) => Math.max(most, value), 0)
    return LEVELS.map((level, i) => {
      const end = (LEVELS[i + 1] ?? 2) * top
      let path = ''
      for (let at = 0; at < cells.length; at++)
        if (cells[at] >= level * top && cells[at] < end)
          path += `M${at % columns} ${Math.floor(at / columns)}h1v1h-1z`
      return path === ''
        ? ''
        : `<path class="${name}" opacity="${(0.25 + 0.15 * i).toFixed(2)}" d="${path}"/>`
    }).join('')
  }
  return (
    `<svg class="map" viewBox="0 0 ${columns} ${rows}" width="${Math.round(columns * cell)}" height="${Math.round(rows * cell)}" ` +
    `role="img" aria-label="map, ${formatDegrees(south)} to ${formatDegrees(north)} north, ${formatDegrees(west)} to ${formatDegrees(east)} east">` +
    `${layer(sums(map.total), 'usual-cell')}${layer(sums(map.component), 'own-cell')}</svg>`
  )
}

/** Formats degrees with two decimals. */
const formatDegrees = (x: number): string => x.toFixed(2)

/** Returns the range of positions without the outermost 0.25% of the entries on either side. */
function trimmedRange(positions: Float64Array, counts: ArrayLike<number>): [number, number] {
  const order = Array.from(positions.keys()).sort((a, b) => positions[a] - positions[b])
  const total = order.reduce((sum, row) => sum + counts[row], 0)
  let cumulated = 0
  let [low, high] = [positions[order[0]], positions[order[order.length - 1]]]
  for (const row of order) {
    if (cumulated <= 0.0025 * total) low = positions[row]
    cumulated += counts[row]
    if (cumulated <= 0.9975 * total) high = positions[row]
  }
  return [low, Math.max(low, high)]
}
