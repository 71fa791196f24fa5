/** Maps of a component: of points, or of latitudes and longitudes that were learned apart. */
import {
  divideSection,
  gridOfPoints,
  type PlaceGrid,
  type Points,
  sumPoints,
  trimmedRange,
  widthOfDegree,
} from './placeGrid.ts'

/** Data of a map of points, each a row of one mode. */
export interface PointMap extends Points {
  /** Value of all components together at each point; 0 where nothing was observed. */
  total: Float64Array
  /** Value of this component at each point. */
  component: Float64Array
  /** Number of entries of each point, if known; the map covers all but 1% of them, or of `total`. */
  counts?: ArrayLike<number>
}

/** Data of a map of a mode of latitudes and a mode of longitudes. */
export interface CrossMap {
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

/** Length of the longer side of a map, in pixels. */
const MAP_SIZE = 480
/** Fractions of the largest value at which colours begin, from faint to strong. */
const LEVELS = [0.02, 0.06, 0.15, 0.35, 0.7]
/**
 * Fractions of the largest value at which the greys of the outline begin; the first is near 0, to show every
 * cell.
 */
const OUTLINE_LEVELS = [1e-9, 0.01, 0.06, 0.25, 0.6]

/**
 * Draws a map of points: grey is the outline that the points themselves make, darker where more is; colour is
 * the component.
 * @returns SVG
 */
export function pointMap({ total, component, counts, ...points }: PointMap): string {
  const grid = gridOfPoints(points, counts ?? total)
  const own = component.map((x, p) => (total[p] > 0 ? x : 0))
  return drawMap(grid, sumPoints(points, grid, total), sumPoints(points, grid, own), OUTLINE_LEVELS)
}

/**
 * Draws a map of latitudes and longitudes that were learned apart, cropped to where all components together
 * are visible: grey for them, coloured for this one.
 * @returns SVG
 */
export function crossMap(map: CrossMap): string {
  const wide = divideSection(
    trimmedRange(map.latitudes, map.counts[0]),
    trimmedRange(map.longitudes, map.counts[1]),
  )
  const grid = cropGrid(wide, sumCells(map, wide, map.total))
  return drawMap(grid, sumCells(map, grid, map.total), sumCells(map, grid, map.component), LEVELS)
}

/** Draws the cells of a map: `all` in grey, `own` in colour (rows × columns each). */
function drawMap(grid: PlaceGrid, all: Float64Array, own: Float64Array, outline: readonly number[]): string {
  const { south, north, west, east, rows, columns } = grid
  const [height, width] = [north - south, (east - west) * widthOfDegree(grid)]
  const scale = MAP_SIZE / Math.max(height, width)
  /** One path per level, more opaque for larger values. */
  const layer = (cells: Float64Array, levels: readonly number[], name: string): string => {
    const top = cells.reduce((most, value) => Math.max(most, value), 0)
    return levels
      .map((level, i) => {
        const end = (levels[i + 1] ?? 2) * top
        let path = ''
        for (let at = 0; at < cells.length; at++)
          if (cells[at] >= level * top && cells[at] < end && cells[at] > 0)
            path += `M${at % columns} ${Math.floor(at / columns)}h1v1h-1z`
        return path === ''
          ? ''
          : `<path class="${name}" opacity="${(0.25 + 0.15 * i).toFixed(2)}" d="${path}"/>`
      })
      .join('')
  }
  return (
    `<svg class="map" viewBox="0 0 ${columns} ${rows}" width="${Math.round(width * scale)}" height="${Math.round(height * scale)}" preserveAspectRatio="none" ` +
    `role="img" aria-label="map, ${formatDegrees(south)} to ${formatDegrees(north)} north, ${formatDegrees(west)} to ${formatDegrees(east)} east">` +
    `${layer(all, outline, 'usual-cell')}${layer(own, LEVELS, 'own-cell')}</svg>`
  )
}

/**
 * Sums the values in each cell of a grid, from north to south; positions outside are left out (rows ×
 * columns).
 */
function sumCells(
  { latitudes, longitudes }: CrossMap,
  { south, north, west, east, rows, columns }: PlaceGrid,
  value: CrossMap['component'],
): Float64Array {
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
 * Crops a grid to its cells of at least LEVELS[0] of the largest value, with a margin of two cells, and
 * divides it anew.
 * @param cells sums of the grid (rows × columns)
 */
function cropGrid(grid: PlaceGrid, cells: Float64Array): PlaceGrid {
  const { south, north, west, east, rows, columns } = grid
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
  return divideSection(
    [Math.max(south, north - (bottom + 3) * height), Math.min(north, north - (top - 2) * height)],
    [Math.max(west, west + (left - 2) * width), Math.min(east, west + (right + 3) * width)],
  )
}

/** Formats degrees with two decimals. */
const formatDegrees = (x: number): string => x.toFixed(2)
