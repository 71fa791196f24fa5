/** Distinct cells of a tensor, drawn uniformly at random. */
import { below, draw, purpose, stream } from '../../base/random.ts'
import { uint32Array } from '../../base/sharedArrays.ts'
import { coordinateTable } from '../order/coordinateTable.ts'

/**
 * Returns the number of cells of a tensor; rounded beyond 2⁵³, where it only shows how sparse the tensor is.
 */
export function cellsOf(dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, 1)
}

/**
 * Picks distinct cells uniformly at random, in groups of the given sizes.
 * @param sizes the number of cells of each group
 * @param onProgress called with the fraction that is done
 * @returns per group, an index column per mode
 */
export function pickCells(
  dims: readonly number[],
  sizes: readonly number[],
  seed: number,
  onProgress: (fraction: number) => void,
): Uint32Array[][] {
  const wanted = sizes.reduce((sum, size) => sum + size, 0)
  return isWalkingFaster(dims, wanted)
    ? pickCellsByWalking(dims, sizes, seed, onProgress)
    : pickCellsByRejection(dims, sizes, seed, onProgress)
}

/**
 * Whether more than half of all cells are wanted: then one pass over all cells is faster than drawing and
 * rejecting repeats.
 */
export const isWalkingFaster = (dims: readonly number[], wanted: number): boolean =>
  2 * wanted > cellsOf(dims)

/** Returns, per mode, the function from the number of a draw, from 0, to the random index that it gives. */
export function cellDraws(dims: readonly number[], seed: number): ((attempt: number) => number)[] {
  return dims.map((dim, mode) => {
    const key = stream(seed, purpose.coordinates, mode)
    return (attempt) => below(draw(key, attempt), dim)
  })
}

/**
 * Picks cells in one pass over all cells; faster when more than half are wanted.
 * @returns per group, an index column per mode
 */
function pickCellsByWalking(
  dims: readonly number[],
  sizes: readonly number[],
  seed: number,
  onProgress: (fraction: number) => void,
): Uint32Array[][] {
  const groups = sizes.map((size) => dims.map(() => uint32Array(size)))
  const filled = sizes.map(() => 0)
  forEachPickedCell(
    dims,
    sizes,
    seed,
    (cell, group) => {
      const entry = filled[group]++
      for (let mode = 0; mode < dims.length; mode++) groups[group][mode][entry] = cell[mode]
    },
    onProgress,
  )
  return groups
}

/**
 * Picks cells at random in one pass over all cells, and calls `take` with the indices and group of every
 * picked cell, in row-major order. The array of indices is reused.
 * @param sizes the number of cells of each group
 */
export function forEachPickedCell(
  dims: readonly number[],
  sizes: readonly number[],
  seed: number,
  take: (cell: Uint32Array, group: number) => void,
  onProgress: (fraction: number) => void = () => {},
): void {
  const cells = cellsOf(dims)
  const wanted = sizes.reduce((sum, size) => sum + size, 0)
  const indices = new Uint32Array(dims.length)
  divideAtRandom([...sizes, cells - wanted], stream(seed, purpose.coordinates), (cell, group) => {
    if ((cell & 0xfffff) === 0) onProgress(cell / cells)
    if (group === sizes.length) return // not picked
    for (let mode = dims.length - 1, rest = cell; mode >= 0; mode--) {
      indices[mode] = rest % dims[mode]
      rest = Math.floor(rest / dims[mode])
    }
    take(indices, group)
  })
}

/**
 * Picks cells by drawing at random and rejecting repeats; fast while at most half of all cells are wanted.
 * The first sizes[0] cells drawn form group 0, the next sizes[1] group 1, and so on.
 * @returns per group, an index column per mode
 */
function pickCellsByRejection(
  dims: readonly number[],
  sizes: readonly number[],
  seed: number,
  onProgress: (fraction: number) => void,
): Uint32Array[][] {
  const order = dims.length
  const wanted = sizes.reduce((sum, size) => sum + size, 0)
  const draws = cellDraws(dims, seed)
  const columns = dims.map(() => uint32Array(wanted))
  const table = coordinateTable(columns, wanted)
  let attempt = 0
  for (let entry = 0; entry < wanted; entry++) {
    if ((entry & 0xfffff) === 0) onProgress(entry / wanted)
    do {
      for (let mode = 0; mode < order; mode++) columns[mode][entry] = draws[mode](attempt)
      attempt++
    } while (table.add(entry) !== entry)
  }
  let start = 0
  return sizes.map((size) => {
    const group = columns.map((column) => copyRange(column, start, start + size))
    start += size
    return group
  })
}

/**
 * Returns a copy, in memory that threads can share, of the elements `start` to `end` - 1, or `column` itself
 * if these are all.
 */
function copyRange(column: Uint32Array, start: number, end: number): Uint32Array {
  if (start === 0 && end === column.length) return column
  const copy = uint32Array(end - start)
  copy.set(column.subarray(start, end))
  return copy
}

/**
 * Divides the numbers 0, 1, … into groups of the given sizes; every division is equally likely: a group takes
 * the next number with probability (its free slots) / (all free slots). Calls `take` in order of the numbers.
 * At most 2³² numbers: the random draws are 32-bit, so a probability is off by less than 2⁻³².
 */
function divideAtRandom(
  sizes: readonly number[],
  key: number,
  take: (item: number, group: number) => void,
): void {
  const left = [...sizes]
  const total = sizes.reduce((sum, size) => sum + size, 0)
  for (let item = 0; item < total; item++) {
    let ticket = below(draw(key, item), total - item)
    let group = 0
    while (ticket >= left[group]) ticket -= left[group++]
    left[group]--
    take(item, group)
  }
}
