/** The map of a model whose rows are places: a grid of cells with the value of each component. */
import type { SparseTensor } from 'lacuna'
import { componentShares, factorView, type ModeKind, modeKinds, type TensorModel } from 'lacuna/internal'
import { cellsOfPoints, gridOfPoints, type Points } from 'lacuna-figures/places'
import type { PlaceMap } from '../../answers.ts'

/** Points with the value of every component at each. */
interface PlacedValues extends Points {
  /** All components together at each point; 0 where nothing was observed. */
  total: Float64Array
  /** The value of a component, by its column, at a point. */
  value(column: number, point: number): number
  /** The number of entries at each point, or else `total`: the map covers all but 1% of it. */
  weights: ArrayLike<number>
  isCrossed: boolean
}

/**
 * Returns the map of a model: of places learned as pairs, or of latitudes and longitudes learned apart where
 * the data has the pairs. Undefined if the model has no places.
 */
export function mapPlaces(model: TensorModel, data: SparseTensor | undefined): PlaceMap | undefined {
  const kinds = modeKinds(model)
  const placed = pairedValues(model, kinds) ?? crossedValues(model, kinds, data)
  if (!placed?.total.some((x) => x > 0)) return undefined
  const grid = gridOfPoints(placed, placed.weights)
  const cellOf = cellsOfPoints(placed, grid)
  const sums = (value: (point: number) => number): Float64Array => {
    const cells = new Float64Array(grid.rows * grid.columns)
    cellOf.forEach((cell, point) => {
      if (cell >= 0 && placed.total[point] > 0) cells[cell] += value(point)
    })
    return cells
  }
  const total = sums((point) => placed.total[point])
  const cells = Uint32Array.from(total.keys()).filter((cell) => total[cell] > 0)
  const { order } = componentShares(factorView(model))
  return {
    ...grid,
    cells,
    total: pickRelative(total, cells),
    components: order.map((column) =>
      pickRelative(
        sums((point) => placed.value(column, point)),
        cells,
      ),
    ),
    isCrossed: placed.isCrossed,
  }
}

/** The values of some cells, relative to the largest. */
function pickRelative(values: Float64Array, cells: Uint32Array): Float32Array {
  const top = values.reduce((most, x) => Math.max(most, x), 0)
  return Float32Array.from(cells, (cell) => (top > 0 ? values[cell] / top : 0))
}

/** The values at places that are rows of one unit. */
function pairedValues(model: TensorModel, kinds: readonly ModeKind[]): PlacedValues | undefined {
  const unit = kinds.findIndex(({ place }) => place === 'point')
  if (unit < 0) return undefined
  const view = factorView(model)
  const [{ rank, factors }] = view.members
  const weights = productOfMeans(model, [unit])
  const value = (column: number, point: number): number => factors[unit][point * rank + column]
  const total = Float64Array.from({ length: view.dims[unit] }, (_, point) =>
    weights.reduce((sum, weight, r) => sum + weight * value(r, point), 0),
  )
  for (const row of view.unobserved[unit]) total[row] = 0
  return { ...kinds[unit].points!, total, value, weights: view.counts[unit] ?? total, isCrossed: false }
}

/** The values at the pairs of latitude and longitude that the data has, where these were learned apart. */
function crossedValues(
  model: TensorModel,
  kinds: readonly ModeKind[],
  data: SparseTensor | undefined,
): PlacedValues | undefined {
  const north = kinds.findIndex(({ place }) => place === 'latitude')
  const east = kinds.findIndex(({ place }) => place === 'longitude')
  if (north < 0 || east < 0 || !data) return undefined
  const view = factorView(model)
  const [{ rank, factors }] = view.members
  const [latitudeMode, longitudeMode] = [view.units[north][0], view.units[east][0]]
  const columns = model.dims[longitudeMode]
  const pairs = new Map<number, number>()
  for (let e = 0; e < data.values.length; e++) {
    const pair = data.indices[latitudeMode][e] * columns + data.indices[longitudeMode][e]
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  const rows = Array.from(pairs.keys(), (pair) => [Math.floor(pair / columns), pair % columns])
  const weights = productOfMeans(model, [north, east])
  const value = (column: number, point: number): number =>
    factors[north][rows[point][0] * rank + column] * factors[east][rows[point][1] * rank + column]
  return {
    latitudes: Float64Array.from(rows, ([row]) => kinds[north].positions![row]),
    longitudes: Float64Array.from(rows, ([, row]) => kinds[east].positions![row]),
    total: Float64Array.from(rows, (_, point) =>
      weights.reduce((sum, weight, r) => sum + weight * value(r, point), 0),
    ),
    value,
    weights: Array.from(pairs.values()),
    isCrossed: true,
  }
}

/** Per component, the product of its mean values in all units but these. */
function productOfMeans(model: TensorModel, excluded: readonly number[]): Float64Array {
  const view = factorView(model)
  const { means } = componentShares(view)
  return means.reduce(
    (product, mean, k) => (excluded.includes(k) ? product : product.map((x, r) => x * mean[r])),
    new Float64Array(view.members[0].rank).fill(1),
  )
}
