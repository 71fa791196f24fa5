/** Grids of places: a section of a map in cells, and sums of values in them. */

/** Smallest and largest position, in degrees. */
export type Range = readonly [number, number]

/** A section of a map in degrees, and its number of cells. */
export interface PlaceGrid {
  south: number
  north: number
  west: number
  east: number
  rows: number
  columns: number
}

/** Positions of points in degrees north and east. */
export interface Points {
  latitudes: Float64Array
  longitudes: Float64Array
}

/** Number of cells along the longer side of a grid. */
const CELLS = 96
/** Most cells along the longer side where each cell is a rounded point. */
const POINT_CELLS = 144
/** Width of a degree of longitude relative to one of latitude, in the middle of a section. */
export const widthOfDegree = ({ south, north }: Pick<PlaceGrid, 'south' | 'north'>): number =>
  Math.cos((((south + north) / 2) * Math.PI) / 180)

/**
 * Divides a section of the map into cells that are square on the ground at its mean latitude: CELLS along the
 * longer side, at least 8 along the other.
 */
export function divideSection([south, north]: Range, [west, east]: Range): PlaceGrid {
  const ratio = ((east - west) * widthOfDegree({ south, north })) / (north - south || 1)
  const columns = ratio >= 1 ? CELLS : Math.max(8, Math.round(CELLS * ratio))
  const rows = ratio >= 1 ? Math.max(8, Math.round(CELLS / ratio)) : CELLS
  return { south, north, west, east, rows, columns }
}

/**
 * Returns a grid for points that were rounded: its cells are those of the rounding, or as many of them
 * together as keep the longer side below POINT_CELLS. Covers all but the outermost 1% of the weight, with a margin of
 * one cell.
 * @param weights of the points; points of weight 0 are left out
 */
export function gridOfPoints({ latitudes, longitudes }: Points, weights: ArrayLike<number>): PlaceGrid {
  const [southmost, northmost] = trimmedRange(latitudes, weights)
  const [westmost, eastmost] = trimmedRange(longitudes, weights)
  const visible = Array.from(latitudes.keys()).filter(
    (row) =>
      weights[row] > 0 &&
      latitudes[row] >= southmost &&
      latitudes[row] <= northmost &&
      longitudes[row] >= westmost &&
      longitudes[row] <= eastmost,
  )
  const [y, x] = [visible.map((row) => latitudes[row]), visible.map((row) => longitudes[row])]
  const [stepY, stepX] = [stepOf(y), stepOf(x)]
  const [low, high] = [
    (values: number[]) => reduce(values, Math.min),
    (values: number[]) => reduce(values, Math.max),
  ]
  const along = (values: number[], step: number): number =>
    Math.round((high(values) - low(values)) / step) + 3
  const together = Math.max(1, Math.ceil(Math.max(along(y, stepY), along(x, stepX)) / POINT_CELLS))
  const [cellY, cellX] = [together * stepY, together * stepX]
  // Edges lie between the rounded positions, one cell outside of the outermost.
  const south = low(y) - stepY / 2 - cellY
  const west = low(x) - stepX / 2 - cellX
  const rows = Math.ceil((high(y) - south) / cellY) + 1
  const columns = Math.ceil((high(x) - west) / cellX) + 1
  return { south, west, north: south + rows * cellY, east: west + columns * cellX, rows, columns }
}

/** The distance of rounded positions: a power of ten or half of one, at least 0.0001 degrees. */
function stepOf(positions: readonly number[]): number {
  const distinct = [...new Set(positions.map((x) => Math.round(x * 1e6)))].sort((a, b) => a - b)
  let least = Infinity
  for (let i = 1; i < distinct.length; i++) least = Math.min(least, distinct[i] - distinct[i - 1])
  return least === Infinity ? 0.01 : Math.max(1e-4, least / 1e6)
}

/** Reduces a list by Math.min or Math.max; a spread of many arguments would overflow the stack. */
const reduce = (values: readonly number[], pick: (a: number, b: number) => number): number =>
  values.reduce((a, b) => pick(a, b), values[0])

/** The cell of each point, from north to south, row by row; −1 outside the grid. */
export function cellsOfPoints({ latitudes, longitudes }: Points, grid: PlaceGrid): Int32Array {
  const { south, north, west, east, rows, columns } = grid
  return Int32Array.from(latitudes, (latitude, p) => {
    const row = Math.floor(((north - latitude) / (north - south || 1)) * rows)
    const column = Math.floor(((longitudes[p] - west) / (east - west || 1)) * columns)
    return row < 0 || row >= rows || column < 0 || column >= columns ? -1 : row * columns + column
  })
}

/** Sums the values of points in each cell of a grid (rows × columns). */
export function sumPoints(points: Points, grid: PlaceGrid, values: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(grid.rows * grid.columns)
  cellsOfPoints(points, grid).forEach((cell, p) => {
    if (cell >= 0) sums[cell] += values[p]
  })
  return sums
}

/** Returns the range of positions without the outermost 0.25% of the weight on either side. */
export function trimmedRange(positions: Float64Array, weights: ArrayLike<number>): Range {
  const order = Array.from(positions.keys()).sort((a, b) => positions[a] - positions[b])
  const total = order.reduce((sum, row) => sum + weights[row], 0)
  let below = 0
  let [low, high] = [positions[order[0]], positions[order[order.length - 1]]]
  for (const row of order) {
    if (below <= 0.0025 * total) low = positions[row]
    if (below < 0.9975 * total) high = positions[row]
    below += weights[row]
  }
  return [low, Math.max(low, high)]
}
