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
 * Returns index columns of distinct cells in groups of the given sizes; every choice is equally likely.
 * @param onProgress called with the fraction that is done
 */
export function pickCells(
  dims: readonly number[],
  sizes: readonly number[],
  seed: number,
  onProgress: (fraction: number) => void,
): Uint32Array[][] {
  const wanted = sizes.reduce((sum, size) => sum + size, 0)
  return areWalked(dims, wanted)
    ? takeCells(dims, sizes, seed, onProgress)
    : drawCells(dims, sizes, seed, onProgress)
}

/** Whether so many cells are wanted that walking over all cells is faster than drawing. */
export const areWalked = (dims: readonly number[], wanted: number): boolean => 2 * wanted > cellsOf(dims)

/** Returns, per mode, the function from the number of a draw to the index that is drawn. */
export function cellDraws(dims: readonly number[], seed: number): ((attempt: number) => number)[] {
  return dims.map((dim, mode) => {
    const key = stream(seed, purpose.coordinates, mode)
    return (attempt) => below(draw(key, attempt), dim)
  })
}

/** Dense: walks over all cells, so that a full tensor takes no longer than a half-full one. */
function takeCells(
  dims: readonly number[],
  sizes: readonly number[],
  seed: number,
  onProgress: (fraction: number) => void,
): Uint32Array[][] {
  const groups = sizes.map((size) => dims.map(() => uint32Array(size)))
  const filled = sizes.map(() => 0)
  walkCells(
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

/** Calls `take` with every picked cell, in order: its indices and its group. */
export function walkCells(
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

/** Sparse: draws cells and rejects those drawn before. The groups are runs in the order of drawing. */
function drawCells(
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

/** Returns a copy of a range in shared memory, or `column` itself if the range is all of it. */
function copyRange(column: Uint32Array, start: number, end: number): Uint32Array {
  if (start === 0 && end === column.length) return column
  const copy = uint32Array(end - start)
  copy.set(column.subarray(start, end))
  return copy
}

/**
 * Divides the numbers 0, 1, … into groups of the given sizes; every division is equally likely: a group takes
 * the next number with probability (its free slots) / (all free slots). Calls `take` in order of the numbers.
 * At most 2³² numbers: the tickets are 32-bit, so a probability is off by less than 2⁻³².
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
