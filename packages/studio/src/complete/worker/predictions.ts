/** The table of predictions that the page saves as .csv. */
import type { SparseTensor } from 'lacuna'
import { CpEnsemble } from 'lacuna/folds'
import { numberAsText, type TensorModel } from 'lacuna/internal'
import { INTERVAL_LEVEL } from './explore.ts'
import { modeTitle } from './summary.ts'

/** Up to this number of cells all are predicted, else only the observed ones. */
const MOST_CELLS = 1_000_000
/** Rows that are joined to one string of the Blob. */
const ROWS_PER_PIECE = 10_000

/**
 * Returns a table of predictions as CSV: a column per mode, the observed value (empty where there is none),
 * the prediction, and for an ensemble the ends of its 90% interval (empty where there is none). Has all cells up to MOST_CELLS of them,
 * else only the observed ones.
 */
export function predictionsCsv(model: TensorModel, data: SparseTensor | undefined): Blob {
  const cells = model.dims.reduce((product, dim) => product * dim, 1)
  const intervalAt =
    model instanceof CpEnsemble && model.intervals ? model.intervalsAt(INTERVAL_LEVEL) : undefined
  const names = model.dims.map((_, mode) => quoteField(modeTitle(model, mode)))
  const pieces: string[] = [
    `${[...names, 'observed', 'prediction', ...(intervalAt ? ['low', 'high'] : [])].join()}\n`,
  ]
  const labels = model.dims.map((size, mode) =>
    Array.from({ length: size }, (_, row) => quoteField(model.label(mode, row))),
  )
  let piece = ''
  let rows = 0
  /** Appends the row of a cell to the table. */
  const add = (coordinate: number[], observed: number | undefined): void => {
    const cell = coordinate.map((index, mode) => labels[mode][index])
    const observedText = observed === undefined ? '' : numberAsText(observed)
    const y = model.predict(coordinate)
    const interval = intervalAt?.(coordinate, y)
    const predicted = [y, ...(interval ? [interval.low, interval.high] : [])].map((x) =>
      Number.isNaN(x) ? '' : numberAsText(x),
    )
    piece += `${[...cell, observedText, ...predicted].join()}\n`
    if (++rows % ROWS_PER_PIECE === 0) {
      pieces.push(piece)
      piece = ''
    }
  }
  if (cells <= MOST_CELLS) {
    const observed = data ? observedCells(data) : new Map<number, number>()
    for (let cell = 0; cell < cells; cell++) add(coordinateOf(cell, model.dims), observed.get(cell))
  } else if (data)
    for (let e = 0; e < data.values.length; e++)
      add(
        data.indices.map((column) => column[e]),
        data.values[e],
      )
  return new Blob([...pieces, piece], { type: 'text/csv' })
}

/** Observed values by the number of their cell; the last index varies fastest. */
function observedCells({ dims, indices, values }: SparseTensor): Map<number, number> {
  const cells = new Map<number, number>()
  for (let e = 0; e < values.length; e++)
    cells.set(
      dims.reduce((cell, dim, mode) => cell * dim + indices[mode][e], 0),
      values[e],
    )
  return cells
}

/** The indices of a cell, given its number; the last index varies fastest. */
function coordinateOf(cell: number, dims: readonly number[]): number[] {
  const coordinate = new Array<number>(dims.length)
  for (let mode = dims.length - 1; mode >= 0; mode--) {
    coordinate[mode] = cell % dims[mode]
    cell = Math.floor(cell / dims[mode])
  }
  return coordinate
}

/** Quotes a field of CSV if necessary. */
const quoteField = (text: string): string =>
  /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
