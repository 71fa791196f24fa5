/** Small plots of a component: its course along an ordered mode, and its map. */
import * as Plot from '@observablehq/plot'

const WIDTH = 300
const HEIGHT = 120
/** Largest number of points; longer courses are averaged in groups of rows. */
const MAX_POINTS = 240

/** Data of coursePlot. */
export interface CoursePlot {
  positions: Float64Array
  isTime: boolean
  /** Values of the component, and of all components together, relative to their means. */
  course: Float64Array
  usual: Float64Array
  counts?: Uint32Array
}

/** Draws the course of a component as an area, and the mean course as a line. @returns SVG */
export function coursePlot(
  { positions, isTime, course, usual, counts }: CoursePlot,
  document: Document,
): string {
  const order = Array.from(positions.keys())
    .filter((row) => !counts || counts[row] > 0)
    .sort((a, b) => positions[a] - positions[b])
  const step = Math.max(1, order.length / MAX_POINTS)
  const points = Array.from({ length: Math.min(order.length, MAX_POINTS) }, (_, p) => {
    const rows = order.slice(Math.floor(p * step), Math.floor((p + 1) * step))
    const mean = (of: Float64Array): number => rows.reduce((sum, row) => sum + of[row], 0) / rows.length
    const at = positions[rows[0]]
    return { at: isTime ? new Date(at) : at, own: mean(course), usual: mean(usual) }
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
      domain: [0, Math.max(1.2, ...points.map(({ own, usual }) => Math.max(own, usual)))],
    },
    marks: [
      Plot.areaY(points, { x: 'at', y: 'own', curve: 'step', className: 'own' }),
      Plot.lineY(points, { x: 'at', y: 'usual', curve: 'step', className: 'usual', strokeWidth: 1 }),
    ],
  })
  return withoutStyle(plot)
}

/** SVG without Plot's own style sheet, of which there would be one per plot. */
function withoutStyle(plot: Element): string {
  plot.removeAttribute('class')
  for (const style of plot.querySelectorAll('style')) style.remove()
  return plot.outerHTML
}

/** Data of mapPlot. */
export interface MapPlot {
  latitudes: Float64Array
  longitudes: Float64Array
  /** Number of entries of each row, which bound the map. */
  counts: readonly [ArrayLike<number>, ArrayLike<number>]
  /** Value at a row of latitudes and one of longitudes: of all components, and of this one. */
  all(latitude: number, longitude: number): number
  own(latitude: number, longitude: number): number
}

type Range = readonly [number, number]

const MAP_WIDTH = 480
const CELLS = 96
/** Fractions of the largest value at which colours begin, from faint to strong. */
const LEVELS = [0.02, 0.06, 0.15, 0.35, 0.7]

interface Window {
  south: number
  north: number
  west: number
  east: number
  rows: number
  columns: number
}

/** A window with square cells, CELLS along the longer side. */
function windowOf([south, north]: Range, [west, east]: Range): Window {
  const ratio = ((east - west) * Math.cos((((south + north) / 2) * Math.PI) / 180)) / (north - south || 1)
  const columns = ratio >= 1 ? CELLS : Math.max(8, Math.round(CELLS * ratio))
  const rows = ratio >= 1 ? Math.max(8, Math.round(CELLS / ratio)) : CELLS
  return { south, north, west, east, rows, columns }
}

/** Sums of the values in each cell, from north to south (rows × columns). */
function gridOf({ latitudes, longitudes }: MapPlot, window: Window, value: MapPlot['own']): Float64Array {
  const { south, north, west, east, rows, columns } = window
  const cellOf = (x: number, from: number, to: number, cells: number): number =>
    x < from || x > to ? -1 : Math.min(cells - 1, Math.floor(((x - from) / (to - from || 1)) * cells))
  const y = latitudes.map((x) => cellOf(x, south, north, rows))
  const x = longitudes.map((each) => cellOf(each, west, east, columns))
  const cells = new Float64Array(rows * columns)
  y.forEach((row, i) => {
    if (row < 0) return
    for (let j = 0; j < x.length; j++) if (x[j] >= 0) cells[(rows - 1 - row) * columns + x[j]] += value(i, j)
  })
  return cells
}

/** Crops a window to the cells with visible values, with a margin. */
function cropWindow(window: Window, cells: Float64Array): Window {
  const { south, north, west, east, rows, columns } = window
  const least = LEVELS[0] * cells.reduce((most, value) => Math.max(most, value), 0)
  let [top, bottom, left, right] = [rows, -1, columns, -1]
  cells.forEach((value, at) => {
    if (value < least) return
    const [row, column] = [Math.floor(at / columns), at % columns]
    top = Math.min(top, row)
    bottom = Math.max(bottom, row)
    left = Math.min(left, column)
    right = Math.max(right, column)
  })
  const [height, width] = [(north - south) / rows, (east - west) / columns]
  return windowOf(
    [Math.max(south, north - (bottom + 3) * height), Math.min(north, north - (top - 2) * height)],
    [Math.max(west, west + (left - 2) * width), Math.min(east, west + (right + 3) * width)],
  )
}

/** Draws a map: grey for all components, coloured for this one. @returns SVG */
export function mapPlot(map: MapPlot): string {
  const wide = windowOf(extent(map.latitudes, map.counts[0]), extent(map.longitudes, map.counts[1]))
  const window = cropWindow(wide, gridOf(map, wide, map.all))
  const { south, north, west, east, rows, columns } = window
  const grid = (value: MapPlot['own']): Float64Array => gridOf(map, window, value)
  const cell = MAP_WIDTH / Math.max(rows, columns)
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
    `role="img" aria-label="map, ${degrees(south)} to ${degrees(north)} north, ${degrees(west)} to ${degrees(east)} east">` +
    `${layer(grid(map.all), 'usual-cell')}${layer(grid(map.own), 'own-cell')}</svg>`
  )
}

const degrees = (x: number): string => x.toFixed(2)

/** Interval of positions that holds all but 0.5% of the entries. */
function extent(positions: Float64Array, counts: ArrayLike<number>): [number, number] {
  const order = Array.from(positions.keys()).sort((a, b) => positions[a] - positions[b])
  const total = order.reduce((sum, row) => sum + counts[row], 0)
  let before = 0
  let [low, high] = [positions[order[0]], positions[order[order.length - 1]]]
  for (const row of order) {
    if (before <= 0.0025 * total) low = positions[row]
    before += counts[row]
    if (before <= 0.9975 * total) high = positions[row]
  }
  return [low, Math.max(low, high)]
}
