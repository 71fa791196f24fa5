/** Errors by the rows of a mode: by how many entries they had, and those that add most. */
import type { SparseTensor } from '../../tensor/index.ts'
import { largest } from '../answer/largest.ts'
import { labelOf, modeName, type Predictor } from '../factored.ts'

/** Where the errors lie, by the rows of a mode. */
export interface ModeErrors {
  name: string
  /** By how many training entries rows had. */
  bySupport: { from: number; to: number; entries: number; rmse: number }[]
  /** The rows that add most to the squared error. */
  worst: { row: number; label: string; entries: number; rmse: number; share: number }[]
}

/** Rows of none, one to four, and so on. */
const SUPPORT = [0, 1, 5, 20, 100, 1000]

/** Where the errors of predictions lie among the rows of a mode, of which so many are named. */
export function modeErrors(
  model: Pick<Predictor, 'dims' | 'labels' | 'modes' | 'observed'>,
  { indices, values }: Pick<SparseTensor, 'indices' | 'values'>,
  predictions: ArrayLike<number>,
  mode: number,
  most: number,
): ModeErrors {
  const size = model.dims[mode]
  const counts = model.observed?.counts[mode]
  const entries = new Uint32Array(size)
  const squares = new Float64Array(size)
  let total = 0
  for (let e = 0; e < values.length; e++) {
    const row = indices[mode][e]
    const square = (values[e] - predictions[e]) ** 2
    entries[row]++
    squares[row] += square
    total += square
  }
  const groups = SUPPORT.map((from, i) => ({
    from,
    to: (SUPPORT[i + 1] ?? Infinity) - 1,
    entries: 0,
    squares: 0,
  }))
  if (counts)
    for (let row = 0; row < size; row++) {
      const group = groups.findLast(({ from }) => counts[row] >= from)!
      group.entries += entries[row]
      group.squares += squares[row]
    }
  return {
    name: modeName(model, mode),
    bySupport: groups
      .filter((group) => group.entries > 0)
      .map(({ from, to, entries, squares }) => ({ from, to, entries, rmse: Math.sqrt(squares / entries) })),
    worst: largest(squares, most, (row) => squares[row] > 0).map((row) => ({
      row,
      label: labelOf(model, mode, row),
      entries: entries[row],
      rmse: Math.sqrt(squares[row] / entries[row]),
      share: squares[row] / total,
    })),
  }
}
