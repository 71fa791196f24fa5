/**
 * The order of a long table's rows, found while they are read, so that absent rows are written where they
 * belong: hour by hour, or sensor by sensor.
 */

/** How the labels of a mode follow each other: ascending, descending, or as they first appear in the table. */
type Direction = 'up' | 'down' | 'appearance'

/** A candidate: the modes by which rows may be sorted, the most significant first. */
interface Candidate {
  modes: readonly number[]
  directions: readonly Direction[]
  /** The key of the last row, or -Infinity before the first one. */
  last: number
}

/** Of tables with more modes, only orders by a single mode are candidates. */
const MOST_MODES = 3

/** Finds an order by which the rows of a table are sorted, while they are read. */
export class RowOrder {
  readonly #dims: readonly number[]
  /** Per mode and label, its position among the labels in the order of their first rows; -1 before. */
  readonly #appearance: readonly Int32Array[]
  readonly #appeared: number[]
  #candidates: Candidate[]

  /** @param dims the number of labels of each mode */
  constructor(dims: readonly number[]) {
    this.#dims = dims
    this.#appearance = dims.map((dim) => new Int32Array(dim).fill(-1))
    this.#appeared = dims.map(() => 0)
    const modes = dims.map((_, mode) => mode)
    const sequences = dims.length <= MOST_MODES ? permutations(modes) : []
    // An order by all modes is preferred to one by a single mode, and sorted labels to labels as they first appear.
    this.#candidates = [...sequences, ...modes.map((mode) => [mode])]
      .flatMap((sequence) =>
        directionsOf(sequence.length).map((directions) => ({ modes: sequence, directions, last: -Infinity })),
      )
      .sort((a, b) => b.modes.length - a.modes.length || disorder(a) - disorder(b))
  }

  /** Notes the next rows, given by an index per mode; rows with an index below 0 have no position. */
  note(rowCount: number, indices: readonly ArrayLike<number>[]): void {
    for (let row = 0; row < rowCount && this.#candidates.length > 0; row++) {
      const cell = indices.map((column) => column[row])
      if (cell.some((index) => index < 0)) continue
      cell.forEach((index, mode) => {
        if (this.#appearance[mode][index] < 0) this.#appearance[mode][index] = this.#appeared[mode]++
      })
      this.#candidates = this.#candidates.filter((candidate) => {
        const key = this.#key(candidate, cell)
        const isSorted = key >= candidate.last
        candidate.last = key
        return isSorted
      })
    }
  }

  /**
   * The key by which all noted rows are sorted, a number for the indices of a cell; undefined if there is no such order.
   */
  get key(): ((cell: readonly number[]) => number) | undefined {
    const [first] = this.#candidates
    return first && ((cell) => this.#key(first, cell))
  }

  /** The position of a cell in the order of a candidate. Labels that have not appeared come last. */
  #key({ modes, directions }: Candidate, cell: readonly number[]): number {
    let key = 0
    for (let at = 0; at < modes.length; at++) {
      const [mode, direction] = [modes[at], directions[at]]
      const index = cell[mode]
      const dim = this.#dims[mode]
      const appeared = this.#appearance[mode][index]
      const position =
        direction === 'up'
          ? index
          : direction === 'down'
            ? dim - 1 - index
            : appeared < 0
              ? dim + index
              : appeared
      key = key * 2 * dim + position
    }
    return key
  }
}

/** All orders of some numbers. */
function permutations(numbers: readonly number[]): number[][] {
  if (numbers.length <= 1) return [[...numbers]]
  return numbers.flatMap((first, at) =>
    permutations(numbers.toSpliced(at, 1)).map((rest) => [first, ...rest]),
  )
}

/** All lists of `length` directions. */
function directionsOf(length: number): Direction[][] {
  if (length === 0) return [[]]
  const shorter = directionsOf(length - 1)
  return (['up', 'down', 'appearance'] as const).flatMap((first) => shorter.map((rest) => [first, ...rest]))
}

/** The distance of a candidate from ascending labels; candidates of the smallest distance are preferred. */
const disorder = ({ directions }: Candidate): number =>
  directions.reduce((sum, direction) => sum + { up: 0, down: 1, appearance: 2 }[direction], 0)
