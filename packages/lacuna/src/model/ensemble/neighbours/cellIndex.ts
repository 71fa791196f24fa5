/**
 * Numbers the cells of entries, and their fibers (the cells that differ in one mode alone), so that values of
 * them are held in arrays. Where entries are dense, the numbers are positions in row-major order; where they
 * are sparse, hash tables number those that have entries.
 */

/** Most cells of a tensor whose cells are numbered by position. */
const MOST_CELLS = 2 ** 26
/** Most cells per entry of a tensor whose cells are numbered by position. */
const CELLS_PER_ENTRY = 32
/** Fewest slots of a hash table per key: at 4/3, three of four slots are taken. */
const SLOTS_PER_KEY = 4 / 3

/** Numbers positions: `count` is above the largest number, `numberOf` is -1 for positions without one. */
export interface Numbering {
  readonly count: number
  numberOf(position: number): number
}

/** Numbers of cells, and per mode of fibers along it. */
export interface CellIndex {
  /** Sizes of the modes. */
  dims: readonly number[]
  /** Strides of the modes in row-major order. */
  strides: readonly number[]
  /** Whether cells and fibers are numbered by position. */
  isDense: boolean
  /** Numbers of cells by their position. */
  cells: Numbering
  /** Per mode, numbers of fibers by their position: that of their cells without this mode. */
  fibers: readonly Numbering[]
}

/** The numbers of the cell of each entry, and per mode of its fiber. */
export interface EntryNumbers {
  cells: Uint32Array
  fibers: readonly Uint32Array[]
}

/**
 * Numbers the cells of entries and their fibers; the tensor must have fewer than 2⁵³ cells.
 * @param indices coordinates of the entries, one column per mode
 */
export function indexCells(dims: readonly number[], indices: readonly Uint32Array[]): CellIndex {
  const strides = stridesOf(dims)
  const entries = indices[0].length
  const cells = strides[0] * dims[0]
  const isDense = isDenseEnough(cells, entries)
  if (isDense) {
    const byPosition = (count: number): Numbering => ({ count, numberOf: (position) => position })
    return {
      ...{ dims, strides, isDense, cells: byPosition(cells) },
      fibers: dims.map((dim) => byPosition(cells / dim)),
    }
  }
  const number = (positionOf: (e: number) => number): Numbering => {
    const table = new HashNumbering(entries)
    for (let e = 0; e < entries; e++) table.add(positionOf(e))
    return table
  }
  const cellOf = (e: number): number => positionOf(strides, indices, e)
  return {
    ...{ dims, strides, isDense, cells: number(cellOf) },
    fibers: dims.map((dim, mode) => number((e) => fiberOf(cellOf(e), strides[mode], dim))),
  }
}

/**
 * The numbers of entries' cells and fibers, which must all be in the index.
 * @param indices coordinates of the entries, one column per mode
 */
export function numberEntries(
  { dims, strides, cells, fibers }: CellIndex,
  indices: readonly Uint32Array[],
): EntryNumbers {
  const entries = indices[0].length
  const numbers = { cells: new Uint32Array(entries), fibers: dims.map(() => new Uint32Array(entries)) }
  for (let e = 0; e < entries; e++) {
    const position = positionOf(strides, indices, e)
    numbers.cells[e] = cells.numberOf(position)
    for (let mode = 0; mode < dims.length; mode++)
      numbers.fibers[mode][e] = fibers[mode].numberOf(fiberOf(position, strides[mode], dims[mode]))
  }
  return numbers
}

/** Whether there are so few cells per entry that cells are numbered by position, without a hash table. */
export const isDenseEnough = (cells: number, entries: number): boolean =>
  cells <= MOST_CELLS && cells <= CELLS_PER_ENTRY * Math.max(1, entries)

/** The slots of a hash table, a power of two. @param most the most positions that are added */
export const slotsFor = (most: number): number => 2 ** Math.ceil(Math.log2(SLOTS_PER_KEY * Math.max(1, most)))

/** The position of an entry's cell in row-major order. @param indices one column per mode */
export function positionOf(
  strides: readonly number[],
  indices: readonly ArrayLike<number>[],
  e: number,
): number {
  let position = 0
  for (let mode = 0; mode < strides.length; mode++) position += strides[mode] * indices[mode][e]
  return position
}

/** The position of the fiber along a mode that contains a cell. @param stride of the mode @param dim its size */
export const fiberOf = (position: number, stride: number, dim: number): number =>
  Math.floor(position / (stride * dim)) * stride + (position % stride)

/** Strides of the modes in row-major order. */
export function stridesOf(dims: readonly number[]): number[] {
  const strides: number[] = []
  dims.reduceRight((stride, dim, mode) => {
    strides[mode] = stride
    return stride * dim
  }, 1)
  return strides
}

/**
 * Numbers positions below 2⁵³ from 0, in the order in which they are added: a hash table with open addressing
 * in typed arrays, which take a fifth of the memory of a Map.
 */
class HashNumbering implements Numbering {
  /** Positions by number. */
  readonly #positions: Float64Array
  /** 1 + the number of the position in each slot; 0 in free ones. */
  readonly #slots: Uint32Array
  #count = 0

  /** @param most the most positions that are added */
  constructor(most: number) {
    this.#positions = new Float64Array(most)
    this.#slots = new Uint32Array(slotsFor(most))
  }

  /** The number of positions. */
  get count(): number {
    return this.#count
  }

  /** The number of a position; -1 if it was not added. */
  numberOf(position: number): number {
    return this.#slots[this.#slotOf(position)] - 1
  }

  /** Adds a position, unless it is there. */
  add(position: number): void {
    const slot = this.#slotOf(position)
    if (this.#slots[slot] > 0) return
    this.#positions[this.#count++] = position
    this.#slots[slot] = this.#count
  }

  /** The slot of a position, or the free one where it belongs. */
  #slotOf(position: number): number {
    const slots = this.#slots
    const positions = this.#positions
    const last = slots.length - 1
    let slot = hash(position) & last
    for (; slots[slot] > 0; slot = (slot + 1) & last) if (positions[slots[slot] - 1] === position) break
    return slot
  }
}

/** A hash of a whole number below 2⁵³: its two words, mixed as in MurmurHash3. */
function hash(x: number): number {
  const high = Math.floor(x / 2 ** 32)
  let h = Math.imul((x - high * 2 ** 32) | 0, 0xcc9e2d51) ^ Math.imul(high, 0x1b873593)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** About how many bytes per entry the numbers of cells and fibers, and sums by them, take. */
export function indexBytes(dims: readonly number[], entries: number): number {
  const cells = dims.reduce((product, dim) => product * dim, 1)
  if (isDenseEnough(cells, entries)) {
    const fibers = dims.reduce((sum, dim) => sum + cells / dim, 0)
    return (5 * cells + 8 * fibers) / Math.max(1, entries)
  }
  const slots = slotsFor(entries) / Math.max(1, entries)
  // Fibers have a sum and a count each, cells a residual and a mark.
  return dims.length * (4 * slots + 24) + 4 * slots + 13
}
